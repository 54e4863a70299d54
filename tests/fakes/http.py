"""The base of servers that speak a real protocol over HTTP and can be told to misbehave."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

STATUSES = {"down": 503, "broken": 500, "refused": 401, "throttled": 429, "moved": 307}


class FakeServer:
    """Answers POST with `reply(path, body)` as JSON; `url` ends in /v1, as OpenAI's does.

    `mood` is well, or one of: down (503), broken (500), refused (401), throttled (429 with Retry-After `retry_after`),
    moved (307 to `elsewhere`), asleep (no answer for 30 s), dropped (the connection is cut), truncated (cut within the body), dripping (a byte each
    0.05 s), no_json, no_object. `spell` is for how many requests the mood lasts; None is for ever. `well_first` requests are answered before it. `delay` is waited
    before each answer. A subclass adds moods of its own in `reply`.
    """

    def __init__(self) -> None:
        self.mood = "well"
        self.spell: int | None = None
        self.well_first = 0
        self.delay = 0.0
        self.retry_after = "0.05"
        self.elsewhere = ""
        self.requests = 0
        self.lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                try:
                    server.answer(self, body)
                except OSError:  # the asker has gone
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def reply(self, path: str, body: dict[str, Any], mood: str) -> object:
        raise NotImplementedError

    def answer(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        mood = self._mood_of_this_request()
        time.sleep(self.delay)
        if mood == "asleep":
            time.sleep(30)
        if mood == "dropped":
            handler.close_connection = True
            handler.connection.close()
        elif mood in STATUSES:
            told = {"error": {"message": f"no: {handler.headers.get('Authorization')} {body}"}}
            self._send(handler, json.dumps(told).encode(), STATUSES[mood], mood)
        elif mood in {"no_json", "no_object"}:
            self._send(handler, b"<html>hello</html>" if mood == "no_json" else b"[1, 2]", 200, mood)
        else:
            content = json.dumps(self.reply(handler.path, body, mood)).encode()
            self._send(handler, content, 200, mood)

    def _mood_of_this_request(self) -> str:
        with self.lock:
            self.requests += 1
            if self.well_first:
                self.well_first -= 1
                return "well"
            if self.spell is None:
                return self.mood
            self.spell -= 1
            return self.mood if self.spell >= 0 else "well"

    def _send(self, handler: BaseHTTPRequestHandler, content: bytes, status: int, mood: str) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(content)))
        if mood == "throttled":
            handler.send_header("Retry-After", self.retry_after)
        if mood == "moved":
            handler.send_header("Location", self.elsewhere)
        handler.end_headers()
        if mood == "truncated":
            content = content[: len(content) // 2]
            handler.close_connection = True
        for at in range(len(content)) if mood == "dripping" else ():
            handler.wfile.write(content[at : at + 1])
            time.sleep(0.05)
        if mood != "dripping":
            handler.wfile.write(content)
