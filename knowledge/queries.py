"""Reads of knowledge, inside spaces that the caller has fetched with a right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Max, Q, QuerySet

from accounts.errors import Absent
from accounts.messages import sentence
from knowledge.files import PARSED, read_json
from knowledge.models import Chunk, Document, Space, Version, VersionState
from knowledge.parsing.codec import decode
from knowledge.types import PageBox, ParsedDocument

WORKING = (VersionState.QUEUED, VersionState.WORKING)
STEPS = ("parse", "chunk", "embed", "publish")
_AROUND = 700  # characters shown on either side of an opened passage


@dataclass(frozen=True, slots=True)
class SpaceRow:
    space: Space
    documents: int
    working: int
    failed: int


def space_counts(spaces: Iterable[Space]) -> list[SpaceRow]:
    """Spaces with how many documents they have, how many are being worked on, and how many failed last."""
    found = list(spaces)
    counted = {
        row["space_id"]: row
        for row in Version.objects.filter(space__in=found)
        .values("space_id")
        .annotate(
            documents=Count("document_id", distinct=True),
            working=Count("id", filter=Q(state__in=WORKING)),
            failed=Count("id", filter=Q(state=VersionState.FAILED)),
        )
    }
    empty = {"documents": 0, "working": 0, "failed": 0}
    return [
        SpaceRow(space, *(counted.get(space.id, empty)[name] for name in ("documents", "working", "failed")))
        for space in found
    ]


def documents_of(space: Space) -> QuerySet[Document]:
    return Document.objects.filter(space=space).select_related("space", "current").order_by("-id")


def get_document(space: Space, uid: UUID) -> Document:
    """Raises Absent."""
    found = documents_of(space).filter(uid=uid).first()
    if found is None:
        raise Absent
    return found


def versions_of(document: Document) -> QuerySet[Version]:
    return Version.objects.filter(document=document).select_related("space", "document").order_by("-number")


def latest_version(document: Document) -> Version:
    found = versions_of(document).first()
    if found is None:
        raise Absent
    return found


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document with its newest version: how far it is, and what went wrong in plain words."""

    document: Document
    version: Version

    @property
    def is_working(self) -> bool:
        return self.version.state in WORKING

    @property
    def percent(self) -> int:
        """Of the work done: parsing 10, chunking 20, embedding up to 95."""
        if self.version.state not in WORKING:
            return 100
        if self.version.step == "embed" and self.version.chunks:
            return 20 + round(75 * self.version.vectors / self.version.chunks)
        return {"parse": 5, "chunk": 12, "embed": 20, "publish": 96}.get(self.version.step, 100)

    @property
    def error(self) -> tuple[str, str] | None:
        """Title and advice of what went wrong, or of what holds it up."""
        if not self.version.error_code:
            return None
        return sentence(self.version.error_code, **self.version.error_params)

    @property
    def warnings(self) -> list[tuple[str, str]]:
        return [sentence(code) for code in self.version.warnings]


def document_rows(documents: Iterable[Document]) -> list[DocumentRow]:
    found = list(documents)
    newest = (
        Version.objects.filter(document__in=found)
        .values("document_id")
        .annotate(last=Max("id"))
        .values_list("last", flat=True)
    )
    versions = {
        v.document_id: v
        for v in Version.objects.filter(id__in=list(newest)).select_related("space", "document")
    }
    return [DocumentRow(document, versions[document.id]) for document in found if document.id in versions]


def chunks_of(document: Document) -> QuerySet[Chunk]:
    """The published chunks of a document, in order."""
    return Chunk.objects.filter(document=document).select_related("space").order_by("ordinal")


def read_parsed(version: Version) -> ParsedDocument | None:
    """The parsed text with its places; None before it was parsed."""
    raw = read_json(version, PARSED)
    return None if raw is None else decode(raw)


@dataclass(frozen=True, slots=True)
class OpenedPassage:
    """Characters [start, end) of a version's text, with what stands around them."""

    document: Document
    version: Version
    before: str
    quote: str
    after: str
    section: tuple[str, ...]
    boxes: tuple[PageBox, ...]
    is_current: bool

    @property
    def page(self) -> int | None:
        return self.boxes[0].page if self.boxes else None


def open_passage(space: Space, version_uid: UUID, start: str, end: str) -> OpenedPassage:
    """Raises Absent for an unknown version, or for what are no offsets of its text."""
    version = (
        Version.objects.filter(space=space, uid=version_uid)
        .select_related("document__current", "space")
        .first()
    )
    parsed = read_parsed(version) if version is not None else None
    if version is None or parsed is None or not (start.isdecimal() and end.isdecimal()):
        raise Absent
    first, last = int(start), int(end)
    text = parsed.text
    if not 0 <= first < last <= len(text):
        raise Absent
    document = version.document
    return OpenedPassage(
        document,
        version,
        _from_word(text[max(0, first - _AROUND) : first], first > _AROUND),
        text[first:last],
        text[last : last + _AROUND] + ("…" if last + _AROUND < len(text) else ""),
        *_place(parsed, first, last),
        is_current=document.current_id == version.id,
    )


def _from_word(text: str, is_cut: bool) -> str:
    if not is_cut:
        return text
    at = text.find(" ")
    return "…" + (text[at:] if 0 <= at < 40 else text)


def _place(parsed: ParsedDocument, start: int, end: int) -> tuple[tuple[str, ...], tuple[PageBox, ...]]:
    section: tuple[str, ...] = ()
    boxes: list[PageBox] = []
    for base, block in zip(parsed.starts, parsed.blocks, strict=True):
        if base >= end:
            break
        if base + len(block.text) <= start:
            continue
        section = section or block.section
        boxes += [
            PageBox(line.page, line.box)
            for line in block.lines
            if base + line.start < end and start < base + line.end
        ]
    return section, tuple(boxes)


def spaces_by_slug(spaces: QuerySet[Space], slugs: Sequence[str]) -> list[Space]:
    """In the order asked for. Raises Absent where one is missing."""
    found = {space.slug: space for space in spaces.filter(slug__in=slugs)}
    if len(found) < len(set(slugs)):
        raise Absent
    return [found[slug] for slug in dict.fromkeys(slugs)]
