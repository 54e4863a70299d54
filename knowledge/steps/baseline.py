"""The unrelated baseline: how far questions lie from passages that have nothing to do with them."""

from __future__ import annotations

from knowledge.steps.centre import Vectors
from knowledge.types import Baseline


def measure(queries: Vectors, passages: Vectors) -> Baseline:
    """Distribution of the cosine distance between every query and passage, (n, d) and (m, d) unit vectors that are
    centred and unrelated. Without any, the distance of vectors that share nothing: 1."""
    if not len(queries) or not len(passages):
        return Baseline(1.0, 0.05, 0)
    distances = 1 - queries @ passages.T
    return Baseline(float(distances.mean()), max(float(distances.std()), 0.01), int(distances.size))


def spread(distance: float, baseline: Baseline) -> float:
    """How far below the baseline a distance is, in its deviations: 0 is unrelated, more is nearer."""
    return (baseline.mean - distance) / baseline.deviation
