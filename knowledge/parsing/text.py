"""Plain text in any encoding: paragraphs between blank lines, lines that a fixed width broke joined again."""

from __future__ import annotations

import re

from knowledge.parsing.encodings import decode_text
from knowledge.parsing.limits import Limits
from knowledge.parsing.structure import Outline, glue
from knowledge.text.normalise import clean
from knowledge.text.scripts import is_cjk
from knowledge.types import BlockKind, ParsedDocument

_WIDTHS = range(36, 121)  # columns at which programs break lines
_FULL = 0.8  # of that width, which every broken line but the last one fills
_OWN_LINE = re.compile(r"\s|[-*•·※>|+#=_]|\(?[\w]{1,3}[.)]\s|[①-⑳]")


def parse(data: bytes, name: str, limits: Limits) -> ParsedDocument:
    raw, encoding = decode_text(data)
    outline = Outline()
    for paragraph in re.split(r"\n[ \t]*\n+", clean(raw)):
        outline.add(BlockKind.PARAGRAPH, _unwrapped(paragraph.strip("\n")))
    return ParsedDocument(tuple(outline.blocks), encoding=encoding)


def _unwrapped(paragraph: str) -> str:
    """The paragraph on one line where its lines were broken to fill a width; as it stands where each is its own."""
    lines = [line.rstrip() for line in paragraph.split("\n")]
    widths = [_width(line) for line in lines]
    widest = max(widths)
    if len(lines) < 3 or widest not in _WIDTHS or min(widths[:-1]) < _FULL * widest:
        return paragraph
    if any(_OWN_LINE.match(line) for line in lines[1:]):
        return paragraph
    text = lines[0]
    for line in lines[1:]:
        text += glue(text, line) + line
    return text


def _width(line: str) -> int:
    """Columns on a screen, where a CJK character takes two."""
    return sum(
        2 if is_cjk(char) or "\u3000" <= char <= "\u303f" or "\uff01" <= char <= "\uff60" else 1
        for char in line
    )
