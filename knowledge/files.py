"""Sealed files of versions: the original, and what a step leaves for the next one."""

from __future__ import annotations

import json
import zlib
from typing import Any

from django.db import transaction

from accounts.keys import scope_keys
from knowledge import jobs
from knowledge.models import DoomedFile, StoredFile, Version
from knowledge.storage import get_store

ORIGINAL, PARSED, DRAFTS = "original", "parsed", "drafts"


def _place(version: Version, purpose: str) -> str:
    return f"file:{version.tenant_id}:{version.space_id}:{version.uid}:{purpose}"


def keep_file(version: Version, purpose: str, data: bytes) -> None:
    """Seal and keep; a file of the same purpose is replaced, and its old bytes deleted after the commit."""
    sealed = scope_keys("space", version.space_id, create=False).seal(data, _place(version, purpose))
    key, size = get_store().put(sealed), len(data)
    row = StoredFile.objects.filter(version=version, purpose=purpose).first()
    if row is None:
        StoredFile(version=version, purpose=purpose, space_id=version.space_id, key=key, size=size).save()
        return
    with transaction.atomic():
        StoredFile.objects.filter(id=row.id).update(key=key, size=size)
        drop_files([row.key])


def read_file(version: Version, purpose: str) -> bytes | None:
    """The bytes, or None where the version has no such file."""
    row = StoredFile.objects.filter(version=version, purpose=purpose).first()
    if row is None:
        return None
    sealed = get_store().get(row.key)
    return scope_keys("space", version.space_id, create=False).unseal(sealed, _place(version, purpose))


def keep_json(version: Version, purpose: str, value: Any) -> None:
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    keep_file(version, purpose, zlib.compress(data, 3))


def read_json(version: Version, purpose: str) -> Any | None:
    data = read_file(version, purpose)
    return None if data is None else json.loads(zlib.decompress(data))


def drop_files(keys: list[str]) -> None:
    """Delete stored bytes once the transaction stands. What an end of the process in between leaves is deleted by a
    job: the keys are written down in the same transaction."""
    if not keys:
        return
    DoomedFile.objects.bulk_create([DoomedFile(key=key) for key in keys], batch_size=1000)
    jobs.add_job(jobs.FILES, space=None)
    transaction.on_commit(delete_doomed, robust=True)


def delete_doomed() -> None:
    """Delete the bytes that the open tenant has doomed. May be called at any time, and by several at once."""
    store = get_store()
    for row in DoomedFile.objects.order_by("id").iterator():
        store.delete(row.key)
        DoomedFile.objects.filter(id=row.id).delete()


def drop_drafts(version: Version) -> None:
    """Delete what the chunk step left, the bytes first: a row that is left behind still names them."""
    row = StoredFile.objects.filter(version=version, purpose=DRAFTS).first()
    if row is not None:
        get_store().delete(row.key)
        StoredFile.objects.filter(id=row.id, key=row.key).delete()
