"""Retrieval on `multilingual_qa` through the real search: R@1, R@5, MRR per language, and what dense and plain rank
fusion alone would give on the same pool."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from accounts.management.base import WrongCall
from accounts.types import Principal
from knowledge.backends import embedder
from knowledge.models import Chunk, Document, Space
from knowledge.search import search_space
from knowledge.steps.fuse import fuse_ranks
from knowledge.vectors import serving_set

LANGUAGES = ("en", "ko", "zh", "ja", "de", "es", "fr")


def questions(data: Path, language: str) -> list[dict[str, Any]]:
    with (data / "multilingual_qa" / language / "questions.jsonl").open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def run(principal: Principal, data: Path, languages: tuple[str, ...] = LANGUAGES) -> dict[str, Any]:
    """Per language the measures of each ranking."""
    return each_language(data, languages, _measure)


def each_language(
    data: Path, languages: tuple[str, ...], measure: Callable[[Path, str], dict[str, Any]]
) -> dict[str, Any]:
    """What is measured in the space named by each language; of those that are not there, how to make them."""
    folder = data / "multilingual_qa"
    if not folder.is_dir():
        raise WrongCall(f"there is no {folder}; name the evaluation data with --data or CITEWELL_DATA")
    there = [language for language in languages if Space.objects.filter(slug=language).exists()]
    found: dict[str, Any] = {language: measure(data, language) for language in there}
    left_out = [language for language in languages if language not in found]
    if left_out:
        found["left_out"] = {
            language: f"manage.py ingest {folder / language}/passages.jsonl --space {language} --create --wait"
            for language in left_out
        }
    return found


def _measure(data: Path, language: str) -> dict[str, Any]:
    space = Space.objects.get(slug=language)
    found = serving_set(space.id)
    assert found is not None
    names = {d.id: d.external_id for d in Document.objects.filter(space=space).select_related("space")}
    documents = dict(_chunk_documents(space))
    ranks: dict[str, list[int]] = {"fused": [], "dense": [], "rank_fusion": []}
    asked = questions(data, language)
    for question in asked:
        raw = embedder().embed_query(question["question"])
        hits = search_space(space, found, raw, question["question"]).hits
        dense = [h.chunk for h in sorted(hits, key=lambda h: (h.distance is None, h.distance))]
        lexical = [h.chunk for h in sorted(hits, key=lambda h: -h.lexical)]
        orders = {"fused": [h.chunk for h in hits], "dense": dense}
        orders["rank_fusion"] = [chunk for chunk, _score in fuse_ranks([dense, lexical])]
        for name, order in orders.items():
            seen = list(dict.fromkeys(names[documents[chunk]] for chunk in order))
            gold = question["passage_id"]
            ranks[name].append(seen.index(gold) + 1 if gold in seen else 0)
    return {"questions": len(asked), **{name: _summary(found_at) for name, found_at in ranks.items()}}


def _chunk_documents(space: Space) -> Any:
    return Chunk.objects.filter(space=space).values_list("id", "document_id")


def _summary(ranks: list[int]) -> dict[str, float]:
    count = len(ranks)
    return {
        "R@1": round(sum(rank == 1 for rank in ranks) / count, 4),
        "R@5": round(sum(0 < rank <= 5 for rank in ranks) / count, 4),
        "MRR": round(sum(1 / rank for rank in ranks if rank) / count, 4),
    }
