"""The entrance for requests: which tenant, which principal, and the scope around the whole view.

Pages live under /t/<tenant>/ and come by session; the API comes by bearer key. Whoever has no place in the
tenant gets the answer of a tenant that is not there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from accounts.api.problems import answer_problem
from accounts.errors import Absent, AccountsError, Forbidden, Refused
from accounts.queries import key_principal, member_principal, tenant_by_slug
from accounts.scope import tenant_scope

API_PREFIXES = ("/api/v1/",)
TENANT_PREFIX = "/t/"


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith(API_PREFIXES)


def _enter(request: Any) -> HttpResponseBase | int | None:
    """The tenant id to open, a response that ends the request, or None for a path outside the tenants."""
    if _is_api(request):
        return _enter_by_key(request)
    if not request.path_info.startswith(TENANT_PREFIX):
        return None
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path(), settings.LOGIN_URL)
    tenant = tenant_by_slug(request.path_info[len(TENANT_PREFIX) :].split("/", 1)[0])
    principal = member_principal(tenant.id, request.user.pk) if tenant else None
    if tenant is None or principal is None:
        return absent(request)
    request.tenant, request.principal, request.key = tenant, principal, None
    return tenant.id


def _enter_by_key(request: Any) -> HttpResponseBase | int | None:
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    found = key_principal(secret.strip()) if scheme.lower() == "bearer" else None
    if found is None:
        response = answer_problem("unauthenticated", 401)
        response["WWW-Authenticate"] = "Bearer"
        return response
    request.principal, request.key = found
    request.csrf_processing_done = True  # a bearer key is no cookie: nothing rides on the browser's say
    origin = request.headers.get("Origin")
    if origin and request.key.origins and origin not in request.key.origins:
        return answer_problem("origin_not_allowed", 403)
    return found[0].tenant_id


def absent(request: HttpRequest) -> HttpResponse:
    if _is_api(request):
        return answer_problem("absent", 404)
    return render(request, "404.html", status=404)


def _answer_error(request: Any, error: Exception) -> HttpResponse | None:
    """The response for an error of our own tree that a view let through; None for anything else."""
    if isinstance(error, Absent):
        return absent(request)
    if isinstance(error, Forbidden):
        if _is_api(request):
            return answer_problem("forbidden", 403, right=str(error))
        return render(request, "403.html", status=403)
    if isinstance(error, Refused) and _is_api(request):
        return answer_problem(error.code, 400, **error.params)
    return None


class TenantMiddleware:
    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self._answer(request)
        entered = _enter(request)
        if isinstance(entered, HttpResponseBase):
            return entered
        if entered is None:
            return self.get_response(request)  # type: ignore[no-any-return]
        with tenant_scope(entered):
            return self.get_response(request)  # type: ignore[no-any-return]

    async def _answer(self, request: HttpRequest) -> HttpResponseBase:
        entered = await sync_to_async(_enter)(request)
        if isinstance(entered, HttpResponseBase):
            return entered
        if entered is None:
            return await self.get_response(request)  # type: ignore[no-any-return]
        with tenant_scope(entered):
            return await self.get_response(request)  # type: ignore[no-any-return]

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return _answer_error(request, error) if isinstance(error, AccountsError) else None
