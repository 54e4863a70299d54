"""Port to embedding models: one client that speaks OpenAI's `/embeddings`, for the bundled process and for any other."""

from __future__ import annotations

import base64
import json
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import httpx
import numpy as np
from numpy.typing import NDArray

from knowledge.errors import BackendDown
from knowledge.text.scripts import estimate_tokens

Vectors = NDArray[np.float32]

BUNDLED_DIMENSION = 384
_RETRIED = {408, 409, 425, 429, 500, 502, 503, 504}
_LONGEST_WAIT = 20.0
_MOST_BYTES = 64 * 1024 * 1024  # of an answer; 128 vectors of 4,096 numbers in JSON are some 11 MB
_MOST_COUNTED = 256  # texts of one call that counts tokens
_NO_UNICODE = re.compile("[\x00\ud800-\udfff]")


class Embedder(Protocol):
    """Texts to unit vectors of one length. Errors are BackendDown, which never holds text."""

    model: str
    dimension: int | None  # the length of the vectors, None where only the backend knows it

    def __hash__(self) -> int: ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """(n, dimension) float32 rows of unit length, in the order of the texts."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """(dimension,) float32 of unit length."""
        ...

    def embed_sentences(self, texts: Sequence[str]) -> Vectors:
        """A few short passages that somebody waits for, as rows, in one request. Many or long ones wait like others."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Many questions at once, as rows."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text; an estimate where the backend does not count."""
        ...


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """`url` ends before `/embeddings`. `socket` and `bundled` are for the process that comes with the platform.

    `seconds`, `query_seconds` and `sentence_seconds` bound one request with all its retries, `batch` the texts of one
    request. With a `dimension`, vectors of another length are refused.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    query_prefix: str = ""
    passage_prefix: str = ""
    socket: Path | None = None
    bundled: bool = False
    seconds: float = 60.0
    query_seconds: float = 10.0
    sentence_seconds: float = 3.0
    batch: int = 32
    attempts: int = 4
    dimension: int | None = None


class OpenAIEmbedder:
    """Client of an OpenAI-compatible endpoint, safe to use from many threads. `estimate` counts tokens where the
    endpoint cannot."""

    def __init__(self, settings: EmbeddingSettings, estimate: Callable[[str], int] = estimate_tokens) -> None:
        self.settings = settings
        self.model = settings.model
        self.dimension = settings.dimension or (BUNDLED_DIMENSION if settings.bundled else None)
        self._estimate = estimate
        try:
            self._http = httpx.Client(
                base_url=settings.url.rstrip("/"),
                headers={"Authorization": f"Bearer {settings.key}"} if settings.key else {},
                transport=httpx.HTTPTransport(uds=str(settings.socket)) if settings.socket else None,
                limits=httpx.Limits(max_connections=16, max_keepalive_connections=8),
            )
        except (httpx.InvalidURL, UnicodeEncodeError):  # the latter would show the key
            raise BackendDown(
                "the embedding backend's address or key is malformed", retryable=False
            ) from None

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._embed_many([self.settings.passage_prefix + text for text in texts], "passage")

    def embed_sentences(self, texts: Sequence[str]) -> Vectors:
        prefixed = [self.settings.passage_prefix + text for text in texts]
        return self._embed(prefixed, "sentence", self.settings.sentence_seconds)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed_many([self.settings.query_prefix + text for text in texts], "query")

    def embed_query(self, text: str) -> Vectors:
        asked = [self.settings.query_prefix + text]
        found: Vectors = self._embed(asked, "query", self.settings.query_seconds)[0]
        return found

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        if not self.settings.bundled:
            return [self._estimate(text) for text in texts]
        return [count for batch in _batches(texts, _MOST_COUNTED) for count in self._count(batch)]

    def _count(self, texts: list[str]) -> list[int]:
        counts = self._post("/tokenize", {"input": _plain(texts)}, self.settings.seconds).get("counts")
        if not isinstance(counts, list) or len(counts) != len(texts):
            raise BackendDown("the embedding backend answered something that are no counts")
        return [int(count) for count in counts]

    def _embed_many(self, prefixed: list[str], kind: str) -> Vectors:
        batches = _batches(prefixed, self.settings.batch)
        found = [self._embed(batch, kind, self.settings.seconds) for batch in batches]
        if len({rows.shape[1] for rows in found}) > 1:
            raise BackendDown("the embedding backend answered vectors of two lengths")
        return np.concatenate(found) if found else np.zeros((0, self.dimension or 0), np.float32)

    def _embed(self, texts: list[str], kind: str, seconds: float) -> Vectors:
        request = {"model": self.model, "input": _plain(texts), "encoding_format": "base64"}
        if self.settings.bundled:
            request["input_type"] = kind
        found = _read(self._post("/embeddings", request, seconds), len(texts))
        if self.dimension not in (None, found.shape[1]):
            raise BackendDown(
                f"the embedding backend answered {found.shape[1]} dimensions, not {self.dimension}",
                retryable=False,
            )
        return found

    def _post(self, path: str, body: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The JSON object of the answer, after retries within `seconds` in all."""
        deadline = time.monotonic() + seconds
        reason, wait = "unreachable", 0.0
        for attempt in range(self.settings.attempts):
            if time.monotonic() + wait >= deadline:
                break
            time.sleep(wait)
            wait = _pause(attempt)
            try:
                status, asked, content = self._once(path, body, deadline)
            except (httpx.UnsupportedProtocol, httpx.InvalidURL):
                raise BackendDown("the embedding backend's address is malformed", retryable=False) from None
            except httpx.TimeoutException as error:
                reason = f"too slow ({type(error).__name__})"
                continue
            except httpx.HTTPError as error:
                reason = f"unreachable ({type(error).__name__})"
                continue
            if status == 200:
                return _object(content)
            reason = f"status {status}"
            if status not in _RETRIED:
                raise BackendDown(f"the embedding backend refused: {reason}", retryable=False)
            wait = max(wait, _asked_wait(asked))
        raise BackendDown(f"the embedding backend is down: {reason}")

    def _once(self, path: str, body: dict[str, Any], deadline: float) -> tuple[int, str, bytes]:
        """Status, Retry-After and content of one answer, read within the deadline however slowly it drips."""
        left = max(0.01, deadline - time.monotonic())
        limits = httpx.Timeout(left, connect=min(left, 5.0))
        with self._http.stream("POST", path, json=body, timeout=limits) as response:
            content = bytearray()
            for piece in response.iter_bytes():
                content += piece
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("dripping")
                if len(content) > _MOST_BYTES:
                    raise BackendDown("the embedding backend answered too much", retryable=False)
            return response.status_code, response.headers.get("Retry-After", ""), bytes(content)


def _batches(texts: Sequence[str], size: int) -> list[list[str]]:
    return [list(texts[at : at + size]) for at in range(0, len(texts), size)]


def _plain(texts: Sequence[str]) -> list[str]:
    """Without what no JSON or backend takes: halves of surrogate pairs and NUL. An empty text is a space, since
    some endpoints refuse it."""
    return [_NO_UNICODE.sub("", text) or " " for text in texts]


def _pause(attempt: int) -> float:
    """Exponential back-off with jitter: 0.2, 0.4, 0.8 s and so on, each by half to one and a half."""
    return float(0.2 * 2**attempt * random.uniform(0.5, 1.5))  # noqa: S311 - no secret


def _asked_wait(retry_after: str) -> float:
    """Seconds of a Retry-After header, bounded; 0 where there is none or it is a date."""
    try:
        asked = float(retry_after)
    except ValueError:
        return 0.0
    return min(asked, _LONGEST_WAIT) if asked > 0 else 0.0


def _object(content: bytes) -> dict[str, Any]:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        raise BackendDown("the embedding backend answered no JSON") from None
    if not isinstance(body, dict):
        raise BackendDown("the embedding backend answered no object")
    return body


def _read(body: dict[str, Any], count: int) -> Vectors:
    """Rows in the order of their index: as many as asked, of one length, finite, not zero, at unit length."""
    try:
        rows = {int(row["index"]): _vector(row["embedding"]) for row in body["data"]}
        vectors = np.stack([rows[index] for index in range(count)])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise BackendDown("the embedding backend answered something that are no vectors") from None
    if len(rows) != count or not np.isfinite(vectors).all():
        raise BackendDown("the embedding backend answered something that are no vectors")
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    if not (norms > 0).all():
        raise BackendDown("the embedding backend answered a zero vector")
    unit: Vectors = (vectors / norms).astype(np.float32)
    return unit


def _vector(value: Any) -> Vectors:
    """A list of numbers, or base64 of little-endian float32 where the endpoint does as asked."""
    if isinstance(value, str):
        found = np.frombuffer(base64.b64decode(value, validate=True), "<f4")
    else:
        found = np.asarray(value, np.float32)
    if found.ndim != 1 or not found.size:
        raise ValueError("not a vector")
    return found


def get_embedder(settings: EmbeddingSettings) -> Embedder:
    return OpenAIEmbedder(settings)
