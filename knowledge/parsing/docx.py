"""DOCX: the body in order, read from its XML so that nothing that a reader sees is passed over.

Tracked changes count as accepted. A note follows the paragraph that refers to it, a text box the paragraph that it
hangs on, a table inside a cell the table around it. Headers and footers are read once, at the beginning and the end.
"""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Iterator
from typing import Any

from knowledge.errors import UnreadableFile
from knowledge.parsing.docx_package import Package, Style, W, read_styles, value, whole
from knowledge.parsing.docx_tables import grid_of, header_rows, own_rows
from knowledge.parsing.limits import Limits
from knowledge.parsing.numbering import Numbering
from knowledge.parsing.page_numbers import page_number
from knowledge.parsing.structure import Outline, glue
from knowledge.text.normalise import clean
from knowledge.types import BlockKind, Drop, ParsedDocument

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_HOLDERS = frozenset(
    W + name for name in ("sdt", "sdtContent", "ins", "moveTo", "smartTag", "customXml", "body", "hdr", "ftr")
)
_SILENT = frozenset(
    (
        *(W + name for name in ("drawing", "pict", "object", "pPr", "rPr", "sdtPr", "rt")),
        f"{_MC}AlternateContent",
    )
)
_GONE = frozenset((f"{W}del", f"{W}moveFrom"))


def parse(data: bytes, name: str, limits: Limits) -> ParsedDocument:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except zipfile.BadZipFile:
        raise UnreadableFile("damaged") from None
    with archive:
        package = Package(archive)
        document = package.part(package.main)
        body = document.find(f"{W}body") if document is not None else None
        if body is None:
            raise UnreadableFile("damaged")
        reader = _Reader(package)
        reader.frames(document, "header")
        reader.container(body)
        reader.flush()
        reader.outline.leave()
        reader.frames(document, "footer")
        core = package.part("docProps/core.xml")
    title = clean(core.findtext(f"{_DC}title") or "").strip() if core is not None else ""
    drops = tuple(Drop(reason, count) for reason, count in reader.dropped.items() if count)
    return ParsedDocument(tuple(reader.outline.blocks), drops=drops, title=title)


class _Reader:
    def __init__(self, package: Package) -> None:
        self.outline = Outline()
        self.dropped: Counter[str] = Counter()
        self._package = package
        self._styles = read_styles(package.part("word/styles.xml"))
        self._numbering = Numbering(package.part("word/numbering.xml"))
        self._notes = {kind: package.notes(kind) for kind in ("footnote", "endnote")}
        self._used: list[Any] = []
        self._open = ""  # words of a paragraph whose mark is deleted: the next one goes on from them

    def frames(self, document: Any, kind: str) -> None:
        """Headers or footers, each wording once, without bare page numbers."""
        seen: set[str] = set()
        for part in self._package.frames(document, kind):
            text = "\n".join(filter(None, (self.words(node).strip() for node in part.iter(f"{W}p"))))
            if not text or text in seen:
                continue
            seen.add(text)
            if page_number(text) is not None:
                self.dropped["page_number"] += len(text)
            else:
                self.outline.add(BlockKind.PARAGRAPH, text)
        self._used.clear()

    def container(self, node: Any) -> None:
        for child in node:
            if child.tag == f"{W}p":
                self._paragraph(child)
            elif child.tag == f"{W}tbl":
                self._table(child)
            elif child.tag in _HOLDERS:
                self.container(child)

    def flush(self) -> None:
        """The notes referred to since the last time, and what a paragraph without a mark left open."""
        if self._open:
            self.outline.add(BlockKind.PARAGRAPH, self._open)
            self._open = ""
        used, self._used = self._used, []
        for note in used:
            words = " ".join(filter(None, (self.words(node).strip() for node in note.iter(f"{W}p"))))
            self.outline.add(BlockKind.PARAGRAPH, words)

    def _paragraph(self, node: Any) -> None:
        text = self.words(node).strip()
        if node.find(f"{W}pPr/{W}rPr/{W}del") is not None:
            self._open += glue(self._open, text) + text
            return
        style = self._styles.get(value(node, "pPr/pStyle"), Style())
        text, self._open = self._open + glue(self._open, text) + text, ""
        label = self._numbering.label(*_place(node, style))
        outline = whole(value(node, "pPr/outlineLvl"), -1)
        level = style.level if outline < 0 else outline + 1 if outline < 9 else 0
        if text:
            labelled = f"{label} {text}" if label else text
            if level:
                self.outline.heading(labelled.replace("\n", " "), level)
            else:
                self.outline.add(BlockKind.LIST_ITEM if label else BlockKind.PARAGRAPH, labelled)
        self.flush()
        for box in _boxes(node):
            self.container(box)

    def words(self, node: Any) -> str:
        return clean("".join(self._runs(node)))

    def _runs(self, node: Any) -> Iterator[str]:
        for child in node:
            tag = child.tag
            if tag in _GONE:
                self.dropped["deleted_revision"] += _count(child)
            elif tag == f"{W}r" and _is_hidden(child):
                self.dropped["hidden"] += _count(child)
            elif tag in {f"{W}t", f"{_M}t"}:
                yield child.text or ""
            elif tag in {f"{W}tab", f"{W}ptab"}:
                yield "\t"
            elif tag in {f"{W}br", f"{W}cr"}:
                yield "\n"
            elif tag == f"{W}noBreakHyphen":
                yield "-"
            elif tag == f"{W}sym":
                yield _symbol(child)
            elif tag in {f"{W}footnoteReference", f"{W}endnoteReference"}:
                self._refer(child)
            elif tag not in _SILENT:
                yield from self._runs(child)

    def _refer(self, node: Any) -> None:
        """Keep a note that the text refers to. Its mark stays out of the words: a sentence is found as it is read."""
        kind = "footnote" if node.tag == f"{W}footnoteReference" else "endnote"
        note = self._notes[kind].get(node.get(f"{W}id"))
        if note is not None:
            self._used.append(note)

    def _table(self, node: Any) -> None:
        """A table of cells; one of a single column is read as text. Tables inside a cell follow as their own."""
        rows = list(own_rows(node))
        grid = grid_of(rows, self._cell_words)
        cells = [cell for row in rows for cell in row.cells]
        if max(map(len, grid), default=0) == 1:
            for cell in cells:
                self.container(cell)
            return
        self.outline.table(grid, header_rows(rows))
        self.flush()
        for cell in cells:
            for inner in cell.iter(f"{W}tbl"):
                if next(inner.iterancestors(f"{W}tc")) is cell:
                    self._table(inner)

    def _cell_words(self, cell: Any) -> str:
        """The words of a cell: its own paragraphs and text boxes, not those of tables inside it."""
        parts = []
        for node in cell.iter(f"{W}p"):
            if next(node.iterancestors(f"{W}tc")) is not cell or _is_second_choice(node):
                continue
            style = self._styles.get(value(node, "pPr/pStyle"), Style())
            label, words = self._numbering.label(*_place(node, style)), self.words(node).strip()
            parts.append(f"{label} {words}".strip() if words else "")
        return "\n".join(filter(None, parts))


def _place(node: Any, style: Style) -> tuple[str, int]:
    """The list and the depth in it that a paragraph stands at by itself, or by its style; ("", 0) for none."""
    number = value(node, "pPr/numPr/numId") or style.number
    depth = whole(value(node, "pPr/numPr/ilvl"), style.depth)
    return number, depth


def _count(node: Any) -> int:
    return sum(len(text.text or "") for text in node.iter(f"{W}delText", f"{W}t"))


def _is_hidden(run: Any) -> bool:
    mark = run.find(f"{W}rPr/{W}vanish")
    return mark is not None and mark.get(f"{W}val", "1") not in {"0", "false", "off"}


def _symbol(node: Any) -> str:
    """A character given by its number; those of symbol fonts, in the private area, mean nothing without the font."""
    try:
        code = int(node.get(f"{W}char", ""), 16)
    except ValueError:
        return ""
    return "" if 0xE000 <= code <= 0xF8FF or code > 0x10FFFF or code < 32 else chr(code)


def _boxes(node: Any) -> list[Any]:
    """Text boxes drawn in a paragraph; of two alternatives of one box the first."""
    found = []
    for box in node.iter(f"{W}txbxContent"):
        if _is_second_choice(box):
            continue
        if next((above for above in box.iterancestors(f"{W}p")), None) is node:
            found.append(box)
    return found


def _is_second_choice(node: Any) -> bool:
    """Inside the alternative for programs that cannot show the first one: the same words again."""
    return next(node.iterancestors(f"{_MC}Fallback"), None) is not None
