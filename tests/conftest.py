"""The cast and the ground. alice owns the tenant Acme, bob edits there, rita reads there, adam owns agents and
rev reviews; charlie is a stranger: he owns another tenant."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from django.conf import settings
from django.db import connections

from accounts.keys import forget_keys
from accounts.models import Tenant
from accounts.scope import tenant_scope
from accounts.types import Role
from config import env
from config.embedded.embedder import ensure_embedder
from config.embedded.postgres import ensure_postgres
from knowledge.work import work_once
from tests.factories import Person, make_person, make_tenant
from tests.fakes.ports import free_port

DATA = Path(os.environ.get("CITEWELL_DATA") or env.BASE_DIR.parent / "shared" / "data")


def pytest_configure(config: pytest.Config) -> None:
    if not env.secret("DATABASE_URL"):
        ensure_postgres(env.home(env.BASE_DIR / "var") / "test", durable=False)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Both roles belong to every database test: the application's runs it, the owner's empties the tables."""
    for item in items:
        for mark in item.iter_markers("django_db"):
            mark.kwargs.setdefault("databases", ["default", "owner"])
        if item.get_closest_marker("data") and not DATA.is_dir():
            item.add_marker(pytest.mark.skip(reason="evaluation data not found; set CITEWELL_DATA"))


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    yield
    connections["default"].close()  # a mirror is not closed for the owner, who drops the database


@pytest.fixture(autouse=True)
def _fresh_keys() -> Iterator[None]:
    forget_keys()
    yield
    forget_keys()


@pytest.fixture
def data() -> Path:
    return DATA


@pytest.fixture
def acme(db: None) -> Tenant:
    return make_tenant("Acme")


@pytest.fixture
def rival(db: None) -> Tenant:
    return make_tenant("Rival")


@pytest.fixture
def alice(acme: Tenant) -> Person:
    return make_person("alice", acme, Role.OWNER)


@pytest.fixture
def bob(acme: Tenant) -> Person:
    return make_person("bob", acme, Role.EDITOR)


@pytest.fixture
def adam(acme: Tenant) -> Person:
    return make_person("adam", acme, Role.AGENT_OWNER)


@pytest.fixture
def rev(acme: Tenant) -> Person:
    return make_person("rev", acme, Role.REVIEWER)


@pytest.fixture
def rita(acme: Tenant) -> Person:
    return make_person("rita", acme, Role.READER)


@pytest.fixture
def charlie(rival: Tenant) -> Person:
    return make_person("charlie", rival, Role.OWNER)


@pytest.fixture
def in_acme(acme: Tenant) -> Iterator[Tenant]:
    with tenant_scope(acme.id):
        yield acme


@pytest.fixture(scope="session")
def bundled_model() -> None:
    """The embedding process that comes with the platform, running."""
    ensure_embedder(Path(settings.HOME))


@pytest.fixture
def site(transactional_db: None) -> Iterator[str]:
    """The address of the site, served by uvicorn in a thread."""
    from config.asgi import application  # it sets Django up, so not before pytest-django does

    port = free_port()
    server = uvicorn.Server(
        uvicorn.Config(
            application, port=port, log_level="warning", lifespan="off", timeout_graceful_shutdown=2
        )
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def worker(transactional_db: None, bundled_model: None) -> Iterator[None]:
    """Does the queue's work in a thread, as the worker process would."""
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            if not work_once():
                done.wait(0.1)
        connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    done.set()
    thread.join()
