"""HTML: what a reader of the page reads, in order."""

from __future__ import annotations

import re
from typing import Any

import lxml.html
from lxml import etree

from knowledge.errors import UnreadableFile
from knowledge.parsing.limits import Limits
from knowledge.parsing.structure import Outline
from knowledge.parsing.text import decode_text
from knowledge.text.normalise import clean
from knowledge.types import BlockKind, Drop, ParsedDocument

_SILENT = {
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "head",
    "iframe",
    "object",
    "select",
    "button",
    "input",
}
_FRAME = {"nav", "footer", "aside", "form"}  # boilerplate around the main content
_BLOCKS = {
    "p",
    "div",
    "section",
    "article",
    "main",
    "blockquote",
    "dd",
    "dt",
    "figcaption",
    "address",
    "td",
    "th",
    "body",
}
_CHARSET = re.compile(rb"""charset\s*=\s*["']?([\w-]+)""", re.I)
_SPACES = re.compile(r"[ \t\r\n\u00a0]+")


def parse(data: bytes, name: str, limits: Limits) -> ParsedDocument:
    text, encoding = _decoded(data)
    try:
        root = lxml.html.document_fromstring(
            clean(text), parser=lxml.html.HTMLParser(no_network=True, huge_tree=False)
        )
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        raise UnreadableFile("no_text") from None
    title = _SPACES.sub(" ", root.findtext(".//title") or "").strip()
    body = _main(root)
    reader = _Reader()
    reader.block(body)
    reader.flush()
    drops = tuple(Drop(reason, count) for reason, count in reader.dropped.items() if count)
    return ParsedDocument(tuple(reader.outline.blocks), drops=drops, title=title, encoding=encoding)


def _decoded(data: bytes) -> tuple[str, str]:
    declared = _CHARSET.search(data[:4096])
    if declared and not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        try:
            encoding = declared[1].decode("ascii").lower()
            return data.decode(
                {"euc-kr": "cp949", "shift_jis": "cp932", "gb2312": "gb18030"}.get(encoding, encoding)
            ), encoding
        except (LookupError, UnicodeDecodeError):
            pass
    return decode_text(data)


def _main(root: Any) -> Any:
    """The one main element, else the body."""
    mains = root.xpath("//main | //*[@role='main']")
    body = root.find("body")
    return mains[0] if len(mains) == 1 else body if body is not None else root


class _Reader:
    def __init__(self) -> None:
        self.outline = Outline()
        self.dropped = {"script": 0, "boilerplate": 0}
        self._words: list[str] = []
        self._item = ""

    def flush(self) -> None:
        lines = [_SPACES.sub(" ", line).strip() for line in "".join(self._words).split("\v")]
        text = "\n".join(line for line in lines if line)
        self._words = []
        if text:
            kind = BlockKind.LIST_ITEM if self._item else BlockKind.PARAGRAPH
            self.outline.add(kind, self._item + text)
            self._item = ""

    def block(self, node: Any) -> None:
        self._text(node.text)
        for child in node:
            self._child(child)
            self._text(child.tail)

    def _text(self, text: str | None) -> None:
        if text:
            self._words.append(text)

    def _child(self, node: Any) -> None:
        tag = node.tag if isinstance(node.tag, str) else ""
        if not tag:
            return
        if tag in _SILENT:
            self.dropped["script"] += len(node.text_content() or "")
        elif tag in _FRAME or node.get("hidden") is not None or node.get("aria-hidden") == "true":
            self.dropped["boilerplate"] += len((node.text_content() or "").strip())
        elif tag == "br":
            self._words.append("\v")
        elif re.fullmatch("h[1-6]", tag):
            self.flush()
            self.outline.heading(_SPACES.sub(" ", node.text_content()).strip(), int(tag[1]))
        elif tag == "pre":
            self.flush()
            self.outline.add(BlockKind.CODE, node.text_content().strip("\n"))
        elif tag == "table":
            self._table(node)
        elif tag in {"ul", "ol"}:
            self._list(node)
        elif tag in _BLOCKS:
            self.flush()
            self.block(node)
            self.flush()
        else:
            self.block(node)

    def _list(self, node: Any) -> None:
        self.flush()
        for number, child in enumerate(node.iterchildren("li"), int(node.get("start") or 1)):
            self._item = f"{number}. " if node.tag == "ol" else "- "
            self.block(child)
            self.flush()

    def _table(self, node: Any) -> None:
        """A table of cells; one that only lays out a page (a single column, or tables inside) is read as blocks."""
        rows = [row for row in node.iter("tr") if next(row.iterancestors("table")) is node]
        cells = [[cell for cell in row if cell.tag in {"td", "th"}] for row in rows]
        self.flush()
        if max(map(len, cells), default=0) < 2 or node.find(".//table") is not None:
            self.block(node)
            self.flush()
            return
        words = [[_SPACES.sub(" ", cell.text_content()).strip() for cell in row] for row in cells]
        self.outline.table(
            words,
            has_header=(bool(cells[0]) and all(cell.tag == "th" for cell in cells[0])) or len(cells) > 2,
        )
