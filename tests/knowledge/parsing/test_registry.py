"""A file is read as what it is, or refused with the reason."""

from __future__ import annotations

import io
import zipfile

import pytest

from knowledge.errors import UnreadableFile
from knowledge.parsing.limits import Limits
from knowledge.parsing.registry import READABLE, check_size, parse, recognise
from tests.knowledge.parsing.made import Pdf, docx, p

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 40
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600
LOCKED = OLE + "EncryptedPackage".encode("utf-16-le")


def _zip(**members: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("_", "."), data)
    return held.getvalue()


def _pdf() -> bytes:
    pdf = Pdf()
    pdf.page([(60, 100, "words")])
    return pdf.data()


READ = [
    ("a.pdf", _pdf(), "pdf"),
    ("a.txt", _pdf(), "pdf"),
    ("a", _pdf(), "pdf"),
    ("a.pdf", b"\r\n\r\n" + _pdf(), "pdf"),
    ("a.docx", docx(p("words")), "docx"),
    ("a.zip", docx(p("words")), "docx"),
    ("A.DOCX", docx(p("words")), "docx"),
    ("a.md", b"# words", "markdown"),
    ("a.md", b"A PDF begins with %PDF-1.7", "markdown"),
    ("a.txt", b"<p> is a tag", "text"),
    ("a.txt", b"\xef\xbb\xbf<!DOCTYPE html><p>words", "html"),
    ("a.txt", b"<!-- saved --><html><p>words", "html"),
    ("a", "<html><p>말".encode("utf-16"), "html"),
    ("a.html", b"<p>words", "html"),
    ("a", "보증 기간".encode("cp949"), "text"),
    ("보증.txt", "보증 기간".encode(), "text"),
    ("保証.log", "保証期間".encode("cp932"), "text"),
    ("保修.TXT", "保修期限".encode("gb18030"), "text"),
]


@pytest.mark.parametrize(("name", "data", "found"), READ)
def test_a_file_is_read_as_what_it_holds(name: str, data: bytes, found: str) -> None:
    assert recognise(name, data).name == found
    assert parse(data, name, Limits()).format == found


REFUSED = [
    ("a.pdf", b"", "empty_file"),
    ("a.txt", b"", "empty_file"),
    ("a.txt", b"\x00" * 100, "empty_file"),
    ("a.docx", PNG, "not_what_name_says"),
    ("a.txt", PNG, "not_what_name_says"),
    ("a.pdf", b"just words", "not_what_name_says"),
    ("a.docx", b"just words", "not_what_name_says"),
    ("a.docx", OLE, "not_what_name_says"),
    ("a.docx", LOCKED, "needs_password"),
    ("a.docx", _zip(a_zip=_zip(b_zip=b"x")), "not_what_name_says"),
    ("a.docx", docx(p("words"))[:200], "damaged"),
    ("a.docx", b"PK\x05\x06" + b"\x00" * 18, "not_what_name_says"),
    ("a.zip", _zip(a_zip=_zip(b_zip=b"x")), "unknown_format"),
    ("a.doc", OLE, "unknown_format"),
    ("a.png", PNG, "unknown_format"),
    ("a", PNG, "unknown_format"),
    ("a.exe", b"MZ\x90\x00", "unknown_format"),
    ("a.rtf", rb"{\rtf1 words}", "unknown_format"),
    ("a.hwp", b"HWP Document File", "unknown_format"),
]


@pytest.mark.parametrize(("name", "data", "code"), REFUSED)
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(name: str, data: bytes, code: str) -> None:
    with pytest.raises(UnreadableFile) as refusal:
        parse(data, name, Limits())
    assert refusal.value.code == code
    if code == "unknown_format":
        assert all(ending in str(refusal.value.params["formats"]) for ending in READABLE)
    if code == "not_what_name_says":
        assert refusal.value.params["ending"] == name[name.rindex(".") :]


def test_a_zip_with_a_password_needs_it() -> None:
    data = bytearray(docx(p("words")))
    for mark, at in (
        (b"PK\x03\x04", 6),
        (b"PK\x01\x02", 8),
    ):  # the flag of encryption, in both of a zip's headers
        start = data.find(mark)
        while start >= 0:
            data[start + at] |= 1
            start = data.find(mark, start + 1)
    with pytest.raises(UnreadableFile) as refusal:
        parse(bytes(data), "a.docx", Limits())
    assert refusal.value.code == "needs_password"


def test_a_file_that_swells_is_refused_before_it_is_unpacked() -> None:
    bomb = _zip(word_document_xml=b"<" + b" " * 30_000_000)
    assert len(bomb) < 100_000
    with pytest.raises(UnreadableFile) as refusal:
        check_size(bomb, Limits(unpacked=10_000_000))
    assert refusal.value.code == "too_large_unpacked"


def test_a_file_that_is_too_large_is_refused() -> None:
    with pytest.raises(UnreadableFile) as refusal:
        check_size(b"x" * 3_000_000, Limits(bytes=2 * 1024**2))
    assert (refusal.value.code, refusal.value.params) == ("too_large", {"most": 2})
