"""How well a chunk's words fit a question's: BM25 over the candidates, with the counts of the whole space.

Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009); the inverse document frequency
is Lucene's, which is never negative.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

K1 = 1.2
B = 0.75


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of a space: how many chunks, their mean number of terms, and in how many each wanted term stands."""

    chunks: int
    mean_length: float
    holding: Mapping[int, int]


def rarity(term: int, statistics: Statistics) -> float:
    """Inverse document frequency of a term, above 0; a term that no chunk holds is the rarest."""
    holding = statistics.holding.get(term, 0)
    return math.log(1 + (statistics.chunks - holding + 0.5) / (holding + 0.5))


def bm25(counts: Mapping[int, int], length: int, weights: Mapping[int, float], mean_length: float) -> float:
    """Score of one chunk: `counts` of the wanted terms in it, its `length` in terms, each term's weight (rarity)."""
    norm = K1 * (1 - B + B * length / (mean_length or 1.0))
    return sum(
        weight * counts[term] * (K1 + 1) / (counts[term] + norm)
        for term, weight in weights.items()
        if term in counts
    )
