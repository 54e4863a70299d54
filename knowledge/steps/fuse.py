"""One order out of two searches: cosine similarity plus a weighted BM25 score.

Scores are fused, not ranks: a rank forgets how far ahead the first one is. Measured against plain rank fusion with
`manage.py bench retrieval` and `python -m config.benches.steps` (docs/results.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_UNRELATED = 1.0  # cosine distance of centred vectors that share nothing
# Of the word score beside cosine similarity: from 0.03 to 0.06 the calibration set's mean reciprocal rank lies within 0.005
# (`config.benches.calibrate fusion`); the low end, since word scores grow with the number of chunks.
WEIGHT = 0.03


def fuse(
    distances: Mapping[int, float], lexical: Mapping[int, float], *, weight: float = WEIGHT
) -> list[tuple[int, float]]:
    """Chunks with their fused score, the best first; ties in the order of their ids. A chunk with no distance is
    taken for unrelated."""
    scored = [
        (chunk, 1 - distances.get(chunk, _UNRELATED) + weight * lexical.get(chunk, 0.0))
        for chunk in {*distances, *lexical}
    ]
    return sorted(scored, key=lambda row: (-row[1], row[0]))


def fuse_ranks(orders: Sequence[Sequence[int]], *, constant: int = 60) -> list[tuple[int, float]]:
    """Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009), the baseline to beat."""
    scores: dict[int, float] = {}
    for order in orders:
        for rank, chunk in enumerate(order, 1):
            scores[chunk] = scores.get(chunk, 0.0) + 1 / (constant + rank)
    return sorted(scores.items(), key=lambda row: (-row[1], row[0]))
