"""Plain text in any encoding."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from knowledge.errors import UnreadableFile
from knowledge.parsing.limits import Limits
from knowledge.parsing.structure import Outline
from knowledge.text.normalise import clean
from knowledge.types import BlockKind, ParsedDocument

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Tried in this order where the text is no UTF-8; each is scored by what its characters are.
_CANDIDATES = (
    "cp949",
    "cp932",
    "gb18030",
    "big5",
    "euc_jp",
    "cp1252",
    "cp1255",
    "cp1251",
    "cp1253",
    "cp1256",
)
_SAMPLE = 64 * 1024
_GOOD = {
    "cp949": re.compile(r"[가-힣]"),
    "cp932": re.compile(r"[ぁ-ゖァ-ヺー一-龠]"),
    "euc_jp": re.compile(r"[ぁ-ゖァ-ヺー一-龠]"),
    "gb18030": re.compile(r"[一-龥，。、；：“”]"),
    "big5": re.compile(r"[一-龥，。、；：「」]"),
    "cp1252": re.compile(r"[a-zA-ZäöüßÄÖÜáéíóúñàâçèêëîïôùûœ¿¡«»’–€]"),
    "cp1255": re.compile(r"[א-ת]"),
    "cp1251": re.compile(r"[а-яА-ЯёЁ]"),
    "cp1253": re.compile(r"[α-ωΑ-Ωά-ώ]"),
    "cp1256": re.compile(r"[ا-ي]"),
}
# Characters that a wrong guess makes and a writer seldom does.
_ODD = re.compile(r"[\x80-\x9f\ue000-\uf8ff\ufffd\u3130-\u318f\uff61-\uff9f]|[ﾀ-ﾟ]{2}")
_COMMON_HAN = re.compile(
    "[的一是不了在人有我他这中大来上国为和你地出会时要就可以年公司月日後為這國時們個會來說對學]"
)
_KANA = re.compile("[ぁ-ゖ]")


def decode_text(data: bytes) -> tuple[str, str]:
    """The text and the name of its encoding. Raises UnreadableFile(damaged) for what is no text."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decode(data, encoding), encoding.replace("-sig", "")
    if b"\x00" in data[:_SAMPLE]:
        found = _without_mark(data)
        if found:
            return found
        raise UnreadableFile("damaged")
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        pass
    if b"\x1b$" in data[:_SAMPLE]:
        return _decode(data, "iso2022_jp"), "iso2022_jp"
    scored = sorted(((_score(data[:_SAMPLE], name), name) for name in _CANDIDATES), reverse=True)
    if scored[0][0] > 0.3:
        return _decode(data, scored[0][1]), scored[0][1]
    guess = from_bytes(data[:_SAMPLE]).best()
    if guess is None:
        raise UnreadableFile("damaged")
    return _decode(data, guess.encoding), guess.encoding


def _without_mark(data: bytes) -> tuple[str, str] | None:
    """UTF-16 without a mark: zeros stand on one side of the pairs of plain letters."""
    even, odd = data[0:_SAMPLE:2].count(0), data[1:_SAMPLE:2].count(0)
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    printable = sum(char.isprintable() or char.isspace() for char in text[:2000])
    return (text, encoding) if printable > 0.9 * len(text[:2000]) else None


def _decode(data: bytes, encoding: str) -> str:
    return data.decode(encoding, "replace")


def _score(sample: bytes, encoding: str) -> float:
    """How much of what is not ASCII reads as the writing that the encoding is for: below 0 is nonsense."""
    try:
        text = codecs.getincrementaldecoder(encoding)("strict").decode(sample, False)
    except UnicodeDecodeError:
        return -1.0
    foreign = [char for char in text if ord(char) > 127]
    if not foreign:
        return 0.0
    good = sum(bool(_GOOD[encoding].match(char)) for char in foreign)
    odd = len(_ODD.findall(text))
    score = (good - 3 * odd) / len(foreign)
    if encoding in {"gb18030", "big5"}:  # any bytes in pairs read as some Han: common ones must be among them
        return score * min(1.0, 0.2 + 6 * len(_COMMON_HAN.findall(text)) / len(foreign))
    if encoding in {"cp932", "euc_jp"}:
        return score * min(1.0, 0.2 + 3 * len(_KANA.findall(text)) / len(foreign))
    if encoding == "cp1252":  # every byte reads as something: letters beside accents must be plain
        plain = sum(char.isascii() and char.isalpha() for char in text)
        return score * min(1.0, plain / (6 * len(foreign)))
    return score


def parse(data: bytes, name: str, limits: Limits) -> ParsedDocument:
    raw, encoding = decode_text(data)
    outline = Outline()
    for paragraph in re.split(r"\n[ \t]*\n+", clean(raw)):
        outline.add(BlockKind.PARAGRAPH, paragraph.strip("\n"))
    return ParsedDocument(tuple(outline.blocks), encoding=encoding)
