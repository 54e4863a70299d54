from __future__ import annotations

from knowledge.text.language import language_of
from knowledge.text.neutral import QUESTIONS, QUESTIONS_BY_LANGUAGE, STATEMENTS, STATEMENTS_BY_LANGUAGE

SEVEN = {"en", "ko", "zh", "ja", "de", "es", "fr"}


def test_no_language_pulls_the_centre_its_way() -> None:
    for texts in (STATEMENTS_BY_LANGUAGE, QUESTIONS_BY_LANGUAGE):
        assert set(texts) == SEVEN and len({len(of) for of in texts.values()}) == 1
    assert len(set(STATEMENTS)) == len(STATEMENTS) and len(set(QUESTIONS)) == len(QUESTIONS)


def test_every_neutral_sentence_is_known_to_be_in_its_language() -> None:
    for texts in (STATEMENTS_BY_LANGUAGE, QUESTIONS_BY_LANGUAGE):
        wrong = [text for language, of in texts.items() for text in of if language_of(text) != language]
        assert wrong == []
