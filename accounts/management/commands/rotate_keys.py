"""Rotate keys of the key tree; nothing sealed is rewritten, and everything stays readable."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from accounts import audit, keys
from accounts.management.base import TenantCommand
from accounts.models import ScopeKey
from accounts.types import Principal


class Command(TenantCommand):
    help = "Wrap with the first master key; with --tenant-key make a new tenant key; with --data-keys new data keys."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--tenant-key", action="store_true", help="a new tenant key, every scope's keys re-wrapped"
        )
        parser.add_argument(
            "--data-keys", action="store_true", help="a new data key for what each scope seals from now on"
        )

    def act(self, principal: Principal, options: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = {"master": keys.rewrap_tenant_key()}
        if options["tenant_key"]:
            result["rewrapped"] = keys.rotate_tenant_key()
        if options["data_keys"]:
            scopes = ScopeKey.objects.filter(purpose="index").values_list("kind", "scope_id")
            result["data_keys"] = [keys.add_data_key(kind, scope_id) for kind, scope_id in scopes]
        audit.record(principal, "rotate_keys")
        return result
