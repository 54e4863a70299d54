from __future__ import annotations

import pytest

from knowledge.steps.floor import is_literal
from knowledge.text.identifiers import quoted_phrases
from knowledge.text.terms import index_terms, names_something, query_terms

ASKED = [
    ("What is KR-2024-0117?", "Order KR-2024-0117 was shipped.", True),
    ("What is KR-2024-0117?", "Order KR-2024-0171 was shipped.", False),
    ("KR-2024-0117의 보증기간은?", "계약번호 KR 2024 0117", True),
    ('Where does "blue pump seal" stand?', "The seal of the blue pump.", True),
    ('Where does "blue pump seal" stand?', "The seal of the red pump.", False),
    ("「青いポンプ」はどこですか。", "青いポンプは倉庫にある。", True),
    ("「青いポンプ」はどこですか。", "赤いポンプは倉庫にある。", False),
    ("번역", "번역을 부탁해 주세요", True),
    ("三码", "这是三码合一的规定", True),
    ("What happened in the 19th century?", "In the 19th hall.", False),
    ("Wie lange gilt die Garantie?", "Die Garantie gilt.", True),
    ("Wie lange gilt die Garantie der Pumpe?", "Die Garantie.", False),
]


@pytest.mark.parametrize(("question", "text", "literal"), ASKED)
def test_a_chunk_is_literal_by_a_code_a_quoted_phrase_or_every_word(
    question: str, text: str, literal: bool
) -> None:
    wanted = query_terms(question)
    naming = [term for term in wanted if names_something(term)]
    phrases = [query_terms(phrase) for phrase in quoted_phrases(question)]
    assert is_literal(index_terms(text), wanted, naming, phrases) is literal


def test_nothing_asked_is_nothing_literal() -> None:
    assert not is_literal({"w:pump"}, [], [], [[]])
