"""Port to embedding models: one client that speaks OpenAI's `/embeddings`, for the bundled process and for any other."""

from __future__ import annotations

import base64
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import httpx
import numpy as np
from numpy.typing import NDArray

from knowledge.errors import BackendDown
from knowledge.text.scripts import estimate_tokens

Vectors = NDArray[np.float32]

_RETRIED = {408, 409, 425, 429, 500, 502, 503, 504}
_LONGEST_WAIT = 20.0


class Embedder(Protocol):
    """Texts to unit vectors of one length. Errors are BackendDown."""

    model: str

    def __hash__(self) -> int: ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """(n, dimension) float32 rows of unit length, in the order of the texts."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """(dimension,) float32 of unit length."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Many questions at once, as rows."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text; an estimate where the backend does not count."""
        ...


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """`url` ends before `/embeddings`. `socket` and `bundled` are for the process that comes with the platform."""

    url: str
    model: str
    key: str = field(default="", repr=False)
    query_prefix: str = ""
    passage_prefix: str = ""
    socket: Path | None = None
    bundled: bool = False
    seconds: float = 60.0
    query_seconds: float = 10.0
    batch: int = 32
    attempts: int = 4


class OpenAIEmbedder:
    """Client of an OpenAI-compatible endpoint, safe to use from many threads."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        self.settings = settings
        self.model = settings.model
        transport = httpx.HTTPTransport(uds=str(settings.socket)) if settings.socket else None
        headers = {"Authorization": f"Bearer {settings.key}"} if settings.key else {}
        self._http = httpx.Client(
            base_url=settings.url.rstrip("/"),
            headers=headers,
            transport=transport,
            limits=httpx.Limits(max_connections=16, max_keepalive_connections=8),
        )

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._embed_many([self.settings.passage_prefix + text for text in texts], "passage")

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed_many([self.settings.query_prefix + text for text in texts], "query")

    def _embed_many(self, prefixed: list[str], kind: str) -> Vectors:
        size = self.settings.batch
        batches = [prefixed[at : at + size] for at in range(0, len(prefixed), size)]
        if not batches:
            return np.zeros((0, 0), np.float32)
        return np.concatenate([self._embed(batch, kind, self.settings.seconds) for batch in batches])

    def embed_query(self, text: str) -> Vectors:
        found: Vectors = self._embed(
            [self.settings.query_prefix + text], "query", self.settings.query_seconds
        )[0]
        return found

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        if not self.settings.bundled:
            return [estimate_tokens(text) for text in texts]
        body = self._post("/tokenize", {"input": list(texts)}, self.settings.seconds)
        return [int(count) for count in body["counts"]]

    def _embed(self, texts: list[str], kind: str, seconds: float) -> Vectors:
        request: dict[str, Any] = {"model": self.model, "input": texts, "encoding_format": "base64"}
        if self.settings.bundled:
            request["input_type"] = kind
        return _read(self._post("/embeddings", request, seconds), len(texts))

    def _post(self, path: str, body: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The JSON object of the answer, after retries within `seconds` in all."""
        deadline = time.monotonic() + seconds
        reason, wait = "unreachable", 0.0
        for attempt in range(self.settings.attempts):
            time.sleep(wait)
            left = deadline - time.monotonic()
            if left <= 0:
                break
            try:
                response = self._http.post(
                    path, json=body, timeout=httpx.Timeout(left, connect=min(left, 5.0))
                )
            except httpx.TimeoutException:
                raise BackendDown("the embedding backend is too slow") from None
            except httpx.HTTPError as error:
                reason, wait = f"unreachable ({type(error).__name__})", _pause(attempt)
                continue
            if response.status_code == 200:
                return _object(response)
            reason = f"status {response.status_code}"
            if response.status_code not in _RETRIED:
                raise BackendDown(f"the embedding backend refused: {reason}", retryable=False)
            wait = _asked_wait(response) or _pause(attempt)
            if time.monotonic() + wait > deadline:
                break
        raise BackendDown(f"the embedding backend is down: {reason}")


def _pause(attempt: int) -> float:
    """Exponential back-off with jitter: 0.2, 0.4, 0.8 s and so on, each by half to one and a half."""
    return float(0.2 * 2**attempt * random.uniform(0.5, 1.5))  # noqa: S311 - no secret


def _asked_wait(response: httpx.Response) -> float:
    try:
        return min(float(response.headers.get("Retry-After", "")), _LONGEST_WAIT)
    except ValueError:
        return 0.0


def _object(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        raise BackendDown("the embedding backend answered no JSON") from None
    if not isinstance(body, dict):
        raise BackendDown("the embedding backend answered no object")
    return body


def _read(body: dict[str, Any], count: int) -> Vectors:
    """Rows in the order of their index: as many as asked, of one length, finite, not zero, at unit length."""
    try:
        rows = {int(row["index"]): _vector(row["embedding"]) for row in body["data"]}
        vectors = np.stack([rows[index] for index in range(count)])
    except (KeyError, TypeError, ValueError):
        raise BackendDown("the embedding backend answered something that are no vectors") from None
    if len(rows) != count or not np.isfinite(vectors).all():
        raise BackendDown("the embedding backend answered something that are no vectors")
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
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
