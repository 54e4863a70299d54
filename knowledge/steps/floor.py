"""The relevance floor: what is as far from the question as anything unrelated is not handed over.

Fewer passages than asked for is a right result.
"""

from __future__ import annotations

from knowledge.steps.baseline import spread
from knowledge.types import Baseline

FLOOR = (
    2.0  # deviations below the unrelated mean; what it cuts: `python -m config.benches.steps sweeps across`
)


def passes(
    distance: float | None, baseline: Baseline, *, is_literal: bool = False, floor: float = FLOOR
) -> bool:
    """Whether a passage may be handed over: near enough, or what is asked stands in it literally."""
    return is_literal or (distance is not None and spread(distance, baseline) >= floor)
