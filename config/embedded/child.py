"""Run a command that ends when its parent ends: `python child.py PARENT_PID COMMAND...`.

Used as a script, without the packages around it, so that it costs only a bare interpreter's start.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
"""From linux/prctl.h. Kept across execve; cleared in children made by fork."""


def die_with_parent(parent: int | None = None) -> None:
    """Ask the kernel for SIGTERM when the parent ends, however it ends. With `parent`, end at once if that
    process is gone already. Does nothing where the system has no such call (macOS)."""
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if parent is not None and os.getppid() != parent:
        sys.exit(1)


if __name__ == "__main__":
    die_with_parent(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606  the command is the caller's own
