"""How well a chunk's words fit a question's: BM25 over the candidates, with the counts of the whole space.

Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009); the inverse document frequency
is Lucene's, which is never negative.
"""

from __future__ import annotations

import math
from collections.abc import Container, Hashable, Mapping
from typing import TypeVar

Term = TypeVar("Term", bound=Hashable)  # a term, or its keyed hash

K1 = 1.2
B = 0.75


def rarity(chunks: int, holding: int) -> float:
    """Inverse document frequency of a term that `holding` of so many chunks hold, above 0."""
    return math.log(1 + (chunks - holding + 0.5) / (holding + 0.5))


# Of its rarity: a pair of CJK characters that no chunk holds often lies across two words. 0.4 to 0.6 judge alike; 0.1
# and 1 cost balanced accuracy of about 0.01 (`python -m config.benches.steps judging`).
UNSEEN_PAIR = 0.5


def term_weight(term: str, chunks: int, holding: int) -> float:
    """How much a term of a question says, by its rarity."""
    return rarity(chunks, holding) * (UNSEEN_PAIR if not holding and term.startswith("b:") else 1.0)


def bm25(counts: Mapping[Term, int], length: int, weights: Mapping[Term, float], mean_length: float) -> float:
    """Score of one chunk: `counts` of the wanted terms in it, its `length` in terms, each term's weight (rarity)."""
    norm = K1 * (1 - B + B * length / (mean_length or 1.0))
    return sum(
        weight * counts[term] * (K1 + 1) / (counts[term] + norm)
        for term, weight in weights.items()
        if term in counts
    )


def coverage(wanted: Mapping[Term, float], held: Container[Term]) -> float:
    """Weighted share, in [0, 1], of the wanted terms that are held; 0 where nothing is wanted."""
    total = sum(wanted.values())
    return sum(weight for term, weight in wanted.items() if term in held) / total if total else 0.0


def word_score(
    counts: Mapping[Term, int], length: int, weights: Mapping[Term, float], mean_length: float
) -> float:
    """BM25 times the coverage of the question, as Lucene's classic similarity has it (its coordination factor): a
    lone rare word in common says little, most of all where the question is in another language than the chunk.
    `weights` hold every term of the question, those of no chunk too."""
    return bm25(counts, length, weights, mean_length) * coverage(weights, counts)
