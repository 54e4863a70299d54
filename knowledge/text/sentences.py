"""Where sentences and clauses end, in text of the seven languages and mixtures of them. Pure, linear."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from knowledge.text.abbreviations import ABBREVIATIONS, CLOSING, COUNTED, NUMBERED, words_of

_ALWAYS, _NUMBERED, _CLOSING = words_of(ABBREVIATIONS), words_of(NUMBERED), words_of(CLOSING)
_WIDE = "。！？｡।॥؟"
_CJK = "가-힣一-鿿ぁ-ヿ"
# What closes after an end mark, a note's number too; French sets a space before its closing mark.
_CLOSERS = "[" + re.escape("\"'”’»›)]）】」』》〉］｝}") + r"]*(?:[ \u00a0\u202f]»(?=\W|$))?(?:\[\d{1,3}\])*"
# An end mark with what closes after it: CJK marks end at once, Western ones before white space or the end.
_END = re.compile(
    rf"(?P<wide>(?:[{_WIDE}]|．(?!\d))+{_CLOSERS})"
    rf"|(?P<bang>(?<![!?…])[!?…]++{_CLOSERS})(?=\s|$)"
    rf"|(?P<stop>(?<!\.)\.++{_CLOSERS})(?=\s|$)"
    rf"|(?P<glued>(?<=[{_CJK}]{{2}})[.!?])(?=[{_CJK}])"
    r"|(?P<line>\n\s*)"
)
# Korean sentences are often written without a stop: the endings that can close one.
_CLAUSE = re.compile(r"[;,:](?=\s)|[；，、：](?!\d)|[—–](?=\s)|(?<=[가-힣][다요음함됨임까죠])(?=\s)")
_WORD_BEFORE = re.compile(r"[^\s(\[{\"'“‘«（「『]+$")
_ADDRESS_BEFORE = re.compile(r"(?:://|www\.)\S*$")
_LETTER = "A-Za-zÀ-ÖØ-öø-ɏ"
_INITIAL = re.compile(rf"^(?:[{_LETTER}]\.)*[{_LETTER}]$")
_ORDINAL = re.compile(r"^\d{1,3}$")
_YEAR = re.compile(r"^\d{4}$")
_MONTH_NEXT = re.compile(r"\s\d{1,2}\.(?:\s|$)")
_LOWER_NEXT = re.compile(rf"(?<![{_CJK}][.!?…])\s+(?!https?://|www\.)[a-zà-öø-ÿ]")
_DIGIT_NEXT = re.compile(r"\s*\d")
_NEXT_WORD = re.compile(r"\s+(\w+)")
_LONGEST_ADDRESS = 300
_LONGEST_WORD = 40


class Span(NamedTuple):
    start: int
    end: int


def sentences(text: str) -> tuple[Span, ...]:
    """Spans of the sentences in order, without the white space around them. Every other character is in one.

    A line break ends a sentence: blocks come with their lines joined, so one that is left is meant.
    """
    return _cut(text, (match for match in _END.finditer(text) if _ends(text, match)))


def clauses(text: str) -> tuple[Span, ...]:
    """Like `sentences`, cut at commas, colons, dashes and closing Korean endings too."""
    ends = [match for match in _END.finditer(text) if _ends(text, match)]
    return _cut(text, sorted([*ends, *_CLAUSE.finditer(text)], key=lambda match: match.end()))


def _cut(text: str, ends: Iterable[re.Match[str]]) -> tuple[Span, ...]:
    spans: list[Span] = []
    start = 0
    for match in ends:
        _add(text, spans, start, match.end())
        start = match.end()
    _add(text, spans, start, len(text))
    return tuple(spans)


def _add(text: str, spans: list[Span], start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append(Span(start, end))


def _ends(text: str, match: re.Match[str]) -> bool:
    kind, mark = match.lastgroup, match[0]
    if kind == "glued":
        return not _ADDRESS_BEFORE.search(text, max(0, match.start() - _LONGEST_ADDRESS), match.start())
    if kind == "wide":
        # 「はい。」と言った: the sentence goes on after what is quoted
        return mark[-1] in _WIDE + "．]" or not text[match.end() : match.end() + 1].isalpha()
    if kind == "line":
        return True
    if _LOWER_NEXT.match(text, match.end()):
        # No sentence of these languages begins in lower case: "Stop!" he said; but: really? yes.
        return mark in ("!", "?")
    return kind == "bang" or mark.startswith("..") or not _abbreviates(text, match)


def _abbreviates(text: str, match: re.Match[str]) -> bool:
    """Whether the stop belongs to the word or number before it."""
    word = _word(text, match.start())
    folded = word.casefold()
    if folded in _CLOSING:
        return False
    if folded in _ALWAYS or (folded in _NUMBERED and _DIGIT_NEXT.match(text, match.end())):
        return True
    if _INITIAL.match(word) and not (len(word) == 1 and folded in _NUMBERED and word == folded):
        return True
    if _YEAR.match(word):
        return _MONTH_NEXT.match(text, match.end()) is not None  # 2024. 5. 3.
    return bool(_ORDINAL.match(word)) and _counts(text, match.start() - len(word), match.end())


def _word(text: str, end: int) -> str:
    found = _WORD_BEFORE.search(text, max(0, end - _LONGEST_WORD), max(0, end))
    return found[0] if found else ""


def _counts(text: str, start: int, end: int) -> bool:
    """Whether a short number with a stop counts ("2. Run it", "3. Oktober") rather than ends ("there are 12.")."""
    before = text[max(0, start - 400) : start].rstrip(" \t")
    if _word(before, len(before) - 1) in _NUMBERED:
        return False  # See fig. 3. Then
    if before[-1:] in tuple("\n.!?:;。！？") or not before:
        return True
    following = _NEXT_WORD.match(text, end)
    return following is not None and following[1].casefold() in COUNTED
