"""The answerer that needs no model: it picks the sentences that answer, and quotes them letter for letter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agents.steps.score import MOST_LEAD, Evidence, answerable, share
from knowledge.text.asking import asked_shape, has_shape
from knowledge.text.sentences import Span, sentences
from knowledge.text.terms import index_terms, query_terms
from knowledge.types import Baseline, Passage

LOOKED_AT = 3  # passages whose sentences are weighed
_SHAPE = 0.25  # what having the asked shape adds to a sentence's share of terms
_PLACE = 0.15  # what each further passage costs
_NEIGHBOUR = 0.5  # of a neighbour's share: a sentence that goes on from one that names the thing
_SECOND = 0.75  # share of the first one's score that a second quote must reach
_LONGEST = 600  # characters of a quote; a "sentence" beyond is a table or a list


@dataclass(frozen=True, slots=True)
class Quote:
    """Characters [start, end) of the text of passage number `passage`, counted from 0."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Extract:
    """The quotes in reading order, and how surely they answer, in [0, 1]."""

    quotes: tuple[Quote, ...]
    score: float


def extract(
    question: str,
    passages: Sequence[Passage],
    baseline: Baseline,
    rarities: Mapping[str, float] | None = None,
) -> Extract:
    """At most two sentences that answer. `rarities` weighs the question's terms (1 each without)."""
    wanted = {term: (rarities or {}).get(term, 1.0) for term in query_terms(question)}
    if not passages:
        return Extract((), 0.0)
    weighed = _weighed(question, passages[:LOOKED_AT], wanted)
    return Extract(_chosen(weighed), answerable(_evidence(passages, baseline, wanted)))


def _evidence(passages: Sequence[Passage], baseline: Baseline, wanted: Mapping[str, float]) -> Evidence:
    nearest = min((p.distance for p in passages if p.distance is not None), default=baseline.mean)
    first = passages[0]
    lead = first.score - passages[1].score if len(passages) > 1 else MOST_LEAD
    held = index_terms("\n".join((first.title, *first.section, first.text)))
    return Evidence((baseline.mean - nearest) / baseline.deviation, share(wanted, held), lead)


def _weighed(
    question: str, passages: Sequence[Passage], wanted: Mapping[str, float]
) -> list[tuple[float, Quote]]:
    shape = asked_shape(question)
    found: list[tuple[float, Quote]] = []
    for number, passage in enumerate(passages):
        spans = sentences(passage.text)
        shares = [share(wanted, index_terms(passage.text[s.start : s.end])) for s in spans]
        for index, span in enumerate(spans):
            text = passage.text[span.start : span.end]
            around = max(shares[index - 1] if index else 0.0, 0.0)
            score = shares[index] + _NEIGHBOUR * max(0.0, around - shares[index]) - _PLACE * number
            if shape is not None and has_shape(_without(text, question), shape):
                score += _SHAPE
            found.append((score, Quote(number, *_bounded(span))))
    return sorted(found, key=lambda one: (-one[0], one[1].passage, one[1].start))


def _without(text: str, question: str) -> str:
    """The sentence less the question's own words, so that a number that was asked with does not answer."""
    for word in question.split():
        if len(word) > 2:
            text = text.replace(word, " ")
    return text


def _bounded(span: Span) -> tuple[int, int]:
    return span.start, min(span.end, span.start + _LONGEST)


def _chosen(weighed: list[tuple[float, Quote]]) -> tuple[Quote, ...]:
    if not weighed or weighed[0][0] <= 0:
        return ()
    best = weighed[0]
    second = next((one for one in weighed[1:] if one[0] >= _SECOND * best[0]), None)
    quotes = [best[1], *([second[1]] if second else [])]
    return tuple(sorted(quotes, key=lambda quote: (quote.passage, quote.start)))
