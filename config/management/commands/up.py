"""Everything with one command: services, migrations, the demo tenant, worker and web."""

from __future__ import annotations

import sys
import threading
import time
import webbrowser
from argparse import ArgumentParser
from functools import partial
from typing import Any

import httpx
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from config.demo import Demo, load_demo
from config.embedded.embedder import ensure_embedder
from config.embedded.errors import ServiceDown
from config.embedded.postgres import ensure_postgres
from config.embedded.supervisor import ProcessSpec, ServiceSpec, run_processes

_START_SECONDS = 90


class Command(BaseCommand):
    help = "Start everything; on first run make the demo tenant. Ctrl-C ends it, the database stays."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--no-browser", action="store_true", help="do not open the page")
        parser.add_argument("--once", action="store_true", help="end after the worked question is answered")

    def handle(self, *, port: int, no_browser: bool, once: bool, **options: Any) -> None:
        began = time.monotonic()
        services = self._services()
        try:
            for service in services:
                service.ensure()
            self.stderr.write(f"services are up after {time.monotonic() - began:.1f} s")
            call_command("migrate", database="owner", verbosity=0)
            welcome = partial(
                self._welcome, began=began, port=port, browser=not (no_browser or once), once=once
            )
            status = run_processes(settings.HOME, self._processes(port), services=services, beside=welcome)
        except ServiceDown as error:
            raise CommandError(f"{error}. See {settings.HOME / 'log'}") from None
        if status:
            raise SystemExit(status)

    def _services(self) -> list[ServiceSpec]:
        found = []
        if settings.IS_EMBEDDED:
            found.append(ServiceSpec("postgres", partial(ensure_postgres, settings.HOME)))
        if not settings.EMBEDDING_URL:
            found.append(ServiceSpec("embedder", partial(ensure_embedder, settings.HOME)))
        return found

    def _processes(self, port: int) -> list[ProcessSpec]:
        web = ["uvicorn", "config.asgi:application", "--host", "127.0.0.1", "--port", str(port)]
        web += ["--timeout-graceful-shutdown", "3", "--no-access-log", "--log-level", "warning"]
        worker = ["dramatiq", "config.worker", "--processes", "1", "--threads", "4"]
        return [
            ProcessSpec("web", [sys.executable, "-m", *web], cwd=settings.BASE_DIR),
            ProcessSpec("worker", [sys.executable, "-m", *worker], cwd=settings.BASE_DIR),
        ]

    def _welcome(
        self, stopping: threading.Event, *, began: float, port: int, browser: bool, once: bool
    ) -> int | None:
        """Beside the processes: wait for the page, load the demo, show one answered question."""
        address = f"http://127.0.0.1:{port}"
        if not self._wait(address, stopping):
            if stopping.is_set():
                return None
            self.stderr.write(
                f"the page did not answer at {address}; see {settings.HOME / 'log' / 'web.log'}"
            )
            return 1
        demo = load_demo()
        self._show(demo)
        self.stdout.write(
            f"\n  Citewell is at   {address}\n  sign in as       {demo.email}\n  password         {demo.password}\n"
            f"\n  first answer after {time.monotonic() - began:.1f} s. Ctrl-C ends it.\n"
        )
        if browser:
            webbrowser.open(address)
        if once:
            return 0 if demo.is_answered else 1
        return None

    def _wait(self, address: str, stopping: threading.Event) -> bool:
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline and not stopping.wait(0.2):
            try:
                if httpx.get(f"{address}/health/", timeout=5).status_code == 200:
                    return True
            except httpx.HTTPError:
                continue
        return False

    def _show(self, demo: Demo) -> None:
        self.stdout.write(f"\n  {demo.question}\n\n  {demo.answer.text}\n")
        for citation, source in demo.cited():
            page = f", page {source.page}" if source.page else ""
            self.stdout.write(f"  [{citation.n}] {source.title}{page}\n")
