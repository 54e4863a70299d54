"""From a file to chunks: parse, chunk, embed, publish. Each step is bounded, leaves its result sealed for the next
one, and may be done again from its beginning without harm. A step that ends finds the version where it took it up, or
changes nothing (Overtaken): two workers on one version, a cancellation or a deletion do no harm either."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.keys import scope_keys
from knowledge.backends import embedder
from knowledge.embedding import Embedder, Vectors
from knowledge.errors import Overtaken, StepFailed, UnreadableFile
from knowledge.files import DRAFTS, ORIGINAL, PARSED, drop_drafts, keep_json, read_file, read_json
from knowledge.index import BlindTerms, blind, count_chunks
from knowledge.models import (
    Chunk,
    Document,
    StagedVector,
    Vector,
    VectorSet,
    Version,
    VersionState,
)
from knowledge.parsing.codec import decode, decode_lines, encode, encode_lines
from knowledge.parsing.limits import Limits
from knowledge.parsing.sandbox import parse_in_child
from knowledge.steps.head import head, titles_said, with_head
from knowledge.steps.split import split
from knowledge.types import ChunkDraft, ChunkKind, ParsedDocument
from knowledge.vectors import ensure_set, passage_vectors, serving_set

EMBED_BATCH = 64  # chunks embedded between two writes
EMBED_SECONDS = 5.0  # of one step: the drafts are read, unsealed and hashed anew in each
OPEN_STATES = (VersionState.QUEUED, VersionState.WORKING)
_DONE = (VersionState.READY, VersionState.PARTIAL)


@dataclass(frozen=True, slots=True)
class Draft:
    """A chunk with the header that stands before it when it is embedded."""

    chunk: ChunkDraft
    header: str

    @property
    def embedded(self) -> str:
        return with_head(self.header, self.chunk.text)


class _Carried:
    """What a step made, in the memory of the row that it was made for: a worker that goes on with the same row spares
    itself the reading. Another one has the files, or makes it again."""

    def keep(self, version: Version, name: str, value: Any) -> None:
        version.__dict__[f"_carried_{name}"] = value

    def has(self, version: Version, name: str) -> bool:
        return f"_carried_{name}" in version.__dict__

    def take(self, version: Version, name: str) -> Any:
        return version.__dict__.pop(f"_carried_{name}", None)


_carried = _Carried()


def run_step(version: Version) -> bool:
    """Do the version's next step; True where there is another one. Raises UnreadableFile, BackendDown, StepFailed,
    Overtaken."""
    acts = {"parse": parse, "chunk": chunk, "embed": embed, "publish": publish}
    if version.step not in acts:
        return False
    acts[version.step](version)
    return version.step in acts


def carries_on(version: Version) -> bool:
    """Whether the next step needs what stands nowhere yet: it is to be done by the same worker, at once."""
    return _carried.has(version, "vectors")


def _go_to(version: Version, step: str, **fields: Any) -> None:
    """Write down the next step. Raises Overtaken where the version is not at the step that was done."""
    fields = {"step": step, "state": VersionState.WORKING, "error_code": "", **fields}
    here = Version.objects.filter(id=version.id, step=version.step, state__in=OPEN_STATES)
    if not here.update(**fields):
        raise Overtaken
    for name, value in fields.items():
        setattr(version, name, value)


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
    _carried.keep(version, "parsed", parsed)
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
    drafts = _split(version, _carried.take(version, "parsed"))
    if not drafts:
        raise UnreadableFile("no_text")
    if len(drafts) > EMBED_BATCH:  # fewer are split again sooner than they are sealed and read
        keep_json(version, DRAFTS, [_encode(draft.chunk, draft.header) for draft in drafts])
    _carried.keep(version, "drafts", drafts)
    _go_to(version, "embed", chunks=len(drafts), vectors=0)


def _split(version: Version, parsed: ParsedDocument | None) -> list[Draft]:
    if parsed is None:
        raw = read_json(version, PARSED)
        if raw is None:
            raise StepFailed("parsed_missing")
        parsed = decode(raw)
    space, title = version.space, version.document.title
    drafts = split(parsed, target=space.chunk_tokens, overlap=space.overlap_tokens)
    return [Draft(draft, head(title, draft.section, draft.tokens)) for draft in drafts]


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
    """What the chunk step made: carried along, kept in a file where there are many, or made again."""
    carried: list[Draft] | None = _carried.take(version, "drafts")
    if carried is None:
        rows = read_json(version, DRAFTS) if version.chunks > EMBED_BATCH else None
        carried = _split(version, None) if rows is None else _decode(rows)
    _carried.keep(version, "drafts", carried)
    return carried


def _decode(rows: list[Any]) -> list[Draft]:
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
    keys = scope_keys("space", version.space_id, create=False)
    return [keys.hash(f"vector:{found.model}:{draft.embedded}".encode(), size=16) for draft in drafts]


def embed(version: Version) -> None:
    """Embed the next chunks whose content has no vector yet, in this space and set. The vectors of a last batch are
    carried to the publishing; those of the batches before it are kept until then."""
    drafts = read_drafts(version)
    model = embedder()
    found = _set_of(version, model)
    keys = _content_keys(version, found, drafts)
    have = _known_keys(version, found, keys)
    missing = {key: draft for key, draft in zip(keys, drafts, strict=True) if key not in have}
    todo, ends = list(missing.items()), time.monotonic() + EMBED_SECONDS
    while len(todo) > EMBED_BATCH and time.monotonic() < ends:
        batch, todo = todo[:EMBED_BATCH], todo[EMBED_BATCH:]
        _stage(version, found, _embedded(found, model, batch))
        _go_to(version, "embed", vectors=len(drafts) - len(todo))
    if len(todo) <= EMBED_BATCH:
        _carried.keep(version, "vectors", _embedded(found, model, todo))
        _go_to(version, "publish", vectors=len(drafts))


def _set_of(version: Version, model: Embedder) -> VectorSet:
    """The space's set. Raises StepFailed where it is another model's: their vectors cannot be compared."""
    found = ensure_set(version.space, model)
    if found.model != model.model:
        raise StepFailed("model_changed")
    return found


def _embedded(found: VectorSet, model: Embedder, batch: list[tuple[bytes, Draft]]) -> dict[bytes, Vectors]:
    """The vectors of some chunks by their content's key, as they are stored."""
    if not batch:
        return {}
    raw = model.embed_passages([draft.embedded for _key, draft in batch])
    try:
        vectors = passage_vectors(found, raw)
    except ValueError:
        raise StepFailed("dimension_changed") from None
    return {key: vector for (key, _draft), vector in zip(batch, vectors, strict=True)}


def _stage(version: Version, found: VectorSet, made: dict[bytes, Vectors]) -> None:
    rows = [
        StagedVector(set=found, version=version, content_key=key, embedding=vector)
        for key, vector in made.items()
    ]
    StagedVector.objects.bulk_create(rows, ignore_conflicts=True)


def _known_keys(version: Version, found: VectorSet, keys: list[bytes]) -> set[bytes]:
    wanted = list(set(keys))
    staged = StagedVector.objects.filter(set=found, version=version, content_key__in=wanted)
    published = Vector.objects.filter(set=found, content_key__in=wanted)
    return {bytes(key) for rows in (staged, published) for key in rows.values_list("content_key", flat=True)}


def publish(version: Version) -> None:
    """In one transaction: the old version's chunks go, this one's come, and readers see the one or the other."""
    drafts = read_drafts(version)
    made: dict[bytes, Vectors] = _carried.take(version, "vectors") or {}
    found = serving_set(version.space_id)
    if found is None:
        _go_to(version, "embed")
        return
    keys = _content_keys(version, found, drafts)
    scope = scope_keys("space", version.space_id, create=False)
    titles = titles_said(version.document.title)
    terms = [blind(scope, draft.chunk.text, *titles, " ".join(draft.chunk.section)) for draft in drafts]
    with transaction.atomic():
        _lock(version)
        by_key = made | _vectors_by_key(version, found, set(keys) - set(made))
        if len(by_key) < len(set(keys)):  # another version that held them was deleted meanwhile
            _go_to(version, "embed")
            return
        if not _is_outdated(version):
            _replace(version, found, drafts, terms, [by_key[key] for key in keys], keys)
        StagedVector.objects.filter(version=version).delete()
        state = VersionState.PARTIAL if version.pages_unread else VersionState.READY
        _go_to(version, "done", state=state, finished_at=timezone.now(), vectors=len(drafts))
    if len(drafts) > EMBED_BATCH:
        drop_drafts(version)


def _lock(version: Version) -> None:
    """One change of a document at a time: its row, then the version's. Raises Overtaken where one is gone, or the
    version is not waiting to be published."""
    documents = Document.objects.select_for_update(no_key=True).filter(id=version.document_id)
    here = Version.objects.select_for_update(no_key=True).filter(
        id=version.id, step=version.step, state__in=OPEN_STATES
    )
    if not documents or not here:
        raise Overtaken


def _is_outdated(version: Version) -> bool:
    """Whether a later version of the document was published before this one came to it."""
    later = Version.objects.filter(document_id=version.document_id, number__gt=version.number)
    return later.filter(state__in=_DONE).exists()


def _replace(
    version: Version,
    found: VectorSet,
    drafts: list[Draft],
    terms: list[BlindTerms],
    vectors: list[Any],
    keys: list[bytes],
) -> None:
    held = Chunk.objects.filter(document_id=version.document_id)
    removed = list(held.values_list("terms", "length"))
    held.delete()
    rows = _insert_chunks(version, drafts, terms)
    Vector.objects.bulk_create(
        [
            Vector(set=found, chunk=row, content_key=key, embedding=vector)
            for row, key, vector in zip(rows, keys, vectors, strict=True)
        ],
        batch_size=500,
    )
    Document.objects.filter(id=version.document_id).update(current=version, updated_at=timezone.now())
    count_chunks(version.space_id, added=[(one.terms, one.length) for one in terms], removed=removed)


def _vectors_by_key(version: Version, found: VectorSet, keys: set[bytes]) -> dict[bytes, Any]:
    if not keys:
        return {}
    wanted = list(keys)
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
    """Take a document's published chunks out of the index: rows, vectors (by cascade) and term counts. The caller holds
    the document's row."""
    held = Chunk.objects.filter(document=document)
    removed = list(held.values_list("terms", "length"))
    held.delete()
    count_chunks(document.space_id, removed=removed)
