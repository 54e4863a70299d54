"""Quoted answers on `multilingual_qa`, and `not_found` in both directions.

Answered: the share of the questions whose quotes hold the gold answer, beside a baseline that quotes the first two
sentences of the first passage. Not found: each question against its language's space whole, with its passage taken
away, and with every passage of its title taken away; balanced accuracy at the one threshold, and the curve.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

from accounts.types import Principal
from agents.extractive import extract
from config.benches.retrieval import LANGUAGES, questions
from knowledge.backends import embedder
from knowledge.models import Chunk, Document, Space
from knowledge.search import Hit, SpaceHits, decrypt, rarities, search_space, survivors
from knowledge.text.normalise import match_key
from knowledge.text.sentences import sentences
from knowledge.types import Passage
from knowledge.vectors import baseline_of, serving_set

SHOWN = 6


def run(principal: Principal, data: Path, languages: tuple[str, ...] = LANGUAGES) -> dict[str, Any]:
    """Needs the passages ingested in a space named by the language."""
    return {
        language: _measure(data, language)
        for language in languages
        if Space.objects.filter(slug=language).exists()
    }


def _measure(data: Path, language: str) -> dict[str, Any]:
    space = Space.objects.get(slug=language)
    found = serving_set(space.id)
    assert found is not None
    baseline = baseline_of(found, language)
    rows = Document.objects.filter(space=space).select_related("space")
    names = {row.id: (row.external_id, row.title) for row in rows}
    owner = dict(Chunk.objects.filter(space=space).values_list("id", "document_id"))
    titles = dict(names.values())
    scores: dict[str, list[float]] = {"whole": [], "passage_removed": [], "article_removed": []}
    held, first_two, lengths, base_lengths, strangers = [], [], [], [], 0
    for question in questions(data, language):
        asked = question["question"]
        hits = search_space(space, found, embedder().embed_query(asked), asked, pool_size=80)
        gold = question["passage_id"]
        for name, keeps in (
            ("whole", lambda d, g=gold: True),
            ("passage_removed", lambda d, g=gold: names[d][0] != g),
            ("article_removed", lambda d, g=gold: names[d][1] != titles[g]),
        ):
            kept = _only(hits, [hit for hit in hits.hits if keeps(owner[hit.chunk])])
            passages = decrypt(survivors([kept], {space.id: baseline})[:SHOWN])
            extracted = extract(asked, passages, baseline, rarities(asked, [hits]))
            scores[name].append(extracted.score)
            if name == "whole":
                quotes = [passages[q.passage].text[q.start : q.end] for q in extracted.quotes]
                strangers += sum(not any(quote in p.text for p in passages) for quote in quotes)
                held.append(_holds(quotes, question["answers"]))
                lengths.append(sum(map(len, quotes)))
                two = _first_two(passages[0]) if passages else ""
                first_two.append(_holds([two], question["answers"]))
                base_lengths.append(len(two))
    return {
        "questions": len(held),
        "quotes_hold_gold": _share(held),
        "median_characters": median(lengths),
        "first_two_sentences_hold_gold": _share(first_two),
        "first_two_sentences_median_characters": median(base_lengths),
        "quotes_not_in_source": strangers,
        "balanced_accuracy": {
            name: _balanced(scores["whole"], scores[name], 0.5) for name in list(scores)[1:]
        },
        "curve": _curve(scores),
    }


def _only(hits: SpaceHits, kept: list[Hit]) -> SpaceHits:
    return SpaceHits(tuple(kept), hits.chunks, hits.holding)


def _holds(quotes: list[str], answers: list[str]) -> bool:
    text = match_key(" ".join(quotes)).replace(" ", "")
    return any(match_key(answer).replace(" ", "") in text for answer in answers)


def _first_two(passage: Passage) -> str:
    spans = sentences(passage.text)[:2]
    return passage.text[spans[0].start : spans[-1].end] if spans else ""


def _share(values: list[bool]) -> float:
    return round(sum(values) / len(values), 4)


def _balanced(there: list[float], gone: list[float], threshold: float) -> float:
    answered = sum(score >= threshold for score in there) / len(there)
    silent = sum(score < threshold for score in gone) / len(gone)
    return round((answered + silent) / 2, 4)


def _curve(scores: dict[str, list[float]]) -> list[dict[str, float]]:
    """At each threshold: answered of those that can be, silent of those that cannot."""
    return [
        {
            "threshold": threshold,
            "answered": round(sum(s >= threshold for s in scores["whole"]) / len(scores["whole"]), 3),
            **{
                f"silent_{name}": round(sum(s < threshold for s in scores[name]) / len(scores[name]), 3)
                for name in list(scores)[1:]
            },
        }
        for threshold in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    ]
