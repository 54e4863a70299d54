"""Parsed document to chunks: sizes in tokens, cuts in characters, nothing lost.

A chunk is a span of the document's text. Headings start chunks; paragraphs stay whole where they fit; one that is
itself too big is cut at sentence ends, then clauses, then anywhere but inside a grapheme, number, address or table row.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import regex

from knowledge.text.scripts import estimate_tokens
from knowledge.text.sentences import Span, clauses, sentences
from knowledge.types import Block, BlockKind, ChunkDraft, ChunkKind, Line, ParsedDocument

TARGET = 320
CAP = 450
OVERLAP = 48
_STRETCH = 1.15  # with the estimate's own error still below 1.25 of the target
_HALF_FULL = 0.6  # of the target, so that with that error a chunk still has half of it
_SMALL = 1 / 3  # of the target: a section below it joins its neighbour
# What no cut may go through, the longest alternative first.
_ADDRESS = r"(?:https?://|www\.)\S+"
_ATOM = regex.compile(
    rf"{_ADDRESS}|[\w.+-]+@[\w-]+\.[\w.-]+"
    r"|\p{L}{0,6}[-_]?\p{Nd}+(?:[.,:/_．，：／-]\p{L}{0,4}\p{Nd}+)*[%℃°]?[\p{Han}\p{Hangul}]{0,2}"
    rf"|(?:(?!{_ADDRESS})[\p{{Latin}}\p{{Cyrillic}}\p{{Greek}}\p{{Arabic}}\p{{Hangul}}\p{{M}}'’-]){{1,40}}|\X"
)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A span of the text that is not cut any more, and its tokens."""

    start: int
    end: int
    tokens: int
    block: int


def split(
    parsed: ParsedDocument, *, target: int = TARGET, cap: int = CAP, overlap: int = OVERLAP
) -> tuple[ChunkDraft, ...]:
    """Chunks in reading order. `target` and `overlap` are estimated tokens; none is above `cap`."""
    text = parsed.text
    drafts: list[ChunkDraft] = []
    for group in _sections(parsed, target):
        pieces = [piece for index in group for piece in _pieces(parsed, index, min(target, cap))]
        for start, end, first in _packed(text, pieces, target, overlap):
            drafts.append(_draft(parsed, len(drafts), start, end, first))
    return tuple(drafts)


def _sections(parsed: ParsedDocument, target: int) -> Iterator[list[int]]:
    """Runs of blocks that share chunks: a heading with what it heads; small sections join the next."""
    group: list[int] = []
    tokens = 0
    for index, block in enumerate(parsed.blocks):
        starts = block.kind is BlockKind.HEADING
        has_body = any(parsed.blocks[i].kind is not BlockKind.HEADING for i in group)
        if group and starts and has_body and tokens >= target * _SMALL:
            yield group
            group, tokens = [], 0
        group.append(index)
        tokens += estimate_tokens(block.text)
    if group:
        yield group


def _pieces(parsed: ParsedDocument, index: int, most: int) -> Iterator[_Piece]:
    block, base = parsed.blocks[index], parsed.starts[index]
    if not block.text:
        return
    for start, end in _whole_spans(block, most):
        yield _Piece(base + start, base + end, estimate_tokens(block.text[start:end]), index)


def _whole_spans(block: Block, most: int) -> Iterator[tuple[int, int]]:
    """The block in spans of at most `most` tokens, cut as gently as it goes; white space between falls away."""
    if estimate_tokens(block.text) <= most:
        yield 0, len(block.text)
        return
    gently = _lines if block.kind in (BlockKind.TABLE, BlockKind.CODE) else sentences
    yield from _merged(block.text, _refined(block.text, gently(block.text), most), most)


def _lines(text: str) -> tuple[Span, ...]:
    spans, at = [], 0
    for line in text.split("\n"):
        if line.strip():
            spans.append(Span(at, at + len(line)))
        at += len(line) + 1
    return tuple(spans)


def _refined(text: str, spans: Sequence[Span], most: int) -> Iterator[Span]:
    """Spans that fit: one that is too big is cut at clauses, then between atoms."""
    for span in spans:
        part = text[span.start : span.end]
        if estimate_tokens(part) <= most:
            yield span
            continue
        for inner in clauses(part):
            clause = Span(span.start + inner.start, span.start + inner.end)
            if estimate_tokens(text[clause.start : clause.end]) <= most:
                yield clause
            else:
                yield from _atoms(text, clause, most)


def _atoms(text: str, span: Span, most: int) -> Iterator[Span]:
    """Cuts anywhere but inside a grapheme, word, number or address. An atom that is itself too big stays whole."""
    start = end = span.start
    chars = max(1, int(most * (span.end - span.start) / max(1, estimate_tokens(text[span.start : span.end]))))
    for match in _ATOM.finditer(text, span.start, span.end):
        if end > start and match.end() - start > chars:
            yield from _stripped(text, start, end)
            start = end
        end = match.end()
    yield from _stripped(text, start, span.end)


def _stripped(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Span(start, end)


def _merged(text: str, spans: Iterator[Span], most: int) -> Iterator[tuple[int, int]]:
    """Neighbouring spans joined while they fit in an even share of the whole, so that no rest is left tiny."""
    parts = list(spans)
    sizes = [estimate_tokens(text[part.start : part.end]) for part in parts]
    total = sum(sizes)
    share = total / max(1, -(-total // most))
    start, held = 0, 0
    for index, size in enumerate(sizes):
        if held and (held + size > most or held >= share):
            yield parts[start].start, parts[index - 1].end
            start, held = index, 0
        held += size
    if parts:
        yield parts[start].start, parts[-1].end


def _packed(text: str, pieces: list[_Piece], target: int, overlap: int) -> Iterator[tuple[int, int, int]]:
    """(start, end, first block) of each chunk: pieces gathered up to the target, then reaching back for overlap."""
    groups: list[list[_Piece]] = []
    held = 0
    for piece in pieces:
        if not groups or held + piece.tokens > _room(len(groups), held, target, overlap):
            groups.append([])
            held = 0
        groups[-1].append(piece)
        held += piece.tokens
    for number, group in enumerate(groups):
        start, end = group[0].start, group[-1].end
        room = min(overlap, target - sum(piece.tokens for piece in group))
        if number and room > 0:
            start = _reach_back(text, groups[number - 1][0].start, start, room)
        yield start, end, group[0].block


def _room(groups: int, held: int, target: int, overlap: int) -> float:
    """How full a chunk may get: the first up to the target, the others less what reaches back; one that is less than
    half full somewhat over it, rather than ending so small or cutting a paragraph that fits a chunk."""
    if held < target * _HALF_FULL:
        return target * _STRETCH
    return target - overlap if groups > 1 else target


def _reach_back(text: str, earliest: int, start: int, room: int) -> int:
    """The start of the last whole sentences before `start` that fit in `room` tokens, or of the last clauses where no
    sentence does; never a whole chunk."""
    before = text[earliest:start]
    for spans in (sentences(before), clauses(before)):
        chosen = start
        for span in reversed(spans):
            if span.start == 0 or estimate_tokens(before[span.start :]) > room:
                break
            chosen = earliest + span.start
        if chosen < start:
            return chosen
    return start


def _draft(parsed: ParsedDocument, ordinal: int, start: int, end: int, first: int) -> ChunkDraft:
    text = parsed.text[start:end]
    block = parsed.blocks[first]
    kind = {BlockKind.TABLE: ChunkKind.TABLE, BlockKind.FIGURE: ChunkKind.FIGURE}.get(
        block.kind, ChunkKind.BODY
    )
    section = (*block.section, block.text) if block.kind is BlockKind.HEADING else block.section
    return ChunkDraft(
        ordinal, start, end, text, kind, section, tuple(_lines_of(parsed, start, end)), estimate_tokens(text)
    )


def _lines_of(parsed: ParsedDocument, start: int, end: int) -> Iterator[Line]:
    """The lines of the blocks that the span touches, with offsets relative to its start."""
    low, high = max(0, bisect_right(parsed.starts, start) - 1), len(parsed.blocks)
    for index in range(low, high):
        base = parsed.starts[index]
        if base >= end:
            break
        for line in parsed.blocks[index].lines:
            if base + line.start < end and start < base + line.end:
                yield replace(
                    line, start=max(0, base + line.start - start), end=min(end, base + line.end) - start
                )
