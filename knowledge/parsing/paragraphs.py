"""From lines to blocks: headings, paragraphs joined over lines, columns and pages, list items, tables."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from knowledge.parsing.grid import PlacedTable, table_block
from knowledge.parsing.pdf_page import Page, Table
from knowledge.parsing.rows import Row
from knowledge.parsing.structure import Outline, glue
from knowledge.text.normalise import match_key
from knowledge.types import Block, BlockKind, Drop, Line

_HYPHEN = re.compile(r"([^\W\d_]+)([-\u00ad\u2010])$")
_DASHED = re.compile(r"[^\W_][-\u2010]$")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
# Words before which a hyphen stands for a part left out ("Haupt- und Nebenkosten").
_SUSPENDING = {
    "en": ("and", "or", "to"),
    "de": ("und", "oder", "bzw", "sowie", "bis"),
    "fr": ("et", "ou"),
    "es": ("y", "o", "e"),
}
_SUSPENDS = {word for words in _SUSPENDING.values() for word in words}
_ENDS = re.compile(r"[.!?:;。！？：；…][\"'”’»)）」』\]】]*$")
_BULLET = re.compile(
    r"(?:[•▪◦‣·●○■□◆▶➢✓–—*-]|\(?\d{1,3}[.)](?!\d)|\(\d{1,3}\)|\(?[a-zA-Z][.)]|[①-⑳]|[가-하][.)]|[一二三四五六七八九十]+、"
    r"|（[一二三四五六七八九十\d]+）|[ivx]{1,5}[.)]|第[一二三四五六七八九十百\d]+[条條項]|제\s?\d+\s?[조항])\s*(?=\S)"
)
_MARK = re.compile(r"[•▪◦‣·●○■□◆▶➢✓–—*-]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]")
_LEADER = re.compile(r"(?:[.·…]\s?){4,}\s*[\divxl]*$")  # an entry of a table of contents
_LONGEST_WORD = 80
_LONGEST_HEADING = 120
_LARGER = 1.12  # times the size of the body: a heading
_MOST_LEVELS = 5
_FULL = 0.75  # of its column that a line takes which the next page or column goes on from
_SPACED_SHARE = 0.3  # of Korean lines that end in a space: then one without breaks a word


class Headings:
    """Levels of headings: told by the outline, or by sizes and weight that stand out from the body."""

    def __init__(self, pages: Sequence[Page], outline: Sequence[tuple[int, str, int]]) -> None:
        self._told = {(match_key(title), page): level for level, title, page in outline}
        sizes: Counter[float] = Counter()
        bold = 0
        for row in _rows(pages):
            sizes[round(row.size * 2) / 2] += len(row.text)
            bold += len(row.text) if row.bold else 0
        self.body = sizes.most_common(1)[0][0] if sizes else 10.0
        self._weigh = bold < 0.4 * sum(sizes.values())
        large = {round(row.size * 2) / 2 for row in _rows(pages) if self._is_large(row)}
        self._ranks = {size: rank for rank, size in enumerate(sorted(large, reverse=True), 1)}

    def level(self, row: Row) -> int:
        """0 for body text."""
        told = self._told.get((match_key(row.text), row.page))
        if told:
            return told
        if self._is_large(row):
            return min(_MOST_LEVELS, self._ranks[round(row.size * 2) / 2])
        stands_out = self._weigh and row.bold and row.size >= self.body - 0.5 and len(row.cells) < 2
        if stands_out and _is_titular(row.text) and len(row.text) <= 80:
            return min(_MOST_LEVELS + 1, len(self._ranks) + 1)
        return 0

    def _is_large(self, row: Row) -> bool:
        return row.size >= self.body * _LARGER and _is_titular(row.text) and len(row.cells) < 3


def _is_titular(text: str) -> bool:
    letters = sum(char.isalpha() for char in text)
    if _LEADER.search(text):
        return False
    return letters > 1 and len(text) <= _LONGEST_HEADING and not text.endswith((".", "。", ",", "、", ";"))


def _rows(pages: Sequence[Page]) -> Iterator[Row]:
    return (row for page in pages for row in page.rows)


def build(
    pages: Sequence[Page], outline: Sequence[tuple[int, str, int]]
) -> tuple[tuple[Block, ...], list[Drop]]:
    """The blocks of the document, and the hyphens that were undone."""
    builder = _Builder(Headings(pages, outline), _hyphenated(pages), _breaks_words(pages))
    for page in pages:
        builder.page(page)
    builder.flush()
    return tuple(builder.outline.blocks), builder.drops


def _hyphenated(pages: Sequence[Page]) -> frozenset[str]:
    """Words that the document writes with a hyphen inside a line."""
    inside = re.compile(r"[^\W\d_]+-[^\W\d_]+")
    return frozenset(word.lower() for row in _rows(pages) for word in inside.findall(row.text))


def _breaks_words(pages: Sequence[Page]) -> bool:
    """Whether this document's Korean lines end in a space where a word ends, so that one without ends inside a word."""
    korean = [row for row in _rows(pages) if row.text and "가" <= row.text[-1] <= "힣"]
    return sum(row.spaced for row in korean) > _SPACED_SHARE * max(1, len(korean))


class _Builder:
    def __init__(self, headings: Headings, hyphenated: frozenset[str], breaks_words: bool) -> None:
        self.outline = Outline()
        self.drops: list[Drop] = []
        self._headings = headings
        self._hyphenated = hyphenated
        self._breaks_words = breaks_words
        self._text = ""
        self._lines: list[Line] = []
        self._last: Row | None = None
        self._level = 0
        self._leading = 0.0
        self._columns: tuple[str, ...] = ()  # names of the table that stands last

    def page(self, page: Page) -> None:
        self._leading = _leading(page.rows)
        waiting = sorted(page.tables, key=lambda table: table.frame[1])
        for kind, part in _parts(page.rows):
            first = part[0]
            while waiting and _comes_before(waiting[0], first):
                self._table(page, waiting.pop(0))
            if kind == "table":
                self._lined_up(part)
            else:
                for row in part:
                    while waiting and _comes_before(waiting[0], row):
                        self._table(page, waiting.pop(0))
                    self._row(row)
        for table in waiting:
            self._table(page, table)

    def _row(self, row: Row) -> None:
        level = self._headings.level(row)
        if self._text and not (self._same_heading(row, level) if level else self._goes_on(row)):
            self.flush()
        self._join(row)
        self._level = level

    def _same_heading(self, row: Row, level: int) -> bool:
        last = self._last
        return (
            last is not None
            and self._level == level
            and last.page == row.page
            and -0.5 * row.size <= row.frame[1] - last.frame[3] < row.size * 0.9
            and abs(row.size - last.size) < 0.6
            and not _BULLET.match(row.text)
            and (match_key(last.text), last.page) not in self._headings._told
        )

    def _goes_on(self, row: Row) -> bool:
        last = self._last
        if last is None or self._level or _BULLET.match(row.text) or abs(row.size - last.size) > 1.0:
            return False
        if _LEADER.search(last.text):
            return False
        if last.page != row.page or row.frame[1] < last.frame[1] - row.size:  # another page or column
            return not _ENDS.search(last.text) and _is_full(last)
        if len(last.cells) > 1 and len(row.cells) > 1:
            return False
        gap = row.frame[1] - last.frame[3]
        if gap > max(self._leading + 0.35 * row.size, 0.1 * row.size):
            return False
        ended = bool(_ENDS.search(last.text))
        indented = row.frame[0] > row.left + 0.8 * row.size and last.frame[0] < row.frame[0] - 0.8 * row.size
        short = last.frame[2] < last.right - 0.25 * (last.right - last.left)
        if ended and (indented or short):
            return False
        return row.block == last.block or not (ended and gap > self._leading + 0.15 * row.size)

    def _join(self, row: Row) -> None:
        if self._text:
            space = self._between(row)
            self._text += space
        start = len(self._text)
        words = row.text.replace("\u00ad", "") if "\u00ad" in row.text[:-1] else row.text
        if len(words) < len(row.text):
            self.drops.append(Drop("hyphen", len(row.text) - len(words), row.page))
            words += "\u00ad" if row.text.endswith("\u00ad") else ""
        self._text += words
        self._lines.append(Line(start, len(self._text), row.page, row.box))
        self._last = row

    def _between(self, row: Row) -> str:
        """What comes between the text so far and the next line; takes a hyphen off the text where it only divides."""
        tail = self._text[-_LONGEST_WORD:]
        broken = _HYPHEN.search(tail)
        following = _FIRST_WORD.match(row.text)
        if broken is None or following is None:
            korean = self._breaks_words and "가" <= self._text[-1] <= "힣" and "가" <= row.text[0] <= "힣"
            if korean and self._last is not None and not self._last.spaced:
                return ""
            is_number = _DASHED.search(tail) and row.text[0].isalnum()  # "KR-2024-" and "0117"
            return "" if is_number else glue(self._text, row.text)
        word, soft = following[0], broken[2] == "\u00ad"
        if not soft and word.lower() in _SUSPENDS:
            return " "
        whole = f"{broken[1]}-{word}".lower()
        inner = tail[: broken.start()].endswith("-")
        if not soft and (not word[0].islower() or inner or whole in self._hyphenated):
            return ""
        self._text = self._text[:-1]
        self.drops.append(Drop("hyphen", 1, row.page))
        if self._lines:
            self._lines[-1] = replace(self._lines[-1], end=len(self._text))
        return ""

    def flush(self) -> None:
        if self._text:
            lines = tuple(self._lines)
            if self._level:
                self.outline.heading(self._text, self._level, lines)
            else:
                is_item = _MARK.match(self._text) and _BULLET.match(self._text)
                self.outline.add(BlockKind.LIST_ITEM if is_item else BlockKind.PARAGRAPH, self._text, lines)
            self._columns = ()
        self._text, self._lines, self._last, self._level = "", [], None, 0

    def _table(self, page: Page, table: Table) -> None:
        """A table; one that begins a page and has the columns of the last one goes on under its names."""
        self.flush()
        number = page.read.page
        before = self.outline.blocks[-1] if self.outline.blocks else None
        names: tuple[str, ...] = ()
        if before is not None and before.kind is BlockKind.TABLE and before.lines[-1].page < number:
            same = len(self._columns) == len(table.cells[0])
            first = tuple(" ".join((cell or "").split()) for cell in table.cells[0])
            names = self._columns if same and first != self._columns else ()
        placed = table_block(table.cells, section=self.outline.section, names=names)
        if placed is not None:
            self._columns = placed.names
            self.outline.blocks.append(_with_lines(placed, number, table.boxes))

    def _lined_up(self, rows: Sequence[Row]) -> None:
        """Lines whose parts stand under each other: a table without rules."""
        self.flush()
        placed = table_block(_aligned(rows), section=self.outline.section)
        if placed is not None:
            self._columns = placed.names
            self.outline.blocks.append(_with_lines(placed, rows[0].page, [row.box for row in rows]))


def _leading(rows: Sequence[Row]) -> float:
    """The usual gap between lines of one paragraph on this page."""
    gaps = [
        after.frame[1] - before.frame[3]
        for before, after in itertools.pairwise(rows)
        if before.block == after.block and -before.size < after.frame[1] - before.frame[3] < before.size
    ]
    return sorted(gaps)[len(gaps) // 2] if gaps else 0.0


def _is_full(row: Row) -> bool:
    width = row.right - row.left
    return row.frame[2] - row.left > _FULL * width and width > 10 * row.size


def _comes_before(table: Table, row: Row) -> bool:
    beside = table.frame[0] < row.right and row.left < table.frame[2]
    return beside and table.frame[1] < row.frame[1]


_LEAST_LINED = 3  # lines under each other that make a table


def _parts(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Runs of lines, and runs whose parts stand under each other."""
    for has_cells, run in itertools.groupby(rows, key=lambda row: len(row.cells) > 1):
        part = list(run)
        is_table = has_cells and len(part) >= _LEAST_LINED and bool(_stretches(part))
        yield "table" if is_table else "text", part


def _stretches(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Where the columns of lined-up rows stand, by the rows with the usual number of cells; none where cells of
    neighbouring columns do not part."""
    usual = Counter(len(row.cells) for row in rows).most_common(1)[0][0]
    full = [row.cells for row in rows if len(row.cells) == usual]
    found = [(min(c[0] for c in column), max(c[1] for c in column)) for column in zip(*full, strict=True)]
    middles = [
        sorted((c[0] + c[1]) / 2 for c in column)[len(column) // 2] for column in zip(*full, strict=True)
    ]
    apart = all(before[0] < after[0] and before[1] < after[1] for before, after in itertools.pairwise(found))
    return found if apart and middles == sorted(middles) and len(full) >= _LEAST_LINED - 1 else []


def _aligned(rows: Sequence[Row]) -> list[list[str]]:
    columns = _stretches(rows)
    grid = []
    for row in rows:
        is_full = len(row.cells) == len(columns)
        cells = [""] * len(columns)
        for index, (x0, x1, text) in enumerate(row.cells if is_full else row.parts):
            shared = [min(x1, right) - max(x0, left) for left, right in columns]
            at = index if is_full else shared.index(max(shared))
            cells[at] = f"{cells[at]} {text}".strip()
        grid.append(cells)
    return grid


def _with_lines(placed: PlacedTable, page: int, boxes: Sequence[tuple[float, float, float, float]]) -> Block:
    lines, at = [], 0
    for text, source in zip(placed.block.text.split("\n"), placed.sources, strict=True):
        lines.append(Line(at, at + len(text), page, boxes[source]))
        at += len(text) + 1
    return replace(placed.block, lines=tuple(lines))
