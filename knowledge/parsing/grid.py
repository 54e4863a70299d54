"""Tables: from cells to one text row a table row with the header names repeated ("Plan: Starter; Price: $49")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.types import Block, BlockKind

# A cell is its words; None where a cell further left covers the place. A cell that covers rows is repeated in each.
Cell = str | None
Grid = Sequence[Sequence[Cell]]
_PERIOD = re.compile(
    r"(?:[A-Z]{0,3}[ ']?)?(?:19|20)\d\d(?:\s?[년年])?|\d{1,2}\s?(?:월|月|분기|季度|四半期)|[QTHS]\d"
)
_VALUE = re.compile(
    r"[^\w\s]{0,2}(?:[A-Z]{2,3} ?)?[$€£¥₩]? ?\d[\d.,:'’/ -]*%? ?[^\W\d_]{0,8}(?: ?/ ?\w{1,8})?[^\w\s]{0,2}"
)
_MOST_NAMES = 3  # rows of a header


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """A table block; `sources[i]` is the row of the grid that line i of its text comes from; its column `names`."""

    block: Block
    sources: tuple[int, ...]
    names: tuple[str, ...]


def table_block(
    grid: Grid,
    header: int | None = None,
    *,
    section: tuple[str, ...] = (),
    names: Sequence[str] = (),
    caption: str = "",
) -> PlacedTable | None:
    """The table, or None without words. `header` is the number of header rows, None where it is to be seen from the
    cells; `names` are the columns of a table that goes on from an earlier page. A table of two columns without a
    header is read as pairs ("Total: 49")."""
    rows = [(at, _tidy(row)) for at, row in enumerate(grid)]
    rows = [(at, row) for at, row in rows if any(row)]
    if not rows:
        return None
    width = max(len(row) for _at, row in rows)
    rows = [(at, row + [""] * (width - len(row))) for at, row in rows]
    texts, sources = ([caption], [rows[0][0]]) if caption.strip() else ([], [])
    while not names and header is None and len(rows) > 1 and _is_title(rows[0][1]):
        texts.append(next(cell for cell in rows[0][1] if cell))
        sources.append(rows.pop(0)[0])
    count = 0 if names else guess_header([row for _at, row in rows]) if header is None else header
    count = count if count < len(rows) else 0
    found = tuple(names) if names else _names([row for _at, row in rows[:count]])
    for at, row in rows[count:]:
        texts.append(row_text(row, found))
        sources.append(at)
    cells = ([found] if count else []) + [tuple(cell or "" for cell in row) for _at, row in rows[count:]]
    block = Block(BlockKind.TABLE, "\n".join(texts), 0, section, (), tuple(cells), bool(count))
    return PlacedTable(block, tuple(sources), found)


def _tidy(row: Sequence[Cell]) -> list[Cell]:
    return [None if cell is None else " ".join(cell.split()) for cell in row]


def _is_title(row: Sequence[Cell]) -> bool:
    """One cell across the whole table."""
    return len(row) > 1 and bool(row[0]) and all(cell is None for cell in row[1:])


def _is_value(cell: Cell) -> bool:
    """A number with its unit, as data cells hold it; not a year, month or quarter, as headers do too."""
    return bool(_VALUE.fullmatch(cell or "")) and not _PERIOD.fullmatch(cell or "")


def _unit(cell: Cell) -> str:
    return "".join(char for char in cell or "" if not char.isdigit() and char not in ".,- ")


def _hold_values(row: Sequence[Cell], below: Sequence[Cell]) -> bool:
    """Whether a row has values of the same kind as the one below it."""
    pairs = zip(row, below, strict=True)
    return any(_is_value(top) and _is_value(one) and _unit(top) == _unit(one) for top, one in pairs)


def guess_header(rows: Sequence[Sequence[Cell]]) -> int:
    """How many rows at the top are names of columns: 0 where they hold values, or for pairs of a name and a value."""
    if len(rows) < 2 or _hold_values(rows[0], rows[1]):
        return 0
    count = 1
    while (
        count < min(_MOST_NAMES, len(rows) - 1)
        and any(cell is None for cell in rows[count - 1])
        and not any(map(_is_value, rows[count]))
    ):
        count += 1
    if len(rows[0]) > 2:
        return count
    values = sum(_is_value(row[-1]) for row in rows[count:])
    return count if values > len(rows[count:]) / 2 else 0


def _names(rows: Sequence[Sequence[Cell]]) -> tuple[str, ...]:
    """One name a column: what stands above it in each header row, once."""
    if not rows:
        return ()
    names: list[list[str]] = [[] for _cell in rows[0]]
    for row in rows:
        above = ""
        for column, cell in enumerate(row):
            above = above if cell is None else cell
            if above and above not in names[column]:
                names[column].append(above)
    return tuple(" ".join(parts) for parts in names)


def row_text(row: Sequence[Cell], names: Sequence[str]) -> str:
    if not names and len(row) == 2 and all(row):
        name, value = str(row[0]), str(row[1])
        return f"{name} {value}" if name.endswith((":", "：")) else f"{name}: {value}"
    parts = []
    for index, cell in enumerate(row):
        name = names[index] if index < len(names) else ""
        if cell:
            parts.append(f"{name}: {cell}" if name and name != cell else cell)
    return "; ".join(parts)
