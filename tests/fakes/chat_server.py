"""A chat endpoint that speaks OpenAI's `/chat/completions`, streamed or whole, and can be told to misbehave."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_REFUSALS = {"down": 503, "broken": 500, "refused": 401, "later": 429, "moved": 307}
_CHUNK = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "fake"}
_USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


class ChatServer:
    """`reply` is said in `pieces`-character pieces, `pause` seconds apart, and may hold markers that nobody offered.

    `mood`, before a word is said: well, down (503), broken (500), refused (401), busy (429 for the first two calls,
    Retry-After 0.05), later (429, Retry-After 3600), moved (307 to `elsewhere`), silent (no headers), slow (the first
    words after `delay` seconds), dropped (the first two calls end without a word), page (a web page).
    After two pieces: stalls, cut (the connection ends), garbage (events that are no JSON), error (an error event,
    then the end as if all were well).
    At the end: empty (stops without a word), hangs (the reason to stop is given, the connection stays), bare (no usage).

    Counts calls begun (`calls`), `finished`, and ended by the asker (`cancelled`).
    """

    def __init__(self) -> None:
        self.reply = "Hello."
        self.pieces = 5
        self.pause = 0.0
        self.delay = 0.0
        self.mood = "well"
        self.finish = "stop"
        self.elsewhere = ""
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
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
                    server.keys.append(self.headers.get("Authorization", ""))
                try:
                    server._answer(self, body)
                except OSError:
                    with server._lock:
                        server.cancelled += 1

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

    def _answer(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        status = _REFUSALS.get(self.mood)
        if self.mood == "busy" and self.calls <= 2:
            status = 429
        if status:
            self._refuse(handler, status)
        elif self.mood == "page":
            self._whole(handler, 200, b"<!doctype html><p>Sign in", "text/html")
        elif not body.get("stream"):
            self._whole(handler, 200, json.dumps(self._message()).encode(), "application/json")
            self._finish()
        else:
            handler.close_connection = True
            if self.mood == "silent":
                self._wait_for_the_asker_to_go(handler)
                return
            handler.send_response(200)
            handler.send_header("Content-Type", "text/event-stream")
            handler.send_header("Connection", "close")
            handler.end_headers()
            self._speak(handler)

    def _refuse(self, handler: BaseHTTPRequestHandler, status: int) -> None:
        headers = {"busy": {"Retry-After": "0.05"}, "later": {"Retry-After": "3600"}}.get(self.mood, {})
        if self.mood == "moved":
            headers = {"Location": f"{self.elsewhere}/chat/completions"}
        told = f"no, not with {handler.headers.get('Authorization', '')}"
        self._whole(
            handler, status, json.dumps({"error": {"message": told}}).encode(), "application/json", headers
        )

    def _whole(
        self,
        handler: BaseHTTPRequestHandler,
        status: int,
        body: bytes,
        kind: str,
        headers: dict[str, str] | None = None,
    ) -> None:
        handler.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            **(headers or {}),
        }.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    def _speak(self, handler: BaseHTTPRequestHandler) -> None:
        if self.mood == "dropped" and self.calls <= 2:
            return
        if self.mood == "slow":
            self._piece(handler, {"role": "assistant", "content": ""})
            self._wait(handler, self.delay)
        reply = "" if self.mood == "empty" else self.reply
        pieces = [reply[at : at + self.pieces] for at in range(0, len(reply), self.pieces)]
        for number, piece in enumerate(pieces):
            if number == 2 and self._breaks(handler):
                return
            self._piece(handler, {"content": piece})
            time.sleep(self.pause)
        self._piece(handler, {}, self.finish)
        if self.mood == "hangs":
            self._wait(handler, 60.0)
            return
        if self.mood != "bare":
            self._event(handler, json.dumps({**_CHUNK, "choices": [], "usage": _USAGE}))
        self._event(handler, "[DONE]")
        self._finish()

    def _breaks(self, handler: BaseHTTPRequestHandler) -> bool:
        if self.mood == "garbage":
            self._event(handler, "{not json")
        elif self.mood == "error":
            self._event(handler, json.dumps({"error": {"message": "overloaded", "code": 500}}))
            self._event(handler, "[DONE]")
        elif self.mood == "stalls":
            self._wait(handler, 60.0)
        return self.mood in {"garbage", "error", "stalls", "cut"}

    def _finish(self) -> None:
        with self._lock:
            self.finished += 1

    def _message(self) -> dict[str, Any]:
        reply = "" if self.mood == "empty" else self.reply
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": reply},
            "finish_reason": self.finish,
        }
        return {**_CHUNK, "object": "chat.completion", "choices": [choice], "usage": _USAGE}

    def _piece(
        self, handler: BaseHTTPRequestHandler, delta: dict[str, Any], finish: str | None = None
    ) -> None:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        self._event(handler, json.dumps({**_CHUNK, "choices": [choice]}))

    def _event(self, handler: BaseHTTPRequestHandler, data: str) -> None:
        self._send(handler, f"data: {data}\n\n")

    def _send(self, handler: BaseHTTPRequestHandler, text: str) -> None:
        handler.wfile.write(text.encode())
        handler.wfile.flush()

    def _wait(self, handler: BaseHTTPRequestHandler, seconds: float) -> None:
        """Say that the line is alive, until the time is over or the asker has gone (OSError)."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            time.sleep(min(0.02, seconds))
            self._send(handler, ": still here\n\n")

    def _wait_for_the_asker_to_go(self, handler: BaseHTTPRequestHandler) -> None:
        if handler.connection.recv(1) == b"":
            raise ConnectionAbortedError


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    server = ChatServer()
    try:
        yield server
    finally:
        server.close()
