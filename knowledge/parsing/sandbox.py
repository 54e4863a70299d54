"""A parser runs in a child process: what it does to itself, it does to nobody else.

The child is forked from a server that has the parsers loaded, gets the bytes through a pipe, and answers with JSON.
Nothing of a document touches the disk. It has a limit of memory and of processor time, and is killed at the wall-clock
limit.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.machinery import ModuleSpec
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from knowledge.errors import UnreadableFile
from knowledge.parsing.codec import decode, encode
from knowledge.parsing.limits import Limits
from knowledge.parsing.registry import parse
from knowledge.types import ParsedDocument

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["knowledge.parsing.registry", "knowledge.parsing.sandbox"])
_starting = threading.Lock()
_ROOT = str(Path(__file__).resolve().parents[2])
_MOST_ANSWER = 1024**3  # bytes
_DEEPEST = 10_000  # calls: markup is nested up to 2,048 deep
_GRACE = 5.0  # seconds for a killed child to be gone
_SWELLING = 0.5  # of the room that a child had: one that grew by more and broke, broke for want of memory
_SWOLLEN = 77  # exit code of a child that ran out of memory
_OUT_OF_TIME = (-signal.SIGXCPU, -signal.SIGALRM)


Job = Callable[..., dict[str, Any]]


def parse_in_child(data: bytes, name: str, limits: Limits) -> ParsedDocument:
    """The parsed document. Raises UnreadableFile as run_in_child does."""
    return _decoded(run_in_child(parse_job, data, limits, name))


def _decoded(answer: dict[str, Any]) -> ParsedDocument:
    try:
        return decode(answer)
    except (KeyError, TypeError, ValueError, IndexError):
        raise UnreadableFile("damaged") from None


def parse_job(data: bytes, limits: Limits, name: str) -> dict[str, Any]:
    return encode(parse(data, name, limits))


def run_in_child(job: Job, data: bytes, limits: Limits, *given: Any) -> dict[str, Any]:
    """What `job(data, limits, *given)` answers in the child, JSON-ready; the job is a function of a module that the
    fork server has loaded. Raises UnreadableFile, with timed_out, out_of_memory or damaged for a child that broke. May
    be called from any thread."""
    _ensure_server()
    ours, theirs = _context.Pipe()
    child = _context.Process(target=_child, args=(theirs, job, limits, given), daemon=True)
    with _no_main():
        child.start()
    theirs.close()
    late = threading.Event()

    def stop() -> None:
        late.set()
        child.kill()

    timer = threading.Timer(limits.seconds, stop)  # also where the child stops reading or writing midway
    timer.daemon = True
    timer.start()
    try:
        ours.send_bytes(data)
        answer = ours.recv_bytes(_MOST_ANSWER)
    except (EOFError, OSError):
        child.join(_GRACE)
        raise _broken(child.exitcode, late.is_set(), limits) from None
    finally:
        timer.cancel()
        ours.close()
        child.kill()
        child.join(_GRACE)
    return _read(answer)


@contextmanager
def _no_main() -> Iterator[None]:
    """While a child starts, the main module bears a name that multiprocessing does not run again in the child: under
    manage.py each parser would load Django first, which takes longer than most files."""
    main = sys.modules["__main__"]
    with _starting:
        spec = getattr(main, "__spec__", None)
        main.__spec__ = ModuleSpec("parser.__main__", None)
        try:
            yield
        finally:
            main.__spec__ = spec


def _ensure_server() -> None:
    """The fork server, started where it is not running. It looks for what it preloads along its own path, which knows
    this project only where the process stands in its folder: without it every child would load the parsers anew."""
    with _starting:
        before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (_ROOT, before)))
        try:
            forkserver.ensure_running()
        finally:
            if before is None:
                del os.environ["PYTHONPATH"]
            else:
                os.environ["PYTHONPATH"] = before


def _broken(exitcode: int | None, is_late: bool, limits: Limits) -> UnreadableFile:
    """Why a child ended without an answer. The kernel kills with SIGKILL where the machine is out of memory."""
    if is_late or exitcode in _OUT_OF_TIME:
        return UnreadableFile("timed_out", seconds=int(limits.seconds))
    return UnreadableFile("out_of_memory" if exitcode in (_SWOLLEN, -signal.SIGKILL) else "damaged")


def _child(pipe: Connection, job: Job, limits: Limits, given: tuple[Any, ...]) -> None:
    _confine(limits)
    most = (_held() + limits.memory) * _SWELLING
    try:
        answer = _answer(partial(job, pipe.recv_bytes(), limits, *given), most)
        pipe.send_bytes(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace"))
    except MemoryError:  # there may be none left to say so with
        os._exit(_SWOLLEN)


def _confine(limits: Limits) -> None:
    """Take from this process what a parser has no need of: memory, time, files, words on the log, secrets."""
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    seconds = int(limits.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    sys.setrecursionlimit(_DEEPEST)
    os.environ.clear()
    nowhere = os.open(os.devnull, os.O_WRONLY)  # what a library prints may hold words of the file
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _answer(job: Callable[[], dict[str, Any]], most: float) -> dict[str, Any]:
    """`most` bytes are what it holds where it has swollen."""
    try:
        return {"done": job()}
    except UnreadableFile as error:
        if error.code == "damaged" and _held() > most:
            raise MemoryError from None
        return {"refused": error.code, "params": error.params}
    except MemoryError:
        raise
    except Exception as error:
        if _held() > most:  # libraries in C say the strangest things then
            raise MemoryError from None
        # a parser's own bug on a strange file: the person is told that it is damaged, its kind is for the log
        return {"refused": "damaged", "params": {}, "kind": type(error).__name__}


def _held() -> int:
    """The most bytes of address space that this process has held; 0 where the kernel does not tell."""
    try:
        told = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    peak = next((line.split()[1] for line in told.splitlines() if line.startswith("VmPeak:")), "0")
    return int(peak) * 1024


def _read(raw: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(raw)
        if "refused" in answer:
            raise UnreadableFile(str(answer["refused"]), **{str(k): v for k, v in answer["params"].items()})
        return dict(answer["done"])
    except (KeyError, TypeError, ValueError, IndexError):
        raise UnreadableFile("damaged") from None
