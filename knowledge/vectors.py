"""The vector set of a space: its model, its centres, its measured baseline."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from django.db import transaction

from knowledge.embedding import Embedder, Vectors
from knowledge.models import SetState, Space, Vector, VectorSet
from knowledge.steps.baseline import measure_each
from knowledge.steps.centre import centre, mean_vector
from knowledge.text.neutral import QUESTIONS, QUESTIONS_BY_LANGUAGE, STATEMENTS
from knowledge.types import Baseline

_SAMPLE = 200  # passages that the baseline is measured on
_REMEMBERED_SECONDS = 600


def serving_set(space_id: int) -> VectorSet | None:
    return VectorSet.objects.filter(space_id=space_id, state=SetState.SERVING).first()


def ensure_set(space: Space, embedder: Embedder) -> VectorSet:
    """The space's serving set, made with the centres of the embedder's model on first use.

    A baseline stands from the start, measured on the neutral statements; it is measured on the space's own passages
    once there are some.
    """
    found = serving_set(space.id)
    if found is not None:
        return found
    passages, queries = _neutral(embedder, _period())
    passage_centre, query_centre = mean_vector(passages), mean_vector(queries)
    first = measure_each(_by_language(centre(queries, query_centre)), centre(passages, passage_centre))
    with transaction.atomic():
        Space.objects.select_for_update(no_key=True).get(id=space.id)
        found = serving_set(space.id)
        if found is None:
            found = VectorSet(
                space=space,
                model=embedder.model,
                dimension=passages.shape[1],
                passage_centre=passage_centre,
                query_centre=query_centre,
                **_kept(first),
                state=SetState.SERVING,
            )
            found.save()
    return found


def _period() -> int:
    return int(time.monotonic() / _REMEMBERED_SECONDS)


@lru_cache(maxsize=4)
def _neutral(embedder: Embedder, period: int) -> tuple[Vectors, Vectors]:
    """The vectors of STATEMENTS and QUESTIONS by a model: asked for once in a while, not at every space."""
    return embedder.embed_passages(STATEMENTS), embedder.embed_queries(QUESTIONS)


def passage_vectors(found: VectorSet, raw: Vectors) -> Vectors:
    """What is stored: centred. Raises ValueError where the model answers another dimension than the set has."""
    if raw.shape[1] != found.dimension:
        raise ValueError("the dimension is another than the set's")
    return centre(raw, np.asarray(found.passage_centre, np.float32))


def query_vector(found: VectorSet, raw: Vectors) -> Vectors:
    """Raises ValueError as passage_vectors does."""
    if raw.shape[-1] != found.dimension:
        raise ValueError("the dimension is another than the set's")
    return centre(raw, np.asarray(found.query_centre, np.float32))


def _by_language(questions: Vectors) -> dict[str, Vectors]:
    """The vectors of QUESTIONS, apart by language."""
    found: dict[str, Vectors] = {}
    at = 0
    for language, texts in QUESTIONS_BY_LANGUAGE.items():
        found[language] = questions[at : at + len(texts)]
        at += len(texts)
    return found


def _kept(baselines: Mapping[str, Baseline]) -> dict[str, Any]:
    """What the set's row keeps of its baselines."""
    every = baselines[""]
    return {
        "baseline_mean": every.mean,
        "baseline_deviation": every.deviation,
        "baselines": {language: [one.mean, one.deviation] for language, one in baselines.items() if language},
    }


def baseline_of(found: VectorSet, language: str | None = None) -> Baseline:
    """How far questions of a language lie from the space's passages where they have nothing to do with each other;
    that of all languages where the language is unknown."""
    mean, deviation = found.baselines.get(language or "") or (found.baseline_mean, found.baseline_deviation)
    return Baseline(mean or 1.0, deviation or 0.05, found.baseline_samples)


def measure_baseline(found: VectorSet, embedder: Embedder) -> Baseline:
    """Measure and keep the distance of neutral questions to a sample of the space's passages, by the questions'
    language. Returns that of all languages."""
    picked = _sample(found)
    if not len(picked):
        return baseline_of(found)
    chunks = published_chunks(found)
    questions = query_vector(found, _neutral(embedder, _period())[1])
    baselines = measure_each(_by_language(questions), picked)
    VectorSet.objects.filter(id=found.id).update(baseline_samples=chunks, **_kept(baselines))
    return baselines[""]


def _sample(found: VectorSet) -> Vectors:
    """(n, dimension) stored vectors: all of a small set, else at most _SAMPLE drawn over the whole of it."""
    rows = Vector.objects.filter(set=found).order_by("id").values_list("id", "embedding")
    few = list(rows[: _SAMPLE + 1])
    if len(few) > _SAMPLE:
        first, last = few[0][0], rows.reverse()[0][0]
        chance = random.Random(found.id)  # noqa: S311 - a sample, no secret
        drawn = [rows.filter(id__gte=chance.randint(first, last)).first() for _ in range(_SAMPLE)]
        few = list({row[0]: row for row in drawn if row is not None}.values())
    return np.asarray([row[1] for row in few], np.float32)


def published_chunks(found: VectorSet) -> int:
    """How many chunks its space has published. Kept with the space: counting the rows would cost more the larger the
    space, at every document."""
    return Space.objects.filter(id=found.space_id).values_list("chunk_count", flat=True).first() or 0


def needs_measuring(found: VectorSet, chunks: int) -> bool:
    """Whether the space, with so many chunks published, has doubled since its baseline was measured."""
    return chunks >= 2 * max(1, found.baseline_samples)
