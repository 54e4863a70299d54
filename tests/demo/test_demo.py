"""The shipped demo: its questions can be answered from its documents as the platform itself reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from knowledge.parsing.limits import Limits
from knowledge.parsing.registry import parse
from knowledge.types import ParsedDocument

DEMO = Path(__file__).resolve().parents[2] / "demo"
MANIFEST = json.loads((DEMO / "manifest.json").read_text(encoding="utf-8"))
ANSWERED = [question for question in MANIFEST["questions"] if question["quote"]]


def read(name: str) -> ParsedDocument:
    return parse((DEMO / name).read_bytes(), name, Limits())


def test_the_manifest_names_every_document_once() -> None:
    named = sorted(document["file"] for document in MANIFEST["documents"])
    kept = {path.name for path in DEMO.iterdir() if path.is_file()} - {
        "README.md",
        "build.py",
        "manifest.json",
    }
    assert named == sorted(kept)


def test_the_demo_is_small() -> None:
    assert sum(path.stat().st_size for path in DEMO.iterdir() if path.is_file()) < 300_000


def test_twelve_questions_in_four_languages_and_one_without_an_answer() -> None:
    assert len(MANIFEST["questions"]) == 12
    assert {question["language"] for question in MANIFEST["questions"]} == {"en", "ko", "zh", "ja"}
    assert len(ANSWERED) == 11


@pytest.mark.parametrize("question", ANSWERED, ids=lambda question: question["question"])
def test_a_worked_question_is_answered_letter_for_letter_by_its_document(question: dict[str, str]) -> None:
    assert question["quote"] in read(question["file"]).text


@pytest.mark.parametrize(
    "question", [q for q in ANSWERED if "page" in q], ids=lambda question: question["question"]
)
def test_a_quote_stands_on_the_page_that_the_manifest_says(question: dict[str, str]) -> None:
    blocks = [block for block in read(question["file"]).blocks if question["quote"] in block.text]
    assert [block.page for block in blocks] == [question["page"]]


def test_the_unanswerable_question_has_no_founding_year_anywhere() -> None:
    for document in MANIFEST["documents"]:
        text = read(document["file"]).text.lower()
        assert not any(word in text for word in ("founded", "established", "설립", "創業", "設立", "成立于"))


def test_the_chinese_manual_is_not_utf_8() -> None:
    with pytest.raises(UnicodeDecodeError):
        (DEMO / "manual-zh.txt").read_bytes().decode()
