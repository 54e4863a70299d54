"""The key tree: master > tenant > scope. A scope is a space, an agent, or the tenant itself.

Separate data keys (sealing) and index keys (keyed hashes) hang from each scope. Rotation re-wraps, or adds a
data key version; nothing sealed is rewritten.
"""

from __future__ import annotations

import base64
import os
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Protocol, cast

from django.conf import settings
from django.db import transaction

from accounts import crypto
from accounts.crypto import ScopeKeys
from accounts.errors import KeyUnavailable
from accounts.models import ScopeKey, TenantKey
from accounts.tenancy import current_tenant_id

_CACHE_SECONDS = 60.0  # how long a deleted scope's key may live on in another process
_CACHE_SIZE = 2048


class MasterKeys(Protocol):
    """Wraps and unwraps tenant keys. `current` names the key that wraps now."""

    @property
    def current(self) -> str: ...
    def wrap(self, key: bytes, place: str) -> bytes: ...
    def unwrap(self, master: str, wrapped: bytes, place: str) -> bytes: ...


class LocalMasterKeys:
    """Master keys from the environment or a key file: lines `name:base64 of 32 bytes`, the first is current."""

    def __init__(self, lines: str) -> None:
        self._keys: dict[str, bytes] = {}
        for line in lines.split():
            name, _, value = line.rpartition(":")
            key = base64.b64decode(value)
            if len(key) != crypto.KEY_BYTES:
                raise KeyUnavailable("a master key is not 32 bytes in base64")
            self._keys[name or "master"] = key
        if not self._keys:
            raise KeyUnavailable("no master key is configured")

    @property
    def current(self) -> str:
        return next(iter(self._keys))

    def wrap(self, key: bytes, place: str) -> bytes:
        return crypto.seal(self._keys[self.current], key, place)

    def unwrap(self, master: str, wrapped: bytes, place: str) -> bytes:
        if master not in self._keys:
            raise KeyUnavailable(f"the master key {master} is not configured")
        return crypto.unseal(self._keys[master], wrapped, place)


def make_master_line(name: str) -> str:
    return f"{name}:{base64.b64encode(crypto.new_key()).decode()}"


def ensure_key_file(path: Path) -> str:
    """The key file's text; made with one new key (mode 0600) where it is missing."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:  # another process was first
            return path.read_text()
        with os.fdopen(handle, "w") as file:
            file.write(make_master_line("m1") + "\n")
    return path.read_text()


def get_master_keys() -> MasterKeys:
    """From CITEWELL_MASTER_KEYS, else from the key file."""
    return LocalMasterKeys(settings.MASTER_KEYS or ensure_key_file(Path(settings.MASTER_KEY_FILE)))


class _Cache:
    """Unwrapped keys of this process, few and for a short time."""

    def __init__(self) -> None:
        self._rows: OrderedDict[tuple[int, str, int], tuple[float, ScopeKeys]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, place: tuple[int, str, int]) -> ScopeKeys | None:
        with self._lock:
            row = self._rows.get(place)
            return row[1] if row and time.monotonic() - row[0] < _CACHE_SECONDS else None

    def put(self, place: tuple[int, str, int], keys: ScopeKeys) -> None:
        with self._lock:
            self._rows[place] = (time.monotonic(), keys)
            self._rows.move_to_end(place)
            while len(self._rows) > _CACHE_SIZE:
                self._rows.popitem(last=False)

    def drop(self) -> None:
        with self._lock:
            self._rows.clear()


_cache = _Cache()


def forget_keys() -> None:
    """Drop every unwrapped key of this process, and load those of the open transaction anew."""
    _cache.drop()
    uncommitted = _uncommitted()
    uncommitted.update(dict.fromkeys(uncommitted))


def _tenant_place(tenant_id: int) -> str:
    return f"tenantkey:{tenant_id}"


def _scope_place(tenant_id: int, kind: str, scope_id: int, purpose: str, version: int) -> str:
    return f"scopekey:{tenant_id}:{kind}:{scope_id}:{purpose}:{version}"


def tenant_key() -> bytes:
    """The open tenant's key, made on first use."""
    tenant_id, masters = current_tenant_id(), get_master_keys()
    row = TenantKey.objects.first()
    if row is None:
        place = _tenant_place(tenant_id)
        row, _ = TenantKey.objects.get_or_create(
            tenant_id=tenant_id,
            defaults={"master": masters.current, "wrapped": masters.wrap(crypto.new_key(), place)},
        )
    return masters.unwrap(row.master, bytes(row.wrapped), _tenant_place(tenant_id))


def scope_keys(kind: str, scope_id: int = 0, *, create: bool = True) -> ScopeKeys:
    """Keys of a scope of the open tenant, made on first use unless `create` is false.

    Raises KeyUnavailable where they were destroyed or do not unwrap.
    """
    place = (current_tenant_id(), kind, scope_id)
    uncommitted = _uncommitted()
    keys = uncommitted.get(place) or _cache.get(place)
    if keys is not None:
        return keys
    wrapping = tenant_key()
    made = create and not ScopeKey.objects.filter(kind=kind, scope_id=scope_id).exists()
    if made:
        _make(wrapping, *place)
    keys = _load(wrapping, *place)
    if place in uncommitted or (made and transaction.get_connection().in_atomic_block):
        uncommitted[place] = keys
    else:
        _cache.put(place, keys)
    return keys


def _uncommitted() -> dict[tuple[int, str, int], ScopeKeys | None]:
    """Keys made in the open transaction: a rollback takes them back, so they must not reach the process's
    cache, where they would seal what nothing can open. The backend empties it (accounts/postgresql)."""
    return cast(dict[tuple[int, str, int], ScopeKeys | None], transaction.get_connection().uncommitted_keys)


def _load(wrapping: bytes, tenant_id: int, kind: str, scope_id: int) -> ScopeKeys:
    rows = ScopeKey.objects.filter(kind=kind, scope_id=scope_id)
    data: dict[int, bytes] = {}
    index = b""
    for row in rows:
        key = crypto.unseal(
            wrapping, bytes(row.wrapped), _scope_place(tenant_id, kind, scope_id, row.purpose, row.version)
        )
        if row.purpose == "index":
            index = key
        else:
            data[row.version] = key
    if not data or not index:
        raise KeyUnavailable("the keys of this scope are gone")
    return ScopeKeys(data, index)


def _make(wrapping: bytes, tenant_id: int, kind: str, scope_id: int) -> None:
    rows = [
        ScopeKey(
            kind=kind,
            scope_id=scope_id,
            purpose=purpose,
            wrapped=crypto.seal(
                wrapping, crypto.new_key(), _scope_place(tenant_id, kind, scope_id, purpose, 1)
            ),
        )
        for purpose in ("data", "index")
    ]
    ScopeKey.objects.bulk_create(rows, ignore_conflicts=True)


def destroy_scope(kind: str, scope_id: int) -> None:
    """Delete a scope's keys: what they sealed can never be read again."""
    ScopeKey.objects.filter(kind=kind, scope_id=scope_id).delete()
    forget_keys()


def add_data_key(kind: str, scope_id: int = 0) -> int:
    """A new data key version for what is sealed from now on; returns it."""
    tenant_id = current_tenant_id()
    version = max(scope_keys(kind, scope_id).data) + 1
    wrapped = crypto.seal(
        tenant_key(), crypto.new_key(), _scope_place(tenant_id, kind, scope_id, "data", version)
    )
    ScopeKey(kind=kind, scope_id=scope_id, purpose="data", version=version, wrapped=wrapped).save()
    forget_keys()
    return version


@transaction.atomic
def rotate_tenant_key() -> int:
    """A new tenant key; every scope key of the open tenant is re-wrapped by it. Returns how many."""
    tenant_id, masters = current_tenant_id(), get_master_keys()
    old, new = tenant_key(), crypto.new_key()
    TenantKey.objects.select_for_update().get()
    rows = list(ScopeKey.objects.select_for_update().order_by("id"))
    for row in rows:
        place = _scope_place(tenant_id, row.kind, row.scope_id, row.purpose, row.version)
        row.wrapped = crypto.seal(new, crypto.unseal(old, bytes(row.wrapped), place), place)
    ScopeKey.objects.bulk_update(rows, ["wrapped"], batch_size=500)
    TenantKey.objects.update(master=masters.current, wrapped=masters.wrap(new, _tenant_place(tenant_id)))
    forget_keys()
    return len(rows)


def rewrap_tenant_key() -> str:
    """Wrap the open tenant's key with the current master key; returns the master's name. Afterwards the old
    master key may be taken out of the configuration."""
    masters, key = get_master_keys(), tenant_key()
    wrapped = masters.wrap(key, _tenant_place(current_tenant_id()))
    TenantKey.objects.update(master=masters.current, wrapped=wrapped)
    return masters.current
