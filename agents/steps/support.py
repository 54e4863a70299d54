"""Which words of a passage support a claim: the best sentences of it, letter for letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from knowledge.text.language import language_of
from knowledge.text.sentences import Span, sentences
from knowledge.text.terms import index_terms, query_terms

LEAST = 0.2  # share of a claim's terms that a quote must hold
_NEXT = 0.25  # more that a second sentence must add
_EXACT = 2.0  # weight of numbers and identifiers: they are what is looked up
# Of the terms that cross a border of languages (numbers, codes, names), a quote must hold as much, and at least so many.
_LEAST_CROSSING = 0.5
_CROSSING = 2.0


def supporting_span(claim: str, passage: str) -> Span | None:
    """The sentence of the passage, or two that follow each other, that holds most of the claim's terms; None where
    none holds enough. Across languages only what is written alike in both can tell: numbers, codes and names."""
    wanted, least = _weights(claim), LEAST
    spans = sentences(passage)
    if not wanted or not spans:
        return None
    held = [index_terms(passage[span.start : span.end]) for span in spans]
    if is_across(claim, passage):
        wanted = _crossing(wanted, held)
        least = _LEAST_CROSSING
    shares = [_share(wanted, terms) for terms in held]
    best = max(range(len(spans)), key=lambda index: shares[index])
    if not wanted or shares[best] < least:
        return None
    following = best + 1
    if following < len(spans):
        both = Span(spans[best].start, spans[following].end)
        if _share(wanted, held[best] | held[following]) >= shares[best] + _NEXT:
            return both
    return spans[best]


def is_across(claim: str, passage: str) -> bool:
    """Whether claim and passage are known to be in two languages."""
    return len({language_of(claim), language_of(passage)} - {None}) == 2


def _crossing(wanted: Mapping[str, float], held: Sequence[Counter[str]]) -> Mapping[str, float]:
    """The claim's terms that stand somewhere in the passage, where they are enough to tell; none otherwise."""
    crossing = {term: weight for term, weight in wanted.items() if any(term in terms for terms in held)}
    return crossing if sum(crossing.values()) >= _CROSSING else {}


@lru_cache(maxsize=512)
def _weights(claim: str) -> Mapping[str, float]:
    return {term: _EXACT if term.startswith("i:") else 1.0 for term in query_terms(claim)}


def _share(wanted: Mapping[str, float], held: Counter[str]) -> float:
    total = sum(wanted.values())
    return sum(weight for term, weight in wanted.items() if term in held) / total if total else 0.0
