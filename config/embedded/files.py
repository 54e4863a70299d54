"""Small files that services share: secrets, locks, logs that stay bounded."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.embedded.errors import ServiceDown

LOG_LIMIT = 5_000_000
"""Bytes of one log before its content moves to NAME.1 (which it replaces)."""


def write_private(path: Path, text: str) -> None:
    """Write `text` to `path` with mode 0600, whole or not at all."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(path)


def secret(path: Path) -> str:
    """The secret kept in `path`; made from 32 random bytes (mode 0600) when there is none yet.

    Two processes that ask at once get the same one.
    """
    if not path.exists():
        fresh = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        write_private(fresh, secrets.token_urlsafe(32))
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text(encoding="utf-8").strip()


@contextmanager
def locked(path: Path, *, seconds: float = 120.0) -> Iterator[None]:
    """Hold the lock file `path` alone. Raises ServiceDown when another process keeps it for `seconds`.

    The kernel frees it when its holder ends, however it ends; the file itself stays.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise ServiceDown(f"another process holds {path}") from None
                time.sleep(0.05)
        yield
    finally:
        os.close(handle)


def bound_log(path: Path, limit: int = LOG_LIMIT) -> None:
    """Copy a log past `limit` bytes to NAME.1 and empty it in place: its writer appends, so goes on unaware.
    Lines written in between are lost."""
    try:
        if path.stat().st_size <= limit:
            return
    except FileNotFoundError:
        return
    shutil.copyfile(path, path.with_name(f"{path.name}.1"))
    path.with_name(f"{path.name}.1").chmod(0o600)
    os.truncate(path, 0)


def open_log(path: Path) -> int:
    """A file descriptor that appends to `path` (mode 0600), bounded first. The caller closes it."""
    bound_log(path)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
