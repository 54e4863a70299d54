"""DOCX: the body in order, read from its XML so that nothing that a reader sees is passed over."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from lxml import etree

from knowledge.errors import UnreadableFile
from knowledge.parsing.limits import Limits
from knowledge.parsing.numbering import Numbering
from knowledge.parsing.structure import Outline
from knowledge.text.normalise import clean
from knowledge.types import BlockKind, Drop, ParsedDocument

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_HEADING = re.compile(
    r"heading\s*(\d)|제목\s*(\d)|标题\s*(\d)|見出し\s*(\d)|überschrift\s*(\d)|titre\s*(\d)|título\s*(\d)",
    re.I,
)


def read_part(archive: zipfile.ZipFile, name: str) -> Any | None:
    """The root of a part, with entities and network off; None where there is no such part."""
    if name not in archive.namelist():
        return None
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(archive.read(name), parser)
    except (etree.XMLSyntaxError, zipfile.BadZipFile, OSError, EOFError):
        raise UnreadableFile("damaged") from None
    if root.getroottree().docinfo.doctype:
        raise UnreadableFile("damaged")  # Word writes none: it is there to swell
    return root


def parse(data: bytes, name: str, limits: Limits) -> ParsedDocument:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except zipfile.BadZipFile:
        raise UnreadableFile("damaged") from None
    with archive:
        document = read_part(archive, "word/document.xml")
        body = document.find(f"{W}body") if document is not None else None
        if body is None:
            raise UnreadableFile("damaged")
        reader = _Reader(
            _style_levels(read_part(archive, "word/styles.xml")),
            Numbering(read_part(archive, "word/numbering.xml")),
            _notes(read_part(archive, "word/footnotes.xml"), "footnote"),
            _notes(read_part(archive, "word/endnotes.xml"), "endnote"),
        )
        reader.container(body)
        reader.notes()
        core = read_part(archive, "docProps/core.xml")
    title = (core.findtext(f"{_DC}title") or "").strip() if core is not None else ""
    drops = (Drop("deleted_revision", reader.deleted),) if reader.deleted else ()
    return ParsedDocument(tuple(reader.outline.blocks), drops=drops, title=title)


def _style_levels(styles: Any | None) -> dict[str, int]:
    """Heading level of each paragraph style that has one, by its name or its outline level."""
    levels: dict[str, int] = {}
    for style in styles.iter(f"{W}style") if styles is not None else ():
        name = style.find(f"{W}name")
        words = name.get(f"{W}val", "") if name is not None else ""
        found = _HEADING.search(words)
        outline = style.find(f"{W}pPr/{W}outlineLvl")
        if words.lower() == "title":
            levels[style.get(f"{W}styleId")] = 1
        elif found:
            levels[style.get(f"{W}styleId")] = int(next(group for group in found.groups() if group))
        elif outline is not None and int(outline.get(f"{W}val", "9")) < 9:
            levels[style.get(f"{W}styleId")] = int(outline.get(f"{W}val")) + 1
    return levels


def _notes(part: Any | None, kind: str) -> dict[str, Any]:
    if part is None:
        return {}
    return {note.get(f"{W}id"): note for note in part.iter(f"{W}{kind}") if note.get(f"{W}type") is None}


class _Reader:
    def __init__(
        self,
        levels: dict[str, int],
        numbering: Numbering,
        footnotes: dict[str, Any],
        endnotes: dict[str, Any],
    ) -> None:
        self.outline = Outline()
        self.deleted = 0
        self._levels, self._numbering = levels, numbering
        self._kept = {"footnote": footnotes, "endnote": endnotes}
        self._used: list[Any] = []

    def container(self, node: Any) -> None:
        for child in node:
            if child.tag == f"{W}p":
                self._paragraph(child)
            elif child.tag == f"{W}tbl":
                self._table(child)
            elif child.tag in {f"{W}sdt", f"{W}ins", f"{W}smartTag", f"{W}customXml", f"{W}sdtContent"}:
                self.container(child)

    def notes(self) -> None:
        """The notes referred to since the last time, behind the paragraph that refers to them."""
        used, self._used = self._used, []
        for note in used:
            self.outline.add(BlockKind.PARAGRAPH, " ".join(self.words(p) for p in note.iter(f"{W}p")).strip())

    def _paragraph(self, node: Any) -> None:
        style = node.find(f"{W}pPr/{W}pStyle")
        outline = node.find(f"{W}pPr/{W}outlineLvl")
        level = self._levels.get(style.get(f"{W}val"), 0) if style is not None else 0
        if outline is not None and int(outline.get(f"{W}val", "9")) < 9:
            level = int(outline.get(f"{W}val")) + 1
        text = self.words(node).strip()
        number = self._numbering.label(
            node.find(f"{W}pPr/{W}numPr"), style.get(f"{W}val") if style is not None else ""
        )
        if text:
            labelled = f"{number} {text}" if number else text
            if level:
                self.outline.heading(labelled, level)
            else:
                self.outline.add(BlockKind.LIST_ITEM if number else BlockKind.PARAGRAPH, labelled)
        self.notes()
        for box in _boxes(node):
            self.container(box)

    def words(self, node: Any) -> str:
        return clean("".join(self._runs(node)))

    def _runs(self, node: Any) -> Iterator[str]:
        for child in node:
            tag = child.tag
            if tag in {f"{W}del", f"{W}moveFrom"}:
                self.deleted += sum(len(text.text or "") for text in child.iter(f"{W}delText", f"{W}t"))
            elif tag == f"{W}t":
                yield child.text or ""
            elif tag in {f"{W}tab", f"{W}ptab"}:
                yield "\t"
            elif tag in {f"{W}br", f"{W}cr"}:
                yield "\n"
            elif tag == f"{W}noBreakHyphen":
                yield "-"
            elif tag in {f"{W}footnoteReference", f"{W}endnoteReference"}:
                self._note(child)
            elif tag in {
                f"{W}drawing",
                f"{W}pict",
                f"{W}object",
                f"{_MC}AlternateContent",
                f"{W}pPr",
                f"{W}rPr",
            }:
                continue
            else:
                yield from self._runs(child)

    def _note(self, node: Any) -> None:
        """Keep a note that the text refers to. Its mark stays out of the words: a sentence is found as it is read."""
        kind = "footnote" if node.tag.endswith("footnoteReference") else "endnote"
        note = self._kept[kind].get(node.get(f"{W}id"))
        if note is not None:
            self._used.append(note)

    def _table(self, node: Any) -> None:
        """A table of cells; a single cell or column is read as text. Tables inside a cell follow as their own."""
        rows: list[list[str]] = []
        nested: list[Any] = []
        for row in node.iter(f"{W}tr"):
            if next(row.iterancestors(f"{W}tbl")) is not node:
                continue
            cells: list[str] = []
            for cell in row.iter(f"{W}tc"):
                if next(cell.iterancestors(f"{W}tr")) is not row:
                    continue
                nested += [
                    inner for inner in cell.iter(f"{W}tbl") if next(inner.iterancestors(f"{W}tbl")) is node
                ]
                cells += self._cell(cell, rows[-1] if rows else [], len(cells))
            rows.append(cells)
        if max(map(len, rows), default=0) == 1:
            for row_cells in rows:
                self.outline.add(BlockKind.PARAGRAPH, row_cells[0] if row_cells else "")
        else:
            self.outline.table(rows, has_header=len(rows) > 1)
        for inner in nested:
            self._table(inner)

    def _cell(self, cell: Any, above: list[str], column: int) -> list[str]:
        """A merged cell's words stand in each column and row that it spans, so that a row means something alone."""
        span = cell.find(f"{W}tcPr/{W}gridSpan")
        merged = cell.find(f"{W}tcPr/{W}vMerge")
        text = "\n".join(
            words
            for paragraph in cell.iter(f"{W}p")
            if next(paragraph.iterancestors(f"{W}tc")) is cell
            for words in (self._cell_words(paragraph),)
            if words
        )
        if merged is not None and merged.get(f"{W}val") != "restart" and not text and column < len(above):
            text = above[column]
        width = int(span.get(f"{W}val", "1")) if span is not None else 1
        return [text, *([""] * (width - 1))]

    def _cell_words(self, paragraph: Any) -> str:
        label = self._numbering.label(paragraph.find(f"{W}pPr/{W}numPr"), "")
        words = self.words(paragraph).strip()
        inner = " ".join(self.words(p).strip() for box in _boxes(paragraph) for p in box.iter(f"{W}p"))
        return " ".join(part for part in (label if words else "", words, inner) if part)


def _boxes(node: Any) -> list[Any]:
    """Text boxes drawn in a paragraph; of two alternatives of one box the first."""
    found = []
    for box in node.iter(f"{W}txbxContent"):
        if any(above.tag == f"{_MC}Fallback" for above in box.iterancestors()):
            continue
        if next((above for above in box.iterancestors(f"{W}p")), None) is node:
            found.append(box)
    return found
