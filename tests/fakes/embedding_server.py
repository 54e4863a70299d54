"""An embedding endpoint that speaks OpenAI's `/v1/embeddings` and can be told to misbehave.

Vectors are bags of words and of character pairs, hashed: texts that share words are near, and the same text always
gives the same vector. They stand for a model's wherever its quality is not what is asked.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

DIMENSION = 64
MODEL = "bag-of-words"


def vector(text: str, dimension: int = DIMENSION) -> np.ndarray:
    found = np.full(dimension, 0.2, np.float32)
    for word in re.findall(r"\w+", text.lower()):
        for part in {word, *(word[at : at + 2] for at in range(len(word) - 1))}:
            seed = hashlib.blake2b(part.encode(), digest_size=4).digest()
            found[int.from_bytes(seed, "big") % dimension] += 1
    return found / np.linalg.norm(found)


class EmbeddingServer:
    """`mood`: well, down (503), dropped (the connection is cut), refused (401), or a kind of nonsense: no_json,
    no_object, no_vectors, too_few, not_finite, zero, other_dimension. `delay` is waited before each answer."""

    def __init__(self) -> None:
        self.mood = "well"
        self.delay = 0.0
        self.embedded: list[str] = []  # every text that got a vector
        self.requests = 0
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.answer(self, body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        with self._lock:
            self.requests += 1
        time.sleep(self.delay)
        mood = self.mood
        if mood == "dropped":
            handler.close_connection = True
            handler.connection.close()
            return
        if mood in {"down", "refused"}:
            self._send(handler, 503 if mood == "down" else 401, b'{"error": {"message": "no"}}')
            return
        if mood in {"no_json", "no_object"}:
            self._send(handler, 200, b"<html>hello</html>" if mood == "no_json" else b"[1, 2]")
            return
        rows = self._rows(texts, mood, is_packed=body.get("encoding_format") == "base64")
        if mood == "well":
            with self._lock:
                self.embedded += texts
        answer = {"object": "list", "model": body["model"], "data": rows, "usage": {"total_tokens": 1}}
        self._send(handler, 200, json.dumps(answer).encode())

    def _rows(self, texts: list[str], mood: str, *, is_packed: bool) -> list[dict[str, Any]]:
        if mood == "no_vectors":
            return [{"index": index, "embedding": "pardon?"} for index in range(len(texts))]
        found = np.stack([vector(text, 48 if mood == "other_dimension" else DIMENSION) for text in texts])
        if mood == "not_finite":
            found[:, 0] = np.nan
        if mood == "zero":
            found[:] = 0
        if mood == "too_few":
            found = found[:-1]
        return [
            {
                "object": "embedding",
                "index": index,
                "embedding": base64.b64encode(row.astype("<f4").tobytes()).decode()
                if is_packed
                else row.tolist(),
            }
            for index, row in enumerate(found)
        ]

    def _send(self, handler: BaseHTTPRequestHandler, status: int, body: bytes) -> None:
        try:
            handler.send_response(status)
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)
        except OSError:  # the asker has gone
            handler.close_connection = True


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    server = EmbeddingServer()
    try:
        yield server
    finally:
        server.close()
