"""The partial HNSW index of a large space, built online by the owner's role while the space is searched exactly."""

from __future__ import annotations

from django.conf import settings
from django.db import connections

from knowledge.models import Vector, VectorSet

_LOCK = 0x63697465  # one builder at a time: a build uses both cores and the maintenance memory


def index_name(found: VectorSet) -> str:
    return f"knowledge_vector_hnsw_{int(found.pk)}"


def needs_index(found: VectorSet) -> bool:
    if found.indexed:
        return False
    return bool(Vector.objects.filter(set=found).count() > settings.EXACT_SCAN_ROWS)


def build_index(found: VectorSet) -> None:
    """Build the set's index. An index that an ended build left invalid is dropped first. The expression is the one
    that knowledge/pool.py orders by: another cast would leave the index unused."""
    name, dimension = index_name(found), int(found.dimension)
    connection = connections["owner"]
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
            cursor.execute(
                "SELECT indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE relname = %s",
                [name],
            )
            row = cursor.fetchone()
            if row == (False,):
                cursor.execute(f"DROP INDEX {name}")
            if row != (True,):
                cursor.execute(
                    f"CREATE INDEX CONCURRENTLY {name} ON knowledge_vector "
                    f"USING hnsw ((embedding::halfvec({dimension})) halfvec_cosine_ops) "
                    f"WITH (m = 16, ef_construction = 64) WHERE set_id = {int(found.pk)}"
                )
            cursor.execute("ANALYZE knowledge_vector")
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])
    finally:
        connection.close()
    VectorSet.objects.filter(id=found.id).update(indexed=True)


def drop_index(found: VectorSet) -> None:
    connection = connections["owner"]
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP INDEX IF EXISTS {index_name(found)}")
    finally:
        connection.close()
