"""The embedded embedding process: one for a home, found, replaced, stopped."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from config.embedded.embedder import (
    EmbedderAddress,
    embedder_address,
    ensure_embedder,
    is_healthy,
    running_pid,
    stop_embedder,
)
from config.embedded.processes import lives, spawn_apart, words_of
from config.embedded.services import stop_services
from config.home import open_home

pytestmark = pytest.mark.slow
PROJECT = Path(__file__).resolve().parents[2]
START = "import sys; from pathlib import Path; from config.embedded.embedder import ensure_embedder\n"
START += "print(ensure_embedder(Path(sys.argv[1])).socket)"


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory):
    """One home for all, because converting the model takes seconds; each test leaves it as it likes."""
    home = tmp_path_factory.mktemp("embedder") / ("long" * 25) / "home"
    yield home
    stop_services(home)
    shutil.rmtree(home)


def status_of(address: EmbedderAddress, token: str) -> int:
    connection = http.client.HTTPConnection("localhost", timeout=20)
    connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.sock.connect(str(address.socket))
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request("POST", "/v1/embeddings", '{"model": "any", "input": ["비밀번호"]}'.encode(), headers)
    return connection.getresponse().status


def test_many_starters_at_once_end_with_one_process_that_outlives_them(converted: Path) -> None:
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", START, str(converted)], cwd=PROJECT, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    said = {starter.communicate(timeout=300)[0].strip() for starter in starters}
    address = embedder_address(converted)
    assert said == {str(address.socket)}
    assert is_healthy(address)
    processes = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    servers = [pid for pid in processes if lives(pid, "knowledge.e5.server", str(address.socket))]
    assert servers == [running_pid(open_home(converted))]


def test_only_the_token_opens_it_and_only_its_user_reaches_it(converted: Path) -> None:
    address = ensure_embedder(converted)
    assert status_of(address, address.token) == 200
    assert status_of(address, "another") == 401
    assert stat.S_IMODE(address.socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(address.socket.parent.stat().st_mode) == 0o700
    assert address.token not in " ".join(words_of(running_pid(open_home(converted)) or 0))


def test_a_killed_one_is_replaced_at_the_same_address(converted: Path) -> None:
    address = ensure_embedder(converted)
    killed = running_pid(open_home(converted))
    os.kill(killed, signal.SIGKILL)
    assert ensure_embedder(converted) == address
    assert running_pid(open_home(converted)) not in (None, killed)
    assert status_of(address, address.token) == 200


def test_a_process_that_got_the_recorded_id_is_left_alone(converted: Path) -> None:
    stop_embedder(converted)
    stranger = subprocess.Popen(["sleep", "60"])
    try:
        (open_home(converted).run / "embedder.pid").write_text(str(stranger.pid))
        stop_embedder(converted)
        assert stranger.poll() is None
        assert is_healthy(ensure_embedder(converted))
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_stop_services_stops_all_and_may_be_called_again(converted: Path) -> None:
    address = ensure_embedder(converted)
    pid = running_pid(open_home(converted))
    stop_services(converted)
    stop_services(converted)
    assert not words_of(pid)
    assert not is_healthy(address)


def test_what_is_spawned_apart_is_nobodys_child_and_leaves_no_zombie(tmp_path: Path) -> None:
    pid = spawn_apart(["sh", "-c", "echo said; exec sleep 60"], log=tmp_path / "log")
    assert os.getsid(pid) != os.getsid(0)
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    deadline = time.monotonic() + 5
    while "said" not in (tmp_path / "log").read_text() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert (tmp_path / "log").read_text() == "said\n"
    os.kill(pid, signal.SIGKILL)
