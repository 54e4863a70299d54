"""What a question asks for literally: codes that name one thing, so that a neighbour's passage must not answer for it,
and quoted phrases.

Only what is surely a code counts as one: letters then digits in one word ("KR-2024-0117", "A320"), a short prefix in capitals
before a number ("ISO 9408"), or a prefix before several groups of digits ("kr 2024 0117"). A year, an ordinal, a
decade or a measure (2015, 19th, 1990s, 100km) is none.
"""

from __future__ import annotations

import re
import unicodedata

_GROUP = r"[0-9][A-Za-z0-9]*"
_CODE = re.compile(
    rf"(?<![A-Za-z0-9])(?:"
    rf"[A-Za-z]+[-./_]?{_GROUP}(?:[-./_]{_GROUP})*"  # one word
    rf"|[A-Z]{{2,5}} {_GROUP}(?:[-./_ ]{_GROUP})*"  # a prefix in capitals
    rf"|[a-z]{{2,5}} {_GROUP}(?:[-./_ ]{_GROUP})*[-./_ ]0\d{{2,}}"  # groups apart, one of them a running number
    rf")(?![A-Za-z0-9])"
)
_QUOTED = re.compile(
    r"\"([^\"\n]{2,120})\"|[“„]([^“”\n]{2,120})[”“]|«\s?([^«»\n]{2,120}?)\s?»|»([^«»\n]{2,120})«"
    r"|「([^「」\n]{2,120})」|『([^『』\n]{2,120})』|《([^《》\n]{2,120})》|‘([^‘’\n]{2,120})’"
)
_GLUE = re.compile(r"[-./_\s]")
_YEAR = re.compile(r"[a-z]+(?:1[5-9]|20)\d\ds?")  # post-1945, EURO 2016: a word and a year
_DIGITS_LEAST = 2
_LOWER_LEAST = 3  # "top-10" is a word; "kr-117" is a code


def identifiers(text: str) -> tuple[str, ...]:
    """Keys of the identifiers of a text in order, each once: NFKC, casefolded, without what joins the groups."""
    plain = unicodedata.normalize("NFKC", text)
    keys = (_GLUE.sub("", match[0]).casefold() for match in _CODE.finditer(plain) if _is_code(match[0]))
    return tuple(dict.fromkeys(keys))


def _is_code(written: str) -> bool:
    digits = sum(char.isdigit() for char in written)
    if _YEAR.fullmatch(_GLUE.sub("", written).casefold()):
        return False
    return digits >= (_DIGITS_LEAST if written[0].isupper() else _LOWER_LEAST)


def quoted_phrases(text: str) -> tuple[str, ...]:
    """What stands between quotation marks, in the marks of the seven languages: to be found literally."""
    return tuple(next(part for part in match.groups() if part) for match in _QUOTED.finditer(text))


def holds(text: str, key: str) -> bool:
    """Whether a text has the identifier, however it is joined, and not as the beginning or end of a longer one."""
    pattern = r"[-./_\s]?".join(re.escape(char) for char in key)
    plain = unicodedata.normalize("NFKC", text).casefold()
    return re.search(rf"(?<![a-z0-9]){pattern}(?![a-z0-9])(?![-./_]\d)", plain) is not None
