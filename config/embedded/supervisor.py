"""What `manage.py up` keeps alive: child processes that end with it, and services that outlive it."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from config.embedded.errors import ServiceDown
from config.embedded.files import bound_log, locked, open_log
from config.home import open_home

log = logging.getLogger(__name__)

POLL_SECONDS = 0.2
SERVICE_SECONDS = 3.0
FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
STEADY_SECONDS = 60.0
"""A child that has run this long starts again without delay when it ends."""

CHILD = Path(__file__).with_name("child.py")


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """A child: `command` with `environment` added to ours, its output in log/NAME.log, given `stop_seconds`
    between SIGTERM and SIGKILL."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    stop_seconds: float = 10.0


@dataclass(frozen=True, slots=True)
class ServiceSpec:
    """A service: `ensure` finds it healthy or starts it again, and returns its address. When the address
    changes, all children are started anew, since they learnt it when they began."""

    name: str
    ensure: Callable[[], object]


Beside = Callable[[threading.Event], int | None]
"""Work beside the processes. It is handed an event that is set when all must end. An int that it returns ends
all, and is the exit status; None lets them run on."""


def run_processes(
    home: Path,
    specs: Sequence[ProcessSpec],
    *,
    services: Sequence[ServiceSpec] = (),
    beside: Beside | None = None,
) -> int:
    """Keep `specs` and `services` running until SIGINT, SIGTERM or the end of `beside`; return the exit status
    (0 after a signal). To be called in the main thread: the kernel ends the children with the thread that made
    them. Raises ServiceDown when another one already runs for this home, or a service does not start.
    """
    opened = open_home(home)
    with locked(opened.run / "up.lock", seconds=0):
        return _Supervisor(opened.log, specs, services, beside).run()


class _Child:
    def __init__(self, spec: ProcessSpec, logs: Path) -> None:
        self.spec = spec
        self.log = logs / f"{spec.name}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.begun = 0.0
        self.delay = 0.0
        self.due = 0.0

    def start(self) -> None:
        handle = open_log(self.log)
        try:
            self.process = subprocess.Popen(  # noqa: S603  the command is the caller's own
                [sys.executable, "-IS", str(CHILD), str(os.getpid()), *self.spec.command],
                stdin=subprocess.DEVNULL,
                stdout=handle,
                stderr=handle,
                cwd=self.spec.cwd,
                env={**os.environ, **self.spec.environment},
                start_new_session=True,
            )
        finally:
            os.close(handle)
        self.begun = time.monotonic()

    def keep(self) -> None:
        """Start it if it is due; notice its end, sweep up what it left, and set when it is due again."""
        now = time.monotonic()
        if self.process is None:
            if now >= self.due:
                self.start()
            return
        status = self.process.poll()
        if status is None:
            bound_log(self.log)
            return
        self._signal(signal.SIGKILL)
        steady = now - self.begun >= STEADY_SECONDS
        self.delay = 0.0 if steady else min(max(self.delay * 2, FIRST_DELAY), LONGEST_DELAY)
        self.due = now + self.delay
        self.process = None
        log.warning("%s ended with status %s; starts again in %.1f s", self.spec.name, status, self.delay)

    def ask_to_end(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def end(self, deadline: float) -> None:
        if self.process is None:
            return
        try:
            self.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            log.warning("%s did not end in time and is killed", self.spec.name)
            self.process.kill()
            self.process.wait()
        self._signal(signal.SIGKILL)
        self.process = None

    def _signal(self, number: int) -> None:
        """To all that is left of its session: a killed master may leave workers behind."""
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)


class _Supervisor:
    def __init__(
        self,
        logs: Path,
        specs: Sequence[ProcessSpec],
        services: Sequence[ServiceSpec],
        beside: Beside | None,
    ) -> None:
        self.children = [_Child(spec, logs) for spec in specs]
        self.services = services
        self.beside = beside
        self.stopping = threading.Event()
        self.moved = threading.Event()
        self.status = 0
        self.addresses: dict[str, object] = {}

    def run(self) -> int:
        before = {
            number: signal.signal(number, self._on_signal) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            for service in self.services:
                self.addresses[service.name] = service.ensure()
            helpers = [threading.Thread(target=self._watch_services, daemon=True)]
            if self.beside is not None:
                helpers.append(threading.Thread(target=self._run_beside, args=(self.beside,), daemon=True))
            for helper in helpers:
                helper.start()
            self._keep_children()
        finally:
            self.stopping.set()
            self._end_children()
            for number, handler in before.items():
                signal.signal(number, handler)
        return self.status

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.stopping.set()

    def _keep_children(self) -> None:
        while not self.stopping.is_set():
            if self.moved.is_set():
                self.moved.clear()
                self._end_children()
            for child in self.children:
                child.keep()
            self.stopping.wait(POLL_SECONDS)

    def _end_children(self) -> None:
        for child in self.children:
            child.ask_to_end()
        begun = time.monotonic()
        for child in self.children:
            child.end(begun + child.spec.stop_seconds)

    def _watch_services(self) -> None:
        while not self.stopping.wait(SERVICE_SECONDS):
            for service in self.services:
                try:
                    address = service.ensure()
                except (ServiceDown, OSError):
                    log.exception("%s is down and did not start; tried again soon", service.name)
                    continue
                if address != self.addresses[service.name]:
                    log.warning("%s has moved; all processes start anew", service.name)
                    self.addresses[service.name] = address
                    self.moved.set()

    def _run_beside(self, work: Beside) -> None:
        try:
            status = work(self.stopping)
        except Exception:
            log.exception("the work beside the processes failed")
            status = 1
        if status is not None:
            self.status = status
            self.stopping.set()
