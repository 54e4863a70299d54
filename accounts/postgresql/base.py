"""Django's PostgreSQL backend, telling row-level security which tenant's scope is open.

Before a statement runs, `app.tenant` is set where it differs from what this connection was last told. A
rollback undoes the setting in the server too, so what was told is forgotten at every rollback.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus

from accounts.scope import scope_setting


class DatabaseWrapper(base.DatabaseWrapper):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._told: tuple[int, str] | None = None
        # Keys made in the open transaction (accounts/keys.py). A rollback to a savepoint leaves the place with
        # no key, so that it is loaded anew, if it is still there, and stays out of the cache.
        self.uncommitted_keys: dict[tuple[int, str, int], Any] = {}
        self.execute_wrappers.append(self._tell_tenant)

    def _tell_tenant(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        wanted = (id(self.connection), scope_setting())
        if self._told != wanted and self._can_be_told():
            self.connection.execute("SELECT set_config('app.tenant', %s, false)", (wanted[1],))
            self._told = wanted
        return execute(sql, params, many, context)

    def _can_be_told(self) -> bool:
        """A failed transaction takes nothing but its rollback."""
        return (
            self.connection is not None
            and self.connection.info.transaction_status != TransactionStatus.INERROR
        )

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self.uncommitted_keys.clear()

    def _rollback(self) -> None:
        self._told = None
        self.uncommitted_keys.clear()
        super()._rollback()  # type: ignore[misc]

    def _savepoint_rollback(self, sid: str) -> None:
        super()._savepoint_rollback(sid)  # type: ignore[misc]
        self._told = None
        self.uncommitted_keys.update(dict.fromkeys(self.uncommitted_keys))

    def _close(self) -> None:
        self._told = None
        self.uncommitted_keys.clear()
        super()._close()  # type: ignore[misc]
