"""The embedding process as its own program, for tests that ask, stop or kill it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import httpx
from django.conf import settings

from knowledge.e5.convert import convert
from knowledge.embedding import Embedder, EmbeddingSettings, get_embedder

PROJECT = Path(__file__).resolve().parents[3]
TOKEN = "a-token-of-the-tests"


@lru_cache(maxsize=1)
def converted_folder() -> Path:
    """Where the model is kept between test runs, converted from the installed weights on first use."""
    folder = Path(settings.HOME) / "models" / "e5"
    convert(folder)
    return folder


def command(folder: Path, *more: str) -> list[str]:
    words = ["--folder", str(converted_folder()), "--token-file", str(folder / "token"), *more]
    return [sys.executable, "-m", "knowledge.e5.server", *words]


@dataclass(frozen=True)
class Serving:
    process: subprocess.Popen[bytes]
    socket: Path
    log: Path

    def client(self, token: str = TOKEN, seconds: float = 60.0) -> httpx.Client:
        transport = httpx.HTTPTransport(uds=str(self.socket))
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.Client(transport=transport, base_url="http://e5/v1", headers=headers, timeout=seconds)

    def embedder(self, **more: float) -> Embedder:
        return get_embedder(
            EmbeddingSettings(
                url="http://e5/v1", model="e5", key=TOKEN, socket=self.socket, bundled=True, **more
            )  # type: ignore[arg-type]
        )


@contextmanager
def serving(folder: Path, name: str = "s") -> Iterator[Serving]:
    """A process that listens on `folder`/`name`, answering; killed at the end if it still runs."""
    (folder / "token").write_text(TOKEN)
    path, log = folder / name, folder / f"{name}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command(folder, "--socket", str(path), "--die-with-parent"), cwd=PROJECT, stdout=out, stderr=out
        )
    try:
        found = Serving(process, path, log)
        wait_until_healthy(found)
        yield found
    finally:
        process.kill()
        process.wait()


def wait_until_healthy(found: Serving, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while found.process.poll() is None and time.monotonic() < deadline:
        try:
            with found.client() as client:
                if client.get("http://e5/health").json()["pid"] == found.process.pid:
                    return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise AssertionError(f"no embedding process: {found.log.read_text()}")
