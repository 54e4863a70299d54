"""PDF with a text layer, by PyMuPDF: reading order, paragraphs, headings, tables, and a box for every line."""

from __future__ import annotations

import itertools
import re
import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pymupdf

from knowledge.errors import UnreadableFile
from knowledge.parsing.limits import Limits
from knowledge.parsing.structure import Outline, table_block
from knowledge.text.normalise import clean
from knowledge.text.scripts import is_cjk
from knowledge.types import Block, BlockKind, Box, Drop, Line, PageRead, ParsedDocument

_MARGIN = 0.09  # of the page's height: where running headers and footers stand
_RECURS = 0.5  # share of the pages on which a line must stand to be a running one
_LEAST_PAGES = 3
_HYPHEN = re.compile(r"(?<=[a-zà-ÿ])[-\u00ad\u2010]$")
_PAGE_NUMBER = re.compile(
    r"[-–— ]*(?:page|seite|página|pág\.?|第)?\s*\d{1,4}(?:\s*(?:/|of|von|de|sur|쪽|페이지|页|頁|ページ)\s*\d{0,4})?[-–— ]*",
    re.I,
)
_ENDS = re.compile(r"[.!?:;。！？…\"'”’)）」』]$")
_BULLET = re.compile(r"^(?:[•▪◦‣·●○■□◆–-]|\(?\d{1,3}[.)]|\(?[a-z][.)]|[①-⑳]|[가-하][.)])\s")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of words on a page."""

    page: int
    text: str
    box: Box
    size: float
    bold: bool
    block: int  # which of the page's blocks it came from


def parse(data: bytes, name: str, limits: Limits, password: str = "") -> ParsedDocument:
    document = _open(data, limits, password)
    with document:
        rows_by_page: list[list[_Row]] = []
        tables: dict[int, list[tuple[Box, list[list[str]]]]] = {}
        pages: list[PageRead] = []
        for number, page in enumerate(document, 1):
            rows, found, read = _read_page(page, number)
            rows_by_page.append(rows)
            tables[number] = found
            pages.append(read)
        titles = {(row[1].strip(), row[2]): row[0] for row in document.get_toc(simple=True)}
        title = str((document.metadata or {}).get("title") or "").strip()
    return _assemble(rows_by_page, tables, tuple(pages), titles, title)


def _open(data: bytes, limits: Limits, password: str) -> pymupdf.Document:
    try:
        document = pymupdf.open(stream=data, filetype="pdf")
    except pymupdf.EmptyFileError:
        raise UnreadableFile("empty_file") from None
    except (pymupdf.FileDataError, RuntimeError, ValueError):
        raise UnreadableFile("damaged") from None
    if document.needs_pass and not (password and document.authenticate(password)):
        raise UnreadableFile("needs_password")
    if document.page_count > limits.pages:
        raise UnreadableFile("too_many_pages", pages=document.page_count, most=limits.pages)
    if not document.page_count:
        raise UnreadableFile("no_pages")
    return document


def _read_page(page: Any, number: int) -> tuple[list[_Row], list[tuple[Box, list[list[str]]]], PageRead]:
    width, height = page.rect.width, page.rect.height
    try:
        rows = list(_rows(page, number))
        found = list(_tables(page)) if rows else []
    except (RuntimeError, ValueError, IndexError):
        return [], [], PageRead(number, "failed", "damaged_page", width, height)
    letters = sum(len(row.text.replace(" ", "")) for row in rows)
    odd = sum(row.text.count("\ufffd") for row in rows)
    if letters < 3 or odd > 0.3 * letters:
        reason = "no_text_layer" if page.get_images() or odd else ""
        return [], [], PageRead(number, "empty", reason, width, height)
    return rows, found, PageRead(number, "text", "", width, height)


def _rows(page: Any, number: int) -> Iterator[_Row]:
    """The page's lines with their boxes as displayed; spans on one baseline are one line."""
    turned = page.rotation_matrix
    blocks = page.get_text("dict", flags=pymupdf.TEXTFLAGS_TEXT | pymupdf.TEXT_DEHYPHENATE * 0)["blocks"]
    for index, block in enumerate(blocks):
        for line in block.get("lines", ()):
            text = (
                clean("".join(span["text"] for span in line["spans"]))
                .replace("\u00a0", " ")
                .replace("\n", " ")
            )
            text = " ".join(text.split())
            if not text:
                continue
            box = pymupdf.Rect(line["bbox"]) * turned
            box.normalize()
            span = max(line["spans"], key=lambda one: len(one["text"]))
            yield _Row(
                number, text, (box.x0, box.y0, box.x1, box.y1), span["size"], bool(span["flags"] & 16), index
            )


def _tables(page: Any) -> Iterator[tuple[Box, list[list[str]]]]:
    """Ruled tables of at least two rows and columns."""
    for table in page.find_tables().tables:
        if table.row_count < 2 or table.col_count < 2:
            continue
        rows = [[clean(cell or "").replace("\u00a0", " ") for cell in row] for row in table.extract()]
        if sum(bool(cell) for row in rows for cell in row) >= 4:
            box = pymupdf.Rect(table.bbox) * page.rotation_matrix
            box.normalize()
            yield (box.x0, box.y0, box.x1, box.y1), rows


def _inside(box: Box, outer: Box) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] - 1 <= x <= outer[2] + 1 and outer[1] - 1 <= y <= outer[3] + 1


def _running(rows_by_page: list[list[_Row]], pages: tuple[PageRead, ...]) -> set[tuple[str, bool]]:
    """(words with digits as #, whether at the top) of lines that recur in the margins."""
    seen: Counter[tuple[str, bool]] = Counter()
    for rows, page in zip(rows_by_page, pages, strict=True):
        seen.update({_running_key(row, page) for row in rows if _in_margin(row, page)})
    most = max(_LEAST_PAGES, _RECURS * sum(bool(rows) for rows in rows_by_page))
    return {key for key, count in seen.items() if count >= most}


def _in_margin(row: _Row, page: PageRead) -> bool:
    return row.box[3] < page.height * _MARGIN or row.box[1] > page.height * (1 - _MARGIN)


def _running_key(row: _Row, page: PageRead) -> tuple[str, bool]:
    return _DIGITS.sub("#", row.text), row.box[1] < page.height / 2


def _assemble(
    rows_by_page: list[list[_Row]],
    tables: dict[int, list[tuple[Box, list[list[str]]]]],
    pages: tuple[PageRead, ...],
    titles: dict[tuple[str, int], int],
    title: str,
) -> ParsedDocument:
    running = _running(rows_by_page, pages)
    body = _body_size(rows_by_page)
    builder = _Builder(body, titles)
    drops: list[Drop] = []
    for rows, page in zip(rows_by_page, pages, strict=True):
        kept = []
        for row in rows:
            reason = _dropped(row, page, running)
            if reason:
                drops.append(Drop(reason, len(row.text), page.page))
            else:
                kept.append(row)
        builder.page(_ordered(kept, page), tables[page.page])
    builder.flush()
    drops += [Drop("hyphen", 1, at) for at in builder.hyphens]
    warnings: tuple[str, ...] = (
        ("pages_without_text",) if any(page.how == "empty" and page.reason for page in pages) else ()
    )
    warnings += ("pages_failed",) if any(page.how == "failed" for page in pages) else ()
    blocks = tuple(builder.outline.blocks)
    return ParsedDocument(blocks, pages, tuple(drops), title, warnings=warnings)


def _dropped(row: _Row, page: PageRead, running: set[tuple[str, bool]]) -> str:
    if not _in_margin(row, page):
        return ""
    if _running_key(row, page) in running:
        return "running_header" if row.box[1] < page.height / 2 else "running_footer"
    return "page_number" if _PAGE_NUMBER.fullmatch(row.text) else ""


def _body_size(rows_by_page: list[list[_Row]]) -> float:
    sizes: Counter[float] = Counter()
    for rows in rows_by_page:
        for row in rows:
            sizes[round(row.size, 1)] += len(row.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def _ordered(rows: list[_Row], page: PageRead) -> list[_Row]:
    """Reading order: columns from left to right where the page has a gutter, full-width lines between them in place."""
    if not rows:
        return rows
    middle = page.width / 2
    wide = [row for row in rows if row.box[0] < middle - 20 and row.box[2] > middle + 20]
    left = [row for row in rows if row.box[2] <= middle + 20]
    right = [row for row in rows if row.box[0] >= middle - 20]
    if len(wide) > 0.35 * len(rows) or len(left) < 4 or len(right) < 4:
        return rows if _is_top_down(rows) else sorted(rows, key=lambda row: (round(row.box[1]), row.box[0]))
    borders = sorted(row.box[1] for row in wide)

    def band(row: _Row) -> int:
        return sum(border < row.box[1] for border in borders)

    def key(row: _Row) -> tuple[int, int, float, float]:
        column = 0 if row in wide else 1 if row.box[2] <= middle + 20 else 2
        return band(row), column, round(row.box[1]), row.box[0]

    return sorted(rows, key=key)


def _is_top_down(rows: list[_Row]) -> bool:
    back = sum(after.box[1] < before.box[1] - 2 for before, after in itertools.pairwise(rows))
    return back <= len(rows) * 0.1


class _Builder:
    """Joins lines to paragraphs, across pages too."""

    def __init__(self, body: float, titles: dict[tuple[str, int], int]) -> None:
        self.outline = Outline()
        self.hyphens: list[int] = []
        self._body = body
        self._titles = titles
        self._text = ""
        self._lines: list[Line] = []
        self._last: _Row | None = None
        self._names: tuple[str, ...] = ()

    def page(self, rows: list[_Row], tables: list[tuple[Box, list[list[str]]]]) -> None:
        waiting = sorted(tables, key=lambda one: one[0][1])
        for row in rows:
            inside = next((one for one in tables if _inside(row.box, one[0])), None)
            if inside is not None:
                if inside in waiting:
                    waiting.remove(inside)
                    self._table(row.page, *inside, rows)
                continue
            self._row(row)

    def _row(self, row: _Row) -> None:
        level = self._level(row)
        if level:
            if (
                self._last is not None
                and self._level(self._last) == level
                and self._is_next(row)
                and self._text
            ):
                self._join(row)
                return
            self.flush()
            self._join(row)
            return
        if self._text and not self._goes_on(row):
            self.flush()
        self._join(row)

    def _level(self, row: _Row) -> int:
        """Of a heading: from the outline, or from a size or weight that stands out; 0 for body text."""
        told = self._titles.get((row.text, row.page))
        if told:
            return told
        if len(row.text) > 120 or _PAGE_NUMBER.fullmatch(row.text):
            return 0
        if row.size >= self._body * 1.6:
            return 1
        if row.size >= self._body * 1.15:
            return 2
        return (
            3
            if row.bold and row.size >= self._body and not _ENDS.search(row.text) and len(row.text) < 80
            else 0
        )

    def _is_next(self, row: _Row) -> bool:
        last = self._last
        return last is not None and last.page == row.page and 0 <= row.box[1] - last.box[3] < row.size * 0.8

    def _goes_on(self, row: _Row) -> bool:
        last = self._last
        if last is None or _BULLET.match(row.text) or self._level(last):
            return False
        if abs(row.size - last.size) > 1.0:
            return False
        if last.page != row.page or row.box[1] < last.box[1] - row.size:  # another page or column
            return not _ENDS.search(last.text)
        if row.block == last.block:
            return True
        gap = row.box[1] - last.box[3]
        return gap < row.size * 0.5 and not _ENDS.search(last.text)

    def _join(self, row: _Row) -> None:
        if self._text:
            if _HYPHEN.search(self._text) and row.text[:1].islower():
                self._text = self._text[:-1]
                self.hyphens.append(row.page)
                if self._lines:
                    self._lines[-1] = replace(self._lines[-1], end=len(self._text))
            elif not (self._text[-1:] and is_cjk_solid(self._text[-1]) and is_cjk_solid(row.text[0])):
                self._text += " "
        start = len(self._text)
        self._text += row.text
        self._lines.append(Line(start, len(self._text), row.page, row.box))
        self._last = row

    def flush(self) -> None:
        if self._text and self._last is not None:
            level = self._level(self._last)
            lines = tuple(self._lines)
            if level:
                self.outline.heading(self._text, level, lines)
            else:
                kind = BlockKind.LIST_ITEM if _BULLET.match(self._text) else BlockKind.PARAGRAPH
                self.outline.add(kind, self._text, lines)
            self._names = ()
        self._text, self._lines, self._last = "", [], None

    def _table(self, page: int, box: Box, cells: list[list[str]], rows: list[_Row]) -> None:
        """A table; one that begins a page and has the columns of the last one goes on under its header."""
        self.flush()
        before = self.outline.blocks[-1] if self.outline.blocks else None
        names: tuple[str, ...] = ()
        if before is not None and before.kind is BlockKind.TABLE and before.page != page:
            first = self._names or before.rows[0]
            if len(first) == len(cells[0]) and tuple(cells[0]) != tuple(first):
                names = first
        block = table_block(cells, has_header=True, section=self.outline.section, names=names)
        if block is None:
            return
        self._names = names or block.rows[0]
        self.outline.blocks.append(_placed(block, page, box, rows))


def _placed(block: Block, page: int, box: Box, rows: list[_Row]) -> Block:
    """The table with a box for each text row: an even share of the table where a row is not found by its words."""
    texts = block.text.split("\n")
    inside = [row for row in rows if _inside(row.box, box)]
    lines, at = [], 0
    height = (box[3] - box[1]) / max(1, len(block.rows))
    skipped = len(block.rows) - len(texts)
    for index, text in enumerate(texts):
        top = box[1] + height * (index + skipped)
        cells = block.rows[index + skipped]
        tops = [row.box[1] for row in inside if row.text in cells and abs(row.box[1] - top) < 2 * height]
        y = statistics.median(tops) if tops else top
        lines.append(Line(at, at + len(text), page, (box[0], y - 1, box[2], y + height)))
        at += len(text) + 1
    return replace(block, lines=tuple(lines))


def is_cjk_solid(char: str) -> bool:
    """Characters of writing without spaces between words: Han and Kana, and their full-width marks. Not Hangul."""
    return (
        (is_cjk(char) and not "\uac00" <= char <= "\ud7a3")
        or "\u3000" <= char <= "\u303f"
        or "\uff00" <= char <= "\uffef"
    )
