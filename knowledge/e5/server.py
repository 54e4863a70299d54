"""The one embedding process: the bundled model behind OpenAI's `/v1/embeddings`.

    python -m knowledge.e5.server --folder DIR (--socket PATH | --port N) --token-file FILE [--die-with-parent]

Beyond that protocol a request may say `input_type` (query or passage: which of the model's prefixes is put before the
text), and POST /v1/tokenize counts tokens: {"input": [...]} to {"counts": [...]}. GET /health needs no token. Logs no
text.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import ctypes
import hmac
import json
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from knowledge.e5.lanes import Busy, Embedded, Lanes, Stopping
from knowledge.e5.load import Model, load_model
from knowledge.e5.plain import DIMENSION, PREFIXES

MODEL = "multilingual-e5-small"
MOST_INPUTS = 2048
MOST_CHARACTERS = 20_000
"""Of one text, which runs in one thread: some three seconds. A chunk has at most 450 tokens."""
SENTENCE = "sentence"  # the kind of passages that somebody waits for
MOST_SENTENCES = 8
QUESTION_CHARACTERS = 4000  # what is longer goes with the passages, so that it holds up no question
MOST_BYTES = 32 * 1024 * 1024
IDLE_SECONDS = 120
GRACE_SECONDS = 5.0  # at the end, for requests that are being answered
SWITCH_SECONDS = 0.0005
"""How long a thread keeps the interpreter while another waits for it. Ten times shorter than Python's: a question's
thread must not wait while a passage's unpacks word vectors."""
PR_SET_PDEATHSIG = 1  # linux/prctl.h

logger = logging.getLogger(__name__)
Body = dict[str, Any]


class Refused(Exception):
    """The request is answered with a status and a sentence that holds nothing of its text."""

    def __init__(self, status: int, message: str, kind: str = "invalid_request_error") -> None:
        super().__init__(message)
        self.status, self.message, self.kind = status, message, kind


class Service:
    """What the paths do: JSON objects in and out. Raises Refused."""

    def __init__(self, model: Model, token: str) -> None:
        self.lanes = Lanes(model)
        self.token = token.encode()
        self._model = model

    def embeddings(self, body: Body) -> Body:
        texts, kind = _inputs(body), body.get("input_type", "passage")
        if not isinstance(kind, str) or kind not in (*PREFIXES, SENTENCE):
            raise Refused(400, "input_type is query, passage or sentence")
        if body.get("encoding_format", "float") not in ("float", "base64"):
            raise Refused(400, "encoding_format is float or base64")
        if body.get("dimensions", DIMENSION) != DIMENSION:
            raise Refused(400, f"the model has {DIMENSION} dimensions")
        try:
            found = self._found(texts, kind)
        except Busy:
            raise Refused(429, "too many texts are waiting; come again later", "rate_limit_error") from None
        except Stopping:
            raise Refused(503, "the process is ending", "server_error") from None
        packed = body.get("encoding_format") == "base64"
        rows = [
            {
                "object": "embedding",
                "index": index,
                "embedding": base64.b64encode(vector.astype("<f4").tobytes()).decode()
                if packed
                else vector.tolist(),
            }
            for index, (vector, _count) in enumerate(found)
        ]
        tokens = sum(count for _vector, count in found)
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return {"object": "list", "data": rows, "model": MODEL, "usage": usage}

    def _found(self, texts: list[str], kind: str) -> list[Embedded]:
        """A question, and a few short sentences, are waited for: they go ahead of passages."""
        if kind == "query" and len(texts) == 1 and len(texts[0]) <= QUESTION_CHARACTERS:
            return [self.lanes.urgent(texts[0], "query")]
        if kind == SENTENCE:
            if len(texts) <= MOST_SENTENCES and sum(map(len, texts)) <= QUESTION_CHARACTERS:
                return [self.lanes.urgent(text, "passage") for text in texts]
            return self.lanes.many(texts, "passage")
        return self.lanes.many(texts, kind)

    def tokenize(self, body: Body) -> Body:
        return {"counts": [self._model.count_tokens(text) for text in _inputs(body)]}

    def health(self) -> Body:
        engine = type(self._model).__name__
        return {"status": "ok", "model": MODEL, "dimension": DIMENSION, "engine": engine, "pid": os.getpid()}


def _inputs(body: Body) -> list[str]:
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise Refused(400, "input is a text or a list of texts")
    if len(texts) > MOST_INPUTS:
        raise Refused(400, f"input has at most {MOST_INPUTS} texts")
    if any(len(text) > MOST_CHARACTERS for text in texts):
        raise Refused(400, f"a text has at most {MOST_CHARACTERS} characters")
    return texts


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    server: _Server
    wbufsize = 64 * 1024

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: a request line is nobody's business."""

    def do_GET(self) -> None:
        if self.path == "/health":
            self._answer(200, self.server.service.health())
        else:
            self._refuse(Refused(404, "no such path"))

    def do_POST(self) -> None:
        with self.server.answering():
            self._do_post(self.server.service)

    def _do_post(self, service: Service) -> None:
        acts = {"/v1/embeddings": service.embeddings, "/v1/tokenize": service.tokenize}
        try:
            act = self._admitted(acts, service.token)
            body = act(self._body())
        except Refused as refused:
            self._refuse(refused)
        except Exception as error:
            logger.error("a request failed: %s", type(error).__name__)
            self._refuse(Refused(500, "the request failed", "server_error"))
        else:
            self._answer(200, body)

    def _admitted(self, acts: Mapping[str, Callable[[Body], Body]], token: bytes) -> Callable[[Body], Body]:
        """What to do, before a byte of the body is read."""
        given = self.headers.get("Authorization", "").encode("latin-1", "replace")
        if not hmac.compare_digest(given, b"Bearer " + token):
            raise Refused(401, "the token does not fit", "authentication_error")
        if self.path not in acts:
            raise Refused(404, "no such path")
        return acts[self.path]

    def _body(self) -> Body:
        said = self.headers.get("Content-Length", "")
        if not (said.isascii() and said.isdigit()):
            raise Refused(411, "Content-Length is missing")
        if int(said) > MOST_BYTES:
            raise Refused(413, f"a request has at most {MOST_BYTES} bytes")
        try:
            body = json.loads(self.rfile.read(int(said)))
        except (ValueError, RecursionError):
            raise Refused(400, "the body is no JSON") from None
        if not isinstance(body, dict):
            raise Refused(400, "the body is a JSON object")
        return body

    def _refuse(self, refused: Refused) -> None:
        """The connection ends with it, because the body may not have been read."""
        self.close_connection = True
        self._answer(refused.status, {"error": {"message": refused.message, "type": refused.kind}})

    def _answer(self, status: int, body: Body) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if status in (429, 503):
            self.send_header("Retry-After", "5")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()


class _TcpHandler(_Handler):
    disable_nagle_algorithm = True


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, service: Service, *, path: Path | None, port: int) -> None:
        self.service = service
        self.path = path
        self._answering = 0
        self._idle = threading.Condition()
        if path is not None:
            self.address_family = socket.AF_UNIX
            super().__init__(str(path), _Handler)  # type: ignore[arg-type]  # a path is AF_UNIX's address
        else:
            super().__init__(("127.0.0.1", port), _TcpHandler)

    def server_bind(self) -> None:
        if self.path is None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.socket.bind(self.server_address)
            return
        self.path.unlink(missing_ok=True)
        before = os.umask(0o177)
        try:
            self.socket.bind(str(self.path))
        finally:
            os.umask(before)
        self._mark = _mark(self.path)

    def server_close(self) -> None:
        """Take the socket's path away, unless a successor has it by now."""
        super().server_close()
        if self.path is not None:
            with contextlib.suppress(OSError):
                if _mark(self.path) == self._mark:
                    self.path.unlink()

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        with self._idle:
            self._answering += 1
        try:
            yield
        finally:
            with self._idle:
                self._answering -= 1
                self._idle.notify_all()

    def wait_idle(self, seconds: float) -> None:
        """Return when no request is being answered, or after some seconds."""
        with self._idle:
            self._idle.wait_for(lambda: not self._answering, seconds)

    def get_request(self) -> tuple[socket.socket, Any]:
        request, _address = super().get_request()
        return request, ("local", 0)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of ours, and a traceback would show its text."""


def _mark(path: Path) -> tuple[int, int]:
    """What tells a file from another that got its name: inodes alone are used again at once."""
    found = path.stat()
    return found.st_ino, found.st_ctime_ns


def serve(service: Service, *, path: Path | None, port: int) -> None:
    """Serve until SIGTERM or SIGINT: then no new request is taken, and passages that wait are refused with 503."""
    server = _Server(service, path=path, port=port)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
    server.serve_forever(poll_interval=0.1)
    service.lanes.stop()
    server.server_close()
    server.wait_idle(GRACE_SECONDS)


def _end_with_parent() -> None:
    """SIGTERM when the parent ends, however it ends; at once if it has ended already."""
    parent = os.getppid()
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit(1)


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve the bundled embedding model.")
    parser.add_argument("--folder", type=Path, required=True)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--socket", type=Path)
    where.add_argument("--port", type=int)
    parser.add_argument("--token-file", type=Path, required=True)
    parser.add_argument("--die-with-parent", action="store_true")
    options = parser.parse_args()
    if options.die_with_parent:
        _end_with_parent()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    token = options.token_file.read_text(encoding="utf-8").strip()
    if not token:
        parser.error("the token file is empty")
    sys.setswitchinterval(SWITCH_SECONDS)
    serve(Service(load_model(options.folder), token), path=options.socket, port=options.port or 0)


if __name__ == "__main__":
    main()
