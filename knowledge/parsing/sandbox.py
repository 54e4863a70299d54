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
from multiprocessing.connection import Connection
from typing import Any

from knowledge.errors import UnreadableFile
from knowledge.parsing.codec import decode, encode
from knowledge.parsing.limits import Limits
from knowledge.parsing.registry import parse
from knowledge.types import ParsedDocument

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["knowledge.parsing.registry", "knowledge.parsing.sandbox"])
_MOST_ANSWER = 1024**3


def _child(pipe: Connection, name: str, limits: Limits) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    seconds = int(limits.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - what a library prints may hold words of the file
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    pipe.send_bytes(
        json.dumps(_answer(pipe.recv_bytes(), name, limits), ensure_ascii=False).encode("utf-8", "replace")
    )


def _answer(data: bytes, name: str, limits: Limits) -> dict[str, Any]:
    try:
        return {"parsed": encode(parse(data, name, limits))}
    except UnreadableFile as error:
        return {"refused": error.code, "params": error.params}
    except MemoryError:
        return {"refused": "out_of_memory", "params": {}}
    except (
        Exception
    ) as error:  # a parser's own bug on a strange file: the file is named damaged, the log gets the type
        return {"refused": "damaged", "params": {}, "kind": type(error).__name__}


def parse_in_child(data: bytes, name: str, limits: Limits) -> ParsedDocument:
    """The parsed document. Raises UnreadableFile, with timed_out, out_of_memory or damaged for a child that broke."""
    ours, theirs = _context.Pipe()
    child = _context.Process(target=_child, args=(theirs, name, limits), daemon=True)
    child.start()
    theirs.close()
    try:
        ours.send_bytes(data)
        if not ours.poll(limits.seconds):
            raise UnreadableFile("timed_out", seconds=int(limits.seconds))
        return _read(ours.recv_bytes(_MOST_ANSWER))
    except (EOFError, OSError):
        child.join(5)
        raise UnreadableFile(
            "timed_out" if child.exitcode == -24 else "damaged", seconds=int(limits.seconds)
        ) from None
    finally:
        ours.close()
        child.kill()
        child.join(5)


def _read(raw: bytes) -> ParsedDocument:
    try:
        answer = json.loads(raw)
        if "refused" in answer:
            raise UnreadableFile(str(answer["refused"]), **{str(k): v for k, v in answer["params"].items()})
        return decode(answer["parsed"])
    except (KeyError, TypeError, ValueError, IndexError):
        raise UnreadableFile("damaged") from None
