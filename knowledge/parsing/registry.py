"""Which parser reads a file: by what it holds, not by what its name says."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePath

from knowledge.errors import UnreadableFile
from knowledge.parsing import docx, html, markdown, pdf, text
from knowledge.parsing.limits import Limits
from knowledge.types import ParsedDocument

Parser = Callable[[bytes, str, Limits], ParsedDocument]


@dataclass(frozen=True, slots=True)
class Format:
    """A format that is read. `holds` is what a zip of this format has inside; `is_text` where any text will do."""

    name: str
    endings: tuple[str, ...]
    parse: Parser
    holds: str = r"(?!)"
    is_text: bool = False


FORMATS = (
    Format("pdf", (".pdf",), pdf.parse),
    Format("docx", (".docx",), docx.parse, holds=r"word/document\d*\.xml"),
    Format("markdown", (".md", ".markdown"), markdown.parse, is_text=True),
    Format("html", (".html", ".htm", ".xhtml"), html.parse, is_text=True),
    Format("text", (".txt", ".text", ".log"), text.parse, is_text=True),
)
READABLE = tuple(ending for found in FORMATS for ending in found.endings)
_BY_NAME = {found.name: found for found in FORMATS}
_BY_ENDING = {ending: found for found in FORMATS for ending in found.endings}
_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")  # the stream that holds an OOXML file with a password
# What is known not to be text, so that nobody gets its bytes as words.
_FOREIGN = re.compile(
    rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|RIFF|II\*\x00|MM\x00\*|BM.{4}\x00{4}|\x1f\x8b|7z\xbc\xaf|Rar!|BZh\d1AY|\xfd7zXZ"
    rb"|\x7fELF|MZ.\x00|ID3|OggS|.{4}ftyp|PK\x05\x06|\x00asm|SQLite format 3|%!PS|wOF[F2]|\{\\rtf",
    re.S,
)
_HTML = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_HEAD = 4096


def recognise(name: str, data: bytes) -> Format:
    """The format of a file. Raises UnreadableFile: empty_file, unknown_format, not_what_name_says, needs_password,
    damaged."""
    ending = PurePath(name).suffix.lower()
    if not data.strip(b"\x00 \t\r\n"):
        raise UnreadableFile("empty_file")
    named = _BY_ENDING.get(ending)
    if data.startswith(b"%PDF-") or (b"%PDF-" in data[:1024] and (named is None or not named.is_text)):
        return _BY_NAME["pdf"]
    if data.startswith(_ZIP):
        return _in_zip(ending, data)
    if data.startswith(_OLE) and _ENCRYPTED in data:
        raise UnreadableFile("needs_password")
    if data.startswith(_OLE) or _FOREIGN.match(data) or (named is not None and not named.is_text):
        raise _refusal(ending)
    if _HTML.match(_opening(data)):
        return _BY_NAME["html"]
    if ending and named is None:
        raise _refusal(ending)
    return named or _BY_NAME["text"]


def _opening(data: bytes) -> str:
    """The first characters, read roughly."""
    head = data[:_HEAD]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "replace")
    return head.removeprefix(b"\xef\xbb\xbf").replace(b"\x00", b"").decode("latin-1")


def _in_zip(ending: str, data: bytes) -> Format:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise UnreadableFile("damaged") from None
    for found in FORMATS:
        if any(re.fullmatch(found.holds, inner) for inner in names):
            return found
    raise _refusal(ending)


def _refusal(ending: str) -> UnreadableFile:
    """For a file that is none of the formats: it belies its name, or its kind is not read."""
    code = "not_what_name_says" if ending in _BY_ENDING else "unknown_format"
    return UnreadableFile(code, ending=ending, formats=", ".join(READABLE))


def check_size(data: bytes, limits: Limits) -> None:
    """Raises UnreadableFile for a file that is too large, packed or unpacked. Reads no more than its directory."""
    if len(data) > limits.bytes:
        raise UnreadableFile("too_large", most=limits.bytes // 1024**2)
    if data.startswith(_ZIP):
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                unpacked = sum(part.file_size for part in archive.infolist())
        except (zipfile.BadZipFile, ValueError, NotImplementedError):
            raise UnreadableFile("damaged") from None
        if unpacked > limits.unpacked:
            raise UnreadableFile("too_large_unpacked", most=limits.unpacked // 1024**2)


def parse(data: bytes, name: str, limits: Limits) -> ParsedDocument:
    """The parsed document. Raises UnreadableFile; never returns one without text."""
    check_size(data, limits)
    found = recognise(name, data)
    parsed = found.parse(data, name, limits)
    if not any(char.isalnum() for block in parsed.blocks for char in block.text):
        raise _without_words(parsed)
    return replace(parsed, format=found.name)


def _without_words(parsed: ParsedDocument) -> UnreadableFile:
    reasons = {page.reason for page in parsed.pages if page.reason}
    code = "needs_ocr" if "no_text_layer" in reasons else "damaged" if reasons else "no_text"
    return UnreadableFile(code, pages=len(parsed.pages))
