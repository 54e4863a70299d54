"""The unrelated baseline: how far questions lie from passages that have nothing to do with them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from knowledge.steps.centre import Vectors
from knowledge.types import Baseline


def measure(queries: Vectors, passages: Vectors) -> Baseline:
    """Distribution of the cosine distance between every query and passage, (n, d) and (m, d) unit vectors that are
    centred and unrelated. Without any, the distance of vectors that share nothing: 1."""
    if not len(queries) or not len(passages):
        return Baseline(1.0, 0.05, 0)
    distances = 1 - queries @ passages.T
    return Baseline(float(distances.mean()), max(float(distances.std()), 0.01), int(distances.size))


def measure_each(queries: Mapping[str, Vectors], passages: Vectors) -> dict[str, Baseline]:
    """The baseline of each language's questions, and under "" that of all of them.

    Unrelated texts of one language lie nearer than those of two (0.84 and 1.0 on the bundled model, 0.06 either way),
    so that one baseline for all would take a good passage in another language for an unrelated one.
    """
    each = {language: measure(vectors, passages) for language, vectors in queries.items()}
    every = [vectors for vectors in queries.values() if len(vectors)]
    each[""] = measure(np.concatenate(every), passages) if every else measure(passages[:0], passages)
    return each


def of_language(baselines: Mapping[str, Baseline], language: str | None) -> Baseline:
    """The baseline of a question's language; that of all where the language is unknown."""
    return baselines.get(language or "", baselines[""])


def spread(distance: float, baseline: Baseline) -> float:
    """How far below the baseline a distance is, in its deviations: 0 is unrelated, more is nearer."""
    return (baseline.mean - distance) / baseline.deviation
