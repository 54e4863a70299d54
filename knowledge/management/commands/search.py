"""Search spaces from the command line."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from accounts.errors import Absent
from accounts.management.base import RequestCommand, there_is_no
from accounts.permissions import allowed
from accounts.types import Principal, Right
from knowledge.errors import BackendDown
from knowledge.models import Space
from knowledge.queries import spaces_by_slug
from knowledge.search import SHOWN, search
from knowledge.shapes import found_json


class Command(RequestCommand):
    help = "Passages of a space that bear on a question."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--space", action="append", default=[], help="slug; may be given several times")
        parser.add_argument("--limit", type=int, default=SHOWN)
        parser.add_argument("--trace", action="store_true")

    def answer(
        self, principal: Principal, request: dict[str, Any], options: dict[str, Any]
    ) -> dict[str, Any]:
        given = request.get("spaces") or options["space"]
        slugs = [given] if isinstance(given, str) else [str(slug) for slug in given]
        readable = allowed(principal, Right.READ_SPACE, Space.objects.all())
        try:
            spaces = spaces_by_slug(readable, slugs)
        except Absent:
            known = list(readable.order_by("slug").values_list("slug", flat=True))
            missing = [slug for slug in slugs if slug not in known]
            raise there_is_no("space", ", ".join(missing), known) from None
        limit = int(request.get("limit") or options["limit"])
        try:
            found = search(principal, spaces, str(request.get("query", "")), limit=limit)
        except BackendDown as error:
            return {"error": "backend_down", "detail": str(error), "passages": [], "failed": 1}
        return found_json(found, trace=options["trace"] or bool(request.get("trace")))

    def show(self, result: dict[str, Any]) -> None:
        if result.get("is_batch"):
            return
        for number, row in enumerate(result["passages"], 1):
            place = f", page {row['page']}" if row["page"] else ""
            self.stdout.write(
                f"{number}. {row['title']}{place}  (distance {row['distance']})\n   {row['text'][:300]}\n"
            )
        if not result["passages"]:
            self.stdout.write("Nothing in these spaces bears on that.")
