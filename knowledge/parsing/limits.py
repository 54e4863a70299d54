"""What a parser may use up; checked before work begins, and enforced by the child process it runs in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """`bytes` of the file, `unpacked` bytes of what it holds, pages, seconds and `memory` bytes of the parser."""

    bytes: int = 64 * 1024 * 1024
    unpacked: int = 512 * 1024 * 1024
    pages: int = 3000
    seconds: float = 180.0
    memory: int = 2 * 1024**3
