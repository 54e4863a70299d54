"""Every view is a door that declares who may use it; tests/test_doors.py fails for one that does not.

A right of the tenant is enforced here. A right of a space or agent is declared here and enforced where the
thing is fetched (permissions.fetch), since only there it is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponseNotAllowed

from accounts.errors import Absent, Forbidden
from accounts.permissions import may
from accounts.types import KeyScope, Right

OBJECT_RIGHTS = frozenset(
    {Right.READ_SPACE, Right.EDIT_SPACE, Right.MANAGE_SPACE, Right.ASK_AGENT, Right.MANAGE_AGENT}
)
View = TypeVar("View", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Door:
    """`right` None: open to anybody. `scope`: what an API key needs. `methods` that it answers."""

    right: Right | None
    methods: tuple[str, ...]
    scope: KeyScope | None = None


def _check(door: Door, request: Any) -> None:
    if door.right is None:
        return
    principal = getattr(request, "principal", None)
    if principal is None:
        raise Absent
    if door.scope is not None and principal.is_key and door.scope not in principal.scopes:
        raise Forbidden(door.scope.value)
    if door.right not in OBJECT_RIGHTS and not may(principal, door.right):
        raise Forbidden(door.right.value)


def door(right: Right | None, *methods: str, scope: KeyScope | None = None) -> Callable[[View], View]:
    """Declare a view's right, methods (default GET) and API key scope. Sync and async views alike."""
    declared = Door(right, methods or ("GET",), scope)

    def decorate(view: View) -> View:
        if iscoroutinefunction(view):

            @wraps(view)
            async def opened(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
                if request.method not in declared.methods:
                    return HttpResponseNotAllowed(declared.methods)
                _check(declared, request)
                return await view(request, *args, **kwargs)
        else:

            @wraps(view)
            def opened(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
                if request.method not in declared.methods:
                    return HttpResponseNotAllowed(declared.methods)
                _check(declared, request)
                return view(request, *args, **kwargs)

        opened.door = declared  # type: ignore[attr-defined]
        return opened  # type: ignore[return-value]

    return decorate
