"""Many at once on one space: uploads of one name, workers, retries and deletions wait for each other and never for
ever, and the space's counts stay true."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connections

from accounts.scope import tenant_scope
from knowledge import ingest, services
from knowledge.errors import DocumentBusy
from knowledge.models import Chunk, Document, Job, JobState, Space, Version, VersionState
from knowledge.work import work_once
from tests.factories import Person
from tests.knowledge.conftest import work
from tests.knowledge.test_ingest import assert_counts_are_true, put
from tests.knowledge.texts import paragraphs

pytestmark = pytest.mark.django_db(transaction=True)

SHARED = ("alpha", "beta", "gamma", "delta")


def together(tenant: int, *acts: Callable[[], Any]) -> list[BaseException]:
    """Run all at once, each in a thread and a scope of its own; what they raised."""
    raised: list[BaseException] = []

    def run(act: Callable[[], Any]) -> None:
        try:
            with tenant_scope(tenant):
                act()
        except BaseException as error:
            raised.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive(), "somebody waits for ever"
    return raised


def test_uploads_and_workers_at_once_leave_true_counts(space: Space, bob: Person) -> None:
    """Every document shares most of its words with the others, and every name is uploaded again and again."""
    done = threading.Event()

    def upload(seed: int) -> Callable[[], None]:
        def act() -> None:
            chance = random.Random(seed)
            for number in range(12):
                text = paragraphs(*chance.sample(SHARED, 3)) + f"\n\nNumber {seed} {number}."
                put(bob, space, f"{chance.randrange(4)}.md", text, title=f"Title {seed} {number}")

        return act

    def serve() -> None:
        while not done.is_set():
            work_once()

    workers = [threading.Thread(target=together, args=(bob.tenant.id, serve)) for _ in range(3)]
    for worker in workers:
        worker.start()
    try:
        assert together(bob.tenant.id, upload(1), upload(2)) == []
    finally:
        done.set()
        for worker in workers:
            worker.join(60)
    work()
    assert Document.objects.count() == 4
    assert set(Version.objects.values_list("state", flat=True)) == {VersionState.READY}
    assert not Job.objects.exclude(error_code="").exists(), "no step had to be tried again"
    for document in Document.objects.select_related("current"):
        newest = Version.objects.filter(document=document).order_by("-number")[0]
        assert document.current_id == newest.id
        numbers = list(
            Version.objects.filter(document=document).order_by("number").values_list("number", flat=True)
        )
        assert numbers == list(range(1, len(numbers) + 1))
    assert_counts_are_true(space)


def test_deletion_of_documents_while_they_are_published(space: Space, bob: Person) -> None:
    documents = [
        put(bob, space, f"{n}.md", paragraphs(*SHARED) + f"\n\nNumber {n}.").document for n in range(12)
    ]

    def delete() -> None:
        for document in documents[::2]:
            services.delete_document(bob.principal, document, confirm=document.title)

    def serve() -> None:
        while work_once():
            pass

    assert together(bob.tenant.id, serve, serve, delete) == []
    work()
    assert Document.objects.count() == 6
    assert set(Version.objects.values_list("state", flat=True)) == {VersionState.READY}
    assert not Job.objects.filter(state__in=[JobState.READY, JobState.RUNNING, JobState.FAILED]).exists()
    assert_counts_are_true(space)


def test_deletion_of_a_space_while_it_is_worked_on(space: Space, bob: Person) -> None:
    for number in range(10):
        put(bob, space, f"{number}.md", paragraphs(*SHARED) + f"\n\nNumber {number}.")

    def serve() -> None:
        while work_once():
            pass

    def delete() -> None:
        services.delete_space(bob.principal, space.slug, confirm=space.name)

    assert together(bob.tenant.id, serve, serve, delete) == []
    work()
    assert not Space.objects.exists() and not Version.objects.exists() and not Chunk.objects.exists()
    assert not Job.objects.filter(state__in=[JobState.READY, JobState.RUNNING]).exists()


def test_the_same_file_uploaded_at_once_is_one_document(space: Space, bob: Person) -> None:
    def upload() -> None:
        put(bob, space, "a.txt", "The same text.")

    assert together(bob.tenant.id, *[upload] * 6) == []
    assert (Document.objects.count(), Version.objects.count(), Job.objects.count()) == (1, 1, 1)


def test_a_retry_asked_for_by_many_is_done_once(space: Space, bob: Person) -> None:
    version = put(bob, space, "a.txt", "Some text.").version
    work()
    raised = together(bob.tenant.id, *[lambda: services.retry_version(bob.principal, version)] * 5)
    assert len(raised) == 4 and {type(error) for error in raised} <= {DocumentBusy}
    assert Job.objects.filter(state=JobState.READY).count() == 1
    work()
    assert_counts_are_true(space)


def test_two_versions_published_at_once_leave_the_newer_one_alone(space: Space, bob: Person) -> None:
    for turn in range(4):
        for part in ("first", "second"):
            put(bob, space, "a.md", paragraphs(*SHARED) + f"\n\nThe {part} of turn {turn}.")
        waiting = list(
            Version.objects.select_related("space", "document")
            .filter(state=VersionState.QUEUED)
            .order_by("number")
        )
        for version in waiting:
            while version.step != "publish":
                ingest.run_step(version)
        acts = [lambda version=version: ingest.run_step(version) for version in waiting]
        assert together(bob.tenant.id, *acts) == []
        assert set(Chunk.objects.values_list("version_id", flat=True)) == {waiting[-1].id}
        assert_counts_are_true(space)
