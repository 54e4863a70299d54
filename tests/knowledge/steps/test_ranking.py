"""Ranking, fusing, centring and the floor: small and exact."""

from __future__ import annotations

import numpy as np
import pytest

from knowledge.steps.baseline import measure, spread
from knowledge.steps.centre import centre, mean_vector
from knowledge.steps.floor import FLOOR, passes
from knowledge.steps.fuse import fuse, fuse_ranks
from knowledge.steps.rank import bm25, rarity, term_weight
from knowledge.types import Baseline


def test_rarer_terms_weigh_more_and_never_below_zero() -> None:
    weights = [rarity(100, holding) for holding in (0, 1, 10, 50, 100)]
    assert weights == sorted(weights, reverse=True) and weights[-1] > 0


def test_an_unseen_pair_of_characters_weighs_little_and_an_unseen_word_much() -> None:
    assert term_weight("b:测试", 100, 0) < term_weight("w:pump", 100, 0) == rarity(100, 0)


def test_more_of_a_term_helps_less_each_time_and_length_costs() -> None:
    once, twice, thrice = (bm25({1: n}, 10, {1: 1.0}, 10.0) for n in (1, 2, 3))
    assert once < twice < thrice and thrice - twice < twice - once
    assert bm25({1: 1}, 40, {1: 1.0}, 10.0) < once
    assert bm25({2: 5}, 10, {1: 1.0}, 10.0) == 0


def test_fusing_adds_words_to_nearness_and_breaks_ties_by_id() -> None:
    assert [chunk for chunk, _ in fuse({1: 0.5, 2: 0.4}, {1: 20.0})] == [1, 2]
    assert [chunk for chunk, _ in fuse({2: 0.5, 1: 0.5}, {})] == [1, 2]
    assert fuse({}, {}) == []
    assert [chunk for chunk, _ in fuse({1: 0.2}, {9: 1.0})] == [1, 9]


def test_rank_fusion_rewards_agreement() -> None:
    assert next(chunk for chunk, _ in fuse_ranks([[1, 2, 3], [2, 3, 1]])) == 2


def test_centring_takes_out_what_is_shared() -> None:
    dice = np.random.default_rng(1)
    raw = dice.standard_normal((50, 16)).astype(np.float32) + 5
    raw /= np.linalg.norm(raw, axis=1, keepdims=True)
    centred = centre(raw, mean_vector(raw))
    assert np.allclose(np.linalg.norm(centred, axis=1), 1, atol=1e-5)
    assert abs(float((centred @ centred.T).mean())) < 0.1 < float((raw @ raw.T).mean())
    assert not np.isnan(centre(raw[:1], raw[0])).any()


def test_the_baseline_is_where_unrelated_pairs_lie() -> None:
    dice = np.random.default_rng(2)
    vectors = dice.standard_normal((80, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = measure(vectors[:20], vectors[20:])
    assert found.mean == pytest.approx(1, abs=0.05) and found.samples == 20 * 60
    assert spread(found.mean, found) == 0
    assert measure(vectors[:0], vectors).samples == 0


@pytest.mark.parametrize(
    ("distance", "is_literal", "passed"),
    [(0.5, False, True), (0.95, False, False), (0.95, True, True), (None, False, False), (None, True, True)],
)
def test_the_floor_lets_pass_what_is_near_or_stands_there_literally(
    distance: float | None, is_literal: bool, passed: bool
) -> None:
    assert passes(distance, Baseline(1.0, 0.1), is_literal=is_literal) is passed


def test_the_floor_does_not_depend_on_the_scale_of_the_model() -> None:
    for scale in (0.1, 1.0, 7.0):
        baseline = Baseline(1.0 * scale, 0.1 * scale)
        edge = baseline.mean - FLOOR * baseline.deviation
        assert passes(edge - 0.001 * scale, baseline) and not passes(edge + 0.001 * scale, baseline)
