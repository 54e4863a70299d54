"""The answerer that needs no model: it picks the sentences that answer, and quotes them letter for letter.

A sentence is weighed by how much of the question it covers (rare terms most), by how far its passage trails the first
one, by whether it has the shape that is asked for (a date, a number, a price), and, where the caller can measure it,
by its nearness to the question. The second quote adds what the first one lacks. The weights are chosen on the
calibration set of the repository by `python -m config.benches.calibrate`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agents.steps.score import LONE_LEAD, Evidence, answerable
from knowledge.steps.baseline import spread
from knowledge.steps.cover import cover
from knowledge.text.asking import Shape, asked_shape, has_shape
from knowledge.text.identifiers import holds, identifiers
from knowledge.text.language import language_of
from knowledge.text.sentences import Span, sentences
from knowledge.text.terms import index_terms, query_terms
from knowledge.types import Baseline, Nearness, Passage

LOOKED_AT = 4  # passages whose sentences are weighed
MEASURED = 6  # sentences whose nearness is measured, the best by their words: 4 to 10 do alike
_HEADING = 40  # characters of a heading at most
_SAYS_SOMETHING = re.compile(r"\d|[:：.!?。！？]")
_LONGEST = 600  # characters of a quote; a "sentence" beyond is a table or a list


@dataclass(frozen=True, slots=True)
class Weights:
    """What makes a sentence quoted, beside its coverage of the question's terms (1 in all).

    `shape` is what the asked shape adds; `behind` the cost of each unit of fused score that its passage trails the
    first; `near` the factor of its cosine similarity with the question; `adds` that of the coverage which a second quote
    adds; `beside` what standing beside the first quote adds to the second, since it goes on from it; `second` the share
    of the first one's weight that a second quote must reach; `in_title` the factor of a term which the passage's title
    or section holds, since its siblings have it too.
    """

    shape: float = 0.2
    behind: float = 2.0
    near: float = 1.0
    adds: float = 0.6
    beside: float = 0.1
    second: float = 0.5
    in_title: float = 0.5


WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class Quote:
    """Characters [start, end) of the text of passage number `passage`, counted from 0."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Extract:
    """The quotes in reading order, how surely they answer, in [0, 1], and what says so; no evidence where nothing
    was found."""

    quotes: tuple[Quote, ...]
    score: float
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence as weighed: `ordinal` counts within its passage, `held` are the wanted terms it has."""

    passage: int
    ordinal: int
    span: Span
    text: str
    weight: float
    held: frozenset[str]


def extract(
    question: str,
    passages: Sequence[Passage],
    baseline: Baseline,
    rarities: Mapping[str, float] | None = None,
    *,
    nearness: Nearness | None = None,
    weights: Weights = WEIGHTS,
) -> Extract:
    """At most two sentences that answer, best passages first. `rarities` weighs the question's terms (1 each
    without); `nearness` gives the cosine similarity of sentences to the question.

    A passage that lacks the identifiers of the question is not quoted: its neighbour's facts are no answer.
    """
    usable = _usable(question, passages)
    if not usable:
        return Extract((), 0.0)
    wanted = {term: (rarities or {}).get(term, 1.0) for term in query_terms(question)}
    evidence = _evidence(question, [passages[n] for n in usable], baseline, wanted, weights)
    weighed = _weighed(question, [(n, passages[n]) for n in usable[:LOOKED_AT]], wanted, weights)
    if nearness is not None and weighed:
        weighed, nearest = _measured(weighed, nearness, weights)
        evidence = replace(evidence, nearness=spread(1 - nearest, baseline), is_measured=True)
    return Extract(_chosen(weighed, wanted, weights), answerable(evidence), evidence)


def _usable(question: str, passages: Sequence[Passage]) -> list[int]:
    """Numbers of the passages that may answer: where the question names identifiers, those that hold one."""
    named = identifiers(question)
    return [
        number
        for number, passage in enumerate(passages)
        if not named or any(holds(f"{_headed(passage)}\n{passage.text}", key) for key in named)
    ]


def _headed(passage: Passage) -> str:
    return "\n".join((passage.title, *passage.section))


def _discounted(wanted: Mapping[str, float], passage: Passage, in_title: float) -> dict[str, float]:
    heading = index_terms(_headed(passage))
    return {term: weight * (in_title if term in heading else 1.0) for term, weight in wanted.items()}


def _evidence(
    question: str,
    passages: Sequence[Passage],
    baseline: Baseline,
    wanted: Mapping[str, float],
    weights: Weights,
) -> Evidence:
    nearest = min((p.distance for p in passages if p.distance is not None), default=baseline.mean)
    first = passages[0]
    lead = first.score - passages[1].score if len(passages) > 1 else LONE_LEAD
    languages = {language_of(question), language_of(first.text)} - {None}
    coverage = _window(first, _discounted(wanted, first, weights.in_title)) if len(languages) < 2 else None
    return Evidence(spread(nearest, baseline), coverage, lead)


def _window(passage: Passage, wanted: Mapping[str, float]) -> float:
    """The best coverage by two sentences that follow each other, with the title: what answers stands together."""
    heading = index_terms(_headed(passage))
    held = [index_terms(passage.text[span.start : span.end]) for span in sentences(passage.text)]
    pairs = zip(held, [*held[1:], {}], strict=True)
    return max((cover(wanted, {**heading, **one, **two}) for one, two in pairs), default=0.0)


def _weighed(
    question: str, passages: Sequence[tuple[int, Passage]], wanted: Mapping[str, float], weights: Weights
) -> list[_Sentence]:
    shape = asked_shape(question)
    found: list[_Sentence] = []
    for number, passage in passages:
        behind = weights.behind * max(0.0, passages[0][1].score - passage.score)
        discounted = _discounted(wanted, passage, weights.in_title)
        for ordinal, span in enumerate(sentences(passage.text)):
            text = passage.text[span.start : span.end]
            if _is_heading(passage, span):
                continue
            held = index_terms(text)
            weight = cover(discounted, held) - behind + weights.shape * _has_asked(text, question, shape)
            found.append(_Sentence(number, ordinal, span, text, weight, frozenset(held) & wanted.keys()))
    return found


def _is_heading(passage: Passage, span: Span) -> bool:
    """Whether a sentence is a heading: it names what follows and says nothing. One of the passage's section, or a
    short block of its own without a figure, a colon or an end mark."""
    text = passage.text[span.start : span.end]
    if text in passage.section:
        return True
    stands_alone = passage.text[span.end :].startswith("\n\n")
    return stands_alone and len(text) <= _HEADING and not _SAYS_SOMETHING.search(text)


def _has_asked(text: str, question: str, shape: Shape | None) -> bool:
    """Whether it has the asked shape, the question's own words left out: a number that was asked with is no answer."""
    if shape is None:
        return False
    for word in question.split():
        if len(word) > 2:
            text = text.replace(word, " ")
    return has_shape(text, shape)


def _measured(
    weighed: Sequence[_Sentence], nearness: Nearness, weights: Weights
) -> tuple[list[_Sentence], float]:
    """The MEASURED best sentences with their nearness added, the others left out; and the greatest nearness."""
    best = sorted(weighed, key=_order)[:MEASURED]
    near = nearness([sentence.text[:_LONGEST] for sentence in best])
    return [replace(s, weight=s.weight + weights.near * n) for s, n in zip(best, near, strict=True)], max(
        near
    )


def _order(sentence: _Sentence) -> tuple[float, int, int]:
    return (-sentence.weight, sentence.passage, sentence.ordinal)


def _chosen(weighed: Sequence[_Sentence], wanted: Mapping[str, float], weights: Weights) -> tuple[Quote, ...]:
    if not weighed:
        return ()
    first, *rest = sorted(weighed, key=_order)
    total = sum(wanted.values()) or 1.0

    def as_second(one: _Sentence) -> float:
        adds = sum(wanted[term] for term in one.held - first.held) / total
        beside = one.passage == first.passage and abs(one.ordinal - first.ordinal) == 1
        return one.weight + weights.adds * adds + (weights.beside if beside else 0.0)

    second = max(rest, key=as_second, default=None)
    picked = [first]
    if second is not None and as_second(second) >= weights.second * first.weight:
        picked.append(second)
    quotes = (Quote(s.passage, s.span.start, min(s.span.end, s.span.start + _LONGEST)) for s in picked)
    return tuple(sorted(quotes, key=lambda quote: (quote.passage, quote.start)))
