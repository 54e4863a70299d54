"""The one embedding process: the bundled model behind OpenAI's `/v1/embeddings`.

    python -m knowledge.e5.server --folder DIR (--socket PATH | --port N) [--token-file FILE]

Beyond that protocol a request may say `input_type` (query or passage), and POST /v1/tokenize counts tokens. Questions
have a thread of their own, so that none waits behind a batch of passages. Logs no text.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import hmac
import json
import os
import signal
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from knowledge.e5.model import DIMENSION, E5, PREFIXES

MODEL = "multilingual-e5-small"
MOST_INPUTS = 2048
MOST_BYTES = 32 * 1024 * 1024
_IDLE_SECONDS = 120


class BadRequest(Exception):
    """The request cannot be answered as it is; the message says why."""


class Service:
    """The model and its threads."""

    def __init__(self, folder: Path, token: str) -> None:
        self.model = E5(folder)
        self.token = token
        self._passages = ThreadPoolExecutor(os.cpu_count() or 1, "passage")
        self._queries = ThreadPoolExecutor(2, "query")

    def embeddings(self, body: dict[str, Any]) -> dict[str, Any]:
        texts, kind = _inputs(body), body.get("input_type", "passage")
        if kind not in PREFIXES:
            raise BadRequest("input_type is query or passage")
        pool = self._queries if kind == "query" and len(texts) == 1 else self._passages
        found = list(pool.map(lambda text: self.model.embed(text, kind), texts))
        as_text = body.get("encoding_format") == "base64"
        rows = [
            {
                "object": "embedding",
                "index": index,
                "embedding": base64.b64encode(vector.tobytes()).decode() if as_text else vector.tolist(),
            }
            for index, (vector, _count) in enumerate(found)
        ]
        tokens = sum(count for _vector, count in found)
        return {
            "object": "list",
            "data": rows,
            "model": MODEL,
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }

    def tokenize(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"counts": [self.model.count_tokens(text) for text in _inputs(body)]}

    def health(self) -> dict[str, Any]:
        return {"status": "ok", "model": MODEL, "dimension": DIMENSION}


def _inputs(body: dict[str, Any]) -> list[str]:
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise BadRequest("input is a text or a list of texts")
    if len(texts) > MOST_INPUTS:
        raise BadRequest(f"input has at most {MOST_INPUTS} texts")
    return texts


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_SECONDS
    server: _Server
    wbufsize = 64 * 1024

    def address_string(self) -> str:
        return "local"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: a request line is nobody's business."""

    def do_GET(self) -> None:
        if self.path == "/health":
            self._answer(200, self.server.service.health())
        else:
            self._answer(404, _error("no such path"))

    def do_POST(self) -> None:
        acts: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "/v1/embeddings": self.server.service.embeddings,
            "/v1/tokenize": self.server.service.tokenize,
        }
        length = int(self.headers.get("Content-Length") or 0)
        if length > MOST_BYTES:
            self.close_connection = True
            return self._answer(413, _error("the request is too large"))
        raw = self.rfile.read(length)
        wanted = f"Bearer {self.server.service.token}"
        if self.server.service.token and not hmac.compare_digest(
            self.headers.get("Authorization", ""), wanted
        ):
            return self._answer(401, _error("the token does not fit"))
        act = acts.get(self.path)
        if act is None:
            return self._answer(404, _error("no such path"))
        try:
            body = json.loads(raw)
            if not isinstance(body, dict):
                raise BadRequest("the body is a JSON object")
            return self._answer(200, act(body))
        except (BadRequest, ValueError) as error:
            return self._answer(
                400, _error(str(error) if isinstance(error, BadRequest) else "the body is no JSON")
            )

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()


class _TcpHandler(_Handler):
    disable_nagle_algorithm = True


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error"}}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: Any, family: socket.AddressFamily, service: Service) -> None:
        self.address_family = family
        self.service = service
        super().__init__(address, _Handler if family == socket.AF_UNIX else _TcpHandler)

    def server_bind(self) -> None:
        if self.address_family == socket.AF_UNIX:
            path = Path(str(self.server_address))
            path.unlink(missing_ok=True)
            self.socket.bind(str(path))
            path.chmod(0o600)
            self.server_name, self.server_port = "local", 0
        else:
            super().server_bind()

    def get_request(self) -> tuple[socket.socket, Any]:
        request, _address = super().get_request()
        return request, ("local", 0)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of ours, and a traceback would show its text."""


def serve(service: Service, *, path: Path | None, port: int) -> None:
    """Serve until SIGTERM or SIGINT."""
    if path is not None:
        server = _Server(str(path), socket.AF_UNIX, service)
    else:
        server = _Server(("127.0.0.1", port), socket.AF_INET, service)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
    server.serve_forever(poll_interval=0.2)
    if path is not None:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve the bundled embedding model.")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--socket", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--token-file", type=Path)
    options = parser.parse_args()
    token = options.token_file.read_text().strip() if options.token_file else ""
    serve(Service(options.folder, token), path=options.socket, port=options.port)


if __name__ == "__main__":
    main()
