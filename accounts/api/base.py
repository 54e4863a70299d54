"""What every view of the API shares: it is a door, and lists come in pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.doors import door
from accounts.types import KeyScope, Principal, Right


def principal_of(request: Request) -> Principal:
    return request._request.principal  # type: ignore[attr-defined,no-any-return]


def api_doors(view: type[APIView], **doors: tuple[Right, KeyScope]) -> Callable[..., HttpResponseBase]:
    """The function Django routes to. `doors` names each method's right and key scope: GET=(right, scope).

    One route with several methods is several doors: each is checked by its own declaration.
    """
    answer: Callable[..., HttpResponseBase] = view.as_view()
    opened = {
        method: door(right, method, scope=scope)(lambda request, *a, **k: answer(request, *a, **k))
        for method, (right, scope) in doors.items()
    }

    def route(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        chosen = opened.get(request.method or "", answer)  # another method: DRF says 405
        return chosen(request, *args, **kwargs)  # type: ignore[no-untyped-call]

    route.doors = {method: found.door for method, found in opened.items()}  # type: ignore[attr-defined]
    route.cls, route.initkwargs = view, {}  # type: ignore[attr-defined]  # drf-spectacular reads them
    route.csrf_exempt = True  # type: ignore[attr-defined]
    route.__name__ = view.__name__
    return route
