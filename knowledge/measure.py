"""A space held in memory and searched as the database is: what the benches and tests measure the steps with.

The pool is the production one (knowledge/pool.py): the nearest POOL chunks, the POOL chunks that hold most of the
question's RAREST terms, full BM25 over both, then fusion and the floor. Nothing is encrypted and nothing is stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from knowledge.steps.baseline import measure_each, of_language
from knowledge.steps.centre import Vectors
from knowledge.steps.floor import is_literal, passes
from knowledge.steps.fuse import WEIGHT, fuse
from knowledge.steps.head import titles_said
from knowledge.steps.rank import term_weight, word_score
from knowledge.text.identifiers import quoted_phrases
from knowledge.text.language import language_of
from knowledge.text.terms import index_terms, names_something, query_terms
from knowledge.types import Baseline, Found, Passage

POOL = 40  # as in knowledge/pool.py, which needs a database to be imported
RAREST = 8
SHOWN = 6
_NOBODY = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Text:
    """One chunk to search: `key` names it to the caller."""

    key: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class MemoryHit:
    """A candidate by its number in the space, as knowledge.search.Hit."""

    number: int
    score: float
    distance: float
    lexical: float
    is_literal: bool


class MemorySpace:
    """`vectors` are (n, dimension), centred and of unit length, in the order of the texts; `neutral` are centred
    vectors of questions about nothing in particular, by language, for the baselines."""

    def __init__(self, texts: Sequence[Text], vectors: Vectors, neutral: Mapping[str, Vectors]) -> None:
        self.texts = tuple(texts)
        self.vectors = vectors
        self.baselines = measure_each(neutral, vectors)
        self.terms = [
            sum(map(index_terms, titles_said(text.title)), index_terms(text.text)) for text in texts
        ]
        self.lengths = [sum(terms.values()) for terms in self.terms]
        self.holding: dict[str, set[int]] = {}
        for number, terms in enumerate(self.terms):
            for term in terms:
                self.holding.setdefault(term, set()).add(number)

    def baseline(self, question: str) -> Baseline:
        return of_language(self.baselines, language_of(question))

    def hits(
        self, question: str, vector: Vectors, *, without: Collection[int] = (), weight: float = WEIGHT
    ) -> list[MemoryHit]:
        """The fused pool, the best first, as if the texts numbered in `without` had never been stored."""
        gone = set(without)
        wanted = query_terms(question)
        counts = self._counts(wanted, gone)
        left = len(self.texts) - len(gone)
        weights = {term: term_weight(term, left, count) for term, count in counts.items()}
        distances = 1 - self.vectors @ vector
        near = [int(n) for n in np.argsort(distances, kind="stable") if int(n) not in gone][:POOL]
        pool = dict.fromkeys([*near, *self._worded(counts, weights, gone)])
        kept = [length for number, length in enumerate(self.lengths) if number not in gone]
        mean = sum(kept) / max(1, len(kept))
        worded = {n: word_score(self.terms[n], self.lengths[n], weights, mean) for n in pool}
        naming = {term for term in wanted if names_something(term)}
        phrases = [query_terms(phrase) for phrase in quoted_phrases(question)]
        known = {n: float(distances[n]) for n in pool}
        return [
            MemoryHit(n, score, known[n], worded[n], is_literal(self.terms[n], wanted, naming, phrases))
            for n, score in fuse(known, worded, weight=weight)
        ]

    def find(self, question: str, vector: Vectors, *, without: Collection[int] = ()) -> Found:
        """What a search would hand over: at most SHOWN passages above the floor, and the terms' weights."""
        baseline = self.baseline(question)
        kept = [
            hit
            for hit in self.hits(question, vector, without=without)
            if passes(hit.distance, baseline, is_literal=hit.is_literal)
        ][:SHOWN]
        gone = set(without)
        counts = self._counts(query_terms(question), gone)
        left = len(self.texts) - len(gone)
        rarities = {term: term_weight(term, left, count) for term, count in counts.items()}
        return Found(tuple(self._passage(hit) for hit in kept), baseline, (), rarities)

    def _counts(self, wanted: Iterable[str], gone: set[int]) -> dict[str, int]:
        return {term: len(self.holding.get(term, set()) - gone) for term in wanted}

    def _worded(self, counts: Mapping[str, int], weights: Mapping[str, float], gone: set[int]) -> list[int]:
        """The numbers of the texts that hold most of the rarest terms, by the weights found."""
        found: dict[int, float] = {}
        held = [term for term in counts if counts[term]]
        for term in sorted(held, key=lambda term: (counts[term], term))[:RAREST]:
            for number in self.holding[term] - gone:
                found[number] = found.get(number, 0.0) + weights[term]
        return sorted(found, key=lambda number: (-found[number], number))[:POOL]

    def _passage(self, hit: MemoryHit) -> Passage:
        text = self.texts[hit.number]
        return Passage(
            id=UUID(int=hit.number + 1),
            space=_NOBODY,
            document=UUID(int=hit.number + 1),
            version=_NOBODY,
            version_number=1,
            title=text.title,
            text=text.text,
            start=0,
            end=len(text.text),
            distance=hit.distance,
            score=hit.score,
            external_id=text.key,
        )
