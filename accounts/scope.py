"""Which tenant is open: a context variable, and nothing of Django, so that settings and the database backend
can know it. Everybody else imports it from accounts.tenancy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from accounts.errors import NoScope

_scope: ContextVar[int | None] = ContextVar("tenant", default=None)
_wall_down: ContextVar[bool] = ContextVar("wall_down", default=False)


@contextmanager
def tenant_scope(tenant_id: int) -> Iterator[None]:
    """Run the body as that tenant. Never hold one across a `yield` of a generator."""
    token = _scope.set(tenant_id)
    try:
        yield
    finally:
        _scope.reset(token)


@contextmanager
def across_tenants() -> Iterator[None]:
    """The one exit: managers return all tenants' rows that the database role may see. Only for the owner's
    maintenance (keys, backup); tests/test_tenancy.py lists the files that may name it."""
    token = _wall_down.set(True)
    try:
        yield
    finally:
        _wall_down.reset(token)


def current_tenant_id() -> int:
    """The tenant of the open scope. Raises NoScope."""
    tenant_id = _scope.get()
    if tenant_id is None:
        raise NoScope("no tenant scope is open")
    return tenant_id


def scope_setting() -> str:
    """What row-level security is told: the tenant's id, or the empty string for none."""
    tenant_id = _scope.get()
    return "" if tenant_id is None else str(tenant_id)


def is_wall_down() -> bool:
    return _wall_down.get()


def forget_tenant(connection: Any) -> None:
    """Pool hook: a psycopg connection goes back with no tenant set."""
    connection.execute("RESET app.tenant")
    connection.commit()
