"""ParsedDocument to JSON-ready values and back: how a parser's child answers, and how the result is kept, sealed."""

from __future__ import annotations

from typing import Any

from knowledge.types import Block, BlockKind, Drop, Line, PageRead, ParsedDocument, PassedOver, Picture


def encode(parsed: ParsedDocument) -> dict[str, Any]:
    return {
        "blocks": [_block(block) for block in parsed.blocks],
        "pages": [[page.page, page.how, page.reason, page.width, page.height] for page in parsed.pages],
        "drops": [[drop.reason, drop.characters, drop.page] for drop in parsed.drops],
        "title": parsed.title,
        "format": parsed.format,
        "encoding": parsed.encoding,
        "warnings": list(parsed.warnings),
        "pictures": [[one.why, one.after, one.page, one.box, one.part] for one in parsed.pictures],
        "passed_over": [[one.reason, one.count, one.page] for one in parsed.passed_over],
    }


def _block(block: Block) -> dict[str, Any]:
    return {
        "k": block.kind.value,
        "t": block.text,
        "l": block.level,
        "s": list(block.section),
        "b": encode_lines(block.lines),
        "r": [list(row) for row in block.rows],
        "h": block.has_header,
    }


def encode_lines(lines: tuple[Line, ...]) -> list[list[float]]:
    """[start, end, page, x0, y0, x1, y1], boxes to a tenth of a point."""
    return [[line.start, line.end, line.page, *(round(side, 1) for side in line.box)] for line in lines]


def decode_lines(rows: list[list[float]]) -> tuple[Line, ...]:
    return tuple(Line(int(r[0]), int(r[1]), int(r[2]), (r[3], r[4], r[5], r[6])) for r in rows)


def decode(value: dict[str, Any]) -> ParsedDocument:
    """Raises KeyError, TypeError, IndexError or ValueError for anything that `encode` did not make."""
    return ParsedDocument(
        blocks=tuple(
            Block(
                BlockKind(row["k"]),
                str(row["t"]),
                int(row["l"]),
                tuple(row["s"]),
                decode_lines(row["b"]),
                tuple(tuple(cells) for cells in row["r"]),
                bool(row["h"]),
            )
            for row in value["blocks"]
        ),
        pages=tuple(PageRead(*row) for row in value["pages"]),
        drops=tuple(Drop(*row) for row in value["drops"]),
        title=str(value["title"]),
        format=str(value["format"]),
        encoding=str(value["encoding"]),
        warnings=tuple(value["warnings"]),
        pictures=tuple(_picture(*row) for row in value.get("pictures", ())),
        passed_over=tuple(PassedOver(*row) for row in value.get("passed_over", ())),
    )


def _picture(why: str, after: int, page: int, box: list[float] | None, part: str) -> Picture:
    return Picture(why, after, page, None if box is None else (box[0], box[1], box[2], box[3]), part)
