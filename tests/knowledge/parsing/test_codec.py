"""What is kept between the steps is what the parser found."""

from __future__ import annotations

import json

import pytest

from knowledge.parsing.codec import decode, decode_lines, encode, encode_lines
from knowledge.types import Block, BlockKind, Drop, Line, PageRead, ParsedDocument, PassedOver, Picture

TEXTS = (
    "The fact.",
    "보증 기간",
    "保証期間",
    "保修期限",
    "Größe",
    "año",
    "été",
    "𠮷👍🏽",
    "a\nb\u00ad\ufffd",
)


def _parsed(text: str) -> ParsedDocument:
    line = Line(0, len(text), 3, (1.0, 2.5, 3.0, 4.5))
    return ParsedDocument(
        (
            Block(BlockKind.HEADING, text, 2, (), (line,)),
            Block(BlockKind.TABLE, text, 0, (text, "1"), (line, line), (("A", text), ("", "2")), True),
        ),
        (PageRead(1, "text", "", 595.0, 842.0), PageRead(2, "empty", "no_text_layer")),
        (Drop("hyphen", 1, 2), Drop("script", 7)),
        text,
        "pdf",
        "cp949",
        ("pages_without_text",),
        (
            Picture("scan", -1, 2, (0.0, 0.0, 595.0, 842.0)),
            Picture("embedded", 1, part="word/media/image1.png"),
        ),
        (PassedOver("repeated", 3, 1), PassedOver("small", 2)),
    )


@pytest.mark.parametrize("text", TEXTS)
def test_a_document_comes_back_as_it_was(text: str) -> None:
    parsed = _parsed(text)
    assert decode(json.loads(json.dumps(encode(parsed)))) == parsed


def test_boxes_are_kept_to_a_tenth_of_a_point() -> None:
    (line,) = decode_lines(encode_lines((Line(0, 1, 1, (1.26, 2.0, 3.04, 4.99)),)))
    assert line.box == (1.3, 2.0, 3.0, 5.0)


@pytest.mark.parametrize("spoilt", [{}, {"blocks": None}, {"blocks": [{"k": "nothing"}]}])
def test_what_is_no_document_raises(spoilt: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError, IndexError)):
        decode(spoilt)
