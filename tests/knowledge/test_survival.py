"""Workers, the database and the embedding endpoint die, stall and talk nonsense: every document ends, none is lost,
none is doubled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connections

from accounts.scope import tenant_scope
from config import env
from config.embedded import cluster
from config.embedded.postgres import ensure_postgres, stop_postgres
from config.home import open_home
from knowledge import services
from knowledge.models import Chunk, Job, JobState, Space, Version, VersionState
from knowledge.queries import WORKING
from tests.factories import Person
from tests.fakes.embedding_server import MODEL, EmbeddingServer
from tests.knowledge.test_ingest import assert_counts_are_true
from tests.knowledge.texts import large, paragraphs
from tests.knowledge.workers import LEASE, Worker, all_ended, is_at, until

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ENDED = {VersionState.READY, VersionState.PARTIAL, VersionState.FAILED}
MARKER = "zqxsurvivemarker"


@pytest.mark.parametrize("step", ["parse", "chunk", "embed", "publish"])
def test_a_worker_killed_in_a_step_loses_and_doubles_nothing(
    step: str, space: Space, bob: Person, worker: Callable[[], Worker]
) -> None:
    services.upload_document(bob.principal, space, "large.md", large().encode())
    first = worker()
    until(lambda: is_at(step), pause=0.002)
    first.kill()
    version = Version.objects.get()
    assert (version.step, version.state in WORKING) == (step, True), "it was killed in the step"
    assert not Chunk.objects.exists()
    worker()
    until(all_ended, 90)
    version.refresh_from_db()
    assert version.state == VersionState.READY and version.chunks > 100
    ordinals = Chunk.objects.filter(version=version).order_by("ordinal").values_list("ordinal", flat=True)
    assert list(ordinals) == list(range(version.chunks))
    until(lambda: not Job.objects.filter(kind="ingest").exclude(state=JobState.DONE).exists())
    assert_counts_are_true(space)


def test_an_old_version_serves_while_the_worker_of_the_new_one_dies(
    space: Space, bob: Person, worker: Callable[[], Worker]
) -> None:
    document = services.upload_document(bob.principal, space, "a.md", large("old").encode()).document
    first = worker()
    until(all_ended, 90)
    held = Chunk.objects.filter(document=document).count()
    services.upload_document(bob.principal, space, "a.md", large("new").encode())
    until(lambda: is_at("publish"), pause=0.002)
    first.kill()
    assert Chunk.objects.filter(document=document, version__number=1).count() == held
    worker()
    until(all_ended, 90)
    assert set(Chunk.objects.values_list("version__number", flat=True)) == {2}
    assert_counts_are_true(space)


def test_of_ten_with_a_corrupt_one_nine_are_ready_though_workers_keep_dying(
    space: Space, bob: Person, worker: Callable[[], Worker], plant: EmbeddingServer
) -> None:
    plant.delay = 0.1
    for number in range(9):
        services.upload_document(
            bob.principal, space, f"{number}.md", paragraphs(f"alpha{number}x", f"beta{number}x").encode()
        )
    services.upload_document(bob.principal, space, "bad.pdf", b"%PDF-1.7\nnothing of a document")
    for _ in range(3):
        one = worker()
        time.sleep(3.5)
        one.kill()
    worker()
    until(all_ended, 90)
    states = dict(Version.objects.values_list("document_id", "state"))
    assert sorted(states.values()) == ["failed"] + ["ready"] * 9
    failed = Version.objects.get(state=VersionState.FAILED)
    assert failed.error_code == "damaged"
    until(lambda: not Job.objects.filter(state__in=[JobState.READY, JobState.RUNNING]).exists())
    assert_counts_are_true(space)


def test_an_endpoint_slower_than_the_lease_is_waited_for_by_one_worker(
    space: Space, bob: Person, worker: Callable[[], Worker], plant: EmbeddingServer
) -> None:
    worker()
    worker()
    plant.delay = LEASE + 1.5
    services.upload_document(bob.principal, space, "a.txt", b"Some text for a slow endpoint.")
    until(all_ended, 120)
    assert Version.objects.get().state == VersionState.READY
    job = Job.objects.get(kind="ingest")
    assert job.attempts == 0, "the lease was renewed, nobody took it over"
    assert sum("slow endpoint" in text for text in plant.embedded) == 1


@pytest.mark.parametrize("mood", ["down", "no_vectors"])
def test_an_endpoint_that_comes_back_finds_its_documents_waiting(
    mood: str, space: Space, bob: Person, worker: Callable[[], Worker], plant: EmbeddingServer
) -> None:
    plant.mood = mood
    services.upload_document(bob.principal, space, "a.txt", b"Some text.")
    worker()
    until(lambda: Version.objects.get().error_code == "backend_down")
    plant.mood = "well"
    until(all_ended)
    assert Version.objects.get().state == VersionState.READY
    assert_counts_are_true(space)


def test_another_tenants_single_file_is_done_while_one_tenants_queue_is_long(
    space: Space, bob: Person, charlie: Person, worker: Callable[[], Worker], plant: EmbeddingServer
) -> None:
    plant.delay = 0.2
    for number in range(200):
        services.upload_document(bob.principal, space, f"{number}.txt", f"Text number {number}.".encode())
    worker()
    until(lambda: Version.objects.filter(state=VersionState.READY).count() >= 3)
    with tenant_scope(charlie.tenant.id):
        other = services.create_space(charlie.principal, "Other", slug="other")
        services.upload_document(charlie.principal, other, "one.txt", b"The only text.")
        until(all_ended, 20)
        assert Version.objects.get().state == VersionState.READY
    waiting = Version.objects.filter(state__in=WORKING).count()
    assert waiting > 100, f"only {waiting} of the long queue waited"


def test_a_worker_tells_neither_queue_nor_log_any_words(
    space: Space, bob: Person, worker: Callable[[], Worker], plant: EmbeddingServer, tmp_path: Path
) -> None:
    for name, data in {
        f"{MARKER}.txt": f"{MARKER} in a body.".encode(),
        f"{MARKER}.pdf": f"%PDF-1.7 {MARKER}".encode(),
        f"{MARKER}.html": f"<html><title>{MARKER}</title><p>{MARKER}</p></html>".encode(),
    }.items():
        services.upload_document(bob.principal, space, name, data, title=f"Title {MARKER} {name}")
    messages: set[str] = set()

    def look() -> None:
        """A message is gone when it is done, so it is looked for all the while."""
        with connections["owner"].cursor() as cursor:
            cursor.execute("SELECT message::text FROM dramatiq.queue")
            messages.update(row[0] for row in cursor.fetchall())

    plant.mood = "no_json"
    one = worker()
    until(lambda: look() or Version.objects.filter(error_code="backend_down").exists())
    plant.mood = "well"
    until(lambda: look() or all_ended())
    one.stop()
    assert set(Version.objects.values_list("state", flat=True)) == {"ready", "failed"}
    said = (tmp_path / "worker.log").read_bytes()
    assert b"given up: damaged" in said and MARKER.encode() not in said
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT job::text FROM knowledge_job AS job")
        jobs = [row[0] for row in cursor.fetchall()]
    assert messages and jobs
    assert not [text for text in [*messages, *jobs] if MARKER in text]
    assert {'"args": []' in text and '"kwargs": {}' in text for text in messages} == {True}
    for path in (tmp_path / "home").rglob("*"):
        assert MARKER not in path.name
        assert not path.is_file() or MARKER.encode() not in path.read_bytes(), path


DRIVER = """
import sys
import django
django.setup()
from django.core.management import call_command
call_command("migrate", database="owner", verbosity=0)
from accounts.models import User
from accounts.scope import tenant_scope
from accounts.services import create_tenant
from accounts.types import Principal, Role
from accounts.models import Member
from knowledge import services
user = User.objects.create_user("alice@example.com", "correct horse battery", name="Alice")
tenant = create_tenant("Acme", user, slug="acme")
with tenant_scope(tenant.id):
    member = Member.objects.get()
    principal = Principal(tenant.id, member.id, user.id, Role.OWNER)
    space = services.create_space(principal, "Handbook", slug="handbook")
    for number in range(int(sys.argv[1])):
        text = "\\n\\n".join(f"# Part {n}\\n\\n" + f"word{number}x{n} stands here. " * 80 for n in range(12))
        services.upload_document(principal, space, f"{number}.md", text.encode())
"""


def test_a_database_killed_in_the_middle_loses_and_doubles_nothing(
    endpoint: EmbeddingServer, tmp_path: Path
) -> None:
    """On a server of its own: the tests' one serves the others."""
    home = tmp_path / "home"
    server = ensure_postgres(home)
    environment = {
        **{name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "CITEWELL_HOME": str(home),
        "CITEWELL_EMBEDDING_URL": endpoint.url,
        "CITEWELL_EMBEDDING_MODEL": MODEL,
        "CITEWELL_JOB_LEASE_SECONDS": str(LEASE),
        "CITEWELL_JOB_PAUSE_SECONDS": "1",
    }
    number = 12

    def ask(statement: str) -> list[tuple[Any, ...]]:
        try:
            with psycopg.connect(server.url(server.owner), connect_timeout=5) as owner:
                return owner.execute(statement).fetchall()
        except psycopg.OperationalError:
            return []

    def states() -> dict[str, int]:
        return dict(ask("SELECT state, count(*) FROM knowledge_version GROUP BY state"))

    try:
        subprocess.run(
            [sys.executable, "-c", DRIVER, str(number)], cwd=env.BASE_DIR, env=environment, check=True
        )
        endpoint.delay = 0.15
        worker = Worker(environment, tmp_path / "worker.log")
        try:
            for ready in (1, 5):
                until(lambda ready=ready: states().get("ready", 0) >= ready, pause=0.02)
                os.kill(cluster.running_pid(open_home(home)), signal.SIGKILL)
                time.sleep(1.0)
                assert ensure_postgres(home) == server
            until(lambda: states() == {"ready": number}, 120)
        finally:
            worker.kill()
        assert ask("SELECT count(*) FROM knowledge_document") == [(number,)]
        assert ask(
            "SELECT count(*) FROM knowledge_version v WHERE v.chunks <> "
            "(SELECT count(*) FROM knowledge_chunk c WHERE c.version_id = v.id)"
        ) == [(0,)]
        assert ask("SELECT count(*) FROM knowledge_vector") == ask("SELECT count(*) FROM knowledge_chunk")
        assert ask("SELECT chunk_count FROM knowledge_space") == ask("SELECT count(*) FROM knowledge_chunk")
        assert ask(
            "SELECT count(*) FROM (SELECT term FROM knowledge_termcount EXCEPT SELECT unnest(terms) FROM knowledge_chunk) x"
        ) == [(0,)]
    finally:
        stop_postgres(home)
