"""Where sentences and clauses end, in text of the seven languages and mixtures of them. Pure, linear."""

from __future__ import annotations

import re
from typing import NamedTuple

from knowledge.text.abbreviations import ALL as ABBREVIATIONS
from knowledge.text.abbreviations import COUNTED

_CLOSERS = re.escape("\"'”’»›)]）】」』》〉］｝}")
# An end mark with what closes after it: CJK marks end at once, Western ones before white space or the end.
_END = re.compile(
    rf"(?P<wide>[。！？｡]+[{_CLOSERS}]*)"
    rf"|(?P<bang>[!?…]+[{_CLOSERS}]*)(?=\s|$)"
    rf"|(?P<stop>\.+[{_CLOSERS}]*)(?=\s|$)"
    rf"|(?P<glued>[.!?])(?=[가-힣一-鿿ぁ-ヿ])"
    r"|(?P<line>\n\s*)"
)
_CLAUSE = re.compile(r"[;,:](?=\s)|[；，、：](?!\d)|[—–](?=\s)")
_WORD_BEFORE = re.compile(r"[^\s(\[{\"'“‘«（「『]+$")
_INITIAL = re.compile(r"^(?:\w\.)*\w$")
_ORDINAL = re.compile(r"^\d{1,3}$")
_LOWER_NEXT = re.compile(r"\s+[a-zà-ÿ]")
_NEXT_WORD = re.compile(r"\s+(\w+)")
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
    """Like `sentences`, cut at commas, colons and dashes too."""
    ends = [match for match in _END.finditer(text) if _ends(text, match)]
    return _cut(text, sorted([*ends, *_CLAUSE.finditer(text)], key=lambda match: match.end()))


def _cut(text: str, ends: object) -> tuple[Span, ...]:
    spans: list[Span] = []
    start = 0
    for match in ends:  # type: ignore[attr-defined]
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
    if match.lastgroup == "glued":
        return match[0] != "." or not text[match.start() - 1 : match.start()].isdigit()
    if (
        match.lastgroup == "wide"
        and match[0][-1] not in "。！？｡"
        and text[match.end() : match.end() + 1].isalpha()
    ):
        return False  # 「はい。」と言った: the sentence goes on after what is quoted
    if match.lastgroup != "stop" or match[0].startswith(".."):
        return True
    if _LOWER_NEXT.match(text, match.end()):
        return False  # no sentence of these languages begins in lower case
    found = _WORD_BEFORE.search(text, max(0, match.start() - _LONGEST_WORD), match.start())
    word = found[0].casefold() if found else ""
    if word in ABBREVIATIONS or (_INITIAL.match(word) and not word.isdigit() and word.isascii()):
        return False
    return not (_ORDINAL.match(word) and _counts(text, match.start() - len(word), match.end()))


def _counts(text: str, start: int, end: int) -> bool:
    """Whether a short number with a stop counts ("2. Run it", "3. Oktober") rather than ends ("there are 12.")."""
    before = text[:start].rstrip(" \t")[-1:] if start < 400 else text[start - 400 : start].rstrip(" \t")[-1:]
    if not before or before in "\n.!?:;。！？":
        return True
    following = _NEXT_WORD.match(text, end)
    return following is not None and following[1].casefold() in COUNTED
