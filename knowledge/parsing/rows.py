"""Lines of words on a page, in two frames: the page as displayed, for boxes, and the page as read, for order.

In the frame of reading, lines run from left to right and follow each other downwards: a page whose text stands
sideways is turned, and vertical writing is laid down, columns becoming lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from knowledge.parsing.structure import is_solid
from knowledge.types import Box

_WORD_GAP = 0.12  # of the type size: wider than a space within a word
_SOLID_GAP = 0.6  # in writing without spaces
CELL_GAP = 1.3  # wider than any space between words: another column


Part = tuple[float, float, str]


@dataclass(frozen=True, slots=True)
class Row:
    """Words on one line. `box` is as displayed, `frame` as read; `block` is the one that the file kept it in.

    `parts` are the pieces that the file kept apart, with where each begins and ends across the frame. `spaced` says
    that the file has a space at the line's end. `left` and `right` are the edges of the column it stands in.
    """

    page: int
    text: str
    box: Box
    frame: Box
    size: float
    bold: bool = False
    block: int = 0
    spaced: bool = False
    parts: tuple[Part, ...] = ()
    left: float = 0.0
    right: float = 0.0

    @property
    def letters(self) -> int:
        return sum(not char.isspace() for char in self.text)

    @property
    def cells(self) -> tuple[Part, ...]:
        """The parts that wide gaps separate; those nearer to each other are one."""
        cells: list[Part] = []
        for x0, x1, text in self.parts:
            gap = x0 - cells[-1][1] if cells else 0.0
            if cells and gap <= CELL_GAP * self.size:
                space = _space(cells[-1][2], text, gap / max(self.size, 1.0))
                cells[-1] = (cells[-1][0], max(x1, cells[-1][1]), cells[-1][2] + space + text)
            else:
                cells.append((x0, x1, text))
        return tuple(cells)


def union(boxes: Iterable[Box]) -> Box:
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def on_one_line(a: Box, b: Box) -> bool:
    """Whether two boxes overlap in height by more than half of the lower one."""
    shared = min(a[3], b[3]) - max(a[1], b[1])
    return shared > 0.5 * min(a[3] - a[1], b[3] - b[1])


def is_beside(a: Box, b: Box) -> bool:
    """Whether two boxes on one line stand beside each other, not over each other."""
    shared = min(a[2], b[2]) - max(a[0], b[0])
    return shared < 0.25 * min(a[2] - a[0], b[2] - b[0])


def joined(parts: Sequence[Row]) -> Row:
    """Rows of one line as one, from left to right."""
    parts = sorted(parts, key=lambda row: row.frame[0])
    text = ""
    for index, row in enumerate(parts):
        gap = row.frame[0] - parts[index - 1].frame[2] if index else 0.0
        text += _space(text, row.text, gap / max(row.size, 1.0)) + row.text
    return replace(
        max(parts, key=lambda row: row.letters),
        text=text,
        box=union(row.box for row in parts),
        frame=union(row.frame for row in parts),
        bold=all(row.bold for row in parts),
        block=parts[0].block,
        spaced=parts[-1].spaced,
        parts=tuple((row.frame[0], row.frame[2], row.text) for row in parts),
    )


def _space(before: str, after: str, gap: float) -> str:
    if not before or not after:
        return ""
    solid = is_solid(before[-1]) or is_solid(after[0])
    return " " if gap > (_SOLID_GAP if solid else _WORD_GAP) else ""
