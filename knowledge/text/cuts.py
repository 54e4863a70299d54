"""A text in spans of a given size: cut as gently as it goes, and never through what is one. Pure, linear."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from math import log

import numpy as np
import regex
from numpy.typing import NDArray

from knowledge.text.scripts import token_sums
from knowledge.text.sentences import Span

_STEP = 1.5  # sizes are told apart by half: coarser than what one changed word adds to a sentence or takes from it
Sums = NDArray[np.float64]
Level = Callable[[str], Sequence[Span]]

# Addresses end at the marks of CJK sentences, which stand without white space.
_ADDRESS = r"(?:https?://|ftp://|www\.)[^\s。，、；！？「」『』（）【】《》]++"
_MAIL = r"(?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]++@[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)++"
# Years, months and days in a row; a day or year beside a month's name, whatever the language.
_DATES = (
    r"\p{Nd}{1,4}\s?(?:년|年)\s?\p{Nd}{1,2}\s?(?:월|月)(?:\s?\p{Nd}{1,2}\s?(?:일|日|号))?",
    r"\p{Nd}{1,2}\s?(?:월|月)\s?\p{Nd}{1,2}\s?(?:일|日|号)",
    r"\p{Nd}{4}\.\s\p{Nd}{1,2}\.(?:\s\p{Nd}{1,2}\.)?",
    r"\p{Nd}{1,2}(?:\.|er|st|nd|rd|th)?\s(?:de\s|of\s)?\p{Latin}{3,10}\.?\s(?:de\s)?\p{Nd}{4}\b",
    r"\b\p{Latin}{3,10}\.?\s\p{Nd}{1,2}(?:st|nd|rd|th)?,?\s\p{Nd}{4}\b",
)
_GROUPED = r"\p{Nd}{1,3}(?:[ \u00a0\u202f]\p{Nd}{3})++(?!\p{Nd})"
# Numbers and codes: letters and digits with what joins them, a sign before and a unit or counter after.
_CODE = (
    r"(?:제|第|[$€£¥₩＄￥￦])?(?<![\p{Latin}\p{Nd}])[\p{Latin}\p{Nd}\p{M}]++"
    r"(?:(?:[-_/.'’+&#]|(?<=\p{Nd})[,:．，：／](?=\p{Nd}))[\p{Latin}\p{Nd}]++)*+(?:[%‰℃°]|(?<=\p{Nd})[\p{Han}\p{Hangul}]{1,2})?"
)
_SOLID = "|".join((_ADDRESS, _MAIL, *_DATES, _GROUPED, _CODE))
_solid = regex.compile(_SOLID)
_WORD = r"(?:(?!제\p{Nd})[[\p{L}\p{M}]--[\p{Latin}\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]])++"
_atom = regex.compile(rf"(?V1)(?:{_SOLID}|{_WORD}|\X)")
_grapheme = regex.compile(r"\X")
_joins_on = regex.compile(r"[\p{M}\p{EMod}\u200d\uff9e\uff9f]")


def cut(text: str, most: int, levels: Sequence[Level]) -> list[Span]:
    """Spans of at most `most` tokens (never more, whatever stands in the text) that hold all but white space.

    The first level's spans are kept where they fit; one that does not is cut by the next level, and after the last
    one anywhere but inside a word, number, date, address or grapheme. Only what is itself larger than `most` is cut
    through. Neighbours are joined while they fit, in even shares.
    """
    sums = token_sums(text)
    if sums[-1] <= most:
        return list(_stripped(text, 0, len(text)))
    solid = [match.span() for match in _solid.finditer(text)]
    return _merged(list(_refined(text, Span(0, len(text)), most, levels, sums, solid)), sums, most)


def allowed(text: str, parts: Sequence[Span]) -> list[Span]:
    """The parts, joined where a cut between them would go through something solid or a grapheme."""
    return list(_allowed(text, parts, [match.span() for match in _solid.finditer(text)]))


def lines(text: str) -> list[Span]:
    """The lines that are not blank."""
    spans, at = [], 0
    for line in text.split("\n"):
        if line.strip():
            spans.append(Span(at, at + len(line)))
        at += len(line) + 1
    return spans


def _refined(
    text: str,
    span: Span,
    most: int,
    levels: Sequence[Level],
    sums: Sums,
    solid: Sequence[tuple[int, int]],
) -> Iterator[Span]:
    if sums[span.end] - sums[span.start] <= most:
        yield span
    elif not levels:
        yield from _anywhere(text, span, most, sums)
    else:
        parts = [Span(span.start + a, span.start + b) for a, b in levels[0](text[span.start : span.end])]
        for part in _allowed(text, parts, solid):
            yield from _refined(text, part, most, levels[1:], sums, solid)


def _allowed(text: str, parts: Sequence[Span], solid: Sequence[tuple[int, int]]) -> Iterator[Span]:
    held: Span | None = None
    for part in parts:
        if held is None:
            held = part
            continue
        at = bisect_right(solid, (part.start, -1)) - 1
        if (at >= 0 and solid[at][1] > held.end) or _joins_on.match(text, part.start):
            held = Span(held.start, part.end)
        else:
            yield held
            held = part
    if held is not None:
        yield held


def _anywhere(text: str, span: Span, most: int, sums: Sums) -> Iterator[Span]:
    start = end = span.start
    for match in _atom.finditer(text, span.start, span.end):
        for after in _fitting(text, match.start(), match.end(), most, sums):
            if end > start and sums[after] - sums[start] > most:
                yield from _stripped(text, start, end)
                start = end
            end = after
    yield from _stripped(text, start, span.end)


def _fitting(text: str, start: int, end: int, most: int, sums: Sums) -> Iterator[int]:
    """Where an atom may be cut: at its end; between graphemes where it is too large, and at last between characters."""
    if sums[end] - sums[start] <= most:
        yield end
        return
    for match in _grapheme.finditer(text, start, end):
        if sums[match.end()] - sums[match.start()] <= most:
            yield match.end()
        else:
            yield from range(match.start() + 1, match.end() + 1)


def _stripped(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Span(start, end)


def _merged(spans: Sequence[Span], sums: Sums, most: int) -> list[Span]:
    """Neighbours joined while they fit in an even share of the whole, so that no rest is left tiny.

    Where to cut is decided by coarse sizes: a word changed in one span seldom moves a border, so that a new version of a
    document embeds what was changed and not what follows it. The limit is held exactly.
    """
    if not spans:
        return []
    sizes = [_coarse(float(sums[span.end] - sums[span.start])) for span in spans]
    total = sums[spans[-1].end] - sums[spans[0].start]
    share = sum(sizes) / max(1, -(-total // most))
    merged, held = [spans[0]], sizes[0]
    for span, size in zip(spans[1:], sizes[1:], strict=True):
        start = merged[-1].start
        if held >= share * 0.97 or sums[span.end] - sums[start] > most:
            merged.append(span)
            held = size
        else:
            merged[-1] = Span(start, span.end)
            held += size
    return merged


def _coarse(tokens: float) -> float:
    """The nearest power of _STEP, whatever the scale: at most 0.23 beside the size."""
    return float(_STEP ** round(log(tokens, _STEP))) if tokens > 0 else 0.0
