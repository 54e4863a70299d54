"""Which of the seven languages a text is in: by its script, then by its commonest words."""

from __future__ import annotations

import re

from knowledge.text.lexicon import STOP_WORDS
from knowledge.text.scripts import shares

_LATIN = ("en", "de", "es", "fr")
_WORDS = {language: frozenset(STOP_WORDS[language].split()) for language in _LATIN}
_MARKS = {
    "de": re.compile("[äöüßÄÖÜ]"),
    "es": re.compile("[ñ¿¡áíóú]"),
    "fr": re.compile("[çèêëîïôùûœ]|l'|d'|qu'"),
}
_WORD = re.compile(r"[^\W\d_]+")


def language_of(text: str) -> str | None:
    """en, ko, zh, ja, es, de or fr; None where nothing tells."""
    by_script = shares(text)
    if by_script["hangul"] > 0.2:
        return "ko"
    if by_script["kana"] > 0.1:
        return "ja"
    if by_script["han"] > 0.2:
        return "zh"
    words = [word.casefold() for word in _WORD.findall(text)]
    if not words or by_script["latin"] < 0.5:
        return None
    scores = {
        language: sum(word in _WORDS[language] for word in words)
        + (2 * len(_MARKS[language].findall(text)) if language in _MARKS else 0)
        for language in _LATIN
    }
    best = max(_LATIN, key=lambda language: scores[language])
    return best if scores[best] else None
