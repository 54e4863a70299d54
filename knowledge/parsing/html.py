"""HTML: what a reader of the page reads, in order, without the frame around it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import lxml.html
from lxml import etree

from knowledge.errors import UnreadableFile
from knowledge.parsing.encodings import decode_text
from knowledge.parsing.grid import Cell
from knowledge.parsing.limits import Limits
from knowledge.parsing.structure import Outline
from knowledge.text.normalise import clean
from knowledge.types import BlockKind, Drop, ParsedDocument

_SILENT = frozenset(
    (
        "script",
        "style",
        "noscript",
        "template",
        "svg",
        "math",
        "head",
        "iframe",
        "object",
        "embed",
        "audio",
        "video",
        "canvas",
        "select",
        "datalist",
        "button",
        "input",
        "textarea",
        "progress",
        "meter",
    )
)
_FRAME = frozenset(("nav", "footer", "aside"))  # around the content; inside of it a part of it
_FRAME_ROLES = frozenset(("navigation", "contentinfo", "search", "complementary", "dialog", "alertdialog"))
_BLOCKS = frozenset(
    (
        "p",
        "div",
        "section",
        "article",
        "main",
        "blockquote",
        "dl",
        "dd",
        "dt",
        "figure",
        "figcaption",
        "address",
        "td",
        "th",
        "tr",
        "tbody",
        "thead",
        "tfoot",
        "table",
        "caption",
        "body",
        "header",
        "hgroup",
        "footer",
        "aside",
        "form",
        "fieldset",
        "legend",
        "details",
        "summary",
        "center",
        "ul",
        "ol",
        "li",
        "menu",
        "hr",
        "nav",
    )
)
_HEADING = re.compile(r"h[1-6]")
_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([\w-]+)""", re.I)
# Names that pages use, and the wider set that browsers read for them (WHATWG Encoding Standard).
_WIDER = {
    **dict.fromkeys(("euc-kr", "euckr", "ks_c_5601-1987", "ksc5601", "korean", "iso-2022-kr"), "cp949"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j", "ms_kanji"), "cp932"),
    **dict.fromkeys(("gb2312", "gbk", "gb_2312-80", "x-gbk", "chinese"), "gb18030"),
    **dict.fromkeys(("iso-8859-1", "latin1", "us-ascii", "ascii"), "cp1252"),
    "iso-8859-9": "cp1254",
    "big5": "cp950",
}
_SPACES = re.compile(r"[ \t\r\n\u00a0]+")
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_LEAST_MAIN = 0.2  # share of the page's words that its main element must hold to be the content
_WIDEST = 200  # columns that a cell may claim to cover
_BREAK = "\v"


def parse(data: bytes, name: str, limits: Limits) -> ParsedDocument:
    text, encoding = _decoded(data)
    root = parse_tree(text)
    if root is None:
        raise UnreadableFile("no_text", pages=0)
    title = _SPACES.sub(" ", root.findtext(".//title") or "").strip()
    reader = Reader(Outline())
    reader.page(root)
    drops = tuple(Drop(reason, count) for reason, count in reader.dropped.items() if count)
    return ParsedDocument(tuple(reader.outline.blocks), drops=drops, title=title, encoding=encoding)


def parse_tree(text: str) -> Any | None:
    """The root of a page or a piece of one; None where there is nothing in it. Raises UnreadableFile(damaged) where
    it is nested deeper than can be read: the parser would leave out the rest without a word."""
    parser = lxml.html.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True)
    try:
        root = lxml.html.document_fromstring(clean(text).encode("utf-8"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None
    if any("depth" in entry.message for entry in parser.error_log):
        raise UnreadableFile("damaged")
    return root


def _decoded(data: bytes) -> tuple[str, str]:
    declared = _CHARSET.search(data[:4096])
    if declared and not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        named = declared[1].decode("ascii", "replace").lower()
        try:
            encoding = _WIDER.get(named, named)
            return data.decode(encoding), encoding
        except (LookupError, UnicodeDecodeError):
            pass
    return decode_text(data)


class Reader:
    """Walks a tree and adds what it reads to the outline. `dropped` counts characters by reason."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.dropped: Counter[str] = Counter()
        self._words: list[str] = []
        self._mark = ""
        self._inside = False  # of the main content: frames are content there

    def page(self, root: Any) -> None:
        body = root.find("body")
        body = root if body is None else body
        content = _main(body)
        self._inside = content is not body
        self.dropped["boilerplate"] += _length(body) - _length(content)
        self.block(content)
        self._flush()

    def block(self, node: Any) -> None:
        self._text(node.text)
        for child in node:
            self._child(child)
            self._text(child.tail)

    def _flush(self) -> None:
        text = _tidy("".join(self._words))
        self._words = []
        if text:
            kind = BlockKind.LIST_ITEM if self._mark else BlockKind.PARAGRAPH
            self.outline.add(kind, self._mark + text)
            self._mark = ""

    def _text(self, text: str | None) -> None:
        if text:
            self._words.append(text)

    def _child(self, node: Any) -> None:
        tag = node.tag if isinstance(node.tag, str) else ""
        reason = self._unread(node, tag)
        if reason:
            self.dropped[reason] += _length(node)
        elif tag == "br":
            self._words.append(_BREAK)
        elif tag in {"table", "pre", "ul", "ol", "menu"} or _HEADING.fullmatch(tag):
            self._flush()
            self._special(node, tag)
            self._flush()
        elif tag in _BLOCKS:
            self._flush()
            was, self._inside = self._inside, self._inside or tag in {"article", "main"}
            self.block(node)
            self._flush()
            self._inside = was
        else:
            self.block(node)

    def _unread(self, node: Any, tag: str) -> str:
        """Why a node is not read; "" where it is."""
        if not tag or tag in _SILENT:
            return "script"
        if node.get("hidden") is not None or _HIDING.search(node.get("style") or ""):
            return "hidden"
        is_frame = tag in _FRAME or (node.get("role") or "").lower() in _FRAME_ROLES
        is_nav = tag == "nav" or node.get("role") == "navigation"
        return "boilerplate" if is_nav or (is_frame and not self._inside) else ""

    def _special(self, node: Any, tag: str) -> None:
        if tag == "pre":
            self.outline.add(BlockKind.CODE, node.text_content().strip("\n"))
        elif tag == "table":
            self._table(node)
        elif _HEADING.fullmatch(tag):
            self.outline.heading(_tidy(self._inline(node)).replace("\n", " "), int(tag[1]))
        else:
            self._list(node, tag)

    def _list(self, node: Any, tag: str) -> None:
        start = node.get("start") or ""
        number = int(start) if re.fullmatch(r"-?\d{1,6}", start) else 1
        for child in node:
            if child.tag != "li":
                self._child(child)
                continue
            given = child.get("value") or ""
            number = int(given) if re.fullmatch(r"-?\d{1,6}", given) else number
            self._mark = f"{number}. " if tag == "ol" else "- "
            number += 1
            self.block(child)
            self._flush()
            self._mark = ""

    def _inline(self, node: Any) -> str:
        """The words of a node, those of blocks inside it parted."""
        return "".join(self._pieces(node))

    def _pieces(self, node: Any) -> Iterator[str]:
        yield node.text or ""
        for child in node:
            tag = child.tag if isinstance(child.tag, str) else ""
            reason = self._unread(child, tag)
            if reason:
                self.dropped[reason] += _length(child)
            elif tag == "br":
                yield _BREAK
            elif tag in _BLOCKS:
                yield _BREAK
                yield from self._pieces(child)
                yield _BREAK
            else:
                yield from self._pieces(child)
            yield child.tail or ""

    def _table(self, node: Any) -> None:
        """A table of cells; one that only lays out a page (a single column, or tables inside) is read as blocks."""
        rows = [row for row in node.iter("tr") if next(row.iterancestors("table")) is node]
        cells = [[cell for cell in row if cell.tag in {"td", "th"}] for row in rows]
        if max(map(len, cells), default=0) < 2 or node.find(".//table") is not None:
            self.block(node)
            return
        caption = node.find("caption")
        titled = _tidy(self._inline(caption)) if caption is not None else ""
        self.outline.table(self._grid(cells), _header(rows, cells), titled)

    def _grid(self, rows: list[list[Any]]) -> list[list[Cell]]:
        grid: list[list[Cell]] = []
        reaching: dict[int, tuple[int, Cell]] = {}  # column: rows still to cover, and the words
        for row in rows:
            words: list[Cell] = []
            cells = iter(row)
            cell = next(cells, None)
            while cell is not None or any(column >= len(words) for column in reaching):
                column = len(words)
                if column in reaching:
                    left, text = reaching.pop(column)
                    words.append(text)
                    if left > 1:
                        reaching[column] = (left - 1, text)
                    if len(words) > _WIDEST:
                        break
                    continue
                if cell is None:
                    words.append("")
                    continue
                text = _tidy(self._inline(cell))
                wide, tall = _span(cell, "colspan"), _span(cell, "rowspan")
                for offset in range(wide):
                    words.append(text if offset == 0 else None)
                    if tall > 1:
                        reaching[column + offset] = (tall - 1, text if offset == 0 else None)
                cell = next(cells, None)
            grid.append(words)
        return grid


def _span(cell: Any, name: str) -> int:
    value = cell.get(name) or ""
    return min(_WIDEST, max(1, int(value))) if value.isdecimal() else 1


def _header(rows: list[Any], cells: list[list[Any]]) -> int | None:
    """How many rows are marked as names of columns; None where none is, and the cells have to tell."""
    count = 0
    for row, inside in zip(rows, cells, strict=True):
        in_head = row.getparent().tag == "thead"
        if not in_head and not (inside and all(cell.tag == "th" for cell in inside)):
            break
        count += 1
    if count:
        return count
    return 0 if any(row and row[0].tag == "th" for row in cells) else None


def _main(body: Any) -> Any:
    """The one main element, where it holds a fair part of the page; else the body."""
    mains = body.xpath(".//main | .//*[@role='main']")
    if len(mains) != 1:
        articles = body.xpath(".//article[not(ancestor::article)]")
        mains = articles if len(articles) == 1 else []
    if not mains or _length(mains[0]) < _LEAST_MAIN * _length(body):
        return body
    return mains[0]


def _length(node: Any) -> int:
    """Characters of a node's words, scripts left out where the node is none."""
    if not isinstance(node.tag, str):
        return 0
    words = node.xpath(".//text()[not(ancestor::script or ancestor::style)]") or [node.text or ""]
    return len("".join("".join(words).split()))


def _tidy(text: str) -> str:
    lines = [_SPACES.sub(" ", line).strip() for line in text.split(_BREAK)]
    return "\n".join(line for line in lines if line)
