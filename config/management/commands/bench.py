"""Measurements, printed as JSON."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings

from accounts.management.base import TenantCommand, WrongCall
from accounts.types import Principal
from config.benches import answers, ingestion, retrieval, scale

BENCHES: dict[str, Callable[[Principal, Path], dict[str, Any]]] = {
    "retrieval": retrieval.run,
    "answers": answers.run,
    "scale": scale.run,
    "ingestion": ingestion.run,
}


class Command(TenantCommand):
    help = "Measure: " + ", ".join(BENCHES)

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("names", nargs="*", metavar="NAME")
        parser.add_argument("--data", type=Path, default=Path(settings.DATA_FOLDER))

    def act(self, principal: Principal, options: dict[str, Any]) -> dict[str, Any]:
        names = options["names"] or list(BENCHES)
        unknown = set(names) - set(BENCHES)
        if unknown:
            raise WrongCall(f"there is no bench {', '.join(sorted(unknown))}; there are {', '.join(BENCHES)}")
        return {name: BENCHES[name](principal, options["data"]) for name in names}

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(result, ensure_ascii=False, indent=1))
