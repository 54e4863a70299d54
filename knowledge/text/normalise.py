"""Cleaning of text as it comes in, and keys for matching. What is stored keeps what the author wrote."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import regex

_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u2060\ufeff]")
_GRAPHEME = regex.compile(r"\X")


def clean(text: str) -> str:
    """NFC text without NUL, lone surrogates and control characters; line ends are "\\n"."""
    text = _LINE_ENDS.sub("\n", text)
    return unicodedata.normalize("NFC", _CONTROLS.sub("", _LONE_SURROGATES.sub("", text)))


def match_key(text: str) -> str:
    """Two texts that differ in width, case or white space alone have one key: NFKC, casefolded, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@dataclass(frozen=True, slots=True)
class MappedKey:
    """A key with the way back: character i of `key` comes from [starts[i], ends[i]) of the original text."""

    key: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original characters behind key[start:end]; the span must not be empty."""
        return self.starts[start], self.ends[end - 1]


def mapped_key(text: str) -> MappedKey:
    """`match_key` of the text, grapheme by grapheme, with offsets: what is composed of several characters (ｶﾞ, Hangul
    letters, letters with marks) is one, and a match in it reaches over all of it."""
    key: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for cluster in _GRAPHEME.finditer(text):
        for char in unicodedata.normalize("NFKC", cluster[0]).casefold():
            if char.isspace():
                if not key or key[-1] == " ":
                    continue
                char = " "
            key.append(char)
            starts.append(cluster.start())
            ends.append(cluster.end())
    while key and key[-1] == " ":
        key.pop(), starts.pop(), ends.pop()
    return MappedKey("".join(key), tuple(starts), tuple(ends))


def find_exact(needle: str, haystack: str) -> tuple[int, int] | None:
    """Where `needle` stands in `haystack` but for width, case and white space: a span of `haystack`, or None."""
    wanted = match_key(needle)
    if not wanted:
        return None
    mapped = mapped_key(haystack)
    at = mapped.key.find(wanted)
    return None if at < 0 else mapped.span(at, at + len(wanted))
