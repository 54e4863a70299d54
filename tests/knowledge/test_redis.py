"""Ticks carried by Redis: what it loses is made up for, and it is told no words."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import redis
from dramatiq.brokers.redis import RedisBroker

from knowledge import services
from knowledge.models import Chunk, Job, JobState, Space, Version, VersionState
from knowledge.tasks import tick
from tests.factories import Person
from tests.fakes.embedding_server import EmbeddingServer
from tests.fakes.ports import free_port
from tests.knowledge.test_ingest import assert_counts_are_true
from tests.knowledge.texts import large, paragraphs
from tests.knowledge.workers import Worker, all_ended, is_at, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis-server is not installed"),
]
MARKER = "zqxredismarker"


@dataclass
class Redis:
    """A server with nothing on its disk: when it dies, all it held is gone."""

    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def client(self) -> redis.Redis:
        return redis.Redis(port=self.port)

    def start(self) -> None:
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""],
            stdout=subprocess.DEVNULL,
        )
        until(self.answers, 20)

    def answers(self) -> bool:
        try:
            return bool(self.client().ping())
        except redis.ConnectionError:
            return False

    def kill(self) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait(10)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Redis]:
    monkeypatch.chdir(tmp_path)
    one = Redis(free_port())
    try:
        one.start()
        yield one
    finally:
        one.kill()


@pytest.fixture
def queue(server: Redis) -> str:
    return server.url


def test_a_worker_killed_while_it_embeds_loses_and_doubles_nothing(
    space: Space, bob: Person, worker: Callable[[], Worker], server: Redis
) -> None:
    services.upload_document(bob.principal, space, "large.md", large().encode())
    first = worker()
    until(lambda: is_at("embed"), pause=0.002)
    first.kill()
    assert not Chunk.objects.exists()
    worker()
    until(all_ended, 90)
    version = Version.objects.get()
    assert version.state == VersionState.READY and version.chunks > 100
    assert Chunk.objects.filter(version=version).count() == version.chunks
    assert server.client().dbsize() > 0, "the ticks went through this server"
    assert_counts_are_true(space)


def test_a_redis_that_dies_with_all_it_held_loses_no_document(
    space: Space, bob: Person, worker: Callable[[], Worker], server: Redis, plant: EmbeddingServer
) -> None:
    plant.delay = 0.15
    for number in range(12):
        services.upload_document(bob.principal, space, f"{number}.md", paragraphs(f"alpha{number}x").encode())
    worker()
    for ready in (1, 5):
        until(lambda ready=ready: Version.objects.filter(state=VersionState.READY).count() >= ready)
        server.kill()
        server.start()
    until(all_ended, 120)
    assert set(Version.objects.values_list("state", flat=True)) == {VersionState.READY}
    until(lambda: not Job.objects.filter(state__in=[JobState.READY, JobState.RUNNING]).exists())
    assert_counts_are_true(space)


def test_redis_is_told_no_words(
    space: Space, bob: Person, worker: Callable[[], Worker], server: Redis, tmp_path: Path
) -> None:
    """Neither by who uploads, in a process that has this broker, nor by the worker."""
    heard: list[bytes] = []

    def listen(said: Any) -> None:
        with contextlib.suppress(
            redis.RedisError, OSError, ValueError, AttributeError
        ):  # when the server goes
            for command in said.listen():
                heard.append(command["command"].encode())

    with server.client().monitor() as said:
        threading.Thread(target=listen, args=(said,), daemon=True).start()
        text = f"{MARKER} in a body.".encode()
        services.upload_document(bob.principal, space, f"{MARKER}.txt", text, title=f"Title {MARKER}")
        _tick_from_elsewhere(server)
        worker()
        until(all_ended, 90)
        until(lambda: any(b"tick" in one for one in heard), 20)
        server.kill()
    assert any(b"enqueue" in one and b"tick" in one for one in heard)
    assert not [one for one in heard if MARKER.encode() in one]
    assert MARKER.encode() not in (tmp_path / "worker.log").read_bytes()


def _tick_from_elsewhere(server: Redis) -> None:
    """As the web process does it: in this one the broker is a stub."""
    broker = RedisBroker(url=server.url)
    broker.enqueue(tick.message())
    broker.close()
