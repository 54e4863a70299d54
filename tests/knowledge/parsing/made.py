"""Files made for tests: PDFs drawn line by line, DOCX from pieces of XML."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence

import pymupdf

from knowledge.parsing.limits import Limits
from knowledge.parsing.registry import parse
from knowledge.types import Block, BlockKind, ParsedDocument

FONTS = {"ko": "korea", "ja": "japan", "zh": "china-s"}
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_NAMES = (
    f'xmlns:w="{W}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    ' xmlns:wps="urn:wps" xmlns:v="urn:schemas-microsoft-com:vml"'
)


def read(data: bytes, name: str) -> ParsedDocument:
    return parse(data, name, Limits())


def texts(parsed: ParsedDocument, kind: BlockKind | None = None) -> list[str]:
    return [block.text for block in parsed.blocks if kind is None or block.kind is kind]


def block_with(parsed: ParsedDocument, words: str) -> Block:
    (found,) = (block for block in parsed.blocks if words in block.text)
    return found


class Pdf:
    """A PDF under the pen. Lines are (x, y, words) or (x, y, words, size)."""

    def __init__(self) -> None:
        self.document = pymupdf.open()

    def page(
        self,
        lines: Iterable[tuple[object, ...]] = (),
        *,
        font: str = "helv",
        width: float = 595,
        height: float = 842,
        rotation: int = 0,
    ) -> pymupdf.Page:
        page = self.document.new_page(width=width, height=height)
        for x, y, words, *size in lines:
            page.insert_text((x, y), words, fontname=font, fontsize=size[0] if size else 11)
        page.set_rotation(rotation)
        return page

    def data(self, **options: object) -> bytes:
        return self.document.tobytes(**options)

    def read(self) -> ParsedDocument:
        return read(self.data(), "made.pdf")


def paragraph(
    x: float, y: float, lines: Sequence[str], leading: float = 14
) -> list[tuple[float, float, str]]:
    return [(x, y + leading * index, line) for index, line in enumerate(lines)]


def draw_table(
    page: pymupdf.Page,
    rows: Sequence[Sequence[str]],
    *,
    x: float = 60,
    y: float = 100,
    widths: Sequence[float] = (120, 120),
    height: float = 22,
    font: str = "helv",
) -> None:
    """A ruled table; an empty string leaves its cell open."""
    edges = [x]
    for width in widths:
        edges.append(edges[-1] + width)
    bottom = y + height * len(rows)
    for at in range(len(rows) + 1):
        page.draw_line((x, y + at * height), (edges[-1], y + at * height))
    for edge in edges:
        page.draw_line((edge, y), (edge, bottom))
    for at, row in enumerate(rows):
        for left, words in zip(edges, row, strict=False):
            page.insert_text((left + 4, y + at * height + 15), words, fontname=font, fontsize=10)


def scan(page: pymupdf.Page) -> None:
    """Fill the page with a picture, as a scanner does."""
    pixels = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 60, 80), False)
    pixels.clear_with(200)
    page.insert_image(page.rect, pixmap=pixels)


def docx(
    body: str,
    parts: Mapping[str, str] | None = None,
    *,
    main: str = "word/document.xml",
    namespace: str = W,
    prologue: str = "",
) -> bytes:
    """A DOCX of the XML of a body; `parts` are other parts by name, with NAMES where their namespaces go."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        document = f"{prologue}<w:document {_NAMES}><w:body>{body}</w:body></w:document>"
        archive.writestr(main, document.replace(W, namespace))
        for name, inside in (parts or {}).items():
            archive.writestr(name, inside.replace("NAMES", _NAMES))
    return held.getvalue()


def p(words: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{run(words)}</w:p>"


def run(words: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>'


def table(*rows: Sequence[str]) -> str:
    """Cells are words, or XML that begins with "<"."""
    return "<w:tbl>" + "".join(f"<w:tr>{''.join(map(cell, row))}</w:tr>" for row in rows) + "</w:tbl>"


def cell(inside: str, properties: str = "") -> str:
    if inside.startswith("<w:tc>"):
        return inside
    content = inside if inside.startswith("<") else p(inside)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>"
