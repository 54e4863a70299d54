"""The database behind a search: which chunks are near, which hold the words, and what ranking needs of them.

One query a space. Only ids, distances and keyed hashes leave here; nothing is decrypted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from pgvector import HalfVector

from knowledge.models import VectorSet

POOL = 40  # candidates of each search, wider than what is shown (spec 02)
RAREST = 8  # query terms that are looked up: the rarest decide, the others only weigh
MOST_CHUNKS = 5_000  # chunks that a look-up may touch before the commoner terms are left to the weighing


@dataclass(frozen=True, slots=True)
class Row:
    """What ranking needs of one candidate: distance None where its vector is missing."""

    chunk: int
    distance: float | None
    length: int
    counts: Mapping[int, int]  # of each wanted term (keyed hash)


def nearest(vectors: VectorSet, query: NDArray[np.float32], most: int = POOL) -> dict[int, float]:
    """The `most` nearest chunks of a set: id to cosine distance. Exact below settings.EXACT_SCAN_ROWS rows,
    by the set's own HNSW index above.

    The set stands in the statement as a literal with the index's own cast: a bound parameter would leave the
    partial index unused (tests/knowledge/test_pool.py reads the plan).
    """
    wanted = HalfVector(query).to_text()
    cast = f"embedding::halfvec({int(vectors.dimension)})"
    order = f"{cast} <=> %s::halfvec" if vectors.indexed else f"({cast} <=> %s::halfvec) + 0"
    statement = (
        f"SELECT chunk_id, {cast} <=> %s::halfvec FROM knowledge_vector "  # noqa: S608 - two checked integers
        f"WHERE set_id = {int(vectors.pk)} ORDER BY {order} LIMIT %s"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [wanted, wanted, most])
        return {chunk: float(distance) for chunk, distance in cursor.fetchall()}


def distances(vectors: VectorSet, query: NDArray[np.float32], chunks: Sequence[int]) -> dict[int, float]:
    """Distances of given chunks in one set."""
    if not chunks:
        return {}
    cast = f"embedding::halfvec({int(vectors.dimension)})"
    statement = (
        f"SELECT chunk_id, {cast} <=> %s::halfvec FROM knowledge_vector "  # noqa: S608 - two checked integers
        f"WHERE set_id = {int(vectors.pk)} AND chunk_id = ANY(%s)"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [HalfVector(query).to_text(), list(chunks)])
        return {chunk: float(distance) for chunk, distance in cursor.fetchall()}


def chunk_counts(space_id: int, terms: Iterable[int]) -> dict[int, int]:
    """In how many chunks of the space each term stands; a term in none is left out."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT term, chunks FROM knowledge_termcount WHERE space_id = %s AND term = ANY(%s) AND chunks > 0",
            [space_id, list(terms)],
        )
        return dict(cursor.fetchall())


def holding(space_id: int, weights: Mapping[int, float], most: int = POOL) -> dict[int, float]:
    """Chunks that hold some of the terms, by the sum of the weights found. The look-up runs in a function that
    carries the tenant itself: under row-level security no array index is used."""
    if not weights:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, score FROM citewell_term_hits(%s, %s::bigint[], %s::float8[], %s)",
            [space_id, list(weights), list(weights.values()), most],
        )
        return {chunk: float(score) for chunk, score in cursor.fetchall()}


def rarest(counts: Mapping[int, int], weights: Mapping[int, float]) -> dict[int, float]:
    """The terms to look up: the rarest first, at most RAREST, stopping once MOST_CHUNKS would be touched."""
    chosen: dict[int, float] = {}
    touched = 0
    for term in sorted(counts, key=lambda term: (counts[term], term))[:RAREST]:
        touched += counts[term]
        if chosen and touched > MOST_CHUNKS:
            break
        chosen[term] = weights[term]
    return chosen


def rows(chunks: Iterable[int], terms: Iterable[int], known: Mapping[int, float]) -> list[Row]:
    """Ranking's view of the chunks, with the counts of the wanted terms and the known distances."""
    wanted = set(terms)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, length, terms, counts FROM knowledge_chunk WHERE id = ANY(%s)",
            [list(chunks)],
        )
        found = cursor.fetchall()
    return [
        Row(
            chunk,
            known.get(chunk),
            length,
            {term: count for term, count in zip(held, counts, strict=True) if term in wanted},
        )
        for chunk, length, held, counts in found
    ]
