"""The index of a large space: built beside the work, whole or not at all, and used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from django.db import connection, connections
from pgvector import HalfVector

from knowledge import index_builder, jobs, pool, services
from knowledge.index_builder import build_index, index_name, needs_index
from knowledge.models import Job, JobState, Space, VectorSet
from knowledge.vectors import published_chunks, query_vector
from tests.factories import Person
from tests.fakes.embedding_server import vector
from tests.knowledge.conftest import work
from tests.knowledge.test_ingest import put
from tests.knowledge.texts import paragraphs

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = [f"word{chr(97 + number)}x" for number in range(20)]


@pytest.fixture
def large(space: Space, bob: Person, settings: Any) -> Space:
    """A space that is large for what the tests call large."""
    put(bob, space, "a.md", paragraphs(*WORDS[:12]))
    work()
    settings.EXACT_SCAN_ROWS = 12
    return space


@pytest.fixture(autouse=True)
def _no_index_stays(transactional_db: None) -> Iterator[None]:
    """An index belongs to the table: emptying it does not take it away."""
    yield
    for name in indexes():
        with connections["owner"].cursor() as cursor:
            cursor.execute(f"DROP INDEX {name}")


@pytest.fixture
def builder() -> Iterator[None]:
    """Another build that runs."""
    connection = connections["owner"].copy()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [index_builder._LOCK])
    yield
    connection.close()


def indexes() -> dict[str, tuple[bool, str]]:
    """Name to validity and definition."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT c.relname, i.indisvalid, pg_get_indexdef(c.oid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
            "WHERE c.relname LIKE 'knowledge_vector_hnsw%'"
        )
        return {name: (valid, definition) for name, valid, definition in cursor.fetchall()}


def plan(found: VectorSet, question: str) -> str:
    cast = f"embedding::halfvec({found.dimension})"
    wanted = HalfVector(query_vector(found, vector(question))).to_text()
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off; SET enable_sort = off")  # the table is small
        cursor.execute(
            f"EXPLAIN SELECT chunk_id FROM knowledge_vector WHERE set_id = {found.pk} "
            f"ORDER BY {cast} <=> %s::halfvec LIMIT 10",
            [wanted],
        )
        lines = "\n".join(row[0] for row in cursor.fetchall())
        cursor.execute("RESET enable_seqscan; RESET enable_sort")
    return lines


def test_a_small_space_has_no_index(space: Space, bob: Person) -> None:
    put(bob, space, "a.txt", "Some text.")
    work()
    found = VectorSet.objects.get()
    assert not needs_index(found, published_chunks(found)) and not found.indexed and not indexes()


def test_a_space_that_grew_past_the_exact_scan_gets_its_own_index(large: Space, bob: Person) -> None:
    put(bob, large, "b.md", paragraphs(*WORDS[12:]))
    work()
    found = VectorSet.objects.get()
    assert found.indexed
    ((name, (is_valid, definition)),) = indexes().items()
    assert name == index_name(found) and is_valid
    assert f"halfvec({found.dimension})" in definition and f"set_id = {found.pk}" in definition
    assert index_name(found) in plan(found, "wordax1 stands here")


def test_with_its_index_a_space_finds_what_it_found_without(large: Space, bob: Person) -> None:
    found = VectorSet.objects.get()
    asked = [query_vector(found, vector(f"{word}7 stands here")) for word in WORDS[:12]]
    before = [pool.nearest(found, question, 5) for question in asked]
    assert build_index(found)
    found.refresh_from_db()
    for exact, question in zip(before, asked, strict=True):
        by_index = pool.nearest(found, question, 5)
        assert next(iter(by_index)) == next(iter(exact))
        assert np.isclose(sorted(by_index.values()), sorted(exact.values()), atol=1e-3).all()


def test_building_again_changes_nothing(large: Space) -> None:
    found = VectorSet.objects.get()
    assert build_index(found) and build_index(found)
    assert len(indexes()) == 1
    found.refresh_from_db()
    assert not needs_index(found, published_chunks(found))


def test_an_index_that_an_ended_build_left_invalid_is_built_anew(large: Space) -> None:
    found = VectorSet.objects.get()
    assert build_index(found)
    with connections["owner"].cursor() as cursor:  # what a build that was killed in its middle leaves
        cursor.execute("DROP INDEX " + index_name(found))
        with pytest.raises(Exception, match="dimensions"):
            cursor.execute(
                f"CREATE INDEX CONCURRENTLY {index_name(found)} ON knowledge_vector "
                f"USING hnsw ((embedding::halfvec({found.dimension + 1})) halfvec_cosine_ops) WHERE set_id = {found.pk}"
            )
    assert indexes()[index_name(found)][0] is False
    assert build_index(found)
    is_valid, definition = indexes()[index_name(found)]
    assert is_valid and f"halfvec({found.dimension})" in definition


def test_while_another_build_runs_the_job_waits_and_loses_no_attempt(
    large: Space, bob: Person, builder: None
) -> None:
    put(bob, large, "b.md", paragraphs(*WORDS[12:]))
    work()
    job = Job.objects.get(kind=jobs.INDEX)
    assert (job.state, job.attempts) == (JobState.READY, 0)
    assert job.run_after > job.created_at
    assert not VectorSet.objects.get().indexed and not indexes()


def test_the_index_of_one_space_is_not_used_for_another(large: Space, bob: Person) -> None:
    other = services.create_space(bob.principal, "Other", slug="other")
    put(bob, other, "a.txt", "Some text.")
    work()
    first, second = VectorSet.objects.get(space=large), VectorSet.objects.get(space=other)
    assert build_index(first)
    assert index_name(first) not in plan(second, "some text")
