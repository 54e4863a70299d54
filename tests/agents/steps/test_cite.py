"""Markers are resolved by the platform: what was not offered is dropped, and a citation has an exact quote or is none."""

from __future__ import annotations

import time

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


@pytest.mark.parametrize(
    "marker", ["【3】", "【0】", "【99】", "【x】", "【】", "【1 2】", "【2-1】", "【4:0†source】"]
)
def test_a_marker_that_was_not_offered_is_dropped(marker: str) -> None:
    reader = read(f"The pump weighs 12 kg{marker}.")
    assert (reader.text, reader.citations, reader.dropped) == ("The pump weighs 12 kg.", [], 1)


def test_a_marker_whose_passage_does_not_hold_the_claim_is_dropped() -> None:
    reader = read("Bananas ripen faster in a paper bag【1】.")
    assert reader.citations == [] and reader.dropped == 1


@pytest.mark.parametrize(
    "words", ["[3]", "(1)", "[1, 2]", "array[0]", "［2］", "【注意】", "【중요】", "【第1章】"]
)
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


@pytest.mark.parametrize(
    "marker", ["【1, 2】", "【1】【2】", "【1】, 【2】", "【1】、【2】", "【1；2】", "【1-2】", "【１、２】"]
)
def test_markers_side_by_side_leave_nothing_between_them(marker: str) -> None:
    reader = read(f"The pump weighs 12 kg and draws 3 A{marker}.")
    assert reader.text == "The pump weighs 12 kg and draws 3 A." and len(reader.citations) == 2


@pytest.mark.parametrize(
    "words", ["source", "Passage", "출처", "자료", "来源", "文档", "出典", "Quelle", "fuente", "extrait"]
)
@pytest.mark.parametrize("form", ["{} 1", "{}1", "{}: 1"])
def test_a_word_for_source_before_the_number_is_read_over(words: str, form: str) -> None:
    reader = read(f"The pump weighs 12 kg【{form.format(words)}】.")
    assert [c.source for c in reader.citations] == [reader.sources[0].id]


def test_each_half_of_a_sentence_keeps_its_own_passage_and_words() -> None:
    reader = read("The pump weighs 12 kg【1】, and draws 3 A【2】.")
    assert reader.text == "The pump weighs 12 kg, and draws 3 A."
    assert [reader.text[c.start : c.end] for c in reader.citations] == [
        "The pump weighs 12 kg",
        "and draws 3 A",
    ]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("It is green. 【1】It draws 3 A.【2】", "It is green. It draws 3 A."),
        ("It is green 【1】 and draws 3 A 【2】.", "It is green and draws 3 A."),
        ("- It is green【1】\n- It draws 3 A【2】\n", "- It is green\n- It draws 3 A"),
    ],
)
@pytest.mark.parametrize("step", [1, 100])
def test_what_stood_around_a_marker_joins_as_it_should(said: str, shown: str, step: int) -> None:
    assert read(said, PASSAGES, step).text == shown


@pytest.mark.parametrize(
    "text", ["The pump weighs 12 kg【", "The pump weighs 12 kg 【1", "The pump weighs 12 kg【1, "]
)
def test_a_marker_that_was_cut_off_is_dropped(text: str) -> None:
    reader = read(text)
    assert (reader.text, reader.dropped) == ("The pump weighs 12 kg", 1)


ACROSS = {
    "ko": "보증은 24개월이고 모델명은 PX-200입니다",
    "zh": "PX-200的保修期为24个月",
    "ja": "PX-200の保証は24か月です",
    "de": "Für den PX-200 gilt die Garantie 24 Monate",
    "es": "La garantía del PX-200 es de 24 meses",
    "fr": "La garantie du PX-200 est de 24 mois",
}


@pytest.mark.parametrize("language", ACROSS)
def test_a_passage_of_another_language_is_cited_by_its_numbers_and_names(language: str) -> None:
    passage = make_passage(
        "Returns need a receipt. The warranty of the PX-200 lasts 24 months. It is painted green."
    )
    reader = read(f"{ACROSS[language]}【1】.", [passage])
    assert [c.quote for c in reader.citations] == ["The warranty of the PX-200 lasts 24 months."]


LONG_ACROSS = {
    "ko": "이 제품을 구입하신 날부터 계산한 무상 수리 보증 기간은 모두 합하여 24개월이며 연장할 수 없습니다",
    "zh": "自购买之日起计算的免费维修保修期总共为24个月，并且在任何情况下都不能再延长",
    "ja": "お買い上げの日から数えた無償修理の保証期間は合計で24か月であり、延長することはできません",
    "de": "Ab dem Tag des Kaufs läuft die kostenlose Gewährleistung insgesamt 24 Monate und wird nicht verlängert",
    "es": "Desde el día de la compra, la reparación gratuita está cubierta durante 24 meses y no puede ampliarse",
    "fr": "À compter du jour de l’achat, la réparation gratuite est couverte pendant 24 mois sans prolongation",
}


@pytest.mark.parametrize("language", LONG_ACROSS)
def test_many_words_around_a_number_do_not_hide_it_across_languages(language: str) -> None:
    passage = make_passage("Returns need a receipt. The warranty lasts 24 months. It is painted green.")
    reader = read(f"{LONG_ACROSS[language]}【1】.", [passage])
    assert [c.quote for c in reader.citations] == ["The warranty lasts 24 months."]


@pytest.mark.parametrize(
    "claim",
    [
        "Die Position des Ventils steht auf dem Blatt für die Wartung der Pumpe",
        "밸브의 위치는 정비 안내서에서 position 항목으로 찾을 수 있습니다",
    ],
)
def test_one_word_in_common_is_no_support_across_languages(claim: str) -> None:
    reader = read(
        f"{claim}【1】.", [make_passage("He was offered a position at the bank. They were glad of it.")]
    )
    assert reader.citations == [] and reader.dropped == 1


@pytest.mark.parametrize("language", ACROSS)
def test_a_passage_of_another_language_that_shares_nothing_is_not_cited(language: str) -> None:
    reader = read(
        f"{ACROSS[language]}【1】.", [make_passage("The office opens at nine. The garden is behind it.")]
    )
    assert reader.citations == [] and reader.dropped == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        NOT_FOUND,
        f"{NOT_FOUND}.",
        f"**{NOT_FOUND}**",
        f"`{NOT_FOUND}`",
        f"“{NOT_FOUND}”。",
        f"{NOT_FOUND}\n\nThe passages speak of pumps【1】.",
    ],
)
@pytest.mark.parametrize("step", [1, 4, 1000])
def test_the_word_for_not_in_the_material_never_reaches_a_reader(text: str, step: int) -> None:
    reader = read(text, PASSAGES, step)
    assert reader.is_not_found and (reader.text, reader.citations) == ("", [])


@pytest.mark.parametrize("step", [1, 1000])
def test_half_an_answer_says_so_and_keeps_its_citation(step: int) -> None:
    reader = read(f"The pump weighs 12 kg【1】. **{NOT_FOUND}**", PASSAGES, step)
    assert (reader.text, len(reader.citations)) == ("The pump weighs 12 kg.", 1)
    assert reader.is_partial and not reader.is_not_found


def test_words_that_begin_like_the_word_for_not_in_the_material_are_words() -> None:
    assert read("NOT all of it weighs 12 kg. NO", PASSAGES, 1).text == "NOT all of it weighs 12 kg. NO"


@pytest.mark.parametrize(
    "text", [" " * 20_000, "【" * 20_000, "*" * 20_000, "【1】" * 3_000, "NOT_IN" * 4_000]
)
def test_nothing_a_model_says_takes_long_to_read(text: str) -> None:
    began = time.process_time()
    read(text)
    assert time.process_time() - began < 5


PARTS = (
    "The pump weighs 12 kg", "It draws 3 A", "펌프는 12 kg", "泵重12 kg", "【1】", "【2】", "【7】", "【1, 2】", "【1-2】", "【出典 1】", "【注意】",
    "【x】", "【", "】", " [3] ", ". ", "。", ", ", "、", " ", "\n", "  \n", "**", "`", NOT_FOUND, "NOT_IN", "N", " " * 9, "a【" + "長" * 25,
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.sampled_from(PARTS), max_size=14),
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
    assert (cut.is_refusal, cut.is_partial) == (whole.is_refusal, whole.is_partial)
    assert NOT_FOUND not in cut.text
    for citation in cut.citations:
        passage = PASSAGES[[source.id for source in SOURCES].index(citation.source)]
        assert passage.text[citation.quote_start : citation.quote_end] == citation.quote
        assert 0 <= citation.start < citation.end <= len(cut.text)


SOURCES = make_sources(PASSAGES)
