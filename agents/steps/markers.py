"""What a marker of a model looks like, and what only looks like one. Pure patterns; agents/steps/cite.py reads with them.

Nothing here is longer than LONGEST within its brackets, nor has more than PADDING characters of white space or emphasis
around it, so that what may still become a marker is short however long the text is.
"""

from __future__ import annotations

import re

from agents.steps.compose import CLOSE, NOT_FOUND, OPEN
from knowledge.text.scripts import CJK_CLASS

LONGEST = 24
_PADDING = "{0,8}"
_WIDEST = 9  # a range of more passages is no marker

# Words that models put before the number, whatever they were told.
SOURCE_WORDS = {
    "en": "source sources passage passages document doc ref",
    "ko": "출처 자료 문서 구절 본문",
    "zh": "来源 资料 文档 段落 出处",
    "ja": "出典 資料 文書 段落",
    "de": "Quelle Quellen Abschnitt Dokument",
    "es": "fuente fuentes pasaje documento",
    "fr": "source sources passage extrait document",
}
_WORDS = "|".join(
    sorted({word for words in SOURCE_WORDS.values() for word in words.split()}, key=len, reverse=True)
)
_SEPARATOR = r"[,、，;；]"
_NUMBERS = rf"(?:(?i:{_WORDS})[\s:：#.]{{0,2}})?\d{{1,3}}(?:\s?(?:{_SEPARATOR}|[-–~])\s?\d{{1,3}}){{0,8}}"
_INSIDE = rf"[^{OPEN}{CLOSE}\n]{{0,{LONGEST}}}"
# Brackets around numbers are a marker; around anything else without a CJK letter, a broken one. Brackets around words in
# CJK letters (【注意】) are words: that is what these brackets are for there.
_MARK = rf"{OPEN}(?:\s?{_NUMBERS}\s?|[^{OPEN}{CLOSE}\n{CJK_CLASS}]{{0,{LONGEST}}}){CLOSE}"
_GROUP = rf"\s{_PADDING}{_MARK}(?:\s{_PADDING}{_SEPARATOR}?\s{_PADDING}{_MARK})*"
_EMPHASIS = r"*_`\"'“”«»"
_MISSING = rf"[{_EMPHASIS}\s]{_PADDING}{NOT_FOUND}[{_EMPHASIS}]{_PADDING}[.。!]?"
_MISSING_BEGUN = "|".join(NOT_FOUND[:length] for length in range(len(NOT_FOUND), 0, -1))

TOKEN = re.compile(rf"(?P<group>{_GROUP})|(?P<missing>{_MISSING})")
ONE_MARK = re.compile(rf"{OPEN}({_INSIDE}){CLOSE}")
_NUMBERED = re.compile(rf"\s?{_NUMBERS}\s?")
_PART = re.compile(r"(\d{1,3})(?:\s?[-–~]\s?(\d{1,3}))?")
# The end of a text that may go on as a marker, as several, or as the word for "not in the material".
UNFINISHED = re.compile(
    rf"(?:{_GROUP}\s{_PADDING}{_SEPARATOR}?)?\s{_PADDING}(?:{OPEN}{_INSIDE})?$"
    rf"|[{_EMPHASIS}\s]{_PADDING}(?:{_MISSING_BEGUN})?$"
    rf"|{_MISSING}$"
)
# A marker that the model's limit cut off.
CUT_OFF = re.compile(rf"\s{_PADDING}{OPEN}[^{OPEN}{CLOSE}\n{CJK_CLASS}]{{0,{LONGEST}}}$")


def numbers(inside: str) -> tuple[int, ...]:
    """The numbers that a marker names, ranges written out; none where it is broken."""
    if not _NUMBERED.fullmatch(inside):
        return ()
    named: list[int] = []
    for first, last in _PART.findall(inside):
        low, high = int(first), int(last or first)
        if not low <= high < low + _WIDEST:
            return ()
        named += range(low, high + 1)
    return tuple(dict.fromkeys(named))
