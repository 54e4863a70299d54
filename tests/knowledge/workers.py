"""A real worker in processes of its own, on the tests' database or another one, to be killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from config import env
from knowledge.models import Job, JobState, Version
from knowledge.queries import WORKING

LEASE = 2  # seconds


def until(true: Callable[[], object], seconds: float = 60.0, pause: float = 0.05) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not come to that in time"
        time.sleep(pause)


class Worker:
    """`python -m dramatiq config.worker` in a session of its own, its output in `log`."""

    def __init__(self, settings: dict[str, str], log: Path) -> None:
        with log.open("ab") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "dramatiq", "config.worker", "--processes", "1", "--threads", "4"],
                cwd=env.BASE_DIR,
                env={**os.environ, **settings},
                stdout=out,
                stderr=out,
                start_new_session=True,
            )

    def kill(self) -> None:
        """All its processes at once, with no chance to put anything in order."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(20)

    def stop(self) -> int:
        """Ask it to end; its exit status."""
        self._process.terminate()
        return self._process.wait(30)


def all_ended() -> bool:
    return not Version.objects.filter(state__in=WORKING).exists()


def is_at(step: str) -> bool:
    return Job.objects.filter(
        state=JobState.RUNNING, kind="ingest", version__in=Version.objects.filter(step=step)
    ).exists()
