from __future__ import annotations

import pytest

from knowledge.text.terms import identifier_key, index_terms, names_something, query_terms

FOUND = [
    ("번역을 부탁해 주세요", "번역"),
    ("보증기간은 24개월이다", "보증기간"),
    ("서울에서는 무료이다", "서울"),
    ("日本語のテストです", "テスト"),
    ("这是一个测试", "测试"),
    ("三码合一的规定", "三码"),
    ("The warranties were extended", "warranty"),
    ("Die Reparaturen dauern lange", "Reparatur"),
    ("las garantías del instrumento", "garantía"),
    ("les réparations gratuites", "réparation"),
    ("STRASSE und Straße", "strasse"),
    ("naïve café", "cafe"),
    ("ＦＵＬＬ　ｗｉｄｔｈ", "full width"),
    ("price: 1,000 won", "1000"),
]


@pytest.mark.parametrize(("text", "asked"), FOUND)
def test_a_word_is_found_in_whatever_form_it_stands(text: str, asked: str) -> None:
    wanted = set(query_terms(asked))
    assert wanted and wanted & set(index_terms(text))


@pytest.mark.parametrize(
    "written",
    [
        "KR-2024-0117",
        "kr-2024-0117",
        "ＫＲ－２０２４－０１１７",
        "KR2024-0117",
        "KR 2024-0117",
        "KR-2024-0117의",
    ],
)
def test_an_identifier_is_one_term_however_it_is_written(written: str) -> None:
    assert "i:kr20240117" in index_terms(written) and "i:kr20240117" in query_terms(written)


@pytest.mark.parametrize("other", ["KR-2024-0171", "KR-2024-011", "KR-2024-01170", "KR-2023-0117"])
def test_an_identifiers_neighbour_is_another_term(other: str) -> None:
    assert "i:kr20240117" not in index_terms(other)


@pytest.mark.parametrize(
    ("a", "b"), [("ISO 9408", "iso9408"), ("RFC-9110", "RFC 9110"), ("2.4.1", "２．４．１")]
)
def test_identifier_keys_do_not_depend_on_spacing_or_width(a: str, b: str) -> None:
    assert identifier_key(a) == identifier_key(b)


@pytest.mark.parametrize(
    ("term", "names"),
    [
        ("i:iso9408", True),
        ("i:kr20240117", True),
        ("i:20240117", True),
        ("i:18", False),
        ("i:2024", False),
        ("w:pump", False),
    ],
)
def test_a_short_plain_number_names_nothing(term: str, names: bool) -> None:
    assert names_something(term) is names


@pytest.mark.parametrize(
    "question",
    [
        "What is the warranty?",
        "보증은 무엇인가요?",
        "保修是什么？",
        "保証とは何ですか。",
        "Was ist die Garantie?",
        "¿Qué es la garantía?",
        "Qu'est-ce que la garantie ?",
    ],
)
def test_words_that_only_ask_are_left_out(question: str) -> None:
    kept = query_terms(question)
    assert kept and len(kept) < len(index_terms(question))


def test_how_long_asks_for_no_long_thing() -> None:
    assert set(query_terms("How long is the warranty?")) == set(query_terms("warranty"))


@pytest.mark.parametrize("text", ["the", "은", "？", "", "   ", "的"])
def test_a_question_of_nothing_but_grammar_keeps_what_there_is(text: str) -> None:
    assert query_terms(text) == index_terms(text) or query_terms(text)


def test_counts_are_kept() -> None:
    assert index_terms("pump pump lamp")["w:pump"] == 2
