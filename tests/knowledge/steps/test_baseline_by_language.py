"""One baseline for each language of question: unrelated texts of one language lie nearer than those of two."""

from __future__ import annotations

import numpy as np
import pytest

from knowledge.steps.baseline import measure_each, of_language, spread
from knowledge.steps.centre import Vectors

DICE = np.random.default_rng(3)


def _of(direction: Vectors, count: int) -> Vectors:
    """Vectors that share a direction, as texts of one language do."""
    raw = DICE.standard_normal((count, 48)).astype(np.float32) + 4 * direction
    unit: Vectors = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    return unit


ENGLISH, KOREAN = np.eye(48, dtype=np.float32)[:2]
SPACE = _of(ENGLISH, 200)
BASELINES = measure_each({"en": _of(ENGLISH, 30), "ko": _of(KOREAN, 30)}, SPACE)


@pytest.mark.parametrize(("language", "direction"), [("en", ENGLISH), ("ko", KOREAN)])
def test_an_unrelated_question_lies_at_its_own_languages_baseline(language: str, direction: Vectors) -> None:
    distances = 1 - _of(direction, 40) @ SPACE.T
    mine = of_language(BASELINES, language)
    assert abs(float(np.mean([spread(d, mine) for d in distances.flat]))) < 0.3


def test_one_baseline_for_all_would_take_a_language_for_a_likeness() -> None:
    unrelated = 1 - _of(ENGLISH, 40) @ SPACE.T
    assert np.mean([spread(d, BASELINES[""]) for d in unrelated.flat]) > 0.5


def test_an_unknown_language_is_measured_against_all() -> None:
    assert of_language(BASELINES, None) == BASELINES[""] == of_language(BASELINES, "nl")


def test_no_passages_yet_is_the_distance_of_what_shares_nothing() -> None:
    empty = measure_each({"en": _of(ENGLISH, 3)}, SPACE[:0])
    assert empty["en"].samples == 0 and empty[""].mean == 1.0
    assert measure_each({}, SPACE)[""].samples == 0
