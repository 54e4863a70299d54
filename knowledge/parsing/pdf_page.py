"""One page of a PDF: its rows of words and its tables, in both frames (`rows`)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pymupdf

from knowledge.parsing.grid import Cell
from knowledge.parsing.layout import ordered
from knowledge.parsing.rows import Row, joined
from knowledge.text.normalise import clean
from knowledge.types import Box, Drop, PageRead

_BOLD = 16  # PyMuPDF's flag of a span
_MOST_PATHS = 10_000  # a page with more is a drawing: looking for tables in 60,000 paths takes 10 s
_LEAST_SHARE = 0.9  # of the letters inside a table that its cells must hold, or it is read as text
_FEW_LETTERS = 3  # beside a picture: a scan with a stray mark, no text layer
_MOST_ODD = 0.3  # share of characters without a meaning that makes a text layer unusable
_TURNS = {(1, 0): 0, (0, -1): 90, (-1, 0): 180, (0, 1): 270}


@dataclass(frozen=True)
class Table:
    """A ruled table: its cells, the frame of each row, and each row's box as displayed."""

    frame: Box
    cells: tuple[tuple[Cell, ...], ...]
    frames: tuple[Box, ...]
    boxes: tuple[Box, ...]

    @cached_property
    def words(self) -> str:
        """What the cells hold, without white space."""
        return "".join("".join(cell.split()) for row in self.cells for cell in row if cell)


@dataclass(frozen=True, slots=True)
class Page:
    """`rows` are what stands outside of tables, in reading order. Sizes are of the frame of reading."""

    read: PageRead
    width: float
    height: float
    rows: tuple[Row, ...] = ()
    tables: tuple[Table, ...] = ()
    drops: tuple[Drop, ...] = ()


def read_page(page: Any, number: int) -> Page:
    """A page that breaks the reader is failed, one whose text layer cannot be used is empty; neither ends the rest."""
    width, height = page.rect.width, page.rect.height
    try:
        return _read(page, number)
    except (RuntimeError, ValueError, IndexError, TypeError) as error:
        raise_if_memory(error)
        return Page(PageRead(number, "failed", "damaged_page", width, height), width, height)


def raise_if_memory(error: Exception) -> None:
    """MemoryError where that is what MuPDF or a library in it means: "code=2: calloc (1 x 4144 bytes) failed", "code=3:
    FT_New_Memory_Face(): out of memory"."""
    if "alloc (" in str(error) or "out of memory" in str(error):
        raise MemoryError from None


def _read(page: Any, number: int) -> Page:
    width, height = page.rect.width, page.rect.height
    lines = [line for line in _lines(page) if line["words"]]
    text = "".join(line["words"] for line in lines)
    reason = _unusable(text, page)
    if reason is not None:
        return Page(PageRead(number, "empty", reason, width, height), width, height)
    frame = _Frame(page, lines)
    rows, hidden = _visible([frame.row(line, number) for line in lines], page)
    tables = frame.tables(rows)
    outside = [row for row in rows if not any(_is_held(row, table) for table in tables)]
    main = [row for row in outside if row.block >= 0]
    aside = [row for row in outside if row.block < 0]  # a stamp along the edge: behind everything else
    kept = (*ordered(main), *(joined([row]) for row in aside))
    drops = (Drop("hidden", hidden, number),) if hidden else ()
    return Page(PageRead(number, "text", "", width, height), frame.width, frame.height, kept, tables, drops)


def _lines(page: Any) -> Iterator[dict[str, Any]]:
    flags = pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
    for index, block in enumerate(page.get_text("dict", flags=flags)["blocks"]):
        for line in block.get("lines", ()):
            raw = clean("".join(span["text"] for span in line["spans"])).replace("\u00a0", " ")
            yield {**line, "words": " ".join(raw.split()), "spaced": raw.endswith(" "), "block": index}


def _unusable(text: str, page: Any) -> str | None:
    """Why a page counts as empty: "" for a blank one; None where its text is used."""
    letters = sum(not char.isspace() for char in text)
    odd = sum(char == "\ufffd" or "\ue000" <= char <= "\uf8ff" for char in text)
    if letters and odd > _MOST_ODD * letters:
        return "no_text_layer"
    if letters >= _FEW_LETTERS:
        return None
    if page.get_images() or _draws(page):
        return "no_text_layer"
    return None if letters else ""


def _draws(page: Any) -> bool:
    """Whether there are drawn shapes enough for words that were turned into outlines."""
    return len(page.get_cdrawings()) > 20


def _visible(rows: Sequence[Row], page: Any) -> tuple[list[Row], int]:
    """Rows on the page, each once (a shadow or a false bold is drawn twice), and how many characters are not."""
    kept: list[Row] = []
    seen: set[tuple[str, int, int]] = set()
    hidden = 0
    for row in rows:
        x, y = (row.box[0] + row.box[2]) / 2, (row.box[1] + row.box[3]) / 2
        place = (row.text, round(x / 3), round(y / 3))
        if place in seen or not (-1 <= x <= page.rect.width + 1 and -1 <= y <= page.rect.height + 1):
            hidden += len(row.text)
            continue
        seen.add(place)
        kept.append(row)
    return kept, hidden


def is_inside(box: Box, outer: Box) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] - 1 <= x <= outer[2] + 1 and outer[1] - 1 <= y <= outer[3] + 1


class _Frame:
    """Turns places in the file into places as displayed and as read."""

    def __init__(self, page: Any, lines: Sequence[dict[str, Any]]) -> None:
        weights: Counter[tuple[int, tuple[int, int]]] = Counter()
        for line in lines:
            weights[line["wmode"], _direction(line)] += len(line["words"])
        self._wmode, self._direction = weights.most_common(1)[0][0] if weights else (0, (1, 0))
        self._page = page
        self._displayed = pymupdf.Matrix(page.rotation_matrix)
        self._rotation = page.rotation
        turn = 0 if self._wmode else _TURNS.get(self._direction, 0)
        page.set_rotation(turn)
        self._read = pymupdf.Matrix(page.rotation_matrix)
        self._back = pymupdf.Matrix(page.derotation_matrix) * self._displayed
        self.width, self.height = page.rect.width, page.rect.height
        page.set_rotation(self._rotation)
        self._turn = turn
        if self._wmode:
            self.width, self.height = self.height, self.width

    def row(self, line: dict[str, Any], number: int) -> Row:
        bbox = pymupdf.Rect(line["bbox"])
        span = max(line["spans"], key=lambda one: len(one["text"]))
        is_aside = (line["wmode"], _direction(line)) != (self._wmode, self._direction)
        letters = sum(len(one["text"]) for one in line["spans"])
        bold = sum(len(one["text"]) for one in line["spans"] if one["flags"] & _BOLD)
        return Row(
            number,
            line["words"],
            _box(bbox * self._displayed),
            self._framed(_box(bbox * self._read)),
            span["size"],
            bold > 0.9 * letters,
            -1 if is_aside else line["block"],
            line["spaced"],
        )

    def _framed(self, box: Box) -> Box:
        """Vertical writing laid down: the first column, the one furthest right, is the first line."""
        if not self._wmode:
            return box
        return box[1], self.height - box[2], box[3], self.height - box[0]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Ruled tables of at least two rows and columns whose cells hold the words that stand inside."""
        if self._wmode or not rows or not 0 < len(self._page.get_cdrawings()) <= _MOST_PATHS:
            return ()
        self._page.set_rotation(self._turn)
        try:
            found = [self._table(table) for table in self._page.find_tables().tables]
        finally:
            self._page.set_rotation(self._rotation)
        return tuple(table for table in found if table is not None and _holds(table, rows))

    def _table(self, table: Any) -> Table | None:
        if table.row_count < 2 or table.col_count < 2:
            return None
        grid: list[list[Cell]] = []
        tall: list[tuple[float, str]] = [
            (0.0, "")
        ] * table.col_count  # how far down a cell goes, and its words
        for words, row in zip(table.extract(), table.rows, strict=True):
            cells: list[Cell] = []
            for column, (word, place) in enumerate(zip(words, row.cells, strict=True)):
                if place is not None:
                    text = clean(word or "").replace("\u00a0", " ")
                    tall[column] = (place[3], text)
                    cells.append(text)
                else:  # covered: by the cell above where that reaches down here, else by the one to the left
                    cells.append(tall[column][1] if tall[column][0] > row.bbox[3] - 2 else None)
            grid.append(cells)
        if sum(bool(cell) for cells in grid for cell in cells) < 4 or _is_stacked(grid):
            return None
        frames = tuple(_box(pymupdf.Rect(row.bbox)) for row in table.rows)
        boxes = tuple(_box(pymupdf.Rect(frame) * self._back) for frame in frames)
        return Table(_box(pymupdf.Rect(table.bbox)), tuple(map(tuple, grid)), frames, boxes)


def _is_stacked(grid: Sequence[Sequence[Cell]]) -> bool:
    """Rules that part groups of rows only: one cell then holds the values of several rows."""
    stacked = 0
    for cells in grid:
        counts = Counter(len(cell.split("\n")) for cell in cells if cell)
        most, share = counts.most_common(1)[0] if counts else (1, 0)
        stacked += most > 1 and share > 2 and share >= 0.8 * counts.total()
    return stacked >= 0.5 * len(grid)


def _direction(line: dict[str, Any]) -> tuple[int, int]:
    cosine, sine = line["dir"]
    angle = round(math.degrees(math.atan2(sine, cosine)) / 90) % 4
    return ((1, 0), (0, 1), (-1, 0), (0, -1))[angle]


def _box(rect: Any) -> Box:
    rect = pymupdf.Rect(rect)
    rect.normalize()
    return rect.x0, rect.y0, rect.x1, rect.y1


def _holds(table: Table, rows: Sequence[Row]) -> bool:
    inside = sum(row.letters for row in rows if is_inside(row.frame, table.frame))
    return inside > 0 and len(table.words) >= _LEAST_SHARE * inside


def _is_held(row: Row, table: Table) -> bool:
    """Whether the table's cells hold the row's words. What stands on a rule may have come into no cell: it is read as
    text, so that nothing is lost."""
    return is_inside(row.frame, table.frame) and all(word in table.words for word in row.text.split())


def without_rows(page: Page, rows: Sequence[Row], drops: Sequence[Drop]) -> Page:
    return replace(page, rows=tuple(rows), drops=(*page.drops, *drops))
