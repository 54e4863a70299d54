"""The platform's own sentences in an answer, in the language of the question."""

from __future__ import annotations

NOT_IN_MATERIAL = {
    "en": "The material does not say.",
    "ko": "자료에는 나와 있지 않습니다.",
    "zh": "资料中没有说明。",
    "ja": "資料には記載がありません。",
    "de": "Das Material sagt dazu nichts.",
    "es": "El material no lo dice.",
    "fr": "Les documents ne le disent pas.",
}
QUOTED = {
    "en": "The material says, in its own words:",
    "ko": "자료에는 이렇게 쓰여 있습니다:",
    "zh": "资料原文如下：",
    "ja": "資料には次のように書かれています。",
    "de": "Das Material sagt wörtlich:",
    "es": "El material dice, literalmente:",
    "fr": "Les documents disent, mot pour mot :",
}


def not_in_material(language: str) -> str:
    return NOT_IN_MATERIAL.get(language, NOT_IN_MATERIAL["en"])


def quoted_intro(language: str) -> str:
    return QUOTED.get(language, QUOTED["en"])
