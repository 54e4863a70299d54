"""What is configured, what works, what does not, and how to mend it."""

from __future__ import annotations

import json
import shutil
import time
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import dramatiq
import httpx
from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError, connections
from django.db.migrations.executor import MigrationExecutor

from accounts.errors import KeyUnavailable
from accounts.keys import get_master_keys
from knowledge.backends import embedder, embedding_settings
from knowledge.errors import BackendDown

_LEAST_FREE = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class Finding:
    """One part: what it is set to, whether it works, and where not, what to do."""

    part: str
    is_well: bool
    found: str
    mend: str = ""


class Command(BaseCommand):
    help = "Look at every part, and say how to mend what does not work. Ends with 1 where something does not."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        findings = [
            look() for look in (_home, _database, _rights, _migrations, _keys, _queue, _embedding, _chat)
        ]
        if options["json"]:
            self.stdout.write(
                json.dumps({"findings": [asdict(finding) for finding in findings]}, ensure_ascii=False)
            )
        else:
            for finding in findings:
                self.stdout.write(
                    f"{'well ' if finding.is_well else 'ILL  '} {finding.part}: {finding.found}"
                )
                if finding.mend:
                    self.stdout.write(f"      {finding.mend}")
        if not all(finding.is_well for finding in findings):
            raise SystemExit(1)


def _home() -> Finding:
    free = shutil.disk_usage(settings.HOME).free
    words = f"{free // 1024**2} MB free under CITEWELL_HOME"
    mend = "" if free > _LEAST_FREE else "Make room: the database and the encrypted files live there."
    return Finding("home", free > _LEAST_FREE, words, mend)


def _guarded(part: str, look: Callable[[], Finding], mend: str) -> Finding:
    try:
        return look()
    except (DatabaseError, OSError) as error:
        return Finding(part, False, type(error).__name__, mend)


def _database() -> Finding:
    def look() -> Finding:
        with connections["default"].cursor() as cursor:
            cursor.execute(
                "SELECT current_setting('server_version'), extversion FROM pg_extension WHERE extname = 'vector'"
            )
            row = cursor.fetchone()
        if row is None:
            return Finding("database", False, "without pgvector", "CREATE EXTENSION vector, as a superuser.")
        kind = "embedded" if settings.IS_EMBEDDED else "by DATABASE_URL"
        return Finding("database", True, f"PostgreSQL {row[0]}, pgvector {row[1]}, {kind}")

    return _guarded(
        "database", look, "Check DATABASE_URL, or the log of the embedded server under CITEWELL_HOME/log."
    )


def _rights() -> Finding:
    """The application's role must not own its tables: row-level security does not hold for an owner."""

    def look() -> Finding:
        with connections["default"].cursor() as cursor:
            cursor.execute(
                "SELECT rolsuper OR rolbypassrls OR EXISTS (SELECT FROM pg_class WHERE relname = 'accounts_member' "
                "AND relowner = r.oid) FROM pg_roles r WHERE rolname = current_user"
            )
            (is_above,) = cursor.fetchone() or (True,)
        if is_above:
            mend = "Give DATABASE_URL a role that owns nothing, and the owner's to DATABASE_OWNER_URL."
            return Finding("tenant wall", False, "the application's role passes row-level security", mend)
        return Finding("tenant wall", True, "row-level security holds for the application's role")

    return _guarded("tenant wall", look, "The database has to work first.")


def _migrations() -> Finding:
    def look() -> Finding:
        executor = MigrationExecutor(connections["owner"])
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
        mend = "manage.py migrate --database owner" if waiting else ""
        return Finding(
            "migrations", not waiting, f"{len(waiting)} waiting" if waiting else "all applied", mend
        )

    return _guarded("migrations", look, "Check DATABASE_OWNER_URL.")


def _keys() -> Finding:
    try:
        name = get_master_keys().current
    except (KeyUnavailable, ValueError, OSError) as error:
        mend = (
            "CITEWELL_MASTER_KEYS holds lines name:base64 of 32 bytes; bring the key file back from its copy."
        )
        return Finding("master key", False, str(error), mend)
    place = "from the environment" if settings.MASTER_KEYS else f"in {settings.MASTER_KEY_FILE}"
    return Finding("master key", True, f"{name}, {place}; keep a copy apart from the database")


def _queue() -> Finding:
    broker = type(dramatiq.get_broker()).__name__
    return Finding(
        "queue", True, f"{broker}; a worker takes up due work within seconds even where a message is lost"
    )


def _embedding() -> Finding:
    found = embedding_settings()
    where = "bundled" if found.bundled else found.url
    began = time.perf_counter()
    try:
        dimension = len(embedder().embed_query("doctor"))
    except BackendDown as error:
        mend = (
            "manage.py up starts it." if found.bundled else "Check CITEWELL_EMBEDDING_URL, _MODEL and _KEY."
        )
        return Finding("embedding", False, f"{found.model} ({where}): {error.reason}", mend)
    spent = 1000 * (time.perf_counter() - began)
    return Finding(
        "embedding", True, f"{found.model} ({where}), {dimension} dimensions, {spent:.0f} ms a question"
    )


def _chat() -> Finding:
    if not settings.CHAT_URL:
        return Finding("chat model", True, "none for new agents: they answer by quoting")
    try:
        headers = {"Authorization": f"Bearer {settings.CHAT_KEY}"} if settings.CHAT_KEY else {}
        status = httpx.get(f"{settings.CHAT_URL.rstrip('/')}/models", headers=headers, timeout=10).status_code
    except httpx.HTTPError as error:
        return Finding("chat model", False, type(error).__name__, "Check CITEWELL_CHAT_URL.")
    mend = "" if status == 200 else "Check CITEWELL_CHAT_URL and CITEWELL_CHAT_KEY."
    return Finding(
        "chat model", status == 200, f"{settings.CHAT_MODEL} at {settings.CHAT_URL}: status {status}", mend
    )
