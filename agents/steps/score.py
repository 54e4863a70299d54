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
LONE_LEAD = MOST_LEAD / 2  # of a passage with none after it: nothing is known of a lead
# Below GATE no model is asked, nor where no word of the question stands there and the nearest passage is not WORDLESS
# deviations below the baseline. On the calibration set that holds back 0.05 of what the material answers, and 0.32 where the
# whole article is gone (`config.benches.calibrate gate`).
GATE = 0.06
WORDLESS = 2.0


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


# As `config.benches.calibrate judging` fits them. The thresholds lie above the fitted ones (1.99, 3.23, 1.41, 2.28): where a
# question is answerable as often as not, nine of ten answers given are to have an answer before them, and eight of ten
# where question and passage are in two languages (docs/decisions/0003-judge.md).
JUDGE = Judge(
    passages=Weights(0.13, 3.27, 11.96, 3.24),
    sentences=Weights(0.53, 2.23, 8.95, 4.23),
    passages_across=Weights(0.28, 0.0, 15.93, 2.16),
    sentences_across=Weights(0.5, 0.0, 11.57, 2.85),
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


def is_worth_asking(evidence: Evidence | None, score: float) -> bool:
    """Whether a model is asked: the passages may have to do with the question, whether or not they answer it."""
    if evidence is None or score < GATE:
        return False
    return evidence.coverage != 0.0 or evidence.nearness >= WORDLESS
