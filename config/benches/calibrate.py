"""The numbers that steps are tuned by, chosen on the set that was written for it (`config/benches/calibration`).

    python -m config.benches.calibrate [--models var/models/e5] [--cache FOLDER] [part ...]

Prints JSON. Parts: fusion, floor, judging, gate, unanswered, quoting. Public sets are for measuring what came of it, never for choosing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.extractive import WEIGHTS as QUOTING
from agents.extractive import Extract, extract
from agents.extractive import Weights as Quoting
from agents.steps.score import JUDGE, MOST_LEAD, Evidence, Judge, Weights, answerable, is_worth_asking
from config.benches.steps import LANGUAGES, Bench, Question, holds, near, numbers
from knowledge.e5.model import E5
from knowledge.measure import SHOWN, MemorySpace
from knowledge.steps.baseline import spread
from knowledge.types import Found

SET = Path(__file__).parent / "calibration"
FUSED = (0.0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.06)
FLOORS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
THRESHOLDS = (-2.0, -1.5, -1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)
RIDGE = 0.1
QUOTING_SWEEPS: dict[str, tuple[float, ...]] = {
    "shape": (0.0, 0.1, 0.2, 0.3, 0.4),
    "behind": (0.0, 0.5, 1.0, 2.0, 3.0, 4.0),
    "near": (0.0, 0.5, 1.0, 1.5, 2.0),
    "adds": (0.0, 0.3, 0.6, 0.9),
    "beside": (0.0, 0.05, 0.1, 0.2),
    "second": (0.3, 0.4, 0.5, 0.6, 0.7, 0.8),
    "in_title": (0.25, 0.5, 0.75, 1.0),
}
Rows = NDArray[np.float64]


class Language:
    """One language of the set: its space, its questions, and the same ones asked in another language."""

    def __init__(self, bench: Bench, name: str) -> None:
        self.bench = bench
        self.space: MemorySpace = bench.space(bench.passages(name))
        at = numbers(self.space)
        self.questions = bench.questions(name, at)
        rows = [row for row in bench.passages(name, "questions") if row.get("other")]
        vectors = bench.asked([row["other"] for row in rows])
        self.others = [
            Question(row["other"], vector, at[row["passage_id"]], tuple(row["answers"]))
            for row, vector in zip(rows, vectors, strict=True)
        ]
        unanswered = [row["question"] for row in bench.passages(name, "unanswered")]
        self.unanswered = [
            Question(text, vector, 0, ())
            for text, vector in zip(unanswered, bench.asked(unanswered), strict=True)
        ]
        self.titles: dict[str, set[int]] = {}
        for number, text in enumerate(self.space.texts):
            self.titles.setdefault(text.title, set()).add(number)

    def find(self, question: Question, without: set[int]) -> Found:
        return self.space.find(question.text, question.vector, without=without)

    def extract(
        self, question: Question, found: Found, *, is_measured: bool = True, weights: Quoting = QUOTING
    ) -> Extract:
        assert found.baseline is not None
        nearness = partial(near, self.bench, question) if is_measured else None
        return extract(
            question.text, found.passages, found.baseline, found.rarities, nearness=nearness, weights=weights
        )

    def evidence(self, question: Question, without: set[int], *, is_measured: bool) -> Evidence:
        made = self.extract(question, self.find(question, without), is_measured=is_measured)
        return made.evidence or replace(NOTHING, is_measured=is_measured)

    def article(self, question: Question) -> set[int]:
        return self.titles[self.space.texts[question.gold].title]


def fusion(languages: dict[str, Language]) -> dict[str, Any]:
    """Mean reciprocal rank and R@1 by the weight of words beside nearness."""
    found: dict[str, Any] = {}
    for weight in FUSED:
        ranks: dict[str, list[float]] = {}
        for name, language in languages.items():
            for question in language.questions:
                hits = language.space.hits(question.text, question.vector, weight=weight)
                order = [hit.number for hit in hits]
                rank = 1 / (order.index(question.gold) + 1) if question.gold in order else 0.0
                ranks.setdefault(name, []).append(rank)
        found[str(weight)] = {
            "MRR": round(mean(mean(values) for values in ranks.values()), 4),
            "R@1": {name: round(mean(value == 1 for value in values), 3) for name, values in ranks.items()},
        }
    return found


def floor(languages: dict[str, Language]) -> dict[str, Any]:
    """By each floor: the share cut of the right passages that stand among the shown ones, asked in their own and in
    another language, and the share of questions whose article is gone for which nothing is left."""
    own: list[float] = []
    other: list[float] = []
    nearest: list[float] = []
    for language in languages.values():
        for asked, found in ((language.questions, own), (language.others, other)):
            for question in asked:
                shown = language.space.hits(question.text, question.vector)[:SHOWN]
                baseline = language.space.baseline(question.text)
                found += [spread(hit.distance, baseline) for hit in shown if hit.number == question.gold]
        for question in language.questions:
            left = [n for n in range(len(language.space.texts)) if n not in language.article(question)]
            distance = 1 - float((language.space.vectors[left] @ question.vector).max())
            nearest.append(spread(distance, language.space.baseline(question.text)))
    return {
        str(at): {
            "right_passages_cut": round(mean(s < at for s in own), 4),
            "right_passages_cut_across_languages": round(mean(s < at for s in other), 4),
            "nothing_left_of_another_article": round(mean(s < at for s in nearest), 4),
        }
        for at in FLOORS
    }


Evidences = dict[str, list[Evidence]]
NOTHING = Evidence(0.0, 0.0, 0.0)  # what is seen where nothing was found


def evidence_of(language: Language, asked: Sequence[Question], *, is_measured: bool) -> Evidences:
    """What says that the answer is there, with the space whole, the passage gone, the whole article gone."""
    found: Evidences = {"whole": [], "passage_removed": [], "article_removed": []}
    for question in asked:
        for name, without in (
            ("whole", set()),
            ("passage_removed", {question.gold}),
            ("article_removed", language.article(question)),
        ):
            found[name].append(language.evidence(question, without, is_measured=is_measured))
    return found


def judging(languages: dict[str, Language]) -> dict[str, Any]:
    """For passages and for measured sentences, asked in the same and in another language: the weights fitted to all
    languages, what they reach, what those in use reach, and what weights fitted without a language reach on it."""
    found: dict[str, Any] = {}
    for name, is_measured, is_across in (
        ("passages", False, False),
        ("sentences", True, False),
        ("passages_across", False, True),
        ("sentences_across", True, True),
    ):
        each = {
            key: evidence_of(one, one.others if is_across else one.questions, is_measured=is_measured)
            for key, one in languages.items()
        }
        fitted = fit(list(each.values()))
        left_out = [
            reached(each[key], fit([one for other, one in each.items() if other != key])) for key in each
        ]
        found[name] = {
            "fitted": {field.name: round(getattr(fitted, field.name), 2) for field in fields(fitted)},
            "reached": {key: reached(one, fitted) for key, one in each.items()},
            "mean": averaged([reached(one, fitted) for one in each.values()]),
            "mean_in_use": averaged([reached(one, getattr(JUDGE, name)) for one in each.values()]),
            "mean_language_left_out": averaged(left_out),
            "by_threshold": by_threshold(list(each.values()), fitted),
        }
    return found


def by_threshold(sets: Sequence[Evidences], weights: Weights) -> dict[str, dict[str, float]]:
    """What a higher threshold, the other weights as they are, answers and holds back: the shares answered where the
    answer is there and where it is not, and the precision where both are asked as often."""
    found: dict[str, dict[str, float]] = {}
    for more in THRESHOLDS:
        tried = replace(weights, threshold=weights.threshold + more)
        shares = averaged([answered(one, tried) for one in sets])
        false = (shares["passage_removed"] + shares["article_removed"]) / 2
        precision = shares["whole"] / max(1e-9, shares["whole"] + false)
        found[str(round(tried.threshold, 2))] = {**shares, "precision": round(precision, 3)}
    return found


def averaged(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: round(mean(row[name] for row in rows), 4) for name in rows[0]}


def reached(found: Evidences, weights: Weights) -> dict[str, float]:
    """Balanced accuracies against both ways of having no answer."""
    shares = answered(found, weights)
    return {name: round((shares["whole"] + 1 - shares[name]) / 2, 4) for name in list(found)[1:]}


def answered(found: Evidences, weights: Weights) -> dict[str, float]:
    """The share that is taken to be answered."""
    judge = Judge(weights, weights, weights, weights)
    return {name: mean(answerable(one, judge) >= 0.5 for one in every) for name, every in found.items()}


def fit(sets: Sequence[Evidences]) -> Weights:
    """Logistic regression by Newton's method, both answers weighing alike; a slight ridge keeps it finite. No weight
    is below 0: more evidence never says less."""
    rows, right = [], []
    for found in sets:
        for name, every in found.items():
            for one in every:
                rows.append([one.nearness, one.coverage or 0.0, min(max(one.lead, 0.0), MOST_LEAD), -1.0])
                right.append(name == "whole")
    x, y = np.asarray(rows), np.asarray(right, dtype=float)
    share = np.where(y == 1, 0.5 / y.sum(), 0.5 / (len(y) - y.sum())) * len(y)
    used = np.abs(x).sum(axis=0) > 0
    while True:
        beta = np.zeros(4)
        beta[used] = _newton(x[:, used], y, share)
        if (beta[:3] >= 0).all():
            return Weights(*map(float, beta))
        used[:3] &= beta[:3] > 0


def _newton(x: Rows, y: Rows, share: Rows) -> Rows:
    scale = np.abs(x).mean(axis=0)
    z, beta = x / scale, np.zeros(x.shape[1])
    for _step in range(60):
        p = 1 / (1 + np.exp(-(z @ beta)))
        gradient = z.T @ (share * (y - p)) - RIDGE * beta
        hessian = (z * (share * p * (1 - p))[:, None]).T @ z + RIDGE * np.eye(len(beta))
        step = np.linalg.solve(hessian, gradient)
        beta = beta + step
        if np.abs(step).max() < 1e-9:
            break
    found: Rows = beta / scale
    return found


def quoting(languages: dict[str, Language]) -> dict[str, Any]:
    """Each weight swept with the others as in use: the mean share of quotes that hold the answer, and their length."""
    found: dict[str, Any] = {"in_use": quoted(languages, QUOTING)}
    for name, values in QUOTING_SWEEPS.items():
        found[name] = {str(v): quoted(languages, replace(QUOTING, **{name: v})) for v in values}
    return found


def quoted(languages: dict[str, Language], weights: Quoting) -> dict[str, float]:
    shares, lengths = [], []
    for language in languages.values():
        held = []
        for question in language.questions:
            found = language.find(question, set())
            made = language.extract(question, found, weights=weights)
            quotes = [found.passages[q.passage].text[q.start : q.end] for q in made.quotes]
            held.append(holds(quotes, question.answers))
            lengths.append(sum(map(len, quotes)))
        shares.append(mean(held))
    return {"hold_the_answer": round(mean(shares), 4), "median_characters": median(lengths)}


def unanswered(languages: dict[str, Language]) -> dict[str, Any]:
    """The share answered of questions that fit an article and ask what it does not say: another aspect, another year.
    No part of the judge's rule: its evidence does not know what is asked of a thing, only that it is there."""
    found = {
        name: [one.evidence(q, set(), is_measured=True) for q in one.unanswered]
        for name, one in languages.items()
    }
    return {name: round(mean(answerable(one) >= 0.5 for one in every), 3) for name, every in found.items()}


def gate(languages: dict[str, Language]) -> dict[str, float]:
    """The shares for which no model would be asked: where the answer is there, and the two ways of its being gone."""
    rows = [evidence_of(one, one.questions, is_measured=False) for one in languages.values()]
    return {
        name: round(mean(not is_worth_asking(e, answerable(e)) for row in rows for e in row[name]), 4)
        for name in rows[0]
    }


PARTS: dict[str, Callable[[dict[str, Language]], dict[str, Any]]] = {
    part.__name__: part for part in (fusion, floor, judging, gate, unanswered, quoting)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    parser.add_argument("--data", type=Path, default=SET)
    parser.add_argument("--models", type=Path, default=Path("var/models/e5"))
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    if options.cache:
        options.cache.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.data, E5(options.models), options.cache)
    languages = {name: Language(bench, name) for name in LANGUAGES if (options.data / name).is_dir()}
    result = {part: PARTS[part](languages) for part in options.parts or PARTS}
    json.dump(result, sys.stdout, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    main()
