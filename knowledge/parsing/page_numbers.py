"""Page numbers as they are printed: "7", "- 7 -", "Page 7 of 12", "第 7 頁", "7쪽", "vii"."""

from __future__ import annotations

import re

_PAGE_WORDS = {
    "en": ("page", "p.", "of"),
    "de": ("seite", "s.", "von"),
    "fr": ("page", "p.", "sur", "de"),
    "es": ("página", "pág.", "de"),
    "ko": ("쪽", "페이지", "면"),
    "zh": ("第", "页", "頁", "共"),
    "ja": ("第", "頁", "ページ"),
}
_WORDS = "|".join(re.escape(word) for words in _PAGE_WORDS.values() for word in words)
_NUMBER = r"(?:\d{1,4}|[ivxl]{1,7})"
_EDGE = r"[\s|·•–—―\-.\[\]()]*"
_PAGE_NUMBER = re.compile(
    rf"{_EDGE}(?:(?:{_WORDS})\s*)*({_NUMBER})\s*(?:(?:{_WORDS}|[/|,])\s*)*(?:{_NUMBER})?\s*(?:{_WORDS})?{_EDGE}",
    re.I,
)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}


def page_number(text: str) -> int | None:
    """The number where the text is a page number and nothing else, None otherwise."""
    found = _PAGE_NUMBER.fullmatch(text)
    if found is None:
        return None
    return int(found[1]) if found[1].isdecimal() else _roman(found[1].lower())


def _roman(text: str) -> int:
    values = [_ROMAN[sign] for sign in text]
    return sum(-value if value < max(values[at:]) else value for at, value in enumerate(values))
