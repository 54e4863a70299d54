"""`manage.py ingest`: what it takes in, what it prints, how it ends."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from accounts.scope import current_tenant_id
from knowledge.models import Document, Job, Space, Version, VersionState
from knowledge.services import create_space
from tests.factories import Person
from tests.fakes.embedding_server import EmbeddingServer
from tests.knowledge.test_ingest import TEXTS, assert_counts_are_true

pytestmark = pytest.mark.django_db(transaction=True)


class Ran:
    """A run of the command in Acme: its status, its two outputs."""

    def __init__(self, *words: Any) -> None:
        out, err = StringIO(), StringIO()
        self.status = 0
        try:
            call_command("ingest", *map(str, words), "--tenant", "acme", stdout=out, stderr=err)
        except SystemExit as end:
            self.status = int(end.code or 0)
        self.out, self.err = out.getvalue(), err.getvalue()

    @property
    def result(self) -> dict[str, Any]:
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def _owner(plant: EmbeddingServer, alice: Person) -> None:
    """A command runs as the tenant's owner."""


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_list_of_texts_is_one_document_a_line_in_seven_languages(tmp_path: Path) -> None:
    rows = [
        {"id": f"p-{language}", "title": name, "text": text, "lang": language, "note": 1}
        for language, (name, text, _words) in TEXTS.items()
    ]
    ran = Ran(lines(tmp_path / "rows.jsonl", *rows), "--space", "handbook", "--create", "--wait", "--json")
    assert ran.status == 0
    assert ran.result["ignored_keys"] == {"lang": 7, "note": 7}
    documents = ran.result["documents"]
    assert [row["external_id"] for row in documents] == [row["id"] for row in rows]
    assert [row["title"] for row in documents] == [row["title"] for row in rows]
    for row in documents:
        assert (row["status"], row["error"], row["failures"]) == ("ready", None, [])
        assert row["chunks"] >= 1 and row["characters"] > 0
    assert {str(d.uid) for d in Document.objects.all()} == {row["id"] for row in documents}
    assert_counts_are_true(Space.objects.get(slug="handbook"))


def test_the_same_list_again_changes_nothing(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "rows.jsonl", {"id": "1", "text": "Some text."}, {"id": "2", "text": "Other text."}
    )
    Ran(path, "--space", "handbook", "--create", "--wait", "--json")
    again = Ran(path, "--space", "handbook", "--wait", "--json")
    assert again.status == 0 and all(row["duplicate"] for row in again.result["documents"])
    assert Version.objects.count() == 2


def test_a_folder_is_taken_in_whole_but_for_what_is_hidden(tmp_path: Path) -> None:
    for name in (
        "docs/readme.md",
        "docs/part/readme.md",
        "docs/.git/config.txt",
        "docs/.hidden.txt",
        "docs/휴가.txt",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"The text of {name}.")
    other = tmp_path / "more" / "readme.md"
    other.parent.mkdir()
    other.write_text("The text of another folder.")
    ran = Ran(tmp_path / "docs", other.parent, "--space", "handbook", "--create", "--wait", "--json")
    assert ran.status == 0
    assert sorted(row["title"] for row in ran.result["documents"]) == ["readme", "readme", "readme", "휴가"]
    assert Document.objects.count() == 4


def test_one_bad_file_fails_with_its_reason_and_the_others_are_ready(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("Some text.")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7\nnothing of a document")
    ran = Ran(tmp_path, "--space", "handbook", "--create", "--wait", "--json")
    assert ran.status == 1
    found = {row["title"]: (row["status"], row["error"]) for row in ran.result["documents"]}
    assert found == {
        "good": ("ready", None),
        "bad": ("failed", "damaged"),
        "empty.txt": ("failed", "empty_file"),
    }
    assert ran.result["failed"] == 2


@pytest.mark.parametrize(
    "row",
    [{"text": None}, {"title": "no text"}, {"text": "", "fields": {"a": 1}}, {"text": [], "fields": [1]}],
)
def test_a_line_without_text_fails_and_says_so(row: dict[str, Any], tmp_path: Path) -> None:
    path = lines(tmp_path / "rows.jsonl", row, {"text": "Some text."})
    ran = Ran(path, "--space", "handbook", "--create", "--wait", "--json")
    assert ran.status == 1
    assert [one["status"] for one in ran.result["documents"]] == ["failed", "ready"]
    assert ran.result["documents"][0]["error"] == "empty_file"
    assert ran.result["documents"][0]["detail"]


def test_without_wait_documents_are_queued(tmp_path: Path) -> None:
    path = lines(tmp_path / "rows.jsonl", {"text": "Some text."})
    ran = Ran(path, "--space", "handbook", "--create", "--json")
    assert [row["status"] for row in ran.result["documents"]] == ["queued"]
    assert Version.objects.get().state == VersionState.QUEUED and Job.objects.count() == 1


def test_an_endpoint_that_stays_down_ends_the_wait_with_a_reason(
    tmp_path: Path, plant: EmbeddingServer
) -> None:
    plant.mood = "refused"
    path = lines(tmp_path / "rows.jsonl", {"text": "Some text."})
    ran = Ran(path, "--space", "handbook", "--create", "--wait", "--json")
    assert ran.status == 1
    assert [row["error"] for row in ran.result["documents"]] == ["backend_refused"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["missing.txt", "--space", "handbook", "--create"], "missing.txt"),
        (["good.txt", "--space", "handbook"], "--create"),
        (["bad.jsonl", "--space", "handbook", "--create"], "line 2"),
        (["latin.jsonl", "--space", "handbook", "--create"], "UTF-8"),
    ],
)
def test_a_wrong_call_ends_with_2_and_says_what_to_do(words: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("Some text.")
    (tmp_path / "bad.jsonl").write_text('{"text": "Some text."}\nno object\n')
    (tmp_path / "latin.jsonl").write_bytes('{"text": "Größe"}\n'.encode("latin-1"))
    ran = Ran(tmp_path / words[0], *words[1:], "--json")
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err


def test_for_people_it_prints_a_line_a_document_and_progress_beside(tmp_path: Path, alice: Person) -> None:
    create_space(alice.principal, "Handbook", slug="handbook")
    path = lines(tmp_path / "rows.jsonl", *({"text": f"Text number {n}."} for n in range(60)))
    ran = Ran(path, "--space", "handbook")
    assert len(ran.out.splitlines()) == 60 and "50 taken in" in ran.err
    assert current_tenant_id() == alice.tenant.id
