"""CITEWELL_HOME: the one folder that holds all that an embedded installation keeps."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

SOCKET_PATH_LIMIT = 100
"""Bytes; the kernel takes 107 with its closing zero, and programs add a suffix while they bind."""


@dataclass(frozen=True, slots=True)
class Home:
    """Where things are under `root`. Nothing is read or made until `make` is called."""

    root: Path

    @property
    def postgres(self) -> Path:
        return self.root / "postgres"

    @property
    def secrets(self) -> Path:
        return self.root / "secrets"

    @property
    def run(self) -> Path:
        return self.root / "run"

    @property
    def log(self) -> Path:
        return self.root / "log"

    @property
    def models(self) -> Path:
        return self.root / "models"

    @property
    def files(self) -> Path:
        return self.root / "files"

    def socket(self, name: str) -> Path:
        """Path of a Unix socket: under `run` where it is short enough, else under /tmp in a folder that only
        this user can open. The same home gives the same path to every process, whatever its TMPDIR."""
        path = self.run / name
        if len(os.fsencode(path)) <= SOCKET_PATH_LIMIT:
            return path
        digest = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:12]
        folder = Path("/tmp") / f"citewell-{os.geteuid()}-{digest}"  # noqa: S108  short on purpose; checked below
        make_private(folder)
        return folder / name


def open_home(path: Path) -> Home:
    """The home at `path`, made on first use. All folders are open to their owner alone.

    Raises PermissionError when a folder belongs to somebody else.
    """
    home = Home(Path(os.path.realpath(path.expanduser())))
    for folder in (home.root, home.secrets, home.run, home.log, home.models, home.files):
        make_private(folder)
    return home


def make_private(folder: Path) -> None:
    """Make `folder` with mode 0700, or bring one of ours to it. A link or a stranger's folder is refused:
    PermissionError. (root may use anybody's folder.)"""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or (os.geteuid() not in (0, found.st_uid)):
        raise PermissionError(f"{folder} is not a folder of this user; set CITEWELL_HOME to one that is")
    if stat.S_IMODE(found.st_mode) != 0o700:
        folder.chmod(0o700)
