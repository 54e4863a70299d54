"""Chunks: nothing lost, nothing cut in two that is one, sizes that hold with the real tokeniser."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
import regex
from django.conf import settings as django_settings
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.e5.model import E5
from knowledge.parsing.limits import Limits
from knowledge.parsing.registry import parse
from knowledge.steps.head import head, with_head
from knowledge.steps.split import split
from knowledge.text.scripts import estimate_tokens
from knowledge.types import Block, BlockKind, ChunkKind, Line, ParsedDocument

TEXTS = {
    "en": "The warranty lasts twenty-four months from the day of delivery. Return the instrument in its original box together with the receipt; the service desk answers within three working days and repairs it free of charge. ",
    "ko": "보증 기간은 인도일로부터 24개월입니다. 영수증과 함께 원래 상자에 넣어 기기를 보내 주시면 서비스 창구가 영업일 기준 사흘 안에 답하고 무상으로 수리합니다. ",
    "zh": "保修期自交货之日起为二十四个月。请将仪器连同收据一起装入原包装寄回；服务台会在三个工作日内答复，并免费维修。",
    "ja": "保証期間はお引き渡しの日から二十四か月です。領収書とともに元の箱に入れて機器をお送りください。サービス窓口が三営業日以内にお返事し、無償で修理いたします。",
    "de": "Die Garantie gilt vierundzwanzig Monate ab dem Tag der Lieferung. Senden Sie das Gerät in der Originalverpackung zusammen mit der Quittung zurück; die Servicestelle antwortet innerhalb von drei Werktagen. ",
    "es": "La garantía dura veinticuatro meses a partir del día de la entrega. Devuelva el instrumento en su caja original junto con el recibo; el servicio técnico responde en un plazo de tres días laborables. ",
    "fr": "La garantie dure vingt-quatre mois à compter du jour de la livraison. Renvoyez l'appareil dans son emballage d'origine avec le reçu ; le service après-vente répond dans les trois jours ouvrables. ",
}
TEXTS["mixed"] = TEXTS["ko"] + TEXTS["en"] + TEXTS["zh"]


def paragraphs(*texts: str) -> ParsedDocument:
    return ParsedDocument(tuple(Block(BlockKind.PARAGRAPH, text) for text in texts))


def uncovered(parsed: ParsedDocument) -> str:
    """The characters in no chunk."""
    covered = bytearray(len(parsed.text))
    for chunk in split(parsed):
        assert parsed.text[chunk.start : chunk.end] == chunk.text
        covered[chunk.start : chunk.end] = b"\x01" * (chunk.end - chunk.start)
    return "".join(char for char, is_in in zip(parsed.text, covered, strict=True) if not is_in)


@pytest.fixture(scope="module")
def e5(bundled_model: None) -> E5:
    return E5(Path(django_settings.HOME) / "models" / "e5")


@pytest.mark.parametrize("language", TEXTS)
def test_sizes_hold_with_the_real_tokeniser(language: str, e5: E5) -> None:
    parsed = paragraphs(*(TEXTS[language].strip() * (1 + n % 4) for n in range(24)))
    chunks = split(parsed, target=320, cap=450, overlap=48)
    real = [e5.count_tokens(chunk.text) for chunk in chunks]
    near = sum(abs(r - c.tokens) <= 0.25 * c.tokens for r, c in zip(real, chunks, strict=True))
    assert near >= 0.95 * len(chunks)
    assert max(real) <= 1.25 * 320
    half = sum(count >= 160 for count in real[:-1])
    assert half >= 0.95 * (len(chunks) - 1)


@pytest.mark.parametrize("language", TEXTS)
def test_no_character_is_lost(language: str) -> None:
    parsed = paragraphs(*(TEXTS[language] * 9 for _ in range(3)), "short")
    assert uncovered(parsed).strip() == ""


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.sampled_from("ab 가나漢は.。!\n1,5-é👍🏽🇰🇷\u0301"), max_size=400), max_size=6))
def test_no_character_is_lost_of_anything(texts: list[str]) -> None:
    assert uncovered(paragraphs(*texts)).strip() == ""


SOLID = [
    "1,234,567.89",
    "０．２５",
    "2024-01-17",
    "KR-2024-0117",
    "https://example.com/a/b?c=d&e=f",
    "a.name@example.co.kr",
    "제18조",
    "👨‍👩‍👧‍👦",
    "🇰🇷",
    "e\u0301",
]


@pytest.mark.parametrize("solid", SOLID)
@pytest.mark.parametrize("before", range(0, 40, 3))
def test_what_is_one_is_never_cut_in_two(solid: str, before: int) -> None:
    text = "나" * before + f" {solid} " + f"가{solid} " * 400
    starts = {match.start() for match in re.finditer(re.escape(solid), text)}
    chunks = split(paragraphs(text), target=60, cap=80, overlap=0)
    assert len(chunks) > 3
    for chunk in chunks:
        for at in (chunk.start, chunk.end):
            assert not any(start < at < start + len(solid) for start in starts)


def test_no_cut_falls_inside_a_grapheme() -> None:
    text = "👩🏽‍🚀e\u0301한" * 500
    ends = {match.end() for match in regex.finditer(r"\X", text)} | {0}
    for chunk in split(paragraphs(text), target=60, cap=80, overlap=0):
        assert chunk.start in ends and chunk.end in ends


def test_a_heading_starts_a_chunk_and_never_ends_one() -> None:
    blocks: list[Block] = []
    for number in range(12):
        blocks.append(Block(BlockKind.HEADING, f"Part {number}", 1))
        blocks.append(Block(BlockKind.PARAGRAPH, TEXTS["en"] * 4, section=(f"Part {number}",)))
    for chunk in split(ParsedDocument(tuple(blocks))):
        assert not re.search(r"Part \d+$", chunk.text)
        assert chunk.section


def test_a_small_section_joins_its_neighbour() -> None:
    blocks = [
        block
        for n in range(6)
        for block in (Block(BlockKind.HEADING, f"H{n}", 1), Block(BlockKind.PARAGRAPH, "Tiny."))
    ]
    assert len(split(ParsedDocument(tuple(blocks)))) == 1


def test_a_table_is_cut_between_rows_alone() -> None:
    rows = [f"Name: part {n}; Price: {n}.50 USD; Note: {' '.join('x' * 20)}" for n in range(60)]
    parsed = ParsedDocument((Block(BlockKind.TABLE, "\n".join(rows)),))
    chunks = split(parsed, target=120, cap=160)
    assert len(chunks) > 5 and {chunk.kind for chunk in chunks} == {ChunkKind.TABLE}
    assert [
        row for chunk in split(parsed, target=120, cap=160, overlap=0) for row in chunk.text.split("\n")
    ] == [r.strip() for r in rows]


def test_neighbours_overlap_but_no_chunk_stands_twice() -> None:
    chunks = split(paragraphs(*(f"Fact {n} is here. " + TEXTS["en"] for n in range(40))))
    overlaps = [before.end - after.start for before, after in itertools.pairwise(chunks)]
    assert sum(size > 0 for size in overlaps) > len(overlaps) / 3
    assert all(
        after.start > before.start and after.end > before.end for before, after in itertools.pairwise(chunks)
    )
    assert max(chunk.tokens for chunk in chunks) <= 1.05 * 320


def test_lines_stay_with_the_words_that_stand_in_them() -> None:
    text = "First line.\nSecond line."
    block = Block(
        BlockKind.PARAGRAPH, text, lines=(Line(0, 11, 1, (0, 0, 9, 9)), Line(12, 24, 2, (0, 9, 9, 18)))
    )
    parsed = ParsedDocument((Block(BlockKind.PARAGRAPH, "Before."), block))
    (chunk,) = split(parsed)
    assert [(chunk.text[line.start : line.end], line.page) for line in chunk.lines] == [
        ("First line.", 1),
        ("Second line.", 2),
    ]


@pytest.mark.parametrize("room", [450, 340, 325, 320])
def test_the_header_is_shortened_and_never_the_chunk(room: int) -> None:
    header = head(
        "한빛 계측 고객 안내서 " * 3,
        ("보증", "수리와 교환"),
        320,
        spoken="적합한 나이는 세 살이다.",
        window=room,
    )
    assert estimate_tokens(header) <= room - 320
    assert with_head(header, "text").endswith("text")


def test_an_empty_document_has_no_chunks() -> None:
    assert split(ParsedDocument(())) == ()


def test_short_and_long_lines_make_chunks_of_like_size() -> None:
    """A list of short items beside a text of long lines: neither makes crumbs."""
    short = "\n".join(f"- {n % 10}" for n in range(900))
    long = "\n".join("The inspection of the pump takes place weekly and costs twelve." for _ in range(100))
    for text in (f"{short}\n{long}", f"{long}\n{short}"):
        sizes = [draft.tokens for draft in split(parse(text.encode(), "a.txt", Limits()), overlap=0)]
        assert len(sizes) > 3 and min(sizes[:-1]) >= 160, sizes
