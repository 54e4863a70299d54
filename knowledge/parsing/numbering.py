"""Numbers of DOCX lists as the reader sees them: "4.2.1", "제18조", "(b)", "•"."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SLOT = re.compile(r"%(\d)")
_HAN = "〇一二三四五六七八九"
_GANADA = "가나다라마바사아자차카타파하"


def _letters(number: int) -> str:
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)


def _roman(number: int) -> str:
    pairs = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"))
    text = ""
    for value, sign in (*pairs, (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        while number >= value:
            text, number = text + sign, number - value
    return text


def _han(number: int) -> str:
    if number < 10:
        return _HAN[number]
    tens, ones = divmod(number, 10)
    return ("" if tens == 1 else _HAN[tens % 10]) + "十" + (_HAN[ones] if ones else "")


def written(number: int, form: str) -> str:
    """A number in one of Word's number formats; decimal for those not known."""
    if form in {"lowerLetter", "upperLetter"}:
        text = _letters(number)
    elif form in {"lowerRoman", "upperRoman"}:
        text = _roman(number)
    elif form in {
        "chineseCounting",
        "chineseCountingThousand",
        "japaneseCounting",
        "taiwaneseCountingThousand",
        "ideographDigital",
    }:
        text = _han(number)
    elif form == "ganada":
        text = _GANADA[(number - 1) % len(_GANADA)]
    elif form in {"decimalEnclosedCircle", "decimalEnclosedCircleChinese"} and number <= 20:
        text = chr(0x2460 + number - 1)
    else:
        text = str(number)
    return text.upper() if form.startswith("upper") else text


class Numbering:
    """Counts on as paragraphs are read in order."""

    def __init__(self, part: Any | None) -> None:
        self._levels: dict[str, dict[int, tuple[str, str, int]]] = {}
        self._styles: dict[str, tuple[str, int]] = {}
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        abstract: dict[str, dict[int, tuple[str, str, int]]] = {}
        for node in part.iter(f"{W}abstractNum") if part is not None else ():
            abstract[node.get(f"{W}abstractNumId")] = dict(map(self._level, node.iter(f"{W}lvl")))
            for level in node.iter(f"{W}lvl"):
                style = level.find(f"{W}pStyle")
                if style is not None:
                    self._styles[style.get(f"{W}val")] = (
                        node.get(f"{W}abstractNumId"),
                        int(level.get(f"{W}ilvl")),
                    )
        self._abstract: dict[str, str] = {}
        for node in part.iter(f"{W}num") if part is not None else ():
            reference = node.find(f"{W}abstractNumId")
            if reference is not None:
                self._abstract[node.get(f"{W}numId")] = reference.get(f"{W}val")
                self._levels[node.get(f"{W}numId")] = abstract.get(reference.get(f"{W}val"), {})

    def _level(self, node: Any) -> tuple[int, tuple[str, str, int]]:
        def value(name: str, default: str) -> str:
            found = node.find(f"{W}{name}")
            return str(found.get(f"{W}val", default)) if found is not None else default

        return int(node.get(f"{W}ilvl")), (
            value("numFmt", "decimal"),
            value("lvlText", ""),
            int(value("start", "1")),
        )

    def label(self, properties: Any | None, style: str) -> str:
        """The number in front of a paragraph, "" for none. Counts it."""
        number, depth = self._place(properties, style)
        levels = self._levels.get(number, {})
        if depth not in levels:
            return ""
        form, pattern, start = levels[depth]
        counts = self._counts[self._abstract.get(number, number)]
        counts[depth] = counts.get(depth, start - 1) + 1
        for deeper in [level for level in counts if level > depth]:
            del counts[deeper]
        if form == "none":
            return ""
        if form == "bullet":
            return "•"
        return _SLOT.sub(lambda slot: self._slot(levels, counts, int(slot[1]) - 1), pattern).strip()

    def _slot(self, levels: dict[int, tuple[str, str, int]], counts: dict[int, int], level: int) -> str:
        form, _pattern, start = levels.get(level, ("decimal", "", 1))
        return written(counts.setdefault(level, start), form)

    def _place(self, properties: Any | None, style: str) -> tuple[str, int]:
        if properties is not None:
            number, depth = properties.find(f"{W}numId"), properties.find(f"{W}ilvl")
            if number is not None:
                return number.get(f"{W}val", ""), int(depth.get(f"{W}val", "0")) if depth is not None else 0
        if style in self._styles:
            abstract, level = self._styles[style]
            return next((num for num, found in self._abstract.items() if found == abstract), ""), level
        return "", 0
