"""From a file to chunks: parse, chunk, embed, publish. Each step is bounded, leaves its result sealed for the next
one, and may be done again from its beginning without harm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.keys import scope_keys
from knowledge.backends import embedder
from knowledge.errors import StepFailed
from knowledge.files import DRAFTS, ORIGINAL, PARSED, drop_files, keep_json, read_file, read_json
from knowledge.index import BlindTerms, blind, count_chunks
from knowledge.models import (
    Chunk,
    Document,
    StagedVector,
    StoredFile,
    Vector,
    VectorSet,
    Version,
    VersionState,
)
from knowledge.parsing.codec import decode, decode_lines, encode, encode_lines
from knowledge.parsing.limits import Limits
from knowledge.parsing.sandbox import parse_in_child
from knowledge.steps.head import head, with_head
from knowledge.steps.split import split
from knowledge.types import ChunkDraft, ChunkKind
from knowledge.vectors import ensure_set, passage_vectors

EMBED_STEP = 64  # chunks embedded in one step of a job


@dataclass(frozen=True, slots=True)
class Draft:
    """A chunk with the header that stands before it when it is embedded."""

    chunk: ChunkDraft
    header: str

    @property
    def embedded(self) -> str:
        return with_head(self.header, self.chunk.text)


def run_step(version: Version) -> bool:
    """Do the version's next step; True where there is another one. Raises UnreadableFile, BackendDown, StepFailed."""
    acts = {"parse": parse, "chunk": chunk, "embed": embed, "publish": publish}
    if version.step not in acts:
        return False
    acts[version.step](version)
    return version.step in acts


def _go_to(version: Version, step: str, **fields: Any) -> None:
    """Write down the next step, unless the version was cancelled meanwhile."""
    fields = {"step": step, "state": VersionState.WORKING, **fields}
    for name, value in fields.items():
        setattr(version, name, value)
    changed = Version.objects.filter(id=version.id).exclude(state=VersionState.CANCELLED).update(**fields)
    if not changed:
        raise StepFailed("cancelled")


def parse(version: Version) -> None:
    data = read_file(version, ORIGINAL)
    if data is None:
        raise StepFailed("original_missing")
    limits = Limits(
        bytes=settings.MAX_UPLOAD_BYTES,
        pages=settings.MAX_PAGES,
        seconds=settings.PARSE_SECONDS,
        memory=settings.PARSE_MEMORY_BYTES,
    )
    parsed = parse_in_child(data, version.document.filename, limits)
    keep_json(version, PARSED, encode(parsed))
    _go_to(
        version,
        "chunk",
        format=parsed.format,
        encoding=parsed.encoding,
        pages=len(parsed.pages),
        pages_unread=[
            page.page
            for page in parsed.pages
            if page.how == "failed" or (page.how == "empty" and page.reason)
        ],
        characters=len(parsed.text),
        warnings=list(parsed.warnings),
    )


def chunk(version: Version) -> None:
    raw = read_json(version, PARSED)
    if raw is None:
        raise StepFailed("parsed_missing")
    space, title = version.space, version.document.title
    drafts = split(decode(raw), target=space.chunk_tokens, overlap=space.overlap_tokens)
    keep_json(version, DRAFTS, [_encode(draft, head(title, draft.section, draft.tokens)) for draft in drafts])
    _go_to(version, "embed", chunks=len(drafts), vectors=0)


def _encode(draft: ChunkDraft, header: str) -> list[Any]:
    lines = encode_lines(draft.lines)
    return [
        draft.start,
        draft.end,
        draft.text,
        draft.kind.value,
        list(draft.section),
        lines,
        draft.tokens,
        header,
    ]


def read_drafts(version: Version) -> list[Draft]:
    rows = read_json(version, DRAFTS)
    if rows is None:
        raise StepFailed("drafts_missing")
    return [
        Draft(
            ChunkDraft(
                ordinal, start, end, text, ChunkKind(kind), tuple(section), decode_lines(lines), tokens
            ),
            header,
        )
        for ordinal, (start, end, text, kind, section, lines, tokens, header) in enumerate(rows)
    ]


def _content_keys(version: Version, found: VectorSet, drafts: list[Draft]) -> list[bytes]:
    keys = scope_keys("space", version.space_id)
    return [keys.hash(f"vector:{found.model}:{draft.embedded}".encode(), size=16) for draft in drafts]


def embed(version: Version) -> None:
    """Embed the next chunks whose content has no vector yet, in this space and set."""
    drafts = read_drafts(version)
    found = ensure_set(version.space, embedder())
    keys = _content_keys(version, found, drafts)
    have = _known_keys(version, found, keys)
    missing = {key: draft for key, draft in zip(keys, drafts, strict=True) if key not in have}
    todo = list(missing.items())[:EMBED_STEP]
    if todo:
        raw = embedder().embed_passages([draft.embedded for _key, draft in todo])
        try:
            vectors = passage_vectors(found, raw)
        except ValueError:
            raise StepFailed("dimension_changed") from None
        rows = [
            StagedVector(set=found, version=version, content_key=key, embedding=vector)
            for (key, _draft), vector in zip(todo, vectors, strict=True)
        ]
        StagedVector.objects.bulk_create(rows, ignore_conflicts=True)
    is_done = len(todo) == len(missing)
    _go_to(version, "publish" if is_done else "embed", vectors=len(drafts) - len(missing) + len(todo))


def _known_keys(version: Version, found: VectorSet, keys: list[bytes]) -> set[bytes]:
    wanted = list(set(keys))
    staged = StagedVector.objects.filter(set=found, version=version, content_key__in=wanted)
    published = Vector.objects.filter(set=found, content_key__in=wanted)
    return {bytes(key) for rows in (staged, published) for key in rows.values_list("content_key", flat=True)}


def publish(version: Version) -> None:
    """In one transaction: the old version's chunks go, this one's come, and readers see the one or the other."""
    drafts = read_drafts(version)
    found = ensure_set(version.space, embedder())
    keys = _content_keys(version, found, drafts)
    scope = scope_keys("space", version.space_id)
    title = version.document.title
    terms = [blind(scope, draft.chunk.text, title, " ".join(draft.chunk.section)) for draft in drafts]
    with transaction.atomic():
        document = Document.objects.select_for_update().get(id=version.document_id)
        Version.objects.select_for_update().get(id=version.id)
        by_key = _vectors_by_key(version, found, keys)
        if len(by_key) < len(set(keys)):  # another version that held them was deleted meanwhile
            _go_to(version, "embed")
            return
        newest = Version.objects.filter(
            document=document, number__gt=version.number, state__in=_DONE
        ).exists()
        if not newest:
            remove_chunks(document)
            rows = _insert_chunks(version, drafts, terms)
            Vector.objects.bulk_create(
                [
                    Vector(set=found, chunk=row, content_key=key, embedding=by_key[key])
                    for row, key in zip(rows, keys, strict=True)
                ],
                batch_size=500,
            )
            count_chunks(version.space_id, ((one.terms, one.length) for one in terms), 1)
            Document.objects.filter(id=document.id).update(current=version, updated_at=timezone.now())
        StagedVector.objects.filter(version=version).delete()
        drafts_files = StoredFile.objects.filter(version=version, purpose=DRAFTS)
        drop_files(list(drafts_files.values_list("key", flat=True)))
        drafts_files.delete()
        state = VersionState.PARTIAL if version.pages_unread else VersionState.READY
        _go_to(version, "done", state=state, finished_at=timezone.now(), error_code="", vectors=len(drafts))


_DONE = (VersionState.READY, VersionState.PARTIAL)


def _vectors_by_key(version: Version, found: VectorSet, keys: list[bytes]) -> dict[bytes, Any]:
    wanted = list(set(keys))
    published = Vector.objects.filter(set=found, content_key__in=wanted)
    staged = StagedVector.objects.filter(set=found, version=version, content_key__in=wanted)
    return {
        bytes(key): vector
        for rows in (published, staged)
        for key, vector in rows.values_list("content_key", "embedding")
    }


def _insert_chunks(version: Version, drafts: list[Draft], terms: list[BlindTerms]) -> list[Chunk]:
    rows = []
    for draft, one in zip(drafts, terms, strict=True):
        row = Chunk(
            space_id=version.space_id,
            document_id=version.document_id,
            version=version,
            ordinal=draft.chunk.ordinal,
            start=draft.chunk.start,
            end=draft.chunk.end,
            kind=draft.chunk.kind.value,
            lines=encode_lines(draft.chunk.lines),
            tokens=draft.chunk.tokens,
            length=one.length,
            terms=one.terms,
            counts=one.counts,
        )
        row.text, row.section = draft.chunk.text, list(draft.chunk.section)
        rows.append(row)
    return Chunk.objects.bulk_create(rows, batch_size=500)


def remove_chunks(document: Document) -> None:
    """Take a document's published chunks out of the index: rows, vectors (by cascade) and term counts."""
    held = Chunk.objects.filter(document=document)
    count_chunks(document.space_id, held.values_list("terms", "length"), -1)
    held.delete()
