"""Markdown (CommonMark with tables) and its front matter."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from knowledge.parsing.limits import Limits
from knowledge.parsing.structure import Outline
from knowledge.parsing.text import decode_text
from knowledge.text.normalise import clean
from knowledge.types import BlockKind, ParsedDocument

_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.S)
_TAG = re.compile(r"<[^>]+>")


def parse(data: bytes, name: str, limits: Limits) -> ParsedDocument:
    raw, encoding = decode_text(data)
    text, outline = clean(raw), Outline()
    front = _FRONT.match(text)
    if front:
        outline.add(BlockKind.PARAGRAPH, front[1])
        text = text[front.end() :]
    _walk(MarkdownIt("commonmark", {"html": True}).enable("table").parse(text), outline)
    title = next((block.text for block in outline.blocks if block.kind is BlockKind.HEADING), "")
    return ParsedDocument(tuple(outline.blocks), title=title, encoding=encoding)


def _plain(token: Token) -> str:
    """The words of an inline token; a link keeps its address behind its words."""
    parts: list[str] = []
    address = ""
    for child in token.children or ():
        if child.type in {"text", "code_inline"}:
            parts.append(child.content)
        elif child.type in {"softbreak", "hardbreak"}:
            parts.append("\n")
        elif child.type == "image":
            parts.append(child.content)
        elif child.type == "link_open":
            address = str(child.attrGet("href") or "")
        elif child.type == "link_close" and address and address not in "".join(parts):
            parts.append(f" ({address})")
    return "".join(parts)


def _walk(tokens: Sequence[Token], outline: Outline) -> None:
    rows: list[list[str]] = []
    lists: list[int | None] = []
    item = ""
    for at, token in enumerate(tokens):
        if token.type in {"bullet_list_open", "ordered_list_open"}:
            lists.append(int(token.attrGet("start") or 1) if token.type == "ordered_list_open" else None)
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
            outline.table(rows)
        elif token.type in {"fence", "code_block"}:
            outline.add(BlockKind.CODE, token.content.rstrip("\n"))
        elif token.type == "html_block":
            outline.add(BlockKind.PARAGRAPH, _TAG.sub("", token.content).strip())
        elif token.type == "inline":
            opener = tokens[at - 1]
            if opener.type == "heading_open":
                outline.heading(_plain(token), int(opener.tag[1]))
            elif opener.type in {"th_open", "td_open"}:
                rows[-1].append(_plain(token))
            elif lists:
                outline.add(BlockKind.LIST_ITEM, item + _plain(token))
                item = ""
            else:
                outline.add(BlockKind.PARAGRAPH, _plain(token))
