"""The values that flow through both pipelines: frozen, plain, no Django.

Offsets are Unicode code points, end exclusive. Pages count from 1. Boxes are (x0, y0, x1, y1) in PDF points
(1/72 inch), origin at the top left of the page as displayed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from uuid import UUID

Box = tuple[float, float, float, float]

BLOCK_SEPARATOR = "\n\n"


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    FIGURE = "figure"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Line:
    """Where the characters [start, end) of a block's text stand: a page, and a box on it."""

    start: int
    end: int
    page: int
    box: Box


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a parsed document in reading order.

    `section` holds the headings above it, outermost first (a heading's own text is not in its own section).
    `lines` is empty where the format has no pages. A table's text is one line per row, header names repeated
    ("Plan: Starter; Price: $49"); `rows` keeps the cells, the header row first where `has_header`.
    """

    kind: BlockKind
    text: str
    level: int = 0
    section: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    has_header: bool = False

    @property
    def page(self) -> int | None:
        return self.lines[0].page if self.lines else None


@dataclass(frozen=True, slots=True)
class Drop:
    """What a parser left out on purpose: `reason` is running_header, running_footer, page_number, hyphen,
    deleted_revision, hidden, script, boilerplate; `characters` how many; `page` where, if there are pages."""

    reason: str
    characters: int
    page: int | None = None


@dataclass(frozen=True, slots=True)
class PageRead:
    """How one page was read: text, ocr, vision, empty or failed; `reason` says why where it was not text."""

    page: int
    how: str
    reason: str = ""
    width: float = 0.0
    height: float = 0.0


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn, not typed, and is to be looked at: `why` is scan (a whole page without usable text), drawing,
    photo, montage or embedded.

    A picture of a page has its `page` and `box` (a scan: the whole page). One that lies in the file as a file of its
    own has its name in `part`, for the parser's `extract`. What is read in it stands behind the block `after`, -1 for
    before all.
    """

    why: str
    after: int
    page: int = 0
    box: Box | None = None
    part: str = ""


@dataclass(frozen=True, slots=True)
class PassedOver:
    """Pictures that are not looked at: `reason` is repeated, small, thin, table, background or unknown_format; `count`
    how many, on `page` where there are pages."""

    reason: str
    count: int
    page: int | None = None


@dataclass(frozen=True)
class ParsedDocument:
    """What a parser returns. `text` is the blocks' texts joined by a blank line; chunks are spans of it."""

    blocks: tuple[Block, ...]
    pages: tuple[PageRead, ...] = ()
    drops: tuple[Drop, ...] = ()
    title: str = ""
    format: str = ""
    encoding: str = ""
    warnings: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()

    @cached_property
    def text(self) -> str:
        return BLOCK_SEPARATOR.join(block.text for block in self.blocks)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Offset of each block's first character in `text`."""
        starts, at = [], 0
        for block in self.blocks:
            starts.append(at)
            at += len(block.text) + len(BLOCK_SEPARATOR)
        return tuple(starts)


class ChunkKind(StrEnum):
    BODY = "body"
    TABLE = "table"
    FIGURE = "figure"


@dataclass(frozen=True, slots=True)
class PageBox:
    page: int
    box: Box


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A chunk before it is stored: characters [start, end) of ParsedDocument.text, and where they stand."""

    ordinal: int
    start: int
    end: int
    text: str
    kind: ChunkKind
    section: tuple[str, ...]
    lines: tuple[Line, ...]  # offsets relative to the chunk's own text
    tokens: int  # the splitter's estimate


@dataclass(frozen=True, slots=True)
class Baseline:
    """Distribution of the distance between questions and passages that have nothing to do with each other,
    measured with one model on one space. Distances are cosine distances of centred vectors, 0 to 2."""

    mean: float
    deviation: float
    samples: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk found by one of the searches, before decryption: only numbers and ids."""

    chunk: int
    document: int
    distance: float | None = None  # cosine distance, None where only words found it
    lexical: float = 0.0  # sum of term weights found, 0 where only vectors found it


@dataclass(frozen=True, slots=True)
class Passage:
    """A found chunk, decrypted: what a reader may open and an answer may quote."""

    id: UUID
    space: UUID
    document: UUID
    version: UUID
    version_number: int
    title: str
    text: str
    start: int
    end: int
    section: tuple[str, ...] = ()
    kind: ChunkKind = ChunkKind.BODY
    lines: tuple[Line, ...] = ()
    distance: float | None = None
    score: float = 0.0
    pinned: bool = False
    why: tuple[str, ...] = ()  # dense, lexical, literal
    external_id: str = ""

    @property
    def pages(self) -> tuple[int, ...]:
        return tuple(sorted({line.page for line in self.lines}))

    def boxes(self, start: int, end: int) -> tuple[PageBox, ...]:
        """The boxes of the lines that hold characters [start, end) of this passage's text."""
        return tuple(
            PageBox(line.page, line.box) for line in self.lines if line.start < end and start < line.end
        )


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One line of a trace: what a step saw and did, and how long it took. `detail` is JSON-ready."""

    name: str
    ms: float
    detail: Mapping[str, object] = field(default_factory=dict)


Nearness = Callable[[Sequence[str]], Sequence[float]]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search hands over: passages in order, the unrelated baseline, and the trace. `nearness` measures texts
    against the question: their cosine similarities, centred as the passages are; it waits for the embedder and raises
    BackendDown."""

    passages: tuple[Passage, ...]
    baseline: Baseline | None
    trace: tuple[TraceStep, ...] = ()
    rarities: Mapping[str, float] = field(default_factory=dict)  # weight of each term of the question
    nearness: Nearness | None = None

    def __iter__(self) -> Iterator[Passage]:
        return iter(self.passages)


Sections = Sequence[str]
