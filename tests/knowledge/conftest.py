"""Ingestion in tests: a small endpoint for vectors, files in a folder of the test's own, work done in the test itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as live_settings
from django.db import connection, connections

from accounts.models import Tenant
from knowledge import services
from knowledge.models import Space
from knowledge.work import work_once
from tests.factories import Person
from tests.fakes.embedding_server import MODEL, EmbeddingServer, embedding_server
from tests.knowledge.workers import LEASE, Worker


@pytest.fixture
def endpoint(settings: Any) -> Iterator[EmbeddingServer]:
    with embedding_server() as server:
        settings.EMBEDDING_URL, settings.EMBEDDING_MODEL = server.url, MODEL
        yield server


@pytest.fixture
def files(settings: Any, tmp_path: Path) -> Path:
    settings.FILES_ROOT = tmp_path / "files"
    settings.FILES_ROOT.mkdir()
    return settings.FILES_ROOT


@pytest.fixture
def plant(endpoint: EmbeddingServer, files: Path, settings: Any, in_acme: Tenant) -> EmbeddingServer:
    """All that ingestion needs, inside Acme; failures are tried again at once, three times in all."""
    settings.JOB_PAUSE_SECONDS = 0
    settings.JOB_ATTEMPTS = 3
    return endpoint


@pytest.fixture
def space(plant: EmbeddingServer, bob: Person) -> Space:
    return services.create_space(bob.principal, "Handbook", slug="handbook")


def work(most: int = 500) -> int:
    """Do all that is due; how many steps it took."""
    for step in range(most):
        if not work_once():
            return step
    raise AssertionError("the work does not end")


def _url(alias: str) -> str:
    row = connections[alias].settings_dict
    return f"postgresql://{row['USER']}:{row['PASSWORD']}@{row['HOST']}:{row['PORT']}/{row['NAME']}"


@pytest.fixture
def queue() -> str:
    """Where ticks are carried: the database, unless a module names another broker."""
    return ""


@pytest.fixture
def worker(
    plant: EmbeddingServer, queue: str, tmp_path: Path, settings: Any
) -> Iterator[Callable[[], Worker]]:
    """Starts workers on the tests' database; what they say is in worker.log."""
    home = tmp_path / "home"
    settings.FILES_ROOT = home / "files"
    settings.FILES_ROOT.mkdir(parents=True)
    connection.ensure_connection()
    environment = {
        "CITEWELL_HOME": str(home),
        "DATABASE_URL": _url("default"),
        "DATABASE_OWNER_URL": _url("owner"),
        "CITEWELL_MASTER_KEY_FILE": str(live_settings.MASTER_KEY_FILE),
        "CITEWELL_EMBEDDING_URL": plant.url,
        "CITEWELL_EMBEDDING_MODEL": MODEL,
        "CITEWELL_JOB_LEASE_SECONDS": str(LEASE),
        "CITEWELL_JOB_PAUSE_SECONDS": "1",
        "QUEUE_URL": queue,
    }
    begun: list[Worker] = []

    def start() -> Worker:
        begun.append(Worker(environment, tmp_path / "worker.log"))
        return begun[-1]

    yield start
    for one in begun:
        one.kill()
