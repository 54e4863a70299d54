"""Markdown (CommonMark with tables), its front matter, and the HTML inside it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from knowledge.parsing.encodings import decode_text
from knowledge.parsing.html import Reader, parse_tree
from knowledge.parsing.limits import Limits
from knowledge.parsing.structure import Outline, first_heading, glue
from knowledge.text.normalise import clean
from knowledge.types import BlockKind, Drop, ParsedDocument

_FRONT = re.compile(r"\A(---|\+\+\+)[ \t]*\n(?!\s*\n)(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_TITLE = re.compile(r"^title\s*[:=]\s*[\"']?(.*?)[\"']?\s*$", re.M | re.I)
_BREAK_TAG = re.compile(r"<br\s*/?>", re.I)
_DEEPEST = 50  # nested lists and quotes: deeper is no document


def parse(data: bytes, name: str, limits: Limits) -> ParsedDocument:
    raw, encoding = decode_text(data)
    text, outline, title = clean(raw), Outline(), ""
    front = _FRONT.match(text)
    if front:
        outline.add(BlockKind.PARAGRAPH, front[2])
        named = _TITLE.search(front[2])
        title = named[1] if named else ""
        text = text[front.end() :]
    reader = Reader(outline)
    options = {"html": True, "maxNesting": _DEEPEST}
    _walk(MarkdownIt("commonmark", options).enable(["table", "strikethrough"]).parse(text), outline, reader)
    drops = tuple(Drop(reason, count) for reason, count in reader.dropped.items() if count)
    blocks = tuple(outline.blocks)
    return ParsedDocument(blocks, drops=drops, title=title or first_heading(blocks), encoding=encoding)


def _plain(token: Token) -> str:
    """The words of an inline token as they are shown; a link keeps its address behind its words."""
    text, address, start, broken = "", "", 0, False
    for child in token.children or ():
        piece = ""
        if child.type in {"text", "code_inline", "image"}:
            piece = child.content
        elif child.type == "softbreak":
            broken = True
        elif child.type == "hardbreak" or (child.type == "html_inline" and _BREAK_TAG.match(child.content)):
            piece = "\n"
        elif child.type == "link_open":
            address, start = str(child.attrGet("href") or ""), len(text)
        elif child.type == "link_close" and address and address not in text[start:]:
            piece = f" ({address})" if not address.startswith("#") else ""
        if piece:
            text += (glue(text, piece) if broken else "") + piece
            broken = False
    return text


def _walk(tokens: Sequence[Token], outline: Outline, reader: Reader) -> None:
    rows: list[list[str]] = []
    lists: list[int | None] = []
    item = ""
    for at, token in enumerate(tokens):
        if token.type in {"bullet_list_open", "ordered_list_open"}:
            start = token.attrGet("start")
            first = 1 if start is None else int(start)
            lists.append(first if token.type == "ordered_list_open" else None)
        elif token.type in {"bullet_list_close", "ordered_list_close"}:
            lists.pop()
        elif token.type == "list_item_open":
            number = lists[-1]
            item = "- " if number is None else f"{number}. "
            if number is not None:
                lists[-1] = number + 1
        elif token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "table_close":
            outline.table(rows, 1)
        elif token.type in {"fence", "code_block"}:
            outline.add(BlockKind.CODE, token.content.rstrip("\n"))
        elif token.type == "html_block":
            root = parse_tree(token.content)
            if root is not None:
                reader.page(root)
        elif token.type == "inline":
            opener = tokens[at - 1]
            if opener.type == "heading_open":
                outline.heading(_plain(token).replace("\n", " "), int(opener.tag[1]))
            elif opener.type in {"th_open", "td_open"}:
                rows[-1].append(_plain(token))
            else:
                kind = BlockKind.LIST_ITEM if lists and item else BlockKind.PARAGRAPH
                outline.add(kind, item + _plain(token))
                item = ""
