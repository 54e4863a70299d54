"""The audit trail: one row a deed, written in the deed's own transaction."""

from __future__ import annotations

from typing import Any

from accounts.models import AuditEntry
from accounts.types import Principal


def record(
    principal: Principal | None, verb: str, thing: Any = None, **detail: str | int | bool | None
) -> None:
    """Write that `principal` (None: the system) did `verb` to `thing`. `detail` holds ids, codes and numbers
    only: the trail is not encrypted."""
    AuditEntry(
        member_id=principal.member_id if principal else None,
        key_id=principal.key_id if principal else None,
        verb=verb,
        object_type=type(thing).__name__.lower() if thing is not None else "",
        object_uid=getattr(thing, "uid", None),
        detail=detail,
    ).save()
