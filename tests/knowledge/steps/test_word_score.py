from __future__ import annotations

import pytest

from knowledge.steps.fuse import fuse
from knowledge.steps.rank import bm25, coverage, word_score

WEIGHTS = {"w:pump": 3.0, "w:seal": 3.0, "w:blue": 1.0}


def test_a_lone_word_in_common_counts_less_than_its_bm25_and_all_of_them_count_whole() -> None:
    lone, whole = {"w:pump": 1}, dict.fromkeys(WEIGHTS, 1)
    assert word_score(whole, 10, WEIGHTS, 10.0) == pytest.approx(bm25(whole, 10, WEIGHTS, 10.0))
    assert word_score(lone, 10, WEIGHTS, 10.0) == pytest.approx(bm25(lone, 10, WEIGHTS, 10.0) * 3 / 7)


def test_what_no_chunk_holds_lowers_the_coverage_too() -> None:
    assert coverage({"w:pump": 1.0, "w:absent": 3.0}, {"w:pump"}) == 0.25
    assert coverage({}, {"w:pump"}) == 0


def test_a_word_shared_by_chance_does_not_overtake_the_nearest_passage_of_another_language() -> None:
    """An English question of five words in a Chinese space: one chunk happens to have "Warsaw" in it."""
    weights = dict.fromkeys(("w:capital", "w:warsaw", "w:council", "w:chair", "w:elect"), 5.0)
    by_chance = word_score({"w:warsaw": 1}, 100, weights, 100.0)
    order = fuse({1: 0.80, 2: 0.86}, {2: by_chance})
    assert order[0][0] == 1
    assert fuse({1: 0.80, 2: 0.86}, {2: bm25({"w:warsaw": 1}, 100, weights, 100.0)})[0][0] == 2
