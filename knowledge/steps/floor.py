"""The relevance floor: what is as far from the question as anything unrelated is not handed over.

Fewer passages than asked for is a right result.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Hashable
from typing import TypeVar

from knowledge.steps.baseline import spread
from knowledge.types import Baseline

# Deviations below the unrelated mean. Of the right passages that would be shown it cuts 0.02 on the calibration set; at 2 it
# would cut 0.13 (`config.benches.calibrate floor`). It refuses what is far off; whether the rest answers is judged after.
FLOOR = 1.0

Term = TypeVar("Term", bound=Hashable)  # a term, or its keyed hash


def is_literal(
    held: Container[Term],
    wanted: Collection[Term],
    naming: Collection[Term],
    phrases: Collection[Collection[Term]],
) -> bool:
    """Whether what is asked stands literally in a chunk that holds the terms `held`: an identifier of the question
    (`naming`), every term of a phrase that it quotes, or every term of the whole question."""
    whole = [*phrases, wanted]
    return any(term in held for term in naming) or any(
        bool(terms) and all(term in held for term in terms) for terms in whole
    )


def passes(
    distance: float | None, baseline: Baseline, *, is_literal: bool = False, floor: float = FLOOR
) -> bool:
    """Whether a passage may be handed over: near enough, or what is asked stands in it literally."""
    return is_literal or (distance is not None and spread(distance, baseline) >= floor)
