"""What `up` keeps alive, and that nothing is left when it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from config.embedded import cluster
from config.embedded.files import LOG_LIMIT
from config.embedded.postgres import postgres_address
from config.embedded.processes import words_of
from config.home import open_home

pytestmark = pytest.mark.slow
PROJECT = Path(__file__).resolve().parents[2]

HEAD = """
import os, sys, time, threading
from pathlib import Path
from config.embedded.postgres import ensure_postgres
from config.embedded.supervisor import ProcessSpec, ServiceSpec, run_processes
home = Path(sys.argv[1])
def python(name, text, **more):
    return ProcessSpec(name, (sys.executable, "-c", text, str(home)), **more)
NOTE = "import os, sys, time; open(sys.argv[1] + '/pids', 'a').write(f'{os.getpid()}\\\\n'); "
"""
STEADY = HEAD + "sys.exit(run_processes(home, [python('steady', NOTE + 'time.sleep(600)')]))"


def until(true: Callable[[], object], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not come to that in time"
        time.sleep(0.05)


def pids(home: Path) -> list[int]:
    """The processes that have said that they run, in the order of their starts."""
    path = home / "pids"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


@pytest.fixture
def supervise(home: Path) -> Iterator[Callable[[str], subprocess.Popen[bytes]]]:
    begun: list[subprocess.Popen[bytes]] = []

    def start(text: str) -> subprocess.Popen[bytes]:
        with (home.parent / "supervisor.log").open("ab") as log:
            begun.append(
                subprocess.Popen([sys.executable, "-c", text, str(home)], cwd=PROJECT, stdout=log, stderr=log)
            )
        return begun[-1]

    yield start
    for process in begun:
        if process.poll() is None:
            process.terminate()
        process.wait(30)


def test_a_killed_child_starts_again(home: Path, supervise) -> None:
    supervise(STEADY)
    until(lambda: len(pids(home)) == 1)
    os.kill(pids(home)[0], signal.SIGKILL)
    until(lambda: len(pids(home)) == 2)
    assert words_of(pids(home)[1])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_with_status_0(number: signal.Signals, home: Path, supervise) -> None:
    supervisor = supervise(STEADY)
    until(lambda: pids(home))
    supervisor.send_signal(number)
    assert supervisor.wait(20) == 0
    assert not words_of(pids(home)[0])


def test_no_child_outlives_a_killed_supervisor(home: Path, supervise) -> None:
    """Nor a child's own worker, which asks for it by the same call."""
    worker = "from config.embedded.child import die_with_parent; die_with_parent(); " + "NOTE"
    text = HEAD + (
        f"worker = {worker.removesuffix('NOTE')!r} + NOTE + 'time.sleep(600)'\n"
        "master = NOTE + f'import subprocess; subprocess.run([sys.executable, \"-c\", {worker!r}, sys.argv[1]])'\n"
        "run_processes(home, [python('plain', NOTE + 'time.sleep(600)'), python('master', master)])"
    )
    supervisor = supervise(text)
    until(lambda: len(pids(home)) == 3)
    supervisor.kill()
    until(lambda: not any(words_of(pid) for pid in pids(home)))


def test_workers_of_a_killed_child_are_swept_up(home: Path, supervise) -> None:
    master = "import subprocess; subprocess.run([sys.executable, '-c', {worker!r}, sys.argv[1]])"
    text = HEAD + (
        "worker = NOTE + 'time.sleep(600)'\n"
        f"master = NOTE + {master!r}.format(worker=worker)\n"
        "run_processes(home, [python('master', master)])"
    )
    supervise(text)
    until(lambda: len(pids(home)) == 2)
    master_pid, worker_pid = pids(home)
    os.kill(master_pid, signal.SIGKILL)
    until(lambda: not words_of(worker_pid))
    until(lambda: len(pids(home)) == 4)


def test_a_child_that_will_not_end_is_killed(home: Path, supervise) -> None:
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    text = HEAD + (
        f"deaf = python('deaf', {deaf!r} + NOTE + 'time.sleep(600)', stop_seconds=1)\n"
        "sys.exit(run_processes(home, [deaf]))"
    )
    supervisor = supervise(text)
    until(lambda: pids(home))
    begun = time.monotonic()
    supervisor.terminate()
    assert supervisor.wait(20) == 0
    assert 0.9 < time.monotonic() - begun < 6
    assert not words_of(pids(home)[0])


def test_a_child_that_cannot_run_is_tried_less_and_less(home: Path, supervise) -> None:
    supervise(HEAD + "run_processes(home, [python('broken', NOTE + 'sys.exit(3)')])")
    until(lambda: pids(home))
    time.sleep(5)
    assert 3 <= len(pids(home)) <= 5  # at 0, 0.5, 1.5, 3.5 s and a little more each


def test_the_work_beside_ends_all_with_its_status(home: Path, supervise) -> None:
    text = HEAD + (
        "def beside(stopping):\n"
        "    while not (home / 'pids').exists(): time.sleep(0.05)\n"
        "    return 7\n"
        "sys.exit(run_processes(home, [python('steady', NOTE + 'time.sleep(600)')], beside=beside))"
    )
    assert supervise(text).wait(20) == 7
    assert not words_of(pids(home)[0])


def test_work_beside_that_fails_ends_all_with_status_1(home: Path, supervise) -> None:
    text = HEAD + (
        "def beside(stopping): raise ValueError('words')\n"
        "sys.exit(run_processes(home, [python('steady', NOTE + 'time.sleep(600)')], beside=beside))"
    )
    assert supervise(text).wait(20) == 1


def test_only_one_supervisor_runs_for_a_home(home: Path, supervise, run_python) -> None:
    supervise(STEADY)
    until(lambda: pids(home))
    second = run_python(STEADY, home)
    assert second.returncode == 1
    assert "up.lock" in second.stderr
    assert len(pids(home)) == 1


def test_a_chatty_child_never_blocks_and_its_log_stays_bounded(home: Path, supervise) -> None:
    loud = "\nwhile 1:\n print('x' * 99999, flush=True); time.sleep(0.01)"
    text = HEAD + f"run_processes(home, [python('loud', NOTE + {loud!r})])"
    supervise(text)
    until(lambda: (home / "log" / "loud.log.1").exists(), 60)
    until(lambda: (home / "log" / "loud.log").stat().st_size < LOG_LIMIT)
    assert words_of(pids(home)[0])


WITH_POSTGRES = HEAD + (
    "services = [ServiceSpec('postgres', lambda: ensure_postgres(home, durable=False))]\n"
    "run_processes(home, [python('steady', NOTE + 'time.sleep(600)')], services=services)"
)


def test_a_killed_database_is_started_again(home: Path, supervise) -> None:
    supervise(WITH_POSTGRES)
    until(lambda: pids(home), 60)
    opened = open_home(home)
    killed = cluster.running_pid(opened)
    os.kill(killed, signal.SIGKILL)
    until(lambda: cluster.running_pid(opened) not in (None, killed), 40)
    server = postgres_address(home)
    until(lambda: not cluster.is_starting(opened))
    with psycopg.connect(server.url(server.app)) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert len(pids(home)) == 1, "the child goes on: the address is the same"


def test_children_start_anew_when_the_database_had_to_move(home: Path, supervise) -> None:
    supervise(WITH_POSTGRES)
    until(lambda: pids(home), 60)
    before = postgres_address(home).port
    cluster.stop_cluster(open_home(home))
    with socket.create_server(("127.0.0.1", before)):
        until(lambda: len(pids(home)) == 2, 60)
    assert postgres_address(home).port != before
    assert not words_of(pids(home)[0])
    assert words_of(pids(home)[1])
