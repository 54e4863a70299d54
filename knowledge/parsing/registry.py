"""Which parser reads a file: by what it holds, not by what its name says."""

from __future__ import annotations

import io
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
    name: str
    endings: tuple[str, ...]
    parse: Parser


FORMATS = (
    Format("pdf", (".pdf",), pdf.parse),
    Format("docx", (".docx",), docx.parse),
    Format("markdown", (".md", ".markdown"), markdown.parse),
    Format("html", (".html", ".htm", ".xhtml"), html.parse),
    Format("text", (".txt", ".text", ".log"), text.parse),
)
READABLE = tuple(ending for found in FORMATS for ending in found.endings)
_BY_NAME = {found.name: found for found in FORMATS}
_BY_ENDING = {ending: found for found in FORMATS for ending in found.endings}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# What is known not to be text, so that nobody gets its bytes as words.
_FOREIGN = (
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"RIFF",
    b"II*\x00",
    b"MM\x00*",
    b"\x1f\x8b",
    b"7z\xbc\xaf",
    b"Rar!",
    b"\x7fELF",
    b"MZ",
)
_HTML_HEADS = ("<!doctype html", "<html", "<head", "<body")


def recognise(name: str, data: bytes) -> Format:
    """The format of a file. Raises UnreadableFile: empty_file, unknown_format, not_what_name_says, needs_password."""
    ending = PurePath(name).suffix.lower()
    if not data:
        raise UnreadableFile("empty_file")
    head = data[:1024].lstrip()
    if head.startswith(b"%PDF-") or b"%PDF-" in data[:1024]:
        return _BY_NAME["pdf"]
    if data.startswith(b"PK\x03\x04"):
        return _in_zip(ending, data)
    if data.startswith(_OLE):
        raise UnreadableFile(
            "needs_password" if b"E\x00n\x00c\x00r\x00y\x00p\x00t" in data else "unknown_format",
            formats=_readable(),
        )
    if ending in {".pdf", ".docx"}:
        raise UnreadableFile("not_what_name_says", ending=ending)
    if data.startswith(_FOREIGN):
        raise UnreadableFile("unknown_format", formats=_readable())
    if head[:200].decode("latin-1").lower().startswith(_HTML_HEADS):
        return _BY_NAME["html"]
    if ending and ending not in _BY_ENDING:
        raise UnreadableFile("unknown_format", formats=_readable())
    return _BY_ENDING.get(ending, _BY_NAME["text"])


def _in_zip(ending: str, data: bytes) -> Format:
    try:
        names = set(zipfile.ZipFile(io.BytesIO(data)).namelist())
    except zipfile.BadZipFile:
        raise UnreadableFile("damaged") from None
    if "word/document.xml" in names:
        return _BY_NAME["docx"]
    raise UnreadableFile(
        "not_what_name_says" if ending in _BY_ENDING else "unknown_format", ending=ending, formats=_readable()
    )


def _readable() -> str:
    return ", ".join(READABLE)


def check_size(data: bytes, limits: Limits) -> None:
    """Raises UnreadableFile for a file that is too large, packed or unpacked. Reads no more than its directory."""
    if len(data) > limits.bytes:
        raise UnreadableFile("too_large", most=limits.bytes // 1024**2)
    if data.startswith(b"PK\x03\x04"):
        try:
            unpacked = sum(part.file_size for part in zipfile.ZipFile(io.BytesIO(data)).infolist())
        except zipfile.BadZipFile:
            raise UnreadableFile("damaged") from None
        if unpacked > limits.unpacked:
            raise UnreadableFile("too_large_unpacked", most=limits.unpacked // 1024**2)


def parse(data: bytes, name: str, limits: Limits) -> ParsedDocument:
    """The parsed document. Raises UnreadableFile; never returns one without text."""
    check_size(data, limits)
    found = recognise(name, data)
    parsed = found.parse(data, name, limits)
    if not any(block.text.strip() for block in parsed.blocks):
        raise UnreadableFile(
            "needs_ocr" if any(page.reason for page in parsed.pages) else "no_text", pages=len(parsed.pages)
        )
    return replace(parsed, format=found.name)
