"""Building blocks in reading order: section paths and tables are worked out here, once for every format."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.types import Block, BlockKind, Line

Rows = Sequence[Sequence[str]]


class Outline:
    """Collects blocks and knows which headings stand above the next one."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._path: list[tuple[int, str]] = []

    @property
    def section(self) -> tuple[str, ...]:
        return tuple(text for _level, text in self._path)

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

    def table(
        self, rows: Rows, *, has_header: bool = True, lines: tuple[Line, ...] = (), names: Sequence[str] = ()
    ) -> None:
        """A table; `names` are the header names of a table that goes on from an earlier page."""
        block = table_block(rows, has_header=has_header, section=self.section, names=names)
        if block is not None:
            self.blocks.append(
                Block(block.kind, block.text, 0, block.section, lines, block.rows, block.has_header)
            )


def table_block(
    rows: Rows, *, has_header: bool, section: tuple[str, ...] = (), names: Sequence[str] = ()
) -> Block | None:
    """One text row a table row with the header names repeated ("Plan: Starter; Price: $49"); None without text."""
    cells = [tuple(" ".join(str(cell or "").split()) for cell in row) for row in rows]
    cells = [row for row in cells if any(row)]
    if not cells:
        return None
    named = tuple(names) if names else cells[0] if has_header else ()
    body = cells if names or not has_header or len(cells) == 1 else cells[1:]
    use_names = bool(named) and (len(cells) > 1 or bool(names))
    text = "\n".join(row_text(row, named if use_names else ()) for row in body)
    return Block(BlockKind.TABLE, text, 0, section, (), tuple(cells), has_header and not names)


def row_text(row: Sequence[str], names: Sequence[str]) -> str:
    parts = []
    for index, cell in enumerate(row):
        if not cell:
            continue
        name = names[index] if index < len(names) else ""
        parts.append(f"{name}: {cell}" if name and name != cell else cell)
    return "; ".join(parts)
