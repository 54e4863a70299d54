"""Cursor pagination of every list of the API: `{"items": [...], "next": "cursor" or null}`."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

from rest_framework.pagination import CursorPagination
from rest_framework.response import Response


class Cursor(CursorPagination):
    page_size = 50
    max_page_size = 200
    page_size_query_param = "limit"
    ordering = "-id"

    def get_paginated_response(self, data: Any) -> Response:
        link = self.get_next_link()
        following = parse_qs(urlsplit(link).query)["cursor"][0] if link else None
        return Response({"items": data, "next": following})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "object",
            "required": ["items", "next"],
            "properties": {
                "items": schema,
                "next": {
                    "type": ["string", "null"],
                    "description": "Send it back as `cursor` for the next page.",
                },
            },
        }


def page(view: Any, queryset: Any, serializer: Any, **context: Any) -> Response:
    """One page of a queryset, serialised. `view` is the DRF view that answers."""
    cursor = Cursor()
    rows: Any = cursor.paginate_queryset(queryset, view.request, view)
    return cursor.get_paginated_response(serializer(rows, many=True, context=context).data)
