"""An embedding endpoint that speaks OpenAI's `/v1/embeddings` and can be told to misbehave.

Vectors are bags of words and of character pairs, hashed: texts that share words are near, and the same text always
gives the same vector. They stand for a model's wherever its quality is not what is asked.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tests.fakes.http import FakeServer

DIMENSION = 64
MODEL = "bag-of-words"


def vector(text: str, dimension: int = DIMENSION) -> np.ndarray:
    found = np.full(dimension, 0.2, np.float32)
    for word in re.findall(r"\w+", text.lower()):
        for part in {word, *(word[at : at + 2] for at in range(len(word) - 1))}:
            seed = hashlib.blake2b(part.encode(), digest_size=4).digest()
            found[int.from_bytes(seed, "big") % dimension] += 1
    return found / np.linalg.norm(found)


class EmbeddingServer(FakeServer):
    """Moods beside the base's: no_vectors, no_index, too_few, too_many, twice (an index comes twice), not_finite, zero,
    huge (finite, but its square is not), other_dimension, two_dimensions, swapped (in another order than the texts),
    numbers (no base64, though it was asked for)."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []  # every text that got a vector
        self.sizes: list[int] = []  # texts of each request
        self.bodies: list[dict[str, Any]] = []

    def reply(self, path: str, body: dict[str, Any], mood: str) -> object:
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        packed = body.get("encoding_format") == "base64" and mood != "numbers"
        with self.lock:
            self.sizes.append(len(texts))
            self.bodies.append(body)
            if mood == "well":
                self.embedded += texts
        rows = self._rows(texts, mood, packed=packed)
        return {"object": "list", "model": body["model"], "data": rows, "usage": {"total_tokens": 1}}

    def _rows(self, texts: list[str], mood: str, *, packed: bool) -> list[dict[str, Any]]:
        if mood == "no_vectors":
            return [{"index": index, "embedding": "pardon?"} for index in range(len(texts))]
        if mood == "no_index":
            return [{"embedding": vector(text).tolist()} for text in texts]
        found = np.stack([vector(text, 48 if mood == "other_dimension" else DIMENSION) for text in texts])
        if mood == "not_finite":
            found[:, 0] = np.nan
        if mood == "zero":
            found[:] = 0
        if mood == "huge":
            found *= 1e30
        rows = [
            {
                "object": "embedding",
                "index": index,
                "embedding": base64.b64encode(row.astype("<f4").tobytes()).decode()
                if packed
                else row.tolist(),
            }
            for index, row in enumerate(found)
        ]
        if mood == "two_dimensions":
            rows[-1]["embedding"] = vector("x", 48).tolist()
        if mood == "too_few":
            rows.pop()
        if mood == "too_many":
            rows.append({**rows[-1], "index": len(rows)})
        if mood == "twice":
            rows[-1]["index"] = 0
        return rows[::-1] if mood == "swapped" else rows


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    server = EmbeddingServer()
    try:
        yield server
    finally:
        server.close()
