"""How surely the passages hold the answer: one number in [0, 1] from evidence that code can see.

No absolute distance says that there is no answer (spec 02), so three kinds of evidence add up: how far below the
space's unrelated baseline the nearest passage lies, how much of what the question names stands together in the first
passage, and how far that one leads. The weights are one set for all languages and both ways of having no answer (the
passage is gone, its siblings stay; the whole article is gone), fitted on the calibration set of the repository by
`python -m config.benches.calibrate`; `manage.py bench answers` prints the curve (docs/results.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

MOST_LEAD = 0.15  # a greater lead says no more
GATE = 0.05  # below it no model is asked: the passages are about something else


@dataclass(frozen=True, slots=True)
class Evidence:
    """`nearness` in deviations below the baseline, of the nearest passage, or of the nearest sentence where sentences
    were measured; `coverage` the share in [0, 1] of the question's terms, weighted by rarity, that stands together in the
    first passage, None where question and passage are in two languages; `lead` its fused score less the second one's."""

    nearness: float
    coverage: float | None
    lead: float
    is_measured: bool = False


@dataclass(frozen=True, slots=True)
class Weights:
    """Logistic weights: `nearness` per deviation below the baseline, `coverage` of the whole of the question's weighted
    terms, `lead` per unit of fused score."""

    nearness: float
    coverage: float
    lead: float
    threshold: float


@dataclass(frozen=True, slots=True)
class Judge:
    """Weights by what could be seen: passages or sentences measured, in the question's language or in another one, where
    its words cannot tell."""

    passages: Weights
    sentences: Weights
    passages_across: Weights
    sentences_across: Weights

    def weights(self, evidence: Evidence) -> Weights:
        if evidence.coverage is None:
            return self.sentences_across if evidence.is_measured else self.passages_across
        return self.sentences if evidence.is_measured else self.passages


JUDGE = Judge(
    passages=Weights(0.13, 3.64, 11.59, 2.03),
    sentences=Weights(0.49, 2.58, 9.18, 3.17),
    passages_across=Weights(0.27, 0.0, 16.48, 1.43),
    sentences_across=Weights(0.52, 0.0, 11.65, 2.4),
)


def answerable(evidence: Evidence, judge: Judge = JUDGE) -> float:
    """Above 0.5 the passages are taken to hold the answer."""
    weights = judge.weights(evidence)
    total = (
        weights.nearness * evidence.nearness
        + weights.coverage * (evidence.coverage or 0.0)
        + weights.lead * min(max(evidence.lead, 0.0), MOST_LEAD)
    )
    return 1 / (1 + math.exp(weights.threshold - total))
