"""Retrieval at scale: the whole search over the bare cost of embedding the question and sending the same SQL, and what
the index finds of what an exact scan would."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from django.db import connection

from accounts.types import Principal
from config.benches.made import Made, make_space
from knowledge import pool
from knowledge.backends import embedder
from knowledge.index_builder import build_index
from knowledge.models import VectorSet
from knowledge.search import search
from knowledge.services import delete_space
from knowledge.vectors import measure_baseline, query_vector

CHUNKS = 100_000


def run(principal: Principal, data: Path, chunks: int = CHUNKS) -> dict[str, Any]:
    """Makes a space of `chunks`, measures, and deletes it."""
    began = time.perf_counter()
    made = make_space(principal, chunks)
    filled = time.perf_counter()
    build_index(made.vectors)
    indexed = time.perf_counter()
    found = VectorSet.objects.get(id=made.vectors.id)
    measure_baseline(found, embedder())
    try:
        return {
            "chunks": chunks,
            "seconds_to_fill": round(filled - began, 1),
            "seconds_to_index": round(indexed - filled, 1),
            **_ratios(principal, made),
            **_recall(made, found),
        }
    finally:
        delete_space(principal, made.space.slug, confirm=made.space.name)


class _Recorder:
    """Keeps the statements of a search, to be sent again bare."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Any]] = []

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        self.sent.append((sql, params))
        return execute(sql, params, many, context)


def _ratios(principal: Principal, made: Made) -> dict[str, Any]:
    whole, bare, shares, passages = [], [], [], 0
    for question in made.questions:
        recorder = _Recorder()
        with connection.execute_wrapper(recorder):
            passages += len(search(principal, [made.space], question).passages)
        began = time.perf_counter()
        search(principal, [made.space], question)
        whole.append(time.perf_counter() - began)
        began = time.perf_counter()
        embedder().embed_query(question)
        embedded = time.perf_counter()
        with connection.connection.cursor() as cursor:
            for sql, params in recorder.sent:
                cursor.execute(sql, params)
                if cursor.description:
                    cursor.fetchall()
        bare.append(time.perf_counter() - began)
        shares.append((embedded - began) / bare[-1])
    pairs = [a / b for a, b in zip(whole, bare, strict=True)]
    return {
        "questions": len(made.questions),
        "passages_a_question": round(passages / len(made.questions), 1),
        "whole_ms_p50": round(1000 * median(whole), 1),
        "whole_ms_p95": round(1000 * float(np.quantile(whole, 0.95)), 1),
        "bare_ms_p50": round(1000 * median(bare), 1),
        "embedding_share_of_bare": round(median(shares), 2),
        "ratio_p50": round(median(pairs), 3),
        "ratio_of_medians": round(median(whole) / median(bare), 3),
    }


def _recall(made: Made, found: VectorSet) -> dict[str, float]:
    """Of the ten nearest by an exact scan, how many the index finds, over all questions."""
    exact_set = VectorSet.objects.get(id=found.id)
    exact_set.indexed = False
    hits = total = 0
    for question in made.questions:
        vector = query_vector(found, embedder().embed_query(question))
        near = set(list(pool.nearest(found, vector))[:10])
        exact = list(pool.nearest(exact_set, vector, 10))
        hits += len(near & set(exact))
        total += len(exact)
    return {"recall_at_10": round(hits / total, 4)}
