"""Answers without a model: at most two quotes, letter for letter, and silence where the material does not say."""

from __future__ import annotations

import pytest

from agents.extractive import extract
from knowledge.types import Baseline
from tests.agents.steps.helpers import make_passage

BASELINE = Baseline(1.0, 0.1, 200)
CASES = {
    "en": ("How long is the warranty?", "Hanbit makes scales. The warranty lasts 24 months. Paint it green."),
    "ko": ("보증 기간은 얼마나 되나요?", "한빛은 저울을 만든다. 보증 기간은 24개월이다. 초록으로 칠한다."),
    "zh": ("保修期是多久？", "韩光制造秤。保修期为24个月。请涂成绿色。"),
    "ja": ("保証期間はどのくらいですか。", "ハンビットは秤を作る。保証期間は24か月である。緑に塗る。"),
    "de": (
        "Wie lange gilt die Garantie?",
        "Hanbit baut Waagen. Die Garantie gilt 24 Monate. Streichen Sie sie grün.",
    ),
    "es": (
        "¿Cuánto tiempo dura la garantía?",
        "Hanbit fabrica balanzas. La garantía dura 24 meses. Píntela de verde.",
    ),
    "fr": (
        "Combien de temps dure la garantie ?",
        "Hanbit fabrique des balances. La garantie dure 24 mois. Peignez-la.",
    ),
}


@pytest.mark.parametrize("language", CASES)
def test_the_sentence_that_answers_is_quoted(language: str) -> None:
    question, text = CASES[language]
    found = extract(question, [make_passage(text, distance=0.4), make_passage("x", score=0.2)], BASELINE)
    assert 1 <= len(found.quotes) <= 2 and found.score > 0.5
    assert any("24" in text[quote.start : quote.end] for quote in found.quotes)


@pytest.mark.parametrize("language", CASES)
def test_a_passage_about_something_else_is_no_answer(language: str) -> None:
    question = CASES[language][0]
    other = make_passage("The river floods every spring, and the mill stands still.", distance=0.8, score=0.2)
    near = make_passage("Nobody has seen the ferry since.", distance=0.82, score=0.19)
    assert extract(question, [other, near], BASELINE).score < 0.5


def test_nothing_found_is_nothing_quoted() -> None:
    assert extract("What?", [], BASELINE).quotes == ()


def test_a_quote_of_a_list_without_stops_is_bounded() -> None:
    text = "warranty months " * 400
    for quote in extract("How long is the warranty?", [make_passage(text)], BASELINE).quotes:
        assert quote.end - quote.start <= 600
