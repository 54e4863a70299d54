"""Quoted answers on `multilingual_qa`, and `not_found` in both directions.

Answered: the share of the questions whose quotes hold the gold answer, beside a baseline that quotes the first two
sentences of the first passage. Not found: each question against its language's space whole, with its passage taken
away, and with every passage of its title taken away; balanced accuracy at the one threshold, and the curve.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from accounts.types import Principal
from agents.extractive import extract
from config.benches.retrieval import LANGUAGES, each_language, questions
from config.benches.steps import balance, holds, share
from knowledge.backends import embedder
from knowledge.models import Chunk, Document, Space
from knowledge.search import Hit, SpaceHits, decrypt, nearness, rarities, search_space, survivors
from knowledge.text.sentences import sentences
from knowledge.types import Passage
from knowledge.vectors import baseline_of, query_vector, serving_set

SHOWN = 6


def run(principal: Principal, data: Path, languages: tuple[str, ...] = LANGUAGES) -> dict[str, Any]:
    """Per language what the quotes hold, and the two ways of `not_found`."""
    return each_language(data, languages, _measure)


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
        raw = embedder().embed_query(asked)
        hits = search_space(space, found, raw, asked, pool_size=80)
        measured = partial(nearness, found, query_vector(found, raw))
        gold = question["passage_id"]
        for name, keeps in (
            ("whole", lambda d, g=gold: True),
            ("passage_removed", lambda d, g=gold: names[d][0] != g),
            ("article_removed", lambda d, g=gold: names[d][1] != titles[g]),
        ):
            kept = _only(hits, [hit for hit in hits.hits if keeps(owner[hit.chunk])])
            passages = decrypt(survivors([kept], {space.id: baseline})[:SHOWN], {space.id: space.uid})
            extracted = extract(asked, passages, baseline, rarities(asked, [hits]), nearness=measured)
            scores[name].append(extracted.score)
            if name == "whole":
                quotes = [passages[q.passage].text[q.start : q.end] for q in extracted.quotes]
                strangers += sum(not any(quote in p.text for p in passages) for quote in quotes)
                held.append(holds(quotes, question["answers"]))
                lengths.append(sum(map(len, quotes)))
                two = _first_two(passages[0]) if passages else ""
                first_two.append(holds([two], question["answers"]))
                base_lengths.append(len(two))
    return {
        "questions": len(held),
        "quotes_hold_gold": share(held),
        "median_characters": median(lengths),
        "first_two_sentences_hold_gold": share(first_two),
        "first_two_sentences_median_characters": median(base_lengths),
        "quotes_not_in_source": strangers,
        **balance(scores),
    }


def _only(hits: SpaceHits, kept: list[Hit]) -> SpaceHits:
    return SpaceHits(tuple(kept), hits.chunks, hits.holding)


def _first_two(passage: Passage) -> str:
    spans = sentences(passage.text)[:2]
    return passage.text[spans[0].start : spans[-1].end] if spans else ""
