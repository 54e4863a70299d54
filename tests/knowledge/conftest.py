"""Ingestion in tests: a small endpoint for vectors, files in a folder of the test's own, work done in the test itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from accounts.models import Tenant
from knowledge import services
from knowledge.models import Space
from knowledge.work import work_once
from tests.factories import Person
from tests.fakes.embedding_server import MODEL, EmbeddingServer, embedding_server


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
