"""PDF with a text layer, by PyMuPDF: page by page (`pdf_page`), without what runs over the pages (`running`), joined to
blocks (`paragraphs`)."""

from __future__ import annotations

import pymupdf

from knowledge.errors import UnreadableFile
from knowledge.parsing.limits import Limits
from knowledge.parsing.paragraphs import build
from knowledge.parsing.pdf_page import Page, raise_if_memory, read_page
from knowledge.parsing.running import drop_running
from knowledge.text.normalise import clean
from knowledge.types import PageRead, ParsedDocument

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)
pymupdf.no_recommend_layout()


def parse(data: bytes, name: str, limits: Limits, password: str = "") -> ParsedDocument:
    """The document. Raises UnreadableFile: damaged, needs_password, no_pages, too_many_pages. Pages without words are
    in `pages`; whether any words are there is for the caller to see."""
    with _open(data, limits, password) as document:
        pages = [_page(document, number) for number in range(1, document.page_count + 1)]
        outline = _outline(document)
        title = clean(str((document.metadata or {}).get("title") or "")).strip()
    kept = drop_running(pages)
    blocks, hyphens = build(kept, outline)
    drops = [drop for page in kept for drop in page.drops] + hyphens
    reads = tuple(page.read for page in pages)
    return ParsedDocument(blocks, reads, tuple(drops), title, warnings=_warnings(pages))


def _open(data: bytes, limits: Limits, password: str) -> pymupdf.Document:
    try:
        document = pymupdf.open(stream=data, filetype="pdf")
        if document.needs_pass and not (password and document.authenticate(password)):
            raise UnreadableFile("needs_password")
        count = document.page_count
    except (pymupdf.FileDataError, pymupdf.EmptyFileError, RuntimeError, ValueError) as error:
        raise_if_memory(error)
        raise UnreadableFile("damaged") from None
    if count > limits.pages:
        raise UnreadableFile("too_many_pages", pages=count, most=limits.pages)
    if not count:
        raise UnreadableFile(
            "damaged" if document.is_repaired and b"%%EOF" not in data[-2048:] else "no_pages"
        )
    return document


def _page(document: pymupdf.Document, number: int) -> Page:
    try:
        page = document[number - 1]
    except (RuntimeError, ValueError, IndexError) as error:
        raise_if_memory(error)
        return Page(PageRead(number, "failed", "damaged_page"), 0.0, 0.0)
    return read_page(page, number)


def _outline(document: pymupdf.Document) -> list[tuple[int, str, int]]:
    """(level, title, page) of the bookmarks; a broken outline is none."""
    try:
        return [(int(level), clean(title), int(page)) for level, title, page in document.get_toc(simple=True)]
    except (RuntimeError, ValueError, TypeError, IndexError):
        return []


def _warnings(pages: list[Page]) -> tuple[str, ...]:
    found = []
    if any(page.read.how == "empty" and page.read.reason for page in pages):
        found.append("pages_without_text")
    if any(page.read.how == "failed" for page in pages):
        found.append("pages_failed")
    return tuple(found)
