"""Chunks of any document: nothing lost, no size passed, nothing solid cut, headings with what they head."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from knowledge.steps.split import split
from knowledge.text.scripts import estimate_tokens
from knowledge.types import Block, BlockKind, ChunkDraft, ChunkKind, ParsedDocument

SENTENCES = {
    "en": "The pump delivers 0.25 litres, or 1,000 drops, a minute. Call by May 3, 2024. ",
    "ko": "허용오차는 0.25 퍼센트이다. 계약번호 KR-2024-0117의 기간은 2024년 5월 3일까지입니다. ",
    "zh": "允许误差为0.25%。合同编号KR-2024-0117，有效期至2024年5月3日，金额２，０００元。",
    "ja": "許容誤差は0.25%です。契約番号KR-2024-0117、期限は2024年5月3日、金額は２，０００円です。",
    "de": "Die Abweichung beträgt 0,25 Prozent. Sie gilt ab dem 3. Oktober 2024 für 1 234 567 Teile. ",
    "es": "La tolerancia es de 0,25 por ciento. Vence el 3 de mayo de 2024 y cuesta 1.234,56 euros. ",
    "fr": "La tolérance est de 0,25 pour cent. Elle vaut dès le 3 mai 2024 pour 1 234 567 pièces. ",
}
SOLID = (
    "0.25", "0,25", "1,000", "1.234,56", "1 234 567", "２，０００", "KR-2024-0117", "2024년 5월 3일", "2024年5月3日",
    "May 3, 2024", "3. Oktober 2024", "3 de mayo de 2024", "3 mai 2024",
)  # fmt: skip
KINDS = st.sampled_from(
    [BlockKind.PARAGRAPH, BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.FIGURE, BlockKind.CODE]
)
BODY = st.builds(
    lambda kind, language, times: Block(kind, (SENTENCES[language] * times).strip()),
    KINDS,
    st.sampled_from(sorted(SENTENCES)),
    st.integers(1, 30),
)
HEADING = st.builds(
    lambda n, words: Block(BlockKind.HEADING, " ".join([f"{n}.", *["Terms"] * words]), 1),
    st.integers(1, 9),
    st.integers(1, 12),
)
DOCUMENTS = st.lists(st.one_of(BODY, BODY, HEADING), min_size=1, max_size=14).map(
    lambda blocks: ParsedDocument(tuple(blocks))
)


def lost(parsed: ParsedDocument, chunks: tuple[ChunkDraft, ...]) -> str:
    text = list(parsed.text)
    for chunk in chunks:
        text[chunk.start : chunk.end] = " " * (chunk.end - chunk.start)
    return "".join(text).strip()


@settings(max_examples=120, deadline=None)
@given(DOCUMENTS)
def test_any_document_is_split_without_loss_and_within_its_sizes(parsed: ParsedDocument) -> None:
    chunks = split(parsed)
    assert lost(parsed, chunks) == ""
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        assert chunk.text == parsed.text[chunk.start : chunk.end]
        assert chunk.tokens == estimate_tokens(chunk.text) <= 1.03 * 320 + 1
    for before, after in pairwise(chunks):
        assert before.start < after.start and before.end < after.end
        assert estimate_tokens(parsed.text[after.start : before.end]) <= 48


@settings(max_examples=120, deadline=None)
@given(DOCUMENTS)
def test_no_chunk_ends_with_a_heading_that_heads_something(parsed: ParsedDocument) -> None:
    ends = {
        start + len(block.text)
        for start, block, after in zip(parsed.starts, parsed.blocks, parsed.blocks[1:], strict=False)
        if block.kind is BlockKind.HEADING and after.kind is not BlockKind.HEADING
    }
    assert not ends & {chunk.end for chunk in split(parsed)}


@settings(max_examples=120, deadline=None)
@given(DOCUMENTS, st.sampled_from([40, 90, 320]))
def test_no_cut_goes_through_a_number_a_date_or_a_code(parsed: ParsedDocument, target: int) -> None:
    solid = [match.span() for match in re.finditer("|".join(map(re.escape, SOLID)), parsed.text)]
    for chunk in split(parsed, target=target, overlap=target // 7):
        for at in (chunk.start, chunk.end):
            assert not [parsed.text[a:b] for a, b in solid if a < at < b]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.text(st.sampled_from("ab9 가漢は.。!?\n,-é👍🏽\u200d🇰🇷\u0301\u3099ｶﾞ"), max_size=300), max_size=5
    )
)
@example(["漢漢漢漢漢漢漢", "漢漢漢漢漢漢漢。🏽", "9漢漢漢漢漢漢漢漢"])
def test_no_cut_goes_through_a_grapheme(texts: list[str]) -> None:
    parsed = ParsedDocument(tuple(Block(BlockKind.PARAGRAPH, text) for text in texts))
    chunks = split(parsed, target=30, cap=40, overlap=5)
    assert lost(parsed, chunks) == ""
    whole = {match.end() for match in regex.finditer(r"\X", parsed.text)} | {0}
    for chunk in chunks:
        assert chunk.end in whole and chunk.start in whole


@pytest.mark.parametrize("language", SENTENCES)
def test_a_big_section_has_no_chunk_less_than_half_full(language: str) -> None:
    texts = [(SENTENCES[language] * (2 + 9 * (n % 2))).strip() for n in range(30)]
    chunks = split(ParsedDocument(tuple(Block(BlockKind.PARAGRAPH, text) for text in texts)))
    assert len(chunks) > 4 and min(chunk.tokens for chunk in chunks[:-1]) >= 160


@pytest.mark.parametrize("language", SENTENCES)
def test_a_paragraph_that_fits_stays_whole(language: str) -> None:
    text = SENTENCES[language].strip()
    while estimate_tokens(text) < 200:
        text += " " + SENTENCES[language].strip()
    chunks = split(ParsedDocument(tuple(Block(BlockKind.PARAGRAPH, f"{n}: {text}") for n in range(12))))
    for number in range(12):
        assert any(f"{number}: {text}" in chunk.text for chunk in chunks)


@pytest.mark.parametrize("language", SENTENCES)
def test_a_cut_in_a_paragraph_is_read_from_both_sides(language: str) -> None:
    text = "".join(f"{sentence.strip()} " for n in range(60) for sentence in (f"{n}: ", SENTENCES[language]))
    chunks = split(ParsedDocument((Block(BlockKind.PARAGRAPH, text),)))
    shared = [before.end > after.start for before, after in pairwise(chunks)]
    assert len(shared) > 3 and all(shared)


def test_a_cell_is_whole_in_a_row_that_is_too_big() -> None:
    cells = [f"a, b: c; d. e {'x y ' * 9}{n}." for n in range(40)]
    row = "; ".join(f"Column {n}: {cell}" for n, cell in enumerate(cells))
    block = Block(BlockKind.TABLE, row, rows=(tuple(f"Column {n}" for n in range(40)), tuple(cells)))
    chunks = split(ParsedDocument((block,)), target=120, cap=160)
    assert len(chunks) > 5
    for cell in cells:
        assert any(cell in chunk.text for chunk in chunks)


def test_the_last_section_joins_the_one_before_when_it_is_small() -> None:
    blocks = (
        Block(BlockKind.HEADING, "Terms", 1),
        Block(BlockKind.PARAGRAPH, SENTENCES["en"] * 6),
        Block(BlockKind.HEADING, "Note", 1),
        Block(BlockKind.PARAGRAPH, "Keep it dry."),
    )
    (chunk,) = split(ParsedDocument(blocks))
    assert chunk.section == ("Terms",) and chunk.text.endswith("Keep it dry.")


def test_a_chunk_is_of_the_kind_that_most_of_it_is() -> None:
    rows = "\n".join(f"Part: {n}; Price: {n}.50" for n in range(12))
    blocks = (Block(BlockKind.PARAGRAPH, "Prices of 2024"), Block(BlockKind.TABLE, rows))
    assert [chunk.kind for chunk in split(ParsedDocument(blocks))] == [ChunkKind.TABLE]


UNBROKEN = {
    "letters": "a", "digits": "7", "address": "https://example.com/a?b=", "mail": "a.b-c+", "han": "保", "hangul": "가",
    "marks": "e\u0301\u0301\u0301", "stops": ".", "numbers": "1,", "lines": "a\n", "emoji": "👩‍👩‍👧‍👦", "thai": "การ",
}  # fmt: skip


@pytest.mark.parametrize("name", UNBROKEN)
def test_what_has_no_end_is_cut_all_the_same_in_linear_time(name: str) -> None:
    spent = []
    for size in (20_000, 200_000):
        parsed = ParsedDocument((Block(BlockKind.PARAGRAPH, UNBROKEN[name] * (size // len(UNBROKEN[name]))),))
        began = time.perf_counter()
        chunks = split(parsed)
        spent.append(time.perf_counter() - began)
        assert max(chunk.tokens for chunk in chunks) <= 1.03 * 320
        assert lost(parsed, chunks) == ""
    assert spent[1] < 40 * spent[0]
