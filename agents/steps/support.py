"""Which words of a passage support a sentence: the best sentences of it, letter for letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from knowledge.text.sentences import Span, sentences
from knowledge.text.terms import index_terms, query_terms

LEAST = 0.2  # share of a claim's terms that a quote must hold
_NEXT = 0.25  # more that a second sentence must add


def supporting_span(claim: str, passage: str) -> Span | None:
    """The sentence of the passage, or two that follow each other, that holds most of the claim's terms; None where
    none holds enough. Numbers and identifiers weigh double: they are what is looked up."""
    wanted = _weights(claim)
    spans = sentences(passage)
    if not wanted or not spans:
        return None
    shares = [_share(wanted, index_terms(passage[span.start : span.end])) for span in spans]
    best = max(range(len(spans)), key=lambda index: shares[index])
    if shares[best] < LEAST:
        return None
    following = best + 1
    if following < len(spans):
        both = Span(spans[best].start, spans[following].end)
        if _share(wanted, index_terms(passage[both.start : both.end])) >= shares[best] + _NEXT:
            return both
    return spans[best]


@lru_cache(maxsize=512)
def _weights(claim: str) -> Mapping[str, float]:
    return {term: 2.0 if term.startswith("i:") else 1.0 for term in query_terms(claim)}


def _share(wanted: Mapping[str, float], held: Counter[str]) -> float:
    total = sum(wanted.values())
    return sum(weight for term, weight in wanted.items() if term in held) / total if total else 0.0
