"""Base of commands that act in a tenant: `--tenant`, `--json`, and for those of one request `--batch`.

With `--json` one object goes to stdout and nothing else; words and progress go to stderr. The exit status is 0 for
done, 1 where some of it failed (the output says what), 2 for a wrong call.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from accounts.errors import AccountsError, Refused
from accounts.messages import sentence
from accounts.models import Member, Tenant
from accounts.scope import tenant_scope
from accounts.types import Principal, Role

_NAMED = 20


class WrongCall(Exception):
    """The call cannot be carried out as it is; the message says what to do."""


def there_is_no(kind: str, name: str, others: Iterable[str]) -> WrongCall:
    """To raise where a thing named in the call is not there: says what is."""
    known = ", ".join(list(others)[:_NAMED])
    return WrongCall(f"there is no {kind} {name!r}; there is: {known or 'none yet'}")


class TenantCommand(BaseCommand):
    """Runs `act` inside a tenant's scope, as its owner: who may run commands here may read the keys too."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--tenant", default=settings.DEMO_TENANT, help="slug of the tenant (default: the demo)"
        )
        parser.add_argument("--json", action="store_true", help="one JSON object on stdout and nothing else")

    def act(self, principal: Principal, options: dict[str, Any]) -> dict[str, Any]:
        """The result, JSON-ready; `failed` in it, where above 0, makes the exit status 1."""
        raise NotImplementedError

    def show(self, result: dict[str, Any]) -> None:
        """Print a result for people."""
        self.stdout.write(json.dumps(result, ensure_ascii=False, indent=2))

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant = Tenant.objects.filter(slug=options["tenant"]).first()
            if tenant is None:
                raise WrongCall(f"there is no tenant {options['tenant']!r}; `manage.py up` makes the demo")
            with tenant_scope(tenant.id):
                result = self.act(self._owner(tenant), options)
        except WrongCall as error:
            self.stderr.write(str(error))
            sys.exit(2)
        except AccountsError as error:
            words = (
                ". ".join(sentence(error.code, **error.params))
                if isinstance(error, Refused)
                else _plain(error)
            )
            self.stderr.write(words)
            sys.exit(2)
        if options["json"]:
            self.stdout.write(json.dumps(result, ensure_ascii=False))
        else:
            self.show(result)
        if result.get("failed"):
            sys.exit(1)

    def _owner(self, tenant: Tenant) -> Principal:
        member = Member.objects.filter(role=Role.OWNER).order_by("id").first()
        if member is None:
            raise WrongCall(f"the tenant {tenant.slug} has no owner")
        return Principal(tenant.id, member.id, member.user_id, Role.OWNER)

    def say(self, words: str) -> None:
        """Progress, on stderr."""
        self.stderr.write(words)


def _plain(error: AccountsError) -> str:
    return f"{type(error).__name__.lower()}: check the names given"


class RequestCommand(TenantCommand):
    """A command of one request: its words as the argument, or `--batch FILE.jsonl` with one request a line."""

    field = "query"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("text", nargs="?", metavar="TEXT")
        parser.add_argument("--batch", type=Path, help="file of requests, one JSON object a line")

    def answer(
        self, principal: Principal, request: dict[str, Any], options: dict[str, Any]
    ) -> dict[str, Any]:
        """The answer to one request, in the API's field names."""
        raise NotImplementedError

    def handle(self, *args: Any, **options: Any) -> None:
        if bool(options["text"]) == bool(options["batch"]):
            self.stderr.write("give the TEXT, or --batch FILE.jsonl")
            sys.exit(2)
        super().handle(*args, **options)

    def act(self, principal: Principal, options: dict[str, Any]) -> dict[str, Any]:
        if options["text"]:
            return self.answer(principal, {self.field: options["text"]}, options)
        failed = 0
        for request in read_jsonl(options["batch"]):
            try:
                result = self.answer(principal, request, options)
            except Refused as error:
                result = {"error": error.code, "detail": ". ".join(sentence(error.code, **error.params))}
            except WrongCall as error:
                result = {"error": "wrong_call", "detail": str(error)}
            except (TypeError, ValueError, AttributeError) as error:
                self.say(
                    f"a line was given up: {type(error).__name__}"
                )  # ours to mend where the line is right
                result = {
                    "error": "wrong_call",
                    "detail": "a field of this line is of another kind than the API's",
                }
            failed += "error" in result
            if "id" in request:
                result["id"] = request["id"]
            self.stdout.write(json.dumps(result, ensure_ascii=False))
        options["json"] = False
        return {"failed": failed, "is_batch": True}


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file, one a line. Raises WrongCall naming the line that is none."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _object(line, f"{path}: line {number}")
    except OSError as error:
        raise WrongCall(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise WrongCall(f"{path} is not in UTF-8") from None


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise WrongCall(f"{place} is no JSON object")
    return value
