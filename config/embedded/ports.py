"""TCP ports on the loopback address."""

from __future__ import annotations

import random
import socket
from pathlib import Path

from config.embedded.errors import ServiceDown
from config.embedded.files import write_private

HOST = "127.0.0.1"
LOW, HIGH = 20000, 32000
"""Below the range from which systems draw the ports of outgoing connections (32768 on Linux), so that a
stopped service finds its port again."""


def is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def recorded_port(record: Path) -> int | None:
    """The port kept in `record`, or None when there is none that can be read."""
    try:
        return int(record.read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):
        return None


def choose_port(record: Path) -> int:
    """The recorded port if it is free, else a free one, which is then recorded. Raises ServiceDown."""
    kept = recorded_port(record)
    if kept is not None and is_free(kept):
        return kept
    for port in random.sample(range(LOW, HIGH), 200):
        if is_free(port):
            write_private(record, str(port))
            return port
    raise ServiceDown(f"no free port between {LOW} and {HIGH}")
