"""Numbers of DOCX lists as the reader sees them: "4.2.1", "제18조", "(b)", "•"."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from knowledge.parsing.docx_package import W, value, whole

_SLOT = re.compile(r"%(\d)")
_HAN = "〇一二三四五六七八九"
_GANADA = "가나다라마바사아자차카타파하"


def _letters(number: int) -> str:
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)


def _roman(number: int) -> str:
    pairs = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"))
    text = ""
    for step, sign in (*pairs, (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        while number >= step:
            text, number = text + sign, number - step
    return text


def _han(number: int) -> str:
    """Up to 9999: 十二, 二十, 一百零三."""
    text, was_zero = "", False
    for step, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, step)
        if digit:
            is_plain_ten = step == 10 and digit == 1 and not text
            text += ("零" if was_zero and text else "") + ("" if is_plain_ten else _HAN[digit % 10]) + sign
        was_zero = not digit
    return text


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


@dataclass(frozen=True, slots=True)
class _Level:
    form: str
    pattern: str
    start: int
    is_legal: bool  # numbers of the levels above are written in digits, whatever their own form


class Numbering:
    """Counts on as paragraphs are read in order."""

    def __init__(self, part: Any | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        self._abstract: dict[str, str] = {}
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        abstract, by_style = _abstracts(part)
        for node in part.iter(f"{W}num") if part is not None else ():
            number, reference = node.get(f"{W}numId", ""), value(node, "abstractNumId")
            self._abstract[number] = reference
            levels = dict(abstract.get(by_style.get(reference, reference), {}))
            self._restarts[number] = {}
            for change in node.iter(f"{W}lvlOverride"):
                depth = whole(change.get(f"{W}ilvl", ""), 0)
                level = change.find(f"{W}lvl")
                if level is not None:
                    levels[depth] = _level(level)
                start = value(change, "startOverride")
                if start:
                    self._restarts[number][depth] = whole(start, 1)
            self._levels[number] = levels

    def label(self, number: str, depth: int) -> str:
        """The number in front of a paragraph at a place in a list, "" for none. Counts it."""
        levels = self._levels.get(number, {})
        level = levels.get(depth)
        if level is None:
            return ""
        counts = self._counts[self._abstract[number]]
        restart = self._restarts[number].pop(depth, None)
        before = counts.get(depth, level.start - 1)
        counts[depth] = restart if restart is not None else before + 1
        for deeper in [one for one in counts if one > depth]:
            del counts[deeper]
        if level.form == "none":
            return ""
        if level.form == "bullet":
            return "•"
        return _SLOT.sub(
            lambda slot: self._slot(levels, level, counts, int(slot[1]) - 1), level.pattern
        ).strip()

    def _slot(self, levels: dict[int, _Level], shown: _Level, counts: dict[int, int], depth: int) -> str:
        level = levels.get(depth, _Level("decimal", "", 1, False))
        is_plain = shown.is_legal and level is not shown
        return written(counts.setdefault(depth, level.start), "decimal" if is_plain else level.form)


def _abstracts(part: Any | None) -> tuple[dict[str, dict[int, _Level]], dict[str, str]]:
    """Levels of each abstract list, and which other one stands in for a list that is only a link to a style."""
    levels: dict[str, dict[int, _Level]] = {}
    links: dict[str, str] = {}
    named: dict[str, str] = {}
    for node in part.iter(f"{W}abstractNum") if part is not None else ():
        own = node.get(f"{W}abstractNumId", "")
        levels[own] = {whole(one.get(f"{W}ilvl", ""), 0): _level(one) for one in node.iter(f"{W}lvl")}
        named[value(node, "styleLink")] = own
        link = value(node, "numStyleLink")
        if link:
            links[own] = link
    return levels, {own: named[style] for own, style in links.items() if style in named}


def _level(node: Any) -> _Level:
    legal = node.find(f"{W}isLgl")
    is_legal = legal is not None and legal.get(f"{W}val", "1") not in {"0", "false", "off"}
    return _Level(
        value(node, "numFmt", "decimal"),
        value(node, "lvlText"),
        whole(value(node, "start", "1"), 1),
        is_legal,
    )
