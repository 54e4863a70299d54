"""One contract, kept by the bundled model's process and by any endpoint that speaks OpenAI's protocol."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings

from config.embedded.embedder import embedder_address
from knowledge.embedding import Embedder, EmbeddingSettings, get_embedder
from knowledge.errors import BackendDown
from tests.fakes.embedding_server import EmbeddingServer, embedding_server

TEXTS = {
    "en": "The warranty lasts 24 months.",
    "ko": "보증 기간은 24개월입니다.",
    "zh": "保修期为二十四个月。",
    "ja": "保証期間は二十四か月です。",
    "de": "Die Garantie gilt 24 Monate.",
    "es": "La garantía dura 24 meses.",
    "fr": "La garantie dure 24 mois.",
}


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as server:
        yield server


def client(server: EmbeddingServer, **more: float) -> Embedder:
    return get_embedder(EmbeddingSettings(url=server.url, model="any", key="sk-secret", **more))  # type: ignore[arg-type]


@pytest.fixture(params=["endpoint", "bundled"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "endpoint":
        return client(request.getfixturevalue("server"))
    request.getfixturevalue("bundled_model")
    address = embedder_address(Path(settings.HOME))
    return get_embedder(
        EmbeddingSettings(
            url="http://embedder/v1", model="e5", key=address.token, socket=address.socket, bundled=True
        )
    )


class TestContract:
    def test_rows_are_unit_vectors_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        texts = list(TEXTS.values()) * 12  # more than a batch
        found = embedder.embed_passages(texts)
        assert found.dtype == np.float32 and len(found) == len(texts)
        assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-4)
        assert np.allclose(found[: len(TEXTS)], found[len(TEXTS) : 2 * len(TEXTS)])
        assert np.allclose(found[3], embedder.embed_passages([texts[3]])[0], atol=1e-6)

    def test_a_question_has_the_same_length_and_repeats(self, embedder: Embedder) -> None:
        one, two = embedder.embed_query(TEXTS["ko"]), embedder.embed_query(TEXTS["ko"])
        assert one.shape == embedder.embed_passages(["x"])[0].shape and np.array_equal(one, two)

    def test_no_texts_are_no_rows(self, embedder: Embedder) -> None:
        assert len(embedder.embed_passages([])) == 0

    @pytest.mark.parametrize(
        "text", ["a\x00b", "lone \ud800 half", "", " ", "🇰🇷👍🏽", "x" * 20_000, "가" * 6000]
    )
    def test_strange_text_gets_a_vector(self, embedder: Embedder, text: str) -> None:
        text = text.encode("utf-8", "replace").decode()
        found = embedder.embed_passages([text or "."])
        assert np.isfinite(found).all()

    def test_tokens_are_counted_in_order(self, embedder: Embedder) -> None:
        counts = embedder.count_tokens([TEXTS["en"], TEXTS["en"] * 3])
        assert 0 < counts[0] < counts[1]

    def test_many_threads_get_their_own_vectors(self, embedder: Embedder) -> None:
        alone = {text: embedder.embed_query(text) for text in TEXTS.values()}
        with ThreadPoolExecutor(8) as pool:
            asked = list(TEXTS.values()) * 8
            for text, found in zip(asked, pool.map(embedder.embed_query, asked), strict=True):
                assert np.allclose(found, alone[text], atol=1e-6)


@pytest.mark.parametrize("mood", ["no_json", "no_object", "no_vectors", "too_few", "not_finite", "zero"])
def test_nonsense_is_a_backend_that_is_down_and_may_be_tried_again(
    server: EmbeddingServer, mood: str
) -> None:
    server.mood = mood
    with pytest.raises(BackendDown) as raised:
        client(server).embed_passages(["a", "b"])
    assert raised.value.retryable


@pytest.mark.parametrize(("mood", "retryable"), [("down", True), ("dropped", True), ("refused", False)])
def test_a_backend_that_fails_is_named_without_its_key(
    server: EmbeddingServer, mood: str, retryable: bool
) -> None:
    server.mood = mood
    with pytest.raises(BackendDown) as raised:
        client(server).embed_query("geheim")
    assert raised.value.retryable is retryable
    assert "sk-secret" not in str(raised.value) and "geheim" not in str(raised.value)
    assert (server.requests > 1) is retryable or mood == "dropped"


def test_a_slow_backend_is_given_up_in_time(server: EmbeddingServer) -> None:
    server.delay = 5
    began = time.monotonic()
    with pytest.raises(BackendDown):
        client(server, query_seconds=0.4).embed_query("x")
    assert time.monotonic() - began < 3


def test_nobody_at_the_address_is_a_backend_that_is_down() -> None:
    with pytest.raises(BackendDown):
        get_embedder(EmbeddingSettings(url="http://127.0.0.1:9/v1", model="x", seconds=3.0)).embed_passages(
            ["x"]
        )
