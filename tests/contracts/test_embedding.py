"""One contract, kept by the bundled model's process and by any endpoint that speaks OpenAI's protocol."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from knowledge.embedding import Embedder, EmbeddingSettings, OpenAIEmbedder, get_embedder
from knowledge.errors import BackendDown
from tests.fakes.embedding_server import DIMENSION, EmbeddingServer, embedding_server
from tests.knowledge.e5.serving import serving

TEXTS = {
    "en": "The warranty lasts 24 months.",
    "ko": "보증 기간은 24개월입니다.",
    "zh": "保修期为二十四个月。",
    "ja": "保証期間は二十四か月です。",
    "de": "Die Garantie gilt 24 Monate.",
    "es": "La garantía dura 24 meses.",
    "fr": "La garantie dure 24 mois.",
}
KEY = "sk-secret"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as server:
        yield server


def client(server: EmbeddingServer, **more: object) -> Embedder:
    return get_embedder(EmbeddingSettings(url=server.url, model="any", key=KEY, **more))  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=["endpoint", "bundled"])
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    if request.param == "endpoint":
        with embedding_server() as server:
            yield client(server, dimension=DIMENSION)
    else:
        with serving(tmp_path_factory.mktemp("e5")) as process:
            yield process.embedder()


class TestContract:
    def test_rows_are_unit_vectors_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        texts = list(TEXTS.values()) * 12  # more than a batch
        found = embedder.embed_passages(texts)
        assert found.dtype == np.float32 and found.shape == (len(texts), embedder.dimension)
        assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
        for at, text in enumerate(TEXTS.values()):
            assert np.array_equal(found[at], embedder.embed_passages([text])[0])
            assert np.array_equal(found[at], found[at + 11 * len(TEXTS)])

    def test_a_question_has_the_same_length_and_repeats(self, embedder: Embedder) -> None:
        one, two = embedder.embed_query(TEXTS["ko"]), embedder.embed_query(TEXTS["ko"])
        assert one.shape == (embedder.dimension,) and one.dtype == np.float32 and np.array_equal(one, two)

    def test_many_questions_are_the_single_ones(self, embedder: Embedder) -> None:
        found = embedder.embed_queries(list(TEXTS.values()))
        for row, text in zip(found, TEXTS.values(), strict=True):
            assert np.array_equal(row, embedder.embed_query(text))

    def test_different_texts_have_different_vectors(self, embedder: Embedder) -> None:
        found = embedder.embed_passages(list(TEXTS.values()))
        assert (found @ found.T - np.eye(len(found))).max() < 0.999

    def test_no_texts_are_no_rows(self, embedder: Embedder) -> None:
        assert embedder.embed_passages([]).shape == (0, embedder.dimension)
        assert embedder.count_tokens([]) == []

    @pytest.mark.parametrize(
        "text", ["a\x00b", "half \ud800 a pair", "\udfff", "\x00", "", " ", "🇰🇷👍🏽", "x" * 9000, "가" * 3000]
    )
    def test_strange_text_gets_a_unit_vector(self, embedder: Embedder, text: str) -> None:
        for vector in (embedder.embed_passages(["before", text])[1], embedder.embed_query(text)):
            assert abs(float(np.linalg.norm(vector)) - 1) < 1e-5
        assert embedder.count_tokens([text])[0] >= 0

    @pytest.mark.parametrize("language", TEXTS)
    def test_tokens_are_counted_in_order(self, embedder: Embedder, language: str) -> None:
        text = TEXTS[language]
        one, three = embedder.count_tokens([text, text * 3])
        assert 0 < one < three < len(text) * 3 + 1

    def test_more_texts_than_one_request_holds_are_counted(self, embedder: Embedder) -> None:
        counts = embedder.count_tokens(["a", "a b c d e f g h"] * 300)
        assert len(counts) == 600 and len(set(counts[0::2])) == 1 and counts[0] < counts[1]

    def test_many_threads_get_their_own_vectors(self, embedder: Embedder) -> None:
        alone = {text: embedder.embed_query(text) for text in TEXTS.values()}
        with ThreadPoolExecutor(8) as pool:
            asked = list(TEXTS.values()) * 8
            for text, found in zip(asked, pool.map(embedder.embed_query, asked), strict=True):
                assert np.array_equal(found, alone[text])


NONSENSE = [
    "no_json", "no_object", "no_vectors", "no_index", "too_few", "too_many", "twice", "not_finite", "zero",
    "two_dimensions",
]  # fmt: skip


@pytest.mark.parametrize("mood", NONSENSE)
def test_nonsense_is_a_backend_that_is_down_and_may_be_tried_again(
    server: EmbeddingServer, mood: str
) -> None:
    server.mood = mood
    with pytest.raises(BackendDown) as raised:
        client(server).embed_passages(["a", "b"])
    assert raised.value.retryable


@pytest.mark.parametrize(
    ("mood", "retryable"),
    [
        ("down", True),
        ("broken", True),
        ("throttled", True),
        ("dropped", True),
        ("truncated", True),
        ("refused", False),
        ("moved", False),
    ],
)
def test_a_backend_that_fails_is_named_without_key_and_text(
    server: EmbeddingServer, mood: str, retryable: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.mood, server.elsewhere = mood, f"{server.url}/elsewhere"
    with pytest.raises(BackendDown) as raised:
        client(server).embed_query("Xylophon")
    assert raised.value.retryable is retryable
    assert server.requests == (4 if retryable else 1)
    for secret in (KEY, "Xylophon"):
        assert secret not in f"{raised.value!r} {raised.value.__cause__!r} {raised.value.__context__!r}"
        assert secret not in caplog.text


@pytest.mark.parametrize("mood", ["down", "broken", "throttled", "dropped", "truncated"])
def test_what_passes_is_waited_for(server: EmbeddingServer, mood: str) -> None:
    well = client(server).embed_passages(["a", "b"])
    server.mood, server.spell = mood, 2
    assert np.array_equal(client(server).embed_passages(["a", "b"]), well)
    assert server.requests == 1 + 3


@pytest.mark.parametrize("mood", ["swapped", "numbers", "huge"])
def test_vectors_are_read_in_any_order_form_and_size(server: EmbeddingServer, mood: str) -> None:
    texts = list(TEXTS.values())
    well = client(server).embed_passages(texts)
    server.mood = mood
    assert np.allclose(client(server).embed_passages(texts), well, atol=1e-6)


def test_a_wait_that_was_asked_for_is_kept(server: EmbeddingServer) -> None:
    server.mood, server.spell, server.retry_after = "throttled", 1, "1.2"
    began = time.monotonic()
    client(server).embed_query("x")
    assert 1.2 <= time.monotonic() - began < 3


@pytest.mark.parametrize("asked", ["3600", "-1", "nan", "inf", "Wed, 21 Oct 2037 07:28:00 GMT", "", "soon"])
def test_no_wait_is_longer_than_the_limit_of_the_call(server: EmbeddingServer, asked: str) -> None:
    server.mood, server.retry_after = "throttled", asked
    began = time.monotonic()
    with pytest.raises(BackendDown) as raised:
        client(server, query_seconds=0.5).embed_query("x")
    assert raised.value.retryable and time.monotonic() - began < 1.5


@pytest.mark.parametrize(("mood", "delay"), [("well", 5), ("dripping", 0)])
def test_a_slow_backend_is_given_up_in_time(server: EmbeddingServer, mood: str, delay: float) -> None:
    server.mood, server.delay = mood, delay
    began = time.monotonic()
    with pytest.raises(BackendDown) as raised:
        client(server, query_seconds=0.6).embed_query("x")
    assert raised.value.retryable and time.monotonic() - began < 2


def test_vectors_of_another_length_are_refused_and_not_asked_for_again(server: EmbeddingServer) -> None:
    server.mood = "other_dimension"
    assert client(server).embed_query("x").shape == (48,)
    with pytest.raises(BackendDown) as raised:
        client(server, dimension=DIMENSION).embed_query("x")
    assert not raised.value.retryable and server.requests == 2


def test_a_length_that_changes_between_two_batches_is_refused(server: EmbeddingServer) -> None:
    server.mood, server.spell = "other_dimension", 1
    with pytest.raises(BackendDown):
        client(server, batch=2).embed_passages(["a", "b", "c"])


def test_a_request_holds_no_more_than_a_batch(server: EmbeddingServer) -> None:
    client(server, batch=3).embed_passages(["a"] * 8)
    assert server.sizes == [3, 3, 2]


def test_prefixes_are_put_before_and_only_the_bundled_process_is_told_the_kind(
    server: EmbeddingServer,
) -> None:
    embedder = client(server, query_prefix="Q: ", passage_prefix="P: ")
    embedder.embed_query("a"), embedder.embed_passages(["b"])
    assert server.embedded == ["Q: a", "P: b"]
    assert not any("input_type" in body for body in server.bodies)


def test_tokens_of_an_endpoint_are_estimated_as_the_caller_says(server: EmbeddingServer) -> None:
    embedder = OpenAIEmbedder(EmbeddingSettings(url=server.url, model="any"), estimate=len)
    assert embedder.count_tokens(["a", "bcd"]) == [1, 3] and server.requests == 0


@pytest.mark.parametrize(
    ("url", "key", "retryable"),
    [
        ("http://127.0.0.1:9/v1", "", True),
        ("ftp://127.0.0.1/v1", "", False),
        ("127.0.0.1:9/v1", "", False),
        ("http://127.0.0.1:port/v1", "", False),
        ("http://127.0.0.1:9/v1", "schlüssel-geheim", False),
    ],
)
def test_nobody_at_the_address_is_a_backend_that_is_down(url: str, key: str, retryable: bool) -> None:
    with pytest.raises(BackendDown) as raised:
        get_embedder(EmbeddingSettings(url=url, model="x", key=key, seconds=3.0)).embed_passages(["x"])
    assert raised.value.retryable is retryable
    assert "geheim" not in repr(raised.value)
