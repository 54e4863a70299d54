"""The embedded PostgreSQL: started by whoever needs it first, left running for the others.

Roles: `citewell_owner` owns the database (migrations, DDL, dumps; it passes row-level security as owner, not
by right), `citewell_app` reads and writes rows and owns nothing. The extensions are made by the superuser, also
in template1, so that a database made by the owner (tests) has them.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from config.embedded import cluster
from config.embedded.errors import ServiceDown
from config.embedded.files import locked, secret, write_private
from config.embedded.ports import HOST, choose_port, recorded_port
from config.home import Home, open_home

DATABASE = "citewell"
OWNER = "citewell_owner"
APP = "citewell_app"

START_SECONDS = 30
"""A killed server can stay a zombie for some seconds and its sessions need some to notice: 3 to 4 s seen."""
RECOVERY_SECONDS = 600
"""A live server that is still replaying its log is waited for this long."""

IN_EVERY_DATABASE = f"""
CREATE EXTENSION IF NOT EXISTS vector;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;
ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} GRANT USAGE ON SCHEMAS TO {APP};
ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {APP};
ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} GRANT USAGE, SELECT ON SEQUENCES TO {APP};
ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} GRANT EXECUTE ON FUNCTIONS TO {APP};
"""  # noqa: S608  names of our own
ROLES = f"""
GRANT {APP} TO {OWNER} WITH INHERIT FALSE, SET TRUE;
"""
DATABASE_RIGHTS = f"""
REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC;
GRANT CONNECT ON DATABASE {DATABASE} TO {APP};
"""


@dataclass(frozen=True, slots=True)
class Login:
    user: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """Where the server listens and who may come in."""

    host: str
    port: int
    database: str
    owner: Login
    app: Login

    def url(self, login: Login, database: str | None = None) -> str:
        """`postgresql://user:password@host:port/database` for one of the two logins."""
        return (
            f"postgresql://{login.user}:{quote(login.password, safe='')}"
            f"@{self.host}:{self.port}/{database or self.database}"
        )


def postgres_address(path: Path) -> PostgresServer:
    """The server of the home at `path`, running or not: port and passwords are settled on first use. Starting
    it may move the port if a stranger has taken it meanwhile; so start first where that is possible."""
    home = open_home(path)
    port = recorded_port(_port_record(home))
    if port is None:
        with locked(home.run / "postgres.lock"):
            port = recorded_port(_port_record(home)) or choose_port(_port_record(home))
    return PostgresServer(
        host=HOST,
        port=port,
        database=DATABASE,
        owner=Login(OWNER, secret(home.secrets / "postgres_owner")),
        app=Login(APP, secret(home.secrets / "postgres_app")),
    )


def ensure_postgres(path: Path, *, durable: bool = True) -> PostgresServer:
    """The running server of the home at `path`, started (and on first use made) if it does not answer.

    `durable=False` is for tests: commits are not forced to disk. A server that runs already keeps its way.
    Raises ServiceDown.
    """
    server = postgres_address(path)
    home = open_home(path)
    if is_provisioned(home) and answers(server):
        return server
    with locked(home.run / "postgres.lock", seconds=RECOVERY_SECONDS):
        return _start(home, durable=durable)


def stop_postgres(path: Path) -> None:
    """Stop the server of the home at `path` if it runs."""
    home = open_home(path)
    with locked(home.run / "postgres.lock"):
        if cluster.is_made(home):
            cluster.stop_cluster(home)


def answers(server: PostgresServer) -> bool:
    """Whether the application's login gets in. A server that is full is up; one with other passwords is not
    ours."""
    try:
        with psycopg.connect(server.url(server.app), connect_timeout=3) as connection:
            connection.execute("SELECT 1")
    except psycopg.OperationalError as error:
        return any(words in str(error) for words in ("too many clients", "connection slots are reserved"))
    return True


def is_provisioned(home: Home) -> bool:
    try:
        return _provision_record(home).read_text(encoding="ascii") == _provision_digest()
    except FileNotFoundError:
        return False


def _start(home: Home, *, durable: bool) -> PostgresServer:
    superuser = secret(home.secrets / "postgres_superuser")
    if not cluster.is_made(home):
        _provision_record(home).unlink(missing_ok=True)
        cluster.make_cluster(home, home.secrets / "postgres_superuser")
    _bring_up(home, durable=durable)
    server = postgres_address(home.root)
    if not is_provisioned(home):
        _provision(server, superuser)
        write_private(_provision_record(home), _provision_digest())
    if not answers(server):
        raise ServiceDown(f"PostgreSQL on port {server.port} refuses the login kept in {home.secrets}")
    return server


def _bring_up(home: Home, *, durable: bool) -> None:
    """Return once a live server of this home says that it is ready; ServiceDown with the reason after a while.

    Tried again and again because a killed server holds its lock file until its zombie is reaped and its last
    session has gone.
    """
    begun = time.monotonic()
    while cluster.running_pid(home) is None or cluster.is_starting(home):
        limit = RECOVERY_SECONDS if cluster.running_pid(home) is not None else START_SECONDS
        if time.monotonic() - begun > limit:
            raise ServiceDown(f"PostgreSQL did not start within {limit} s: see {home.log}/postgres-start.log")
        if cluster.running_pid(home) is None and cluster.drop_stale_lock(home):
            port = choose_port(_port_record(home))
            if cluster.start_cluster(home, port, durable=durable, seconds=START_SECONDS):
                return
        time.sleep(0.25)


def _provision(server: PostgresServer, superuser: str) -> None:
    """Make roles, extensions, rights and the database; each step may have been done already."""
    boss = Login("postgres", superuser)
    with psycopg.connect(server.url(boss, "postgres"), autocommit=True) as connection:
        for login, extra in ((server.owner, "CREATEDB"), (server.app, "NOCREATEDB")):
            _set_role(connection, login, extra)
        connection.execute(ROLES)
    with psycopg.connect(server.url(boss, "template1"), autocommit=True) as connection:
        connection.execute(IN_EVERY_DATABASE)
    with psycopg.connect(server.url(boss, "postgres"), autocommit=True) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
        if found is None:
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(DATABASE), sql.Identifier(OWNER))
            )
        connection.execute(DATABASE_RIGHTS)
    with psycopg.connect(server.url(boss, DATABASE), autocommit=True) as connection:
        connection.execute(IN_EVERY_DATABASE)


def _set_role(connection: psycopg.Connection[tuple[object, ...]], login: Login, extra: str) -> None:
    """Make or mend a login role. The password leaves this process only as its SCRAM verifier."""
    verifier = connection.pgconn.encrypt_password(
        login.password.encode(), login.user.encode(), b"scram-sha-256"
    )
    found = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [login.user]).fetchone()
    connection.execute(
        sql.SQL("{} ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE {} PASSWORD {}").format(
            sql.SQL("CREATE" if found is None else "ALTER"),
            sql.Identifier(login.user),
            sql.SQL(extra),
            sql.Literal(verifier.decode()),
        )
    )


def _port_record(home: Home) -> Path:
    return home.run / "postgres.port"


def _provision_record(home: Home) -> Path:
    return home.run / "postgres.provisioned"


def _provision_digest() -> str:
    return hashlib.sha256((IN_EVERY_DATABASE + ROLES + DATABASE_RIGHTS).encode()).hexdigest()
