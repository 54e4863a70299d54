"""Port to the file store. What reaches it is sealed already; a key names a file and says nothing about it."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Protocol

from django.conf import settings


class FileStore(Protocol):
    def put(self, data: bytes) -> str:
        """Keep the bytes, durably, and return their key."""
        ...

    def get(self, key: str) -> bytes:
        """Raises FileNotFoundError."""
        ...

    def delete(self, key: str) -> None:
        """No error where it is gone already."""
        ...


class LocalFiles:
    """Files under one folder, two levels deep, for their owner alone."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def _path(self, key: str) -> Path:
        if not key.isalnum():
            raise FileNotFoundError(key)
        return self.root / key[:2] / key

    def put(self, data: bytes) -> str:
        key = secrets.token_hex(20)
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = path.with_suffix(".part")
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        return key

    def get(self, key: str) -> bytes:
        return self._path(key).read_bytes()

    def delete(self, key: str) -> None:
        self._path(key).unlink(missing_ok=True)


def get_store() -> FileStore:
    return LocalFiles(Path(settings.FILES_ROOT))
