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
class Weights:
    """Logistic weights: `nearness` per deviation below the baseline, `coverage` of the whole of the question's weighted
    terms, `lead` per unit of fused score; `nearness_alone` where the words cannot tell, since question and passage are
    in two languages."""

    nearness: float = 0.35
    coverage: float = 7.0
    lead: float = 13.5
    nearness_alone: float = 1.2
    threshold: float = 6.1


WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class Evidence:
    """`nearness` in deviations below the baseline; `coverage` the share in [0, 1] of the question's terms, weighted
    by rarity, that stands together in the first passage, None where question and passage are in two languages;
    `lead` its fused score less the second one's."""

    nearness: float
    coverage: float | None
    lead: float


def answerable(evidence: Evidence, weights: Weights = WEIGHTS) -> float:
    """Above 0.5 the passages are taken to hold the answer."""
    total = weights.lead * min(max(evidence.lead, 0.0), MOST_LEAD)
    if evidence.coverage is None:
        total += weights.nearness_alone * evidence.nearness
    else:
        total += weights.nearness * evidence.nearness + weights.coverage * evidence.coverage
    return 1 / (1 + math.exp(weights.threshold - total))
