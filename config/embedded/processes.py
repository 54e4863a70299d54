"""Processes by their id: which live, which are ours, how they are started apart and ended.

A process id alone proves nothing: after a crash it may be a zombie that nobody has reaped yet, after a restart
of the machine it may be a stranger. So every question here also names words of the command line.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from config.embedded.files import open_log

PROC = Path("/proc")


def words_of(pid: int) -> tuple[str, ...]:
    """The command line of a live process; empty when it has ended, is a zombie or cannot be seen."""
    if not (PROC / "self" / "stat").exists():
        shown = subprocess.run(  # noqa: S603
            ["ps", "-o", "stat=,command=", "-p", str(pid)],  # noqa: S607
            capture_output=True,
            text=True,
            check=False,
        )
        state, *words = shown.stdout.split() or [""]
        return () if state.startswith("Z") else tuple(words)
    try:
        state = (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
        raw = (PROC / str(pid) / "cmdline").read_bytes()
    except (OSError, IndexError):
        return ()
    return () if state in "ZX" else tuple(os.fsdecode(word) for word in raw.split(b"\0") if word)


def lives(pid: int, *needed: str) -> bool:
    """Whether `pid` is a live process whose command line holds every one of the `needed` words."""
    words = words_of(pid)
    return bool(words) and all(word in words for word in needed)


def spawn_apart(
    command: Sequence[str], *, log: Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> int:
    """Start `command` in a session of its own, output appended to `log`; return its process id.

    It is nobody's child here (a shell in between ends at once), so it outlives this process and leaves no
    zombie behind when it ends before it.
    """
    handle = open_log(log)
    try:
        started = subprocess.run(  # noqa: S603  the command is the caller's own
            ["/bin/sh", "-c", '"$@" </dev/null >&2 & echo $!', "sh", *command],
            stdout=subprocess.PIPE,
            stderr=handle,
            cwd=cwd,
            env=env,
            start_new_session=True,
            text=True,
            check=True,
        )
    finally:
        os.close(handle)
    return int(started.stdout)


def end(pid: int, *needed: str, seconds: float = 5.0) -> None:
    """End the process if it is the one that `needed` names: SIGTERM, then SIGKILL after `seconds`."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + seconds
        if not lives(pid, *needed):
            return
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        while lives(pid, *needed) and time.monotonic() < deadline:
            time.sleep(0.05)
