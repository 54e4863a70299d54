"""The partial HNSW index of a large space, built online by the owner's role while the space is searched exactly."""

from __future__ import annotations

from django.conf import settings
from django.db import connections

from knowledge.models import VectorSet

_LOCK = 0x63697465  # one builder at a time: a build uses both cores and the maintenance memory


def index_name(found: VectorSet) -> str:
    return f"knowledge_vector_hnsw_{int(found.pk)}"


def needs_index(found: VectorSet, chunks: int) -> bool:
    return not found.indexed and chunks > settings.EXACT_SCAN_ROWS


def build_index(found: VectorSet) -> bool:
    """Build the set's index; False where another build runs: try again later. An index that an ended build left
    invalid is dropped first. The expression is the one that knowledge/pool.py orders by: another cast would leave the
    index unused.

    The lock is tried and not waited for: a concurrent build waits for every older statement, one that waits for its
    lock included.
    """
    name, dimension = index_name(found), int(found.dimension)
    connection = connections["owner"]
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
            if cursor.fetchone() != (True,):
                return False
            cursor.execute(
                "SELECT indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE relname = %s",
                [name],
            )
            row = cursor.fetchone()
            if row == (False,):
                cursor.execute(f"DROP INDEX CONCURRENTLY {name}")
            if row != (True,):
                cursor.execute(
                    f"CREATE INDEX CONCURRENTLY {name} ON knowledge_vector "
                    f"USING hnsw ((embedding::halfvec({dimension})) halfvec_cosine_ops) "
                    f"WITH (m = 16, ef_construction = 200) WHERE set_id = {int(found.pk)}"
                )
            cursor.execute("ANALYZE knowledge_vector")
    finally:
        connection.close()  # and with it the lock
    VectorSet.objects.filter(id=found.id).update(indexed=True)
    return True


def drop_index(found: VectorSet) -> None:
    connection = connections["owner"]
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {index_name(found)}")
    finally:
        connection.close()
