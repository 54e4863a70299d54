"""Tables of DOCX: rows and cells with what they span."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from knowledge.parsing.docx_package import W, value, whole
from knowledge.parsing.grid import Cell

_WIDEST = 500  # columns that a cell may claim to cover


@dataclass(frozen=True, slots=True)
class DocxRow:
    """The cells of a row as they stand in the file; `before` columns are left out at its beginning."""

    cells: tuple[Any, ...]
    before: int
    is_header: bool


def own_rows(table: Any) -> Iterator[DocxRow]:
    """The rows of a table, not of tables inside it, without those that a tracked change deletes."""
    for row in table.iter(f"{W}tr"):
        if next(row.iterancestors(f"{W}tbl")) is not table or row.find(f"{W}trPr/{W}del") is not None:
            continue
        cells = tuple(cell for cell in row.iter(f"{W}tc") if next(cell.iterancestors(f"{W}tr")) is row)
        before = min(_WIDEST, whole(value(row, "trPr/gridBefore"), 0))
        mark = row.find(f"{W}trPr/{W}tblHeader")
        is_header = mark is not None and mark.get(f"{W}val", "1") not in {"0", "false", "off"}
        yield DocxRow(cells, before, is_header)


def header_rows(rows: Sequence[DocxRow]) -> int | None:
    """How many rows are marked as header, or stand out in bold; None where none is, and the cells have to tell."""
    count = 0
    for row in rows:
        if not row.is_header:
            break
        count += 1
    if not count and len(rows) > 1 and _is_bold(rows[0]) and not _is_bold(rows[1]):
        return 1
    return count or None


def _is_bold(row: DocxRow) -> bool:
    runs = [run for cell in row.cells for run in cell.iter(f"{W}r") if run.find(f"{W}t") is not None]
    marks = [run.find(f"{W}rPr/{W}b") for run in runs]
    return bool(marks) and all(mark is not None and mark.get(f"{W}val", "1") != "0" for mark in marks)


def grid_of(rows: Sequence[DocxRow], words: Callable[[Any], str]) -> list[list[Cell]]:
    """A cell merged over columns covers them; one merged over rows has its words in each of them."""
    grid: list[list[Cell]] = []
    for row in rows:
        cells: list[Cell] = [""] * row.before
        for cell in row.cells:
            text = words(cell)
            merged = cell.find(f"{W}tcPr/{W}vMerge")
            goes_on = merged is not None and merged.get(f"{W}val", "continue") != "restart"
            if goes_on and not text and grid and len(cells) < len(grid[-1]):
                text = grid[-1][len(cells)] or ""
            wide = min(_WIDEST, max(1, whole(value(cell, "tcPr/gridSpan"), 1)))
            cells += [text, *([None] * (wide - 1))]
        grid.append(cells)
    return grid
