"""Bytes to text where nobody says how they are to be read.

A byte order mark or valid UTF-8 settles it. Otherwise every likely encoding is tried, and that one wins whose reading
is the most probable text of the languages that are written in it: the sum over the characters of the logarithm of how
often that writing uses them. Readings of the same bytes are compared, so short texts are told apart too.
"""

from __future__ import annotations

import codecs
import math
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from charset_normalizer import from_bytes

from knowledge.errors import UnreadableFile
from knowledge.parsing import frequent

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 16 * 1024
_LEAST = -6.0  # mean of a readable text, per byte; bytes at random come to about -10
_STRAY = math.log(1e-7)  # a character that the writing has no use for
_ENOUGH = 400  # bytes beyond ASCII that tell an encoding

_UNLIKELY = math.log(1e-3)
_NOTHING = re.compile(r"(?!)")
_SPACED_HAN = re.compile(r"(?<=[\u3041-\u9fff])[ ](?=[\u3041-\u9fff])")
_CROWDED = re.compile(r"(?=[\u00c0-\u00de\u00e0-\u024f]{2})")  # two letters with accents side by side
_MIXED = re.compile(r"(?=[A-Za-z][^\W\d_A-Za-z]|[^\W\d_A-Za-z][A-Za-z])")  # two alphabets in one word
# Hebrew: also a vowel point without a letter, and the form for a word's end within it.
_UNHEBREW = re.compile(_MIXED.pattern + r"|(?<![א-ת\u05b0-\u05c2])[\u05b0-\u05c2]|[ךםןףץ](?=[א-ת])")

Share = tuple[float, Iterable[str]]


@dataclass(frozen=True, slots=True)
class _Writing:
    """An encoding, how often its languages use each character, and what they hardly ever put side by side."""

    encoding: str
    make: Callable[[], dict[str, float]]
    unlikely: re.Pattern[str] = _NOTHING

    def table(self) -> dict[str, float]:
        return _made(self.make)


@cache
def _made(make: Callable[[], dict[str, float]]) -> dict[str, float]:
    return make()


def decode_text(data: bytes) -> tuple[str, str]:
    """The text and the name of its encoding. Raises UnreadableFile(damaged) for what is no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) if encoding == "utf-8" else 0 :].decode(encoding, "replace"), encoding
    if b"\x1b$" in data and data.isascii():
        encoding = "iso2022_kr" if b"\x1b$)C" in data else "iso2022_jp_ext"
        return data.decode(encoding, "replace"), encoding
    text = None if b"\x00" in data[:_SAMPLE] else _utf8(data)
    if text is not None:
        return text, "utf-8"
    scored = _scored(data)
    if not scored:
        raise UnreadableFile("damaged")
    return data.decode(scored, "replace"), scored


def _utf8(data: bytes) -> str | None:
    """The text where it is UTF-8, but for a few broken characters as a cut or a bad disk leaves them."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    whole = sum(char > "\u007f" for char in text) - broken
    return text if whole >= 5 * broken and broken <= max(2, 0.02 * whole) else None


def _scored(data: bytes) -> str:
    """The most probable encoding, "" where none reads like text."""
    sample = _telling(data)
    best, encoding = -math.inf, ""
    for writing in _WRITINGS:
        score = _score(sample, len(sample) == len(data), writing)
        if score > best:
            best, encoding = score, writing.encoding
    if best >= _LEAST * len(sample):
        return encoding
    if b"\x00" in sample:
        return ""
    guess = from_bytes(sample).best()
    return guess.encoding if guess is not None and guess.chaos < 0.1 and guess.alphabets else ""


def _telling(data: bytes) -> bytes:
    """The part of the data that the encoding shows in: its start, or its lines that are not plain ASCII."""
    sample = data[:_SAMPLE]
    if b"\x00" in sample or len(data) <= _SAMPLE or sum(byte > 127 for byte in sample) > _ENOUGH:
        return sample[: len(sample) // 4 * 4] if b"\x00" in sample else sample
    lines, size = [], 0
    for line in data.split(b"\n"):
        if not line.isascii():
            lines.append(line)
            size += len(line)
        if size > _SAMPLE:
            break
    return b"\n".join(lines)


def _score(sample: bytes, whole: bool, writing: _Writing) -> float:
    try:
        text = codecs.getincrementaldecoder(writing.encoding)("strict").decode(sample, whole)
    except UnicodeDecodeError:
        return -math.inf
    table = writing.table()
    score = sum(count * table.get(char, _STRAY) for char, count in Counter(text).items())
    return score + _UNLIKELY * len(writing.unlikely.findall(text))


def _table(*shares: Share) -> dict[str, float]:
    """Logarithms of probabilities: each share is spread evenly over its characters, the first that has one counts."""
    table = {char: math.log(1 / 25) for char in string.ascii_letters}
    table |= {char: math.log(1 / 30) for char in string.digits + string.punctuation + " \t\r\n"}
    for share, chars in shares:
        kept = [char for char in dict.fromkeys(chars) if char not in table]
        table |= dict.fromkeys(kept, math.log(share / max(1, len(kept))))
    return table


def _rows(encoding: str, first: int, last: int, trails: Iterable[int] = range(0xA1, 0xFF)) -> Iterable[str]:
    """The characters of a double-byte set, by its rows: sets are ordered, what is used most comes in the first part."""
    for lead in range(first, last + 1):
        for trail in trails:
            try:
                yield bytes((lead, trail)).decode(encoding)
            except UnicodeDecodeError:
                continue


def _span(first: int, last: int) -> Iterable[str]:
    return map(chr, range(first, last + 1))


def _letters(
    letters: tuple[str, str], marks: str = "«»’‘“”„–—…№\u00a0", points: Iterable[str] = ()
) -> dict[str, float]:
    """Of an alphabet: its letters used most, the others, capitals, and marks."""
    most, others = letters
    return _table((0.7, most), (0.2, others), (0.05, (most + others).upper()), (0.02, marks), (0.01, points))


_BIG5 = (*range(0x40, 0x7F), *range(0xA1, 0xFF))
_HAN = (0x4E00, 0x9FFF)


def _korean() -> dict[str, float]:
    common, syllables = (0.5, frequent.KOREAN), (0.4, _rows("euc_kr", 0xB0, 0xC8))
    return _table(
        common,
        syllables,
        (0.04, frequent.CJK_MARKS),
        (0.04, _rows("euc_kr", 0xCA, 0xFD)),
        (0.005, _span(0xAC00, 0xD7A3)),
    )


def _japanese() -> dict[str, float]:
    return _table(
        (0.5, _span(0x3041, 0x3093)),
        (0.12, _span(0x30A1, 0x30F6)),
        (0.1, frequent.CJK_MARKS),
        (0.12, frequent.JAPANESE_KANJI),
        (0.12, _rows("euc_jp", 0xB0, 0xCF)),
        (0.02, _span(0xFF01, 0xFF5E)),
        (0.06, _span(0xFF61, 0xFF9F)),
        (0.004, _span(*_HAN)),
    )


def _simple_chinese() -> dict[str, float]:
    return _table(
        (0.45, frequent.CHINESE_SIMPLE),
        (0.35, _rows("gb2312", 0xB0, 0xD7)),
        (0.1, frequent.CJK_MARKS),
        (0.02, _span(0xFF01, 0xFF5E)),
        (0.02, _rows("gb2312", 0xD8, 0xF7)),
        (0.004, _span(*_HAN)),
        (0.001, _span(0x3041, 0x30FE)),
    )


def _full_chinese() -> dict[str, float]:
    return _table(
        (0.45, frequent.CHINESE_FULL),
        (0.35, _rows("big5", 0xA4, 0xC6, _BIG5)),
        (0.1, frequent.CJK_MARKS),
        (0.02, _span(0xFF01, 0xFF5E)),
        (0.02, _rows("big5", 0xC9, 0xF9, _BIG5)),
        (0.001, _span(0x3041, 0x30FE)),
    )


def _any_cjk() -> dict[str, float]:
    """For UTF-16 without a mark, whatever the language."""
    return _table(
        (0.2, frequent.KOREAN + frequent.CHINESE_SIMPLE + frequent.JAPANESE_KANJI),
        (0.2, _span(0x3041, 0x30FE)),
        (0.2, _rows("euc_kr", 0xB0, 0xC8)),
        (0.2, _rows("gb2312", 0xB0, 0xD7)),
        (0.1, frequent.CJK_MARKS + "".join(frequent.WESTERN)),
        (0.02, "".join(frequent.CYRILLIC + frequent.GREEK + frequent.HEBREW + frequent.ARABIC)),
    )


_WRITINGS = (
    _Writing("cp949", _korean),
    _Writing("cp932", _japanese, _SPACED_HAN),
    _Writing("gb18030", _simple_chinese, _SPACED_HAN),
    _Writing("cp950", _full_chinese, _SPACED_HAN),
    _Writing("euc_jp", _japanese, _SPACED_HAN),
    _Writing("cp1252", lambda: _table((0.8, frequent.WESTERN[0]), (0.15, frequent.WESTERN[1])), _CROWDED),
    _Writing("cp1250", lambda: _table((0.5, frequent.CENTRAL[0]), (0.15, frequent.CENTRAL[1])), _CROWDED),
    _Writing("cp1254", lambda: _table((0.5, frequent.TURKISH[0]), (0.15, frequent.TURKISH[1])), _CROWDED),
    _Writing("cp1251", lambda: _letters(frequent.CYRILLIC), _MIXED),
    _Writing("koi8_r", lambda: _letters(frequent.CYRILLIC), _MIXED),
    _Writing("cp1253", lambda: _letters(frequent.GREEK), _MIXED),
    _Writing("cp1255", lambda: _letters(frequent.HEBREW, "–—“”’\u00a0₪", _span(0x05B0, 0x05C2)), _UNHEBREW),
    _Writing("cp1256", lambda: _letters(frequent.ARABIC, "«»“”\u00a0", _span(0x064B, 0x0652)), _MIXED),
    _Writing("cp874", lambda: _letters(frequent.THAI), _MIXED),
    _Writing("utf-16-le", _any_cjk),
    _Writing("utf-16-be", _any_cjk),
)
