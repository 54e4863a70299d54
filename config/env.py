"""Typed readers of the environment. `NAME_FILE` may name a file that holds the value of a secret."""

from __future__ import annotations

import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent


class BadSetting(Exception):
    """A setting has a value that cannot be used; the message says which and what would do."""


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default)


def secret(name: str, default: str = "") -> str:
    path = os.environ.get(f"{name}_FILE")
    return Path(path).read_text().strip() if path else os.environ.get(name, default)


def number(name: str, default: int) -> int:
    value = os.environ.get(name, "")
    try:
        return int(value) if value else default
    except ValueError:
        raise BadSetting(f"{name} must be a whole number, not {value!r}") from None


def flag(name: str, default: bool) -> bool:
    value = os.environ.get(name, "").lower()
    if not value:
        return default
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    raise BadSetting(f"{name} must be true or false, not {value!r}")


def words(name: str, default: tuple[str, ...] = ()) -> list[str]:
    value = os.environ.get(name, "")
    return [word.strip() for word in value.split(",") if word.strip()] if value else list(default)


def home(default: Path) -> Path:
    """The folder that an embedded installation keeps everything in."""
    return Path(os.environ.get("CITEWELL_HOME") or default)
