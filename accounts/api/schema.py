"""How the OpenAPI document shows what all doors share: bearer keys, pages, problems, confirmed deletes."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers

from accounts.api.paging import Cursor
from accounts.api.problems import MEDIA_TYPE


class BearerKey(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "accounts.api.authentication.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "bearerFormat": "cw_…"}


class FieldProblem(serializers.Serializer[object]):
    pointer = serializers.CharField(help_text="JSON pointer into the body, as #/question.")
    detail = serializers.CharField()


class Problem(serializers.Serializer[object]):
    """What went wrong and what to do about it (RFC 9457)."""

    type = serializers.CharField(help_text="A stable relative reference that ends in the code.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    errors = FieldProblem(many=True, required=False)  # type: ignore[assignment]


class DoorSchema(AutoSchema):
    """Every list is a page, every refusal a problem, and a delete says in its body what it deletes."""

    def _get_paginator(self) -> Cursor:
        return Cursor()

    def _get_request_body(self, direction: str = "request") -> Any:
        if self.method != "DELETE":
            return super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        self.method = "POST"  # the library leaves the bodies of others out
        try:
            return super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        finally:
            self.method = "DELETE"

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        refused = self._get_response_for_code(Problem, "default", [MEDIA_TYPE], direction)  # type: ignore[no-untyped-call]
        return {**super()._get_response_bodies(direction), "default": refused}
