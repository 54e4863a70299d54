"""The embedded PostgreSQL: who may start it, what a crash leaves, who gets in."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import psycopg
import pytest

from config.embedded import cluster
from config.embedded.errors import ServiceDown
from config.embedded.files import write_private
from config.embedded.postgres import Login, PostgresServer, ensure_postgres, postgres_address, stop_postgres
from config.embedded.processes import lives, words_of
from config.home import Home, open_home

pytestmark = pytest.mark.slow

START = "import sys; from pathlib import Path; from config.embedded.postgres import ensure_postgres\n"
START += "print(ensure_postgres(Path(sys.argv[1])).port)"
ANOTHER_USER = ("--reuid=65534", "--regid=65534", "--clear-groups", "--securebits=+no_setuid_fixup")
PASS_FOLDERS = ("--inh-caps=+dac_override", "--ambient-caps=+dac_override")


def rows(server: PostgresServer, query: str, login: Login | None = None) -> list[tuple]:
    with psycopg.connect(server.url(login or server.owner), autocommit=True) as connection:
        return connection.execute(query).fetchall()


def do(server: PostgresServer, query: str, login: Login | None = None) -> None:
    with psycopg.connect(server.url(login or server.owner), autocommit=True) as connection:
        connection.execute(query)


def kill_server(home: Path) -> int:
    pid = cluster.running_pid(Home(home))
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    return pid


def test_a_second_call_finds_the_server_that_the_first_started(home: Path) -> None:
    first = ensure_postgres(home)
    pid = cluster.running_pid(open_home(home))
    assert ensure_postgres(home) == first == postgres_address(home)
    assert cluster.running_pid(open_home(home)) == pid


def test_the_server_outlives_the_process_that_started_it(home: Path, run_python) -> None:
    started = run_python(START, home)
    assert started.returncode == 0, started.stderr
    server = postgres_address(home)
    assert server.port == int(started.stdout)
    assert rows(server, "SELECT 1", server.app) == [(1,)]


def test_a_home_holds_nothing_that_others_may_read(home: Path) -> None:
    ensure_postgres(home)
    for path in (home, *home.rglob("*")):
        if not path.is_symlink():
            assert stat.S_IMODE(path.lstat().st_mode) & 0o077 == 0 or home / "postgres" in path.parents, path
    assert stat.S_IMODE((home / "postgres").stat().st_mode) == 0o700
    passwords = [path.read_text() for path in (home / "secrets").iterdir()]
    assert len(set(passwords)) == 3
    logs = "".join(path.read_text() for path in (home / "log").iterdir())
    assert not [word for word in passwords if word in logs]


@pytest.mark.skipif(os.geteuid() != 0, reason="every test here already runs as an ordinary user")
def test_an_ordinary_user_starts_it_without_help(home: Path, run_python) -> None:
    home.mkdir()
    os.chown(home, 65534, 65534)
    before = ("setpriv", *ANOTHER_USER, *PASS_FOLDERS)  # the project may lie in a folder closed to that user
    started = run_python(START, home, before=before)
    assert started.returncode == 0, started.stderr
    assert (home / "postgres").stat().st_uid == 65534
    assert rows(postgres_address(home), "SELECT 1") == [(1,)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another way")
def test_root_starts_it_where_user_namespaces_are_forbidden(home: Path, tmp_path: Path, run_python) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "unshare").write_text("#!/bin/sh\nexit 1\n")
    (programs / "unshare").chmod(0o755)
    started = run_python(START, home, PATH=f"{programs}:{os.environ['PATH']}")
    assert started.returncode == 0, started.stderr
    assert (home / "postgres").stat().st_uid == cluster._ordinary_user().pw_uid
    server = postgres_address(home)
    do(server, "CREATE TABLE kept AS SELECT 1 AS a")
    stop_postgres(home)
    assert rows(ensure_postgres(home), "SELECT a FROM kept", server.app) == [
        (1,)
    ]  # and where they are allowed


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can meet a folder of another user's making")
def test_root_takes_over_its_own_folder_when_namespaces_become_forbidden(
    home: Path, tmp_path, run_python
) -> None:
    server = ensure_postgres(home)
    do(server, "CREATE TABLE kept AS SELECT 1 AS a")
    stop_postgres(home)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "unshare").symlink_to("/bin/false")
    started = run_python(START, home, PATH=f"{programs}:{os.environ['PATH']}")
    assert started.returncode == 0, started.stderr
    assert rows(postgres_address(home), "SELECT a FROM kept") == [(1,)]


def test_a_killed_server_comes_back_on_its_port_with_every_committed_row(home: Path) -> None:
    server = ensure_postgres(home)
    do(server, "CREATE TABLE written (n int PRIMARY KEY)")
    committed: list[int] = []

    def write(first: int) -> None:
        try:
            with psycopg.connect(server.url(server.app), autocommit=True) as connection:
                for number in range(first, first + 1_000_000):
                    connection.execute("INSERT INTO written VALUES (%s)", [number])
                    committed.append(number)
        except psycopg.OperationalError:
            return

    writers = [threading.Thread(target=write, args=(start * 1_000_000,)) for start in range(4)]
    for writer in writers:
        writer.start()
    time.sleep(1.0)
    kill_server(home)
    for writer in writers:
        writer.join(20)
    again = ensure_postgres(home)
    assert again == server
    assert len(committed) > 20
    kept = {number for (number,) in rows(again, "SELECT n FROM written")}
    assert set(committed) <= kept
    assert len(kept) <= len(committed) + len(writers)  # at most the one that each writer was not told of


def test_it_starts_again_while_the_killed_server_is_still_a_zombie(home: Path) -> None:
    """The zombie here is never reaped before the start: it is a child of this test."""
    ensure_postgres(home)
    stop_postgres(home)
    zombie = subprocess.Popen(["true"])
    while words_of(zombie.pid):
        time.sleep(0.01)
    write_lock_of(home, zombie.pid)
    begun = time.monotonic()
    ensure_postgres(home)
    assert time.monotonic() - begun < 20
    zombie.wait()


def test_a_lock_that_names_another_live_process_does_not_stop_the_start(home: Path) -> None:
    ensure_postgres(home)
    stop_postgres(home)
    stranger = subprocess.Popen(["sleep", "60"])
    try:
        write_lock_of(home, stranger.pid)
        server = ensure_postgres(home)
        assert rows(server, "SELECT 1") == [(1,)]
        assert stranger.poll() is None
        stop_postgres(home)
        write_lock_of(home, stranger.pid)
        stop_postgres(home)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def write_lock_of(home: Path, pid: int) -> None:
    """A lock file as a killed server leaves it, its id now another process's, its shared memory gone."""
    lines = [
        str(pid),
        str(home / "postgres"),
        "1796083235",
        "23456",
        "",
        "127.0.0.1",
        "999999999 999999999",
        "ready",
    ]
    path = home / "postgres" / "postmaster.pid"
    write_private(path, "\n".join(lines) + "\n")
    owner = path.parent.stat()
    if os.geteuid() == 0:
        os.chown(path, owner.st_uid, owner.st_gid)


def test_a_lock_stays_while_sessions_of_the_dead_server_hold_its_memory(home: Path) -> None:
    ensure_postgres(home)
    opened = open_home(home)
    path = home / "postgres" / "postmaster.pid"
    true_lock = path.read_text()
    path.write_text("\n".join(["999999", *true_lock.splitlines()[1:]]) + "\n")
    assert cluster.running_pid(opened) is None
    assert not cluster.drop_stale_lock(opened)
    assert path.exists()
    path.write_text(true_lock)


def test_many_starters_at_once_end_with_one_server(home: Path) -> None:
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", START, str(home)],
            cwd=Path(__file__).resolve().parents[2],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    ports = {starter.communicate(timeout=120)[0].strip() for starter in starters}
    assert [starter.returncode for starter in starters] == [0] * 4
    assert ports == {str(postgres_address(home).port)}
    data = str(open_home(home).postgres)
    servers = [int(path.name) for path in Path("/proc").glob("[0-9]*") if lives(int(path.name), "-D", data)]
    assert servers == [cluster.running_pid(open_home(home))]


def test_a_start_that_was_cut_off_half_way_is_finished_by_the_next(home: Path) -> None:
    opened = open_home(home)
    (opened.root / "postgres.new").mkdir()
    (opened.root / "postgres.new" / "PG_VERSION").write_text("18\n")
    server = ensure_postgres(home)
    (opened.run / "postgres.provisioned").unlink()
    do(
        server,
        "DROP EXTENSION unaccent",
        Login("postgres", (opened.secrets / "postgres_superuser").read_text()),
    )
    ensure_postgres(home)
    assert rows(server, "SELECT count(*) FROM pg_extension WHERE extname = 'unaccent'") == [(1,)]


def test_a_port_that_a_stranger_took_is_given_up(home: Path) -> None:
    first = ensure_postgres(home)
    stop_postgres(home)
    with socket.create_server(("127.0.0.1", first.port)):
        second = ensure_postgres(home)
    assert second.port != first.port
    assert rows(second, "SELECT 1") == [(1,)]


def test_a_very_long_home_is_no_obstacle(tmp_path: Path) -> None:
    home = tmp_path / ("long" * 25) / ("name with 'quotes' and spaces" * 4) / "home"
    try:
        server = ensure_postgres(home)
        assert rows(server, "SELECT 1") == [(1,)]
        assert len(os.fsencode(open_home(home).socket("embedder.sock"))) <= 107
    finally:
        stop_postgres(home)


@pytest.mark.parametrize("user", ["citewell_app", "citewell_owner", "postgres"])
@pytest.mark.parametrize("password", ["", "wrong"])
def test_a_wrong_or_missing_password_is_refused(password: str, user: str, shared: PostgresServer) -> None:
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(shared.url(Login(user, password)), connect_timeout=5)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory):
    """One server for the questions that only look."""
    home = tmp_path_factory.mktemp("shared") / "home"
    yield ensure_postgres(home)
    stop_postgres(home)
    shutil.rmtree(home)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE mine (a int)",
        "CREATE TEMP TABLE mine (a int)",
        "CREATE SCHEMA mine",
        "CREATE DATABASE mine",
        "CREATE ROLE mine",
        "CREATE EXTENSION hstore",
        "SET ROLE citewell_owner",
        "ALTER ROLE citewell_app BYPASSRLS",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "SELECT pg_read_file('postgresql.conf')",
    ],
)
def test_the_application_cannot(statement: str, shared: PostgresServer) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        do(shared, statement, shared.app)


def test_the_application_works_on_what_the_owner_makes_and_no_further(shared: PostgresServer) -> None:
    do(
        shared,
        "CREATE SCHEMA queue; CREATE TABLE queue.tick (id bigint GENERATED BY DEFAULT AS IDENTITY, a int)",
    )
    do(shared, "CREATE TABLE row (id bigserial, a vector(3)); CREATE FUNCTION one() RETURNS int RETURN 1")
    do(shared, "INSERT INTO queue.tick (a) VALUES (1); INSERT INTO row (a) VALUES ('[1,2,3]')", shared.app)
    do(shared, "UPDATE queue.tick SET a = 2; DELETE FROM row", shared.app)
    assert rows(shared, "SELECT a, one() FROM queue.tick", shared.app) == [(2, 1)]
    for statement in ("TRUNCATE queue.tick", "ALTER TABLE row ADD b int", "DROP TABLE queue.tick"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            do(shared, statement, shared.app)


def test_policies_hold_for_the_application_and_not_for_the_owner(shared: PostgresServer) -> None:
    do(shared, "CREATE TABLE walled AS SELECT 1 AS a; ALTER TABLE walled ENABLE ROW LEVEL SECURITY")
    assert rows(shared, "SELECT * FROM walled", shared.app) == []
    assert rows(shared, "SELECT * FROM walled", shared.owner) == [(1,)]
    rights = rows(
        shared, "SELECT rolname FROM pg_roles WHERE (rolsuper OR rolbypassrls) AND rolname LIKE 'cite%'"
    )
    assert rights == []


def test_a_database_made_by_the_owner_has_extensions_rights_and_settings(shared: PostgresServer) -> None:
    do(shared, "CREATE DATABASE test_citewell")
    with psycopg.connect(shared.url(shared.owner, "test_citewell"), autocommit=True) as connection:
        for name in ("vector", "pg_trgm", "unaccent"):
            connection.execute(f"CREATE EXTENSION IF NOT EXISTS {name}")  # what a migration says
        connection.execute("CREATE TABLE t (a vector(2))")
    with psycopg.connect(shared.url(shared.app, "test_citewell"), autocommit=True) as connection:
        connection.execute("INSERT INTO t VALUES ('[1,0]')")
        assert connection.execute("SELECT a <=> '[0,1]' FROM t").fetchall() == [(1.0,)]
        assert connection.execute("SHOW hnsw.iterative_scan").fetchone() == ("relaxed_order",)


@pytest.mark.parametrize(
    "word", ["비밀번호를", "パスワード", "密码", "Straße", "mot-clé", "contraseña", "secret"]
)
def test_case_and_patterns_work_in_every_language(word: str, shared: PostgresServer) -> None:
    with psycopg.connect(shared.url(shared.app)) as connection:
        found = connection.execute(
            "SELECT lower(upper(%s)) = lower(%s), %s ~ '^\\w', similarity(%s, %s)", [word] * 5
        )
        assert found.fetchone()[1:] == (True, 1.0)


def test_no_value_reaches_the_log_when_a_statement_fails(shared: PostgresServer, tmp_path_factory) -> None:
    marker = "MARKER-7f3a"
    for statement in (f"SELECT '{marker}'::int", f"SELEC '{marker}'", f'SELECT 1/0 AS "{marker}"'):
        with pytest.raises(psycopg.Error):
            do(shared, statement, shared.app)
    with psycopg.connect(shared.url(shared.app)) as connection, pytest.raises(psycopg.Error):
        connection.execute("SELECT %s::int", [marker])
    homes = list(tmp_path_factory.getbasetemp().glob("shared*/home/log/*"))
    assert homes
    assert not [path for path in homes if marker in path.read_text()]


def test_an_unusable_home_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(OSError, match="home"):
        ensure_postgres(tmp_path / "home")


def test_a_server_whose_passwords_were_lost_is_said_in_words(home: Path) -> None:
    ensure_postgres(home)
    write_private(home / "secrets" / "postgres_app", "another")
    with pytest.raises(ServiceDown, match="secrets"):
        ensure_postgres(home)
