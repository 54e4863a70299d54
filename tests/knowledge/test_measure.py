"""The space in memory finds what the database's would."""

from __future__ import annotations

import numpy as np
import pytest

from knowledge.measure import POOL, SHOWN, MemorySpace, Text
from knowledge.steps.centre import Vectors

DICE = np.random.default_rng(5)


def _unit(rows: Vectors) -> Vectors:
    unit: Vectors = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    return unit


NEUTRAL = {"en": _unit(DICE.standard_normal((20, 32)).astype(np.float32))}
TEXTS = [
    Text(f"t{n}", f"Pump {n}", f"The seal of pump number {n} is made in hall {n % 7}.") for n in range(120)
]
VECTORS = _unit(np.pad(DICE.standard_normal((120, 31)).astype(np.float32), ((0, 0), (0, 1))))
APART = np.eye(32, dtype=np.float32)[31]  # as far from every text as what is unrelated
SPACE = MemorySpace(TEXTS, VECTORS, NEUTRAL)


@pytest.mark.parametrize("gone", [{0}, {3, 4, 5}, set(range(100))])
def test_a_text_taken_away_is_as_if_it_had_never_been_stored(gone: set[int]) -> None:
    left = [number for number in range(120) if number not in gone]
    smaller = MemorySpace([TEXTS[n] for n in left], VECTORS[left], NEUTRAL)
    question, vector = "Which hall makes the seal of pump 7?", _unit(VECTORS[7] + 0.5 * VECTORS[8])
    with_all = SPACE.hits(question, vector, without=gone)
    with_few = smaller.hits(question, vector)
    assert [TEXTS[h.number].key for h in with_all] == [smaller.texts[h.number].key for h in with_few]
    assert [h.score for h in with_all] == pytest.approx([h.score for h in with_few])


def test_the_pool_is_the_nearest_and_those_with_the_rarest_words() -> None:
    vector = VECTORS[7]
    hits = SPACE.hits("Which seal?", vector)
    assert POOL <= len(hits) <= 2 * POOL
    nearest = set(np.argsort(1 - VECTORS @ vector)[:POOL].tolist())
    assert nearest <= {hit.number for hit in hits}


def test_a_search_hands_over_a_few_that_passed_the_floor_with_the_terms_weights() -> None:
    found = SPACE.find("Which hall makes the seal of pump 7?", VECTORS[7])
    assert 1 <= len(found.passages) <= SHOWN and found.passages[0].external_id == "t7"
    assert found.rarities["i:7"] > found.rarities["w:seal"] > 0


def test_nothing_near_and_nothing_literal_is_nothing_found() -> None:
    assert SPACE.find("Where do whales sleep?", APART).passages == ()
    assert SPACE.find("pump 7", APART).passages[0].external_id == "t7"
