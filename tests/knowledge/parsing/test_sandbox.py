"""The child that a parser runs in: it may break, hang or swell, and nothing else does."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from knowledge.errors import UnreadableFile
from knowledge.parsing import sandbox
from knowledge.parsing.limits import Limits
from knowledge.parsing.registry import parse
from knowledge.parsing.sandbox import parse_in_child
from tests.knowledge.parsing.made import Pdf, docx, p, table

ROOT = Path(__file__).resolve().parents[3]
WORDS = {
    "en": "The warranty",
    "ko": "보증 기간",
    "ja": "保証期間",
    "zh": "保修期限",
    "de": "Gewährleistung",
    "es": "garantía",
    "fr": "garantie à compter",
}


@pytest.mark.parametrize("language", WORDS)
def test_the_child_answers_what_the_parser_reads(language: str) -> None:
    data = docx(p(WORDS[language]) + table(["A", "B", "C"], ["1", WORDS[language], "3"]))
    assert parse_in_child(data, "made.docx", Limits()) == parse(data, "made.docx", Limits())


def test_lines_and_pages_come_through() -> None:
    pdf = Pdf()
    pdf.page([(60, 100, "words on a page")])
    parsed, direct = parse_in_child(pdf.data(), "a.pdf", Limits()), pdf.read()
    assert parsed.text == direct.text
    assert [(line.start, line.end, line.page) for line in parsed.blocks[0].lines] == [(0, 15, 1)]
    assert parsed.blocks[0].lines[0].box == pytest.approx(direct.blocks[0].lines[0].box, abs=0.06)


def test_a_refusal_comes_through_with_its_params() -> None:
    pdf = Pdf()
    pdf.page([(60, 100, "a")])
    pdf.page([(60, 100, "b")])
    with pytest.raises(UnreadableFile) as refusal:
        parse_in_child(pdf.data(), "a.pdf", Limits(pages=1))
    assert (refusal.value.code, refusal.value.params) == ("too_many_pages", {"pages": 2, "most": 1})


def _heavy() -> bytes:
    """A text whose reading takes longer than any of these limits."""
    return ("# words\n\n" * 400_000).encode()


def test_a_parser_that_takes_too_long_is_killed() -> None:
    began = time.monotonic()
    with pytest.raises(UnreadableFile) as refusal:
        parse_in_child(_heavy(), "a.md", Limits(seconds=1.0))
    assert refusal.value.code == "timed_out"
    assert time.monotonic() - began < 5


def test_a_parser_that_swells_is_out_of_memory() -> None:
    with pytest.raises(UnreadableFile) as refusal:
        parse_in_child(_heavy(), "a.md", Limits(memory=_needed() + 50 * 1024**2, seconds=60))
    assert refusal.value.code == "out_of_memory"


@pytest.mark.parametrize("room", [1.0, 1.004, 1.008, 1.012, 1.016, 1.02, 1.024, 1.05])
def test_a_pdf_that_swells_is_never_called_damaged(room: float) -> None:
    """Whatever the library was doing when its memory ended, and whatever it said then."""
    pdf = Pdf()
    page = pdf.page()
    for at in range(0, 800, 4):
        page.insert_text((10, at), "words " * 300, fontsize=3)
    limits = Limits(memory=int(_needed() * room), seconds=60)
    try:
        assert "words words" in parse_in_child(pdf.data(garbage=0), "a.pdf", limits).text
    except UnreadableFile as refusal:
        assert refusal.code == "out_of_memory"


def test_a_damaged_pdf_is_not_called_too_large_where_memory_is_small() -> None:
    limits = Limits(memory=_needed() + 64 * 1024**2, seconds=60)
    with pytest.raises(UnreadableFile) as refusal:
        parse_in_child(b"%PDF-1.7\nnothing of a document", "a.pdf", limits)
    assert refusal.value.code == "damaged"


def _needed() -> int:
    """Address space of a process that has the parsers loaded and done nothing."""
    script = "import knowledge.parsing.sandbox; print(open('/proc/self/statm').read().split()[0])"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return int(done.stdout) * resource.getpagesize()


def _killed(how: object) -> UnreadableFile:
    with pytest.raises(UnreadableFile) as refusal:
        raise sandbox._broken(how, False, Limits())  # type: ignore[arg-type]
    return refusal.value


@pytest.mark.parametrize(
    ("exitcode", "code"),
    [
        (-11, "damaged"),
        (-6, "damaged"),
        (1, "damaged"),
        (-9, "out_of_memory"),
        (77, "out_of_memory"),
        (-24, "timed_out"),
    ],
)
def test_how_a_child_died_says_what_was_wrong(exitcode: int, code: str) -> None:
    assert _killed(exitcode).code == code


def test_no_child_is_left_behind() -> None:
    for _round in range(3):
        with pytest.raises(UnreadableFile):
            parse_in_child(_heavy(), "a.md", Limits(seconds=0.5))
    children = subprocess.run(
        ["ps", "-eo", "ppid,pid,stat,args"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    server = sandbox.forkserver._forkserver._forkserver_pid
    assert [row for row in children if row.split()[0] == str(server)] == []


def test_it_may_be_called_from_many_threads_at_once() -> None:
    names = [f"fact {number}" for number in range(12)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda words: parse_in_child(words.encode(), "a.txt", Limits()).text, names))
    assert found == names


def test_a_warm_call_costs_little() -> None:
    parse_in_child(b"words", "a.txt", Limits())
    times = []
    for _round in range(5):
        began = time.monotonic()
        parse_in_child(b"words", "a.txt", Limits())
        times.append(time.monotonic() - began)
    assert min(times) < 0.1


def test_it_works_from_another_folder_and_is_warm_there(tmp_path: Path) -> None:
    script = (
        "import sys, time; sys.path.insert(0, sys.argv[1])\n"
        "from knowledge.parsing.sandbox import parse_in_child\n"
        "from knowledge.parsing.limits import Limits\n"
        "if __name__ == '__main__':\n"
        "    parse_in_child(b'words', 'a.txt', Limits())\n"
        "    times = []\n"
        "    for _ in range(3):\n"
        "        began = time.monotonic(); parse_in_child(b'words', 'a.txt', Limits())\n"
        "        times.append(time.monotonic() - began)\n"
        "    print(min(times))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(ROOT)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 0.2


def test_nothing_of_a_document_touches_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    pdf = Pdf()
    pdf.page([(60, 100, "secret words")])
    parse_in_child(pdf.data(), "a.pdf", Limits())
    assert list(tmp_path.iterdir()) == []


def test_the_child_has_no_secrets_no_core_and_no_files_to_write(tmp_path: Path) -> None:
    """In a process of its own, which confines itself as the child does."""
    script = (
        "import os, resource\n"
        "from knowledge.parsing.sandbox import _confine\n"
        "from knowledge.parsing.limits import Limits\n"
        "said = os.dup(1)\n"
        "_confine(Limits(memory=1024**3, seconds=7))\n"
        "limits = [resource.getrlimit(one)[0] for one in (resource.RLIMIT_AS, resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU)]\n"
        "print('lost words')\n"
        "os.write(said, repr((dict(os.environ), limits)).encode())\n"
    )
    env = {**os.environ, "CITEWELL_MASTER_KEY": "secret", "PYTHONPATH": str(ROOT)}
    read_end, write_end = os.pipe()
    subprocess.run([sys.executable, "-c", script], env=env, stdout=write_end, check=True)
    os.close(write_end)
    said = os.read(read_end, 10_000).decode()
    os.close(read_end)
    assert said == repr(({}, [1024**3, 0, 0, 8]))


def test_the_calling_process_keeps_its_own_limits_and_path() -> None:
    before = resource.getrlimit(resource.RLIMIT_AS), os.environ.get("PYTHONPATH")
    parse_in_child(b"words", "a.txt", Limits(memory=1024**3))
    assert (resource.getrlimit(resource.RLIMIT_AS), os.environ.get("PYTHONPATH")) == before
    assert threading.active_count() < 50


@pytest.mark.parametrize(
    "answer",
    [b"", b"{", b"[]", b"{}", b'{"done": {}}', b'{"done": {"blocks": [{"k": "x"}]}}', b"\xff\xfe"],
)
def test_an_answer_that_is_none_is_not_believed(answer: bytes) -> None:
    with pytest.raises(UnreadableFile) as refusal:
        sandbox._decoded(sandbox._read(answer))
    assert refusal.value.code == "damaged"
