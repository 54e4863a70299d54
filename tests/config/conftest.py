"""Homes whose services are stopped after each test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.embedded.services import stop_services

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "home"
    yield folder
    if folder.exists():
        stop_services(folder)
        shutil.rmtree(folder)


@pytest.fixture
def run_python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a Python text in a process of its own, with words before the interpreter's."""

    def run(text: str, *arguments: object, before: tuple[str, ...] = (), **environment: str):
        return subprocess.run(
            [*before, sys.executable, "-c", text, *map(str, arguments)],
            cwd=PROJECT,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )

    return run
