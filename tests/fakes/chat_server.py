"""A chat endpoint that speaks OpenAI's streamed `/chat/completions` and can be told to misbehave."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ChatServer:
    """`reply` is said in `pieces`-character pieces, `pause` seconds apart. `mood`: well, down (503), refused (401),
    busy (429 for the first two calls), stalls (after two pieces), cut (the connection ends in the middle), garbage
    (events that are no JSON). Counts calls begun, finished, and ended by the asker."""

    def __init__(self) -> None:
        self.reply = "Hello."
        self.pieces = 5
        self.pause = 0.0
        self.mood = "well"
        self.requests: list[dict[str, Any]] = []
        self.finished = 0
        self.cancelled = 0
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with server._lock:
                    server.requests.append(body)
                server.answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def calls(self) -> int:
        return len(self.requests)

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        refused = {"down": 503, "refused": 401}.get(self.mood)
        if self.mood == "busy" and self.calls <= 2:
            refused = 429
        if refused:
            body = b'{"error": {"message": "no"}}'
            handler.send_response(refused)
            handler.send_header("Content-Length", str(len(body)))
            if refused == 429:
                handler.send_header("Retry-After", "0.05")
            handler.end_headers()
            handler.wfile.write(body)
            return
        handler.close_connection = True
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        try:
            self._speak(handler)
        except OSError:
            with self._lock:
                self.cancelled += 1

    def _speak(self, handler: BaseHTTPRequestHandler) -> None:
        pieces = [self.reply[at : at + self.pieces] for at in range(0, len(self.reply), self.pieces)]
        for number, piece in enumerate(pieces):
            if self.mood == "garbage":
                self._send(handler, "data: {not json\n\n")
                return
            if number == 2 and self.mood == "cut":
                handler.connection.close()
                return
            if number == 2 and self.mood == "stalls":
                for _ in range(100):  # until the asker has gone
                    time.sleep(0.05)
                    self._send(handler, ": still here\n\n")
                return
            self._send(handler, f"data: {json.dumps(self._chunk(piece))}\n\n")
            time.sleep(self.pause)
        usage = {**self._chunk(""), "choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}}
        self._send(
            handler, f"data: {json.dumps(usage | {'usage': {**usage['usage'], 'total_tokens': 18}})}\n\n"
        )
        self._send(handler, "data: [DONE]\n\n")
        with self._lock:
            self.finished += 1

    def _chunk(self, text: str) -> dict[str, Any]:
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
        return {
            "id": "x",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "fake",
            "choices": [choice],
        }

    def _send(self, handler: BaseHTTPRequestHandler, text: str) -> None:
        handler.wfile.write(text.encode())
        handler.wfile.flush()


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    server = ChatServer()
    try:
        yield server
    finally:
        server.close()
