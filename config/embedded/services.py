"""All embedded services of one home at once."""

from __future__ import annotations

import sys
from pathlib import Path

from config.embedded.embedder import stop_embedder
from config.embedded.postgres import stop_postgres


def stop_services(path: Path) -> None:
    """Stop every embedded service of the home at `path`; those that do not run are left so."""
    stop_embedder(path)
    stop_postgres(path)


if __name__ == "__main__":
    for folder in map(Path, sys.argv[1:]):
        if folder.is_dir():
            stop_services(folder)
