"""A made-up space of any size: texts from a grammar, their real vectors mixed, so that neighbours are near as in text."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

import numpy as np
from django.db import connections
from pgvector import HalfVector

from accounts.keys import scope_keys
from accounts.tenancy import current_tenant_id
from accounts.types import Principal
from knowledge.backends import embedder
from knowledge.embedding import Vectors
from knowledge.index import BlindTerms, blind
from knowledge.models import Chunk, Document, Space, VectorSet, Version
from knowledge.services import create_space
from knowledge.steps.centre import centre
from knowledge.vectors import ensure_set, passage_vectors

_THINGS = [
    "pump",
    "lamp",
    "valve",
    "crane",
    "boiler",
    "scanner",
    "antenna",
    "winch",
    "turbine",
    "furnace",
    "compressor",
    "generator",
    "printer",
    "conveyor",
]
_PLACES = [
    "the north hall",
    "the harbour",
    "the old mill",
    "building seven",
    "the test bench",
    "the roof",
    "the basement",
    "the workshop",
]
_DEEDS = [
    "was repaired",
    "was moved",
    "failed",
    "was inspected",
    "was replaced",
    "was painted",
    "leaked",
    "was ordered",
    "was sold",
]
_TIMES = [
    "in spring",
    "last year",
    "on Monday",
    "after the storm",
    "before the audit",
    "at night",
    "twice a month",
    "in 1998",
]
PER_DOCUMENT = 100


@dataclass(frozen=True)
class Made:
    """The space, its set, and questions that some of its chunks bear on."""

    space: Space
    vectors: VectorSet
    questions: tuple[str, ...]


def texts(count: int) -> list[str]:
    combined = [
        f"The {thing} in {place} {deed} {moment}. The engineer signed the report for the {thing}."
        for thing, place, deed, moment in itertools.product(_THINGS, _PLACES, _DEEDS, _TIMES)
    ]
    random.Random(7).shuffle(combined)  # noqa: S311 - a sample
    return combined[:count]


def questions() -> tuple[str, ...]:
    return tuple(f"When was the {thing} in {place} inspected?" for thing in _THINGS for place in _PLACES[:4])


def make_space(principal: Principal, chunks: int, *, seeds: int = 1000) -> Made:
    """Fill a new space with so many chunks, by the owner's role and COPY: row-level security takes none."""
    space = create_space(principal, f"bench {chunks}", slug=f"bench-{uuid4().hex[:8]}")
    found = ensure_set(space, embedder())
    words = texts(seeds)
    base = passage_vectors(found, embedder().embed_passages(words))
    keys = scope_keys("space", space.id)
    blinded = [blind(keys, word) for word in words]
    documents = _documents(space, -(-chunks // PER_DOCUMENT))
    first_chunk = _copy_chunks(space, documents, words, blinded, chunks)
    _copy_vectors(found, base, first_chunk, chunks)
    _count(space, blinded, chunks)
    space.refresh_from_db()
    return Made(space, found, questions())


def _documents(space: Space, count: int) -> list[tuple[int, int]]:
    documents = []
    for number in range(count):
        document = Document(space=space, name_hash=f"{number}".encode())
        document.title = f"Log {number}"
        documents.append(document)
    Document.objects.bulk_create(documents, batch_size=1000)
    versions = [
        Version(space=space, document=d, number=1, state="ready", step="done", content_hash=b"x")
        for d in documents
    ]
    Version.objects.bulk_create(versions, batch_size=1000)
    return [(version.document_id, version.id) for version in versions]


def _copy_chunks(
    space: Space, documents: list[tuple[int, int]], words: list[str], blinded: list[BlindTerms], chunks: int
) -> int:
    tenant = current_tenant_id()

    def rows() -> Iterator[tuple[object, ...]]:
        for number in range(chunks):
            document, version = documents[number // PER_DOCUMENT]
            one, text = blinded[number % len(words)], words[number % len(words)]
            row = Chunk(space=space, document_id=document, version_id=version, ordinal=number % PER_DOCUMENT)
            row.text = text
            yield (
                row.uid, tenant, space.id, document, version, row.ordinal, row.text_sealed, b"", 0, len(text), "body",
                "[]", 30, one.length, one.terms, one.counts,
            )  # fmt: skip

    columns = 'uid, tenant_id, space_id, document_id, version_id, ordinal, text_sealed, section_sealed, start, "end", kind, lines, tokens, length, terms, counts'
    _copy(f"COPY knowledge_chunk ({columns}) FROM STDIN", rows())
    first = Chunk.objects.filter(space=space).order_by("id").values_list("id", flat=True)[0]
    return int(first)


def _copy_vectors(found: VectorSet, base: Vectors, first_chunk: int, chunks: int) -> None:
    tenant, dice = current_tenant_id(), np.random.default_rng(7)

    def rows() -> Iterator[tuple[object, ...]]:
        for start in range(0, chunks, 1000):
            size = min(1000, chunks - start)
            near = base[np.arange(start, start + size) % len(base)]
            other = base[dice.integers(0, len(base), size)]
            noise = dice.standard_normal((size, base.shape[1]), np.float32) / np.sqrt(base.shape[1])
            mixed = centre(near + 0.3 * other + 0.3 * noise, np.zeros(base.shape[1], np.float32))
            for offset, vector in enumerate(mixed):
                key = (start + offset).to_bytes(16, "big")
                yield (
                    uuid4(),
                    tenant,
                    found.id,
                    first_chunk + start + offset,
                    key,
                    HalfVector(vector).to_text(),
                )

    _copy(
        "COPY knowledge_vector (uid, tenant_id, set_id, chunk_id, content_key, embedding) FROM STDIN", rows()
    )


def _copy(statement: str, rows: Iterator[tuple[object, ...]]) -> None:
    owner = connections["owner"]
    owner.ensure_connection()
    with owner.connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def _count(space: Space, blinded: list[BlindTerms], chunks: int) -> None:
    share, rest = divmod(chunks, len(blinded))
    holding: dict[int, int] = {}
    total = 0
    for index, one in enumerate(blinded):
        times = share + (index < rest)
        total += times * one.length
        for term in one.terms:
            holding[term] = holding.get(term, 0) + times
    tenant = current_tenant_id()
    rows = ((uuid4(), tenant, space.id, term, count) for term, count in sorted(holding.items()))
    _copy("COPY knowledge_termcount (uid, tenant_id, space_id, term, chunks) FROM STDIN", rows)
    Space.objects.filter(id=space.id).update(chunk_count=chunks, term_count=total)
