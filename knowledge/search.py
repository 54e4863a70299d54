"""From a question to passages, top to bottom: search, fuse, cut at the floor, decrypt the survivors."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from uuid import UUID

from accounts.keys import scope_keys
from accounts.permissions import allowed
from accounts.types import Principal, Right
from knowledge import pool
from knowledge.backends import embedder
from knowledge.embedding import Vectors
from knowledge.errors import BackendDown
from knowledge.models import Chunk, Space, VectorSet
from knowledge.parsing.codec import decode_lines
from knowledge.steps.floor import is_literal, passes
from knowledge.steps.fuse import fuse
from knowledge.steps.rank import term_weight, word_score
from knowledge.text.identifiers import quoted_phrases
from knowledge.text.language import language_of
from knowledge.text.terms import names_something, query_terms
from knowledge.types import Baseline, ChunkKind, Found, Passage, TraceStep
from knowledge.vectors import baseline_of, passage_vectors, query_vector, serving_set

SHOWN = 6
# What a passage is made of. The rest stays in the database, and so does the space's row: joined, it makes the plan
# depend on statistics that a space just filled does not have yet.
_SHOWN_OF = (
    *("uid", "tenant", "space", "ordinal", "start", "end", "kind", "lines", "text_sealed", "section_sealed"),
    *("document__uid", "document__tenant", "document__space", "document__title_sealed"),
    *("document__external_id_sealed", "version__uid", "version__number"),
)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Hit:
    """A candidate of one space: fused score, distance (None without a vector), and what found it."""

    chunk: int
    space: int
    score: float
    distance: float | None
    lexical: float
    is_literal: bool


@dataclass(frozen=True, slots=True)
class SpaceHits:
    """What one space holds: its hits, and in how many of its chunks each term of the question stands."""

    hits: tuple[Hit, ...]
    chunks: int
    holding: Mapping[str, int]


class _Trace:
    def __init__(self) -> None:
        self.steps: list[TraceStep] = []

    def time(self, name: str, act: Callable[[], T], **detail: object) -> T:
        began = time.perf_counter()
        result = act()
        self.steps.append(TraceStep(name, round(1000 * (time.perf_counter() - began), 2), detail))
        return result


def search(principal: Principal, spaces: Sequence[Space], query: str, *, limit: int = SHOWN) -> Found:
    """Passages of the spaces that the principal may read, the best first; fewer than `limit`, or none, where no more
    are relevant. Raises BackendDown where the question cannot be embedded."""
    trace = _Trace()
    readable = list(allowed(principal, Right.READ_SPACE, Space.objects.filter(id__in=[s.id for s in spaces])))
    sets = [(space, found) for space in readable if (found := serving_set(space.id)) is not None]
    if not sets or not query.strip():
        return Found((), None, tuple(trace.steps))
    raw = trace.time("embed_question", lambda: embedder().embed_query(query))
    language = language_of(query)
    by_space: list[SpaceHits] = []
    baselines: dict[int, Baseline] = {}
    for space, found in sets:
        baselines[space.id] = baseline_of(found, language)
        find = partial(search_space, space, found, raw, query)
        by_space.append(trace.time("search_space", find, space=str(space.uid)))
    hits = [hit for one in by_space for hit in one.hits]
    kept = survivors(by_space, baselines)
    nearest = min((hit.distance for hit in hits if hit.distance is not None), default=None)
    trace.steps.append(TraceStep("floor", 0.0, {"found": len(hits), "passed": len(kept), "nearest": nearest}))
    uids = {space.id: space.uid for space, _found in sets}
    passages = trace.time("decrypt", partial(decrypt, kept[:limit], uids))
    judged = kept[0].space if kept else sets[0][0].id  # what the first passage's distance is a distance in
    first = next(found for space, found in sets if space.id == judged)
    return Found(
        passages,
        baselines[judged],
        tuple(trace.steps),
        rarities(query, by_space),
        partial(nearness, first, _of(first, raw, query_vector)),
    )


def nearness(found: VectorSet, question: Vectors, texts: Sequence[str]) -> list[float]:
    """The cosine similarity of texts to the question, as their vectors would be stored."""
    vectors = _of(found, embedder().embed_sentences(texts), passage_vectors)
    return [float(near) for near in vectors @ question]


def _of(found: VectorSet, raw: Vectors, centred: Callable[[VectorSet, Vectors], Vectors]) -> Vectors:
    """Vectors as the set's own are. Raises BackendDown where the model has come to answer another dimension."""
    try:
        return centred(found, raw)
    except ValueError:
        raise BackendDown("the embedding backend answers another dimension", retryable=False) from None


def survivors(by_space: Sequence[SpaceHits], baselines: Mapping[int, Baseline]) -> list[Hit]:
    """The hits of all spaces that pass the floor, the best first."""
    kept = [
        hit
        for one in by_space
        for hit in one.hits
        if passes(hit.distance, baselines[hit.space], is_literal=hit.is_literal)
    ]
    return sorted(kept, key=lambda hit: (-hit.score, hit.chunk))


def search_space(
    space: Space, found: VectorSet, raw: Vectors, query: str, *, pool_size: int = pool.POOL
) -> SpaceHits:
    """The pool of one space, fused, the best first: nearest vectors and rarest words, each weighed by both."""
    keys = scope_keys("space", space.id, create=False)
    vector = _of(found, raw, query_vector)
    terms = {keys.term(term): term for term in query_terms(query)}
    near = pool.nearest(found, vector, pool_size)
    holding = pool.chunk_counts(space.id, terms)
    weights = {
        term: term_weight(word, space.chunk_count, holding.get(term, 0)) for term, word in terms.items()
    }
    worded = pool.holding(space.id, pool.rarest(holding, weights), pool_size)
    known = {**near, **pool.distances(found, vector, [chunk for chunk in worded if chunk not in near])}
    rows = pool.rows({*near, *worded}, holding, known)
    mean_length = space.term_count / max(1, space.chunk_count)
    lexical = {row.chunk: word_score(row.counts, row.length, weights, mean_length) for row in rows}
    naming = {term for term, word in terms.items() if names_something(word)}
    phrases = [[keys.term(term) for term in query_terms(phrase)] for phrase in quoted_phrases(query)]
    named = {row.chunk for row in rows if is_literal(row.counts, terms, naming, phrases)}
    distances = {row.chunk: row.distance for row in rows if row.distance is not None}
    hits = tuple(
        Hit(chunk, space.id, score, distances.get(chunk), lexical.get(chunk, 0.0), chunk in named)
        for chunk, score in fuse(distances, lexical)
    )
    return SpaceHits(hits, space.chunk_count, {word: holding.get(term, 0) for term, word in terms.items()})


def rarities(query: str, by_space: Sequence[SpaceHits]) -> dict[str, float]:
    """Weight of each term of the question over all the spaces searched."""
    chunks = sum(one.chunks for one in by_space)
    return {
        term: term_weight(term, chunks, sum(one.holding.get(term, 0) for one in by_space))
        for term in query_terms(query)
    }


def decrypt(hits: Sequence[Hit], spaces: Mapping[int, UUID]) -> tuple[Passage, ...]:
    """The passages behind the hits, in their order; `spaces` says the uid of each one's space. A chunk that was
    replaced meanwhile is left out."""
    found = Chunk.objects.filter(id__in=[hit.chunk for hit in hits]).select_related("document", "version")
    rows = {row.id: row for row in found.only(*_SHOWN_OF)}
    return tuple(_passage(rows[hit.chunk], hit, spaces[hit.space]) for hit in hits if hit.chunk in rows)


def _passage(row: Chunk, hit: Hit, space: UUID) -> Passage:
    why = [
        name for name, found in (("dense", hit.distance is not None), ("lexical", hit.lexical > 0)) if found
    ]
    if hit.is_literal:
        why.append("literal")
    return Passage(
        id=row.uid,
        space=space,
        document=row.document.uid,
        version=row.version.uid,
        version_number=row.version.number,
        title=row.document.title,
        text=row.text,
        start=row.start,
        end=row.end,
        section=tuple(row.section or ()),
        kind=ChunkKind(row.kind),
        lines=decode_lines(row.lines),
        distance=hit.distance,
        score=hit.score,
        why=tuple(why),
        external_id=row.document.external_id,
    )
