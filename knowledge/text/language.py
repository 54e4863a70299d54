"""Which of the seven languages a text is in: by its script, then by its commonest words."""

from __future__ import annotations

import re

from knowledge.text.lexicon import STOP_WORDS
from knowledge.text.scripts import shares

_LATIN = ("en", "de", "es", "fr")
_WORDS = {language: frozenset(STOP_WORDS[language].split()) for language in _LATIN}
_ENGLISH_TAIL = re.compile(r"(?<=\w)['’](?:s|t|re|ve|ll)\b")
_MARKS = {
    "de": re.compile("[äöüßÄÖÜ]"),
    "es": re.compile("[ñ¿¡áíóú]"),
    "fr": re.compile(r"[çèêëîïôùûœ]|\b(?:[ldjn]|qu)['’](?=\w)", re.IGNORECASE),
    "en": _ENGLISH_TAIL,
}
# Characters of Japanese alone, neither simplified nor traditional Chinese: headings and questions may have no kana.
_JAPANESE_HAN = re.compile(
    "[価険図発売円対応証実関経営済続総単駅黒歩変帰検権気産処収伝転両歳労満戦銭縄聴訳読軽辺鉄録雑顔験髪働込畑枠峠囲弐圧]"
)
_WORD = re.compile(r"[^\W\d_]+")


def language_of(text: str) -> str | None:
    """en, ko, zh, ja, es, de or fr; None where nothing tells, or two tell as much."""
    by_script = shares(text)
    if by_script["hangul"] > 0.2:
        return "ko"
    if by_script["kana"] > 0.1:
        return "ja"
    if by_script["han"] > 0.2:
        return "ja" if _JAPANESE_HAN.search(text) else "zh"
    words = [word.casefold() for word in _WORD.findall(_ENGLISH_TAIL.sub("", text))]
    if not words or by_script["latin"] < 0.5:
        return None
    scores = {
        language: sum(word in _WORDS[language] for word in words) + 2 * len(_MARKS[language].findall(text))
        for language in _LATIN
    }
    best, second = sorted(_LATIN, key=lambda language: -scores[language])[:2]
    return best if scores[best] > scores[second] else None
