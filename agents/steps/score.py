"""How surely the passages hold the answer: one number in [0, 1] from evidence that code can see.

No absolute distance says that there is no answer (spec 02), so three kinds of evidence add up: how far below the
space's unrelated baseline the nearest passage lies, how much of what the question names stands in the first passage,
and how far that one leads. Each is scaled by about what parts an answered question from an unanswered one, so that
they weigh alike; THRESHOLD is one for all languages. `manage.py bench answers` prints the curve (docs/results.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

NEARNESS = 1.0  # per deviation below the baseline
COVERAGE = 5.0  # of the whole of the question's weighted terms
LEAD = 6.7  # per unit of fused score
MOST_LEAD = 0.3  # a greater lead says no more
THRESHOLD = 8.0
GATE = 0.05  # below it no model is asked: the passages are about something else


@dataclass(frozen=True, slots=True)
class Evidence:
    """`nearness` in deviations below the baseline; `coverage` the share in [0, 1] of the question's terms, weighted
    by rarity, in the first passage; `lead` its fused score less the second one's."""

    nearness: float
    coverage: float
    lead: float


def answerable(evidence: Evidence) -> float:
    """Above 0.5 the passages are taken to hold the answer."""
    total = (
        NEARNESS * evidence.nearness
        + COVERAGE * evidence.coverage
        + LEAD * min(max(evidence.lead, 0.0), MOST_LEAD)
    )
    return 1 / (1 + math.exp(THRESHOLD - total))


def share(wanted: Mapping[str, float], held: Mapping[str, int]) -> float:
    """Weighted share of the wanted terms that are held."""
    total = sum(wanted.values())
    return sum(weight for term, weight in wanted.items() if term in held) / total if total else 0.0
