"""Parsed document to chunks: sizes in tokens, cuts in characters, nothing lost.

A chunk is a span of the document's text. Headings start chunks; paragraphs stay whole where they fit; one that is
itself too big is cut at sentence ends, then clauses, then anywhere but inside a grapheme, number, address or table cell.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import regex

from knowledge.text.cuts import Level, allowed, cut, lines
from knowledge.text.scripts import estimate_tokens, measure_tokens
from knowledge.text.sentences import Span, clauses, sentences
from knowledge.types import Block, BlockKind, ChunkDraft, ChunkKind, Line, ParsedDocument

TARGET = 320
CAP = 450
OVERLAP = 48
_STRETCH = 1.03  # with the estimate's own error still below 1.25 of the target
_HALF_FULL = 0.6  # of the target, so that with that error a chunk still has half of it
_SMALL = 1 / 3  # of the target: a section below it joins its neighbour
_BETWEEN = 0.6  # tokens of what stands between two blocks
_WINDOW = 8  # characters a token at most, in what is looked at for an overlap
_MARGIN = 80  # more of them, so that what may not be cut is seen whole
_KINDS = {BlockKind.TABLE: ChunkKind.TABLE, BlockKind.FIGURE: ChunkKind.FIGURE}


@dataclass(frozen=True, slots=True)
class _Piece:
    """A span of the document's text that stays together, and its tokens."""

    start: int
    end: int
    tokens: float
    block: int


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Tokens: what a chunk aims at, what it may reach, and how much of the one before starts it."""

    target: int
    most: int
    overlap: int

    @property
    def half(self) -> float:
        return self.target * _HALF_FULL

    @property
    def part(self) -> int:
        """Of a paragraph that is cut: so that the overlap fits beside it."""
        return max(1, self.target - self.overlap)


def split(
    parsed: ParsedDocument, *, target: int = TARGET, cap: int = CAP, overlap: int = OVERLAP
) -> tuple[ChunkDraft, ...]:
    """Chunks in reading order, each a span of `parsed.text`; all but white space lies in one.

    `target`, `cap` and `overlap` are estimated tokens. A chunk stretches over the target by 3% at most, and never
    over `cap`. An overlap is whole sentences, clauses or rows, and fits within the target.
    """
    most = min(int(target * _STRETCH), cap)
    sizes = _Sizes(min(target, cap), most, min(overlap, target // 2))
    drafts: list[ChunkDraft] = []
    for section in _sections(parsed, sizes.target):
        groups = _packed(parsed, _pieces(parsed, section, sizes), sizes)
        for number, group in enumerate(groups):
            start = group[0].start
            if number and parsed.blocks[group[0].block].kind is not BlockKind.HEADING:
                start = _reach_back(parsed, groups[number - 1], group, sizes)
            drafts.append(_draft(parsed, len(drafts), start, group))
    return tuple(drafts)


def _sections(parsed: ParsedDocument, target: int) -> list[list[int]]:
    """Runs of blocks that share chunks: headings with what they head; a small section joins the next, the last one
    the one before."""
    sections: list[list[int]] = [[]]
    tokens = 0.0
    for index, block in enumerate(parsed.blocks):
        after_body = index > 0 and parsed.blocks[index - 1].kind is not BlockKind.HEADING
        if block.kind is BlockKind.HEADING and after_body and tokens >= target * _SMALL:
            sections.append([])
            tokens = 0.0
        sections[-1].append(index)
        tokens += measure_tokens(block.text)
    if len(sections) > 1 and tokens < target * _SMALL:
        last = sections.pop()
        sections[-1].extend(last)
    return sections


def _pieces(parsed: ParsedDocument, section: Sequence[int], sizes: _Sizes) -> Iterator[_Piece]:
    """The blocks of a section, cut where they are too big, or would be beside the headings above them."""
    lead = 0.0
    for index in section:
        block = parsed.blocks[index]
        whole = min(sizes.target, max(sizes.target // 3, int(sizes.most - lead)))
        tokens = measure_tokens(block.text) if block.text.strip() else 0.0
        if tokens > whole:
            yield from _parts(parsed, index, Span(0, len(block.text)), min(whole, sizes.part))
        elif tokens:
            base = parsed.starts[index]
            yield _Piece(base, base + len(block.text), tokens, index)
        lead = lead + tokens + _BETWEEN if block.kind is BlockKind.HEADING else 0.0


def _parts(parsed: ParsedDocument, index: int, span: Span, most: int) -> Iterator[_Piece]:
    """A span of a block in pieces of at most `most` tokens."""
    block, base = parsed.blocks[index], parsed.starts[index] + span.start
    text = block.text[span.start : span.end]
    for start, end in cut(text, most, _levels(block)):
        yield _Piece(base + start, base + end, measure_tokens(text[start:end]), index)


def _levels(block: Block) -> tuple[Level, ...]:
    if block.kind is BlockKind.TABLE:
        # A cell may hold what parts cells.
        holding = [cell for row in block.rows for cell in row if "; " in cell]
        return lines, partial(_cells, holding=tuple(dict.fromkeys(holding))), sentences, clauses
    return (lines,) if block.kind is BlockKind.CODE else (sentences, clauses)


def _cells(row: str, holding: Sequence[str]) -> list[Span]:
    inside = [match.span() for cell in holding for match in regex.finditer(regex.escape(cell), row)]
    cuts = [
        match.end()
        for match in regex.finditer("; ", row)
        if not any(start <= match.start() < end for start, end in inside)
    ]
    ends = [*cuts, len(row)]
    return [Span(start, end) for start, end in zip([0, *cuts], ends, strict=True) if row[start:end].strip()]


def _packed(parsed: ParsedDocument, pieces: Iterator[_Piece], sizes: _Sizes) -> list[list[_Piece]]:
    """Pieces gathered into chunks. A piece that would leave a chunk less than half full is cut to fill it."""
    groups: list[list[_Piece]] = [[]]
    waiting = deque[_Piece]()
    for coming in pieces:
        waiting.append(coming)
        while waiting:
            piece, held = waiting.popleft(), _tokens(groups[-1])
            if held + piece.tokens <= _room(parsed, groups, sizes):
                groups[-1].append(piece)
                continue
            room = int(sizes.most - held - _BETWEEN)
            if held < sizes.target / 2 and (parts := _filling(parsed, piece, room)):
                groups[-1].append(parts[0])
                waiting.extendleft(reversed(parts[1:]))
                continue
            groups.append([*_headings_at_end(parsed, groups[-1], sizes.most - piece.tokens), piece])
    if len(groups) > 1 and _tokens(groups[-2]) + _tokens(groups[-1]) <= sizes.most:
        last = groups.pop()
        groups[-1].extend(last)
    return [group for group in groups if group]


def _tokens(group: Sequence[_Piece]) -> float:
    return sum(piece.tokens + _BETWEEN for piece in group)


def _room(parsed: ParsedDocument, groups: Sequence[Sequence[_Piece]], sizes: _Sizes) -> float:
    """How full a chunk may get: the first up to the target, the others less what reaches back; one that is less than
    half full, or holds headings alone, somewhat over it."""
    group = groups[-1]
    if not group:
        return float("inf")
    only_headings = all(parsed.blocks[piece.block].kind is BlockKind.HEADING for piece in group)
    if only_headings or _tokens(group) < sizes.half:
        return sizes.most
    return sizes.part if len(groups) > 1 else sizes.target


def _filling(parsed: ParsedDocument, piece: _Piece, room: int) -> list[_Piece]:
    """The piece in parts of at most `room` tokens; none where it cannot be cut between sentences or rows."""
    block = parsed.blocks[piece.block]
    if block.kind is BlockKind.HEADING or room < 1:
        return []
    base = parsed.starts[piece.block]
    parts = list(_parts(parsed, piece.block, Span(piece.start - base, piece.end - base), room))
    gentle = {span.start + piece.start for span in _levels(block)[0](parsed.text[piece.start : piece.end])}
    return parts if all(part.start in gentle for part in parts[1:]) else []


def _headings_at_end(parsed: ParsedDocument, group: list[_Piece], room: float) -> list[_Piece]:
    """Takes the headings at the group's end out of it, where they fit in `room` and something else stays."""
    at = len(group)
    while at and parsed.blocks[group[at - 1].block].kind is BlockKind.HEADING:
        at -= 1
    if at == 0 or _tokens(group[at:]) > room:
        return []
    taken = group[at:]
    del group[at:]
    return taken


def _reach_back(
    parsed: ParsedDocument, before: Sequence[_Piece], group: Sequence[_Piece], sizes: _Sizes
) -> int:
    """Where the chunk starts with its overlap: the last whole sentences of the one before that fit, or the last
    clauses where no sentence does (rows alone in tables); never the whole of it."""
    start = group[0].start
    room = int(min(sizes.overlap, sizes.target - _tokens(group)))
    if room <= 0:
        return start
    earliest = max(before[0].start, start - room * _WINDOW - _MARGIN)
    text = parsed.text[earliest:start]
    kind = parsed.blocks[before[-1].block].kind
    for level in (lines,) if kind in (BlockKind.TABLE, BlockKind.CODE) else (sentences, clauses):
        chosen = start
        for span in reversed(allowed(text, level(text))[1:]):
            if estimate_tokens(text[span.start :]) > room:
                break
            chosen = earliest + span.start
        if chosen < start:
            return chosen
    return start


def _draft(parsed: ParsedDocument, ordinal: int, start: int, group: Sequence[_Piece]) -> ChunkDraft:
    end = group[-1].end
    text, first = parsed.text[start:end], parsed.blocks[group[0].block]
    section = (*first.section, first.text) if first.kind is BlockKind.HEADING else first.section
    return ChunkDraft(
        ordinal,
        start,
        end,
        text,
        _kind(parsed, group),
        section,
        tuple(_lines_of(parsed, start, end)),
        estimate_tokens(text),
    )


def _kind(parsed: ParsedDocument, group: Sequence[_Piece]) -> ChunkKind:
    """What most of the chunk is, its overlap aside."""
    tokens = dict.fromkeys(ChunkKind, 0.0)
    for piece in group:
        tokens[_KINDS.get(parsed.blocks[piece.block].kind, ChunkKind.BODY)] += piece.tokens
    return max(tokens, key=lambda kind: tokens[kind])


def _lines_of(parsed: ParsedDocument, start: int, end: int) -> Iterator[Line]:
    """The lines of the blocks that the span touches, with offsets relative to its start."""
    for index in range(max(0, bisect_right(parsed.starts, start) - 1), len(parsed.blocks)):
        base, held = parsed.starts[index], parsed.blocks[index].lines
        if base >= end:
            break
        for line in held[bisect_right(held, start - base, key=lambda line: line.end) :]:
            if base + line.start >= end:
                break
            yield replace(
                line, start=max(0, base + line.start - start), end=min(end, base + line.end) - start
            )
