"""The calibration set keeps its own rules; without that the numbers chosen on it mean nothing."""

from __future__ import annotations

from collections import Counter

import pytest

from config.benches.calibrate import SET
from config.benches.steps import LANGUAGES, Rows, rows


def read(language: str, name: str) -> Rows:
    return rows(SET / language / f"{name}.jsonl")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_twenty_articles_of_five_passages(language: str) -> None:
    passages = read(language, "passages")
    assert len({row["id"] for row in passages}) == len(passages) == 100
    assert set(Counter(row["title"] for row in passages).values()) == {5}
    assert {row["lang"] for row in passages} == {language}


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_stands_in_its_passage_letter_for_letter(language: str) -> None:
    texts = {row["id"]: row["text"] for row in read(language, "passages")}
    questions = read(language, "questions")
    assert len({row["question"] for row in questions}) == len(questions) >= 140
    assert set(texts) == {row["passage_id"] for row in questions}, "every passage is asked about"
    for row in questions:
        assert row["answers"]
        assert [answer for answer in row["answers"] if answer not in texts[row["passage_id"]]] == []
    assert sum("other" in row for row in questions) >= 50


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_not_answered_belongs_to_an_article(language: str) -> None:
    titles = {row["title"] for row in read(language, "passages")}
    unanswered = read(language, "unanswered")
    assert len(unanswered) == 40 and {row["title"] for row in unanswered} <= titles
    asked = {row["question"] for row in read(language, "questions")}
    assert not asked & {row["question"] for row in unanswered}
