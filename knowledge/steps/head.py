"""The context header: what stands before a chunk when it is embedded, and never in what is stored."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.text.scripts import estimate_tokens

WINDOW = 450  # tokens of header and chunk together: the bundled model averages windows past 512


def head(
    title: str, section: Sequence[str], chunk_tokens: int, *, spoken: str = "", window: int = WINDOW
) -> str:
    """Title, section path and spoken sentences, shortened until they fit beside the chunk; "" where nothing does.

    The chunk is never shortened: the spoken sentences go first, then the outer headings, then the title's end.
    """
    room = window - chunk_tokens
    path = [part for part in section if part and part != title]
    while True:
        lines = [line for line in (title, " > ".join(path), spoken) if line]
        if estimate_tokens("\n".join(lines)) <= room:
            return "\n".join(lines)
        if spoken:
            spoken = ""
        elif path:
            path = path[1:]
        else:
            return _shorten(title, room)


def _shorten(title: str, room: int) -> str:
    while title and estimate_tokens(title) > room:
        title = title[: len(title) * 3 // 4].rstrip()
    return title


def with_head(header: str, text: str) -> str:
    """What is embedded."""
    return f"{header}\n{text}" if header else text
