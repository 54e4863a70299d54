"""The embedded embedding process: one for all, because its tokeniser and model take some 450 MB."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from config.embedded.errors import ServiceDown
from config.embedded.files import locked, open_log, secret, write_private
from config.embedded.processes import end, lives, spawn_apart
from config.home import Home, open_home

PROJECT = Path(__file__).resolve().parents[2]
SERVER = "knowledge.e5.server"
CONVERTER = "knowledge.e5.convert"

START_SECONDS = 60
CONVERT_SECONDS = 600
HEALTH_SECONDS = 5


@dataclass(frozen=True, slots=True)
class EmbedderAddress:
    """Where the embedding process listens (HTTP over a Unix socket) and the bearer token it asks for."""

    socket: Path
    token: str = field(repr=False)


def embedder_address(path: Path) -> EmbedderAddress:
    """The embedding process of the home at `path`, running or not."""
    home = open_home(path)
    return EmbedderAddress(home.socket("embedder.sock"), secret(_token_file(home)))


def ensure_embedder(path: Path) -> EmbedderAddress:
    """The running embedding process of the home at `path`, started (and on first use its model converted) if
    it does not answer. Raises ServiceDown."""
    address = embedder_address(path)
    if is_healthy(address):
        return address
    home = open_home(path)
    with locked(home.run / "embedder.lock", seconds=CONVERT_SECONDS):
        if not is_healthy(address):
            _start(home, address)
    return address


def stop_embedder(path: Path) -> None:
    """End the embedding process of the home at `path` if it runs."""
    home = open_home(path)
    with locked(home.run / "embedder.lock"):
        pid = running_pid(home)
        if pid is not None:
            end(pid, SERVER, str(home.socket("embedder.sock")))


def running_pid(home: Home) -> int | None:
    """Process id of the live embedding process of this home, or None."""
    try:
        pid = int(_pid_record(home).read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):
        return None
    return pid if lives(pid, SERVER, str(home.socket("embedder.sock"))) else None


def is_healthy(address: EmbedderAddress) -> bool:
    """Whether GET /health over the socket says 200 within HEALTH_SECONDS."""
    connection = _SocketConnection(address.socket)
    try:
        connection.request("GET", "/health", headers={"Authorization": f"Bearer {address.token}"})
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


class _SocketConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=HEALTH_SECONDS)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(HEALTH_SECONDS)
        self.sock.connect(os.fspath(self.path))


def _start(home: Home, address: EmbedderAddress) -> None:
    """One that lives but does not answer is given the start time too (it may be loading), then replaced."""
    if running_pid(home) is not None and _wait_healthy(home, address):
        return
    stuck = running_pid(home)
    if stuck is not None:
        end(stuck, SERVER, str(address.socket))
    folder = home.models / "e5"
    _convert(home, folder)
    command = [sys.executable, "-m", SERVER, "--folder", str(folder), "--socket", str(address.socket)]
    command += ["--token-file", str(_token_file(home))]
    log = home.log / "embedder.log"
    write_private(_pid_record(home), str(spawn_apart(command, log=log, cwd=PROJECT, env=_environment())))
    if not _wait_healthy(home, address):
        raise ServiceDown(f"the embedding process did not start: see {log}")


def _convert(home: Home, folder: Path) -> None:
    """Bring the bundled weights into the form that the server runs; a no-op once it is there."""
    log = home.log / "embedder.log"
    handle = open_log(log)
    try:
        done = subprocess.run(  # noqa: S603  our own words
            [sys.executable, "-m", CONVERTER, "--folder", str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=handle,
            stderr=handle,
            cwd=PROJECT,
            env=_environment(),
            timeout=CONVERT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ServiceDown(f"converting the embedding model took over {CONVERT_SECONDS} s") from None
    finally:
        os.close(handle)
    if done.returncode:
        raise ServiceDown(f"converting the embedding model failed ({done.returncode}): see {log}")


def _wait_healthy(home: Home, address: EmbedderAddress) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and running_pid(home) is not None:
        if is_healthy(address):
            return True
        time.sleep(0.1)
    return False


def _environment() -> dict[str, str]:
    """OMP_NUM_THREADS=1: with more, the library's threads hang in a child that was forked after first use."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}


def _token_file(home: Home) -> Path:
    return home.secrets / "embedder_token"


def _pid_record(home: Home) -> Path:
    return home.run / "embedder.pid"
