"""DRF's view of what the middleware found: it authenticates nothing itself."""

from __future__ import annotations

from typing import Any

from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission


class KeyAuthentication(BaseAuthentication):
    def authenticate(self, request: Any) -> tuple[Any, Any] | None:
        principal = getattr(request._request, "principal", None)
        return (principal, request._request.key) if principal else None

    def authenticate_header(self, request: Any) -> str:
        return "Bearer"


class HasKey(BasePermission):
    def has_permission(self, request: Any, view: Any) -> bool:
        return request.auth is not None
