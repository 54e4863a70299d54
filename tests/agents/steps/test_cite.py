"""Markers are resolved by the platform: what was not offered is dropped, and a citation has an exact quote or is none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.steps.cite import MarkerReader
from agents.steps.compose import NOT_FOUND
from tests.agents.steps.helpers import make_passage, make_sources

PASSAGES = [
    make_passage("The pump weighs 12 kg. It is painted green.", "Pump"),
    make_passage("The pump draws 3 A at full load.", "Power", page=3),
]
LANGUAGES = {
    "en": ("The warranty lasts 24 months.", "The warranty lasts 24 months. Returns need a receipt."),
    "ko": ("보증 기간은 24개월입니다.", "보증 기간은 24개월입니다. 반품에는 영수증이 필요합니다."),
    "zh": ("保修期为二十四个月。", "保修期为二十四个月。退货需要收据。"),
    "ja": ("保証期間は二十四か月です。", "保証期間は二十四か月です。返品には領収書が必要です。"),
    "de": ("Die Garantie gilt 24 Monate.", "Die Garantie gilt 24 Monate. Rückgaben brauchen eine Quittung."),
    "es": ("La garantía dura 24 meses.", "La garantía dura 24 meses. Las devoluciones requieren recibo."),
    "fr": ("La garantie dure 24 mois.", "La garantie dure 24 mois. Les retours demandent un reçu."),
}


def read(text: str, passages: list = PASSAGES, step: int = 10_000) -> MarkerReader:  # type: ignore[type-arg]
    reader = MarkerReader(passages, make_sources(passages))
    said, cited = "", []
    for at in range(0, len(text), step):
        words, found = reader.feed(text[at : at + step])
        said, cited = said + words, cited + found
    words, found = reader.end()
    assert (said + words).rstrip() == reader.text and cited + found == reader.citations
    return reader


def test_each_marker_opens_its_own_source_with_the_words_that_hold_the_claim() -> None:
    reader = read("The pump weighs 12 kg【1】. It draws 3 A【2】.")
    assert reader.text == "The pump weighs 12 kg. It draws 3 A."
    assert [(c.n, c.quote, c.page) for c in reader.citations] == [
        (1, "The pump weighs 12 kg.", 1),
        (2, "The pump draws 3 A at full load.", 3),
    ]
    for citation, passage in zip(reader.citations, PASSAGES, strict=True):
        assert passage.text[citation.quote_start : citation.quote_end] == citation.quote
        assert citation.boxes


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("step", [1, 3, 1000])
def test_it_reads_every_language_in_any_pieces(language: str, step: int) -> None:
    claim, text = LANGUAGES[language]
    reader = read(f"{claim}【1】", [make_passage(text)], step)
    assert reader.text == claim
    assert [c.quote for c in reader.citations] == [claim]


@pytest.mark.parametrize("marker", ["【3】", "【0】", "【99】", "【x】", "【】", "【1 2】"])
def test_a_marker_that_was_not_offered_is_dropped(marker: str) -> None:
    reader = read(f"The pump weighs 12 kg{marker}.")
    assert (reader.text, reader.citations, reader.dropped) == ("The pump weighs 12 kg.", [], 1)


def test_a_marker_whose_passage_does_not_hold_the_claim_is_dropped() -> None:
    reader = read("Bananas ripen faster in a paper bag【1】.")
    assert reader.citations == [] and reader.dropped == 1


@pytest.mark.parametrize("words", ["[3]", "(1)", "[1, 2]", "array[0]", "［2］"])
def test_literal_brackets_stay_words(words: str) -> None:
    reader = read(f"The pump weighs 12 kg {words}【1】.")
    assert reader.text == f"The pump weighs 12 kg {words}." and len(reader.citations) == 1


@pytest.mark.parametrize("count", range(1, 10))
def test_any_number_of_sources_keeps_its_index(count: int) -> None:
    passages = [make_passage(f"Part {n} costs {n}00 won.", f"Part {n}") for n in range(1, count + 1)]
    text = " ".join(f"Part {n} costs {n}00 won【{n}】." for n in range(count, 0, -1))
    reader = read(text, passages)
    sources = make_sources(passages)
    assert [c.n for c in reader.citations] == list(range(1, count + 1))
    for citation, number in zip(reader.citations, range(count, 0, -1), strict=True):
        assert citation.source == sources[number - 1].id and f"{number}00" in citation.quote


def test_several_numbers_in_one_marker_are_several_citations() -> None:
    assert len(read("The pump weighs 12 kg and draws 3 A【1, 2】.").citations) == 2


@pytest.mark.parametrize("text", ["", "  ", NOT_FOUND, f"{NOT_FOUND}."])
def test_the_word_for_not_in_the_material_never_reaches_a_reader(text: str) -> None:
    reader = MarkerReader(PASSAGES, make_sources(PASSAGES))
    said = "".join(reader.feed(char)[0] for char in text)
    assert said == "" and (reader.end(), reader.is_not_found)[1]


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.sampled_from(["The pump weighs 12 kg", "It draws 3 A", "【1】", "【2】", "【7】", ". ", " [3] ", "【", "】", "보증", "\n"]), max_size=12),
    st.lists(st.integers(1, 7), min_size=1, max_size=40),
)  # fmt: skip
def test_the_same_words_give_the_same_answer_however_they_are_cut(parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    whole = MarkerReader(PASSAGES, SOURCES)
    whole.feed(text)
    whole.end()
    cut, at = MarkerReader(PASSAGES, SOURCES), 0
    for size in cuts:
        cut.feed(text[at : at + size])
        at += size
    cut.feed(text[at:])
    cut.end()
    assert (cut.text, cut.citations, cut.dropped) == (whole.text, whole.citations, whole.dropped)


SOURCES = make_sources(PASSAGES)
