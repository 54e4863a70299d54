"""What every template may know of where it is."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from accounts.permissions import may
from accounts.types import Right

_NAVIGATION_RIGHTS = (Right.MANAGE_MEMBERS, Right.MANAGE_KEYS, Right.CREATE_SPACE, Right.CREATE_AGENT)


def here(request: HttpRequest) -> dict[str, Any]:
    """`tenant`, `principal`, and `can`: the tenant's rights by name that the principal's role has."""
    principal = getattr(request, "principal", None)
    if principal is None:
        return {}
    can = {right.value: may(principal, right) for right in _NAVIGATION_RIGHTS}
    return {"tenant": getattr(request, "tenant", None), "principal": principal, "can": can}
