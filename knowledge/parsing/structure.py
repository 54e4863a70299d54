"""Building blocks in reading order: section paths and headings are worked out here, once for every format."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.parsing.grid import Grid, table_block
from knowledge.text.scripts import is_cjk
from knowledge.types import Block, BlockKind, Line


class Outline:
    """Collects blocks and knows which headings stand above the next one."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._path: list[tuple[int, str]] = []

    @property
    def section(self) -> tuple[str, ...]:
        return tuple(text for _level, text in self._path)

    def leave(self) -> None:
        """What follows stands under no heading."""
        self._path = []

    def heading(self, text: str, level: int, lines: tuple[Line, ...] = ()) -> None:
        text = text.strip()
        if not text:
            return
        self._path = [row for row in self._path if row[0] < level]
        self.blocks.append(Block(BlockKind.HEADING, text, level, self.section, lines))
        self._path.append((level, text))

    def add(self, kind: BlockKind, text: str, lines: tuple[Line, ...] = ()) -> None:
        if text.strip():
            self.blocks.append(Block(kind, text, 0, self.section, lines))

    def table(self, grid: Grid, header: int | None = None, caption: str = "") -> None:
        """A table of a format without pages; `header` as in `table_block`."""
        placed = table_block(grid, header, section=self.section, caption=caption)
        if placed is not None:
            self.blocks.append(placed.block)


def first_heading(blocks: Sequence[Block]) -> str:
    return next((block.text for block in blocks if block.kind is BlockKind.HEADING), "")


def is_solid(char: str) -> bool:
    """Characters of writing without spaces between words: Han and Kana, and their full-width marks. Not Hangul."""
    return (
        (is_cjk(char) and not _is_hangul(char))
        or "\u3000" <= char <= "\u303f"
        or "\uff00" <= char <= "\uffef"
    )


def _is_hangul(char: str) -> bool:
    return "\uac00" <= char <= "\ud7a3" or "\u1100" <= char <= "\u11ff" or "\u3131" <= char <= "\u318e"


def glue(before: str, after: str) -> str:
    """What stands between two lines of one paragraph: nothing in writing without spaces, else a space."""
    solid = before[-1:] and after[:1] and is_solid(before[-1]) and is_solid(after[0])
    return "" if solid or not before or not after else " "
