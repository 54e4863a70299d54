from __future__ import annotations

import pytest

from knowledge.steps.cover import cover, kinship
from knowledge.text.terms import index_terms, query_terms

KIN = [
    ("en", "translated", "The translation took a year."),
    ("de", "gegründet", "Die Firma wurde gegründete Gesellschaft genannt."),
    ("de", "Vertrag", "Der Kaufvertrag liegt bei."),
    ("es", "construyó", "El puente fue construido por ella."),
    ("fr", "réparé", "La réparation a duré un an."),
]


@pytest.mark.parametrize(("language", "asked", "text"), KIN)
def test_two_forms_of_one_word_cover_each_other(language: str, asked: str, text: str) -> None:
    assert cover(dict.fromkeys(query_terms(asked), 1.0), index_terms(text)) >= 0.6


@pytest.mark.parametrize(
    "text", ["The pump leaks.", "펌프가 샌다.", "泵漏水。", "ポンプが漏れる。", "Die Pumpe ist undicht."]
)
def test_a_text_about_something_else_covers_nothing(text: str) -> None:
    assert cover({"w:translat": 1.0, "s:번역": 1.0, "b:翻译": 1.0}, index_terms(text)) == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pump", "lamp"),
        ("kr2024", "kr2025"),
        ("iso9408", "iso9409"),
        ("art", "article"),
        ("harbour", "harvest"),
    ],
)
def test_words_that_merely_begin_alike_and_codes_are_no_kin(one: str, other: str) -> None:
    assert kinship(one, other) == kinship(other, one) == 0


def test_all_held_is_one_none_held_is_nothing_and_rare_terms_weigh_more() -> None:
    wanted = {"w:pump": 3.0, "b:测试": 1.0, "i:kr20240117": 4.0}
    assert cover(wanted, index_terms("Pump 测试 KR-2024-0117")) == 1
    assert cover(wanted, index_terms("nothing of it")) == 0
    assert cover({}, index_terms("anything")) == 0
    assert cover(wanted, {"i:kr20240117"}) == pytest.approx(0.5)


@pytest.mark.parametrize("neighbour", ["KR-2024-0171", "KR-2024-011"])
def test_a_neighbouring_code_covers_nothing(neighbour: str) -> None:
    assert cover({"i:kr20240117": 1.0}, index_terms(neighbour)) == 0
