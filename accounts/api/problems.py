"""RFC 9457 problem documents: what went wrong and what to do about it, in the asker's language."""

from __future__ import annotations

from typing import Any

from django.http import Http404, JsonResponse
from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.response import Response

from accounts.messages import sentence

MEDIA_TYPE = "application/problem+json"


def problem(
    code: str, status: int, errors: list[dict[str, Any]] | None = None, **params: str | int
) -> dict[str, Any]:
    """The body of a problem document. `type` is a stable relative reference that ends in the code."""
    title, detail = sentence(code, **params)
    body: dict[str, Any] = {"type": f"/problems/{code}", "title": title, "status": status, "detail": detail}
    if errors:
        body["errors"] = errors
    return body


def answer_problem(code: str, status: int, **params: str | int) -> JsonResponse:
    return JsonResponse(problem(code, status, None, **params), status=status, content_type=MEDIA_TYPE)


def field_errors(detail: Any, at: str = "") -> list[dict[str, Any]]:
    """A serializer's errors as rows of {pointer, detail}; pointers are JSON pointers into the body."""
    if isinstance(detail, dict):
        return [row for key, value in detail.items() for row in field_errors(value, f"{at}/{key}")]
    if isinstance(detail, list):
        return [row for value in detail for row in field_errors(value, at)]
    return [{"pointer": f"#{at}", "detail": str(detail)}]


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler. Errors of our own trees go on to the middleware."""
    if isinstance(error, ValidationError):
        body = problem("invalid", 400, errors=field_errors(error.detail))
        return Response(body, status=400, content_type=MEDIA_TYPE)
    if isinstance(error, Http404):
        return Response(problem("absent", 404), status=404, content_type=MEDIA_TYPE)
    if isinstance(error, APIException):
        body = {
            "type": f"/problems/{error.default_code}",
            "title": _("The request could not be answered"),
            "status": error.status_code,
            "detail": str(error.detail),
        }
        return Response(body, status=error.status_code, content_type=MEDIA_TYPE)
    return None
