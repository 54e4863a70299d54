"""The context header: what stands before a chunk when it is embedded, and never in what is stored."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from knowledge.text.scripts import estimate_tokens, token_sums
from knowledge.text.sentences import sentences

WINDOW = 450  # tokens of header and chunk together: the bundled model averages windows past 512


def head(
    title: str, section: Sequence[str], chunk_tokens: int, *, spoken: str = "", window: int = WINDOW
) -> str:
    """Title, section path and spoken sentences, shortened until they fit beside the chunk; "" where nothing does.

    The chunk is never shortened: the spoken sentences go first, the last one before the others, then the outer
    headings, then the title's end.
    """
    room = window - chunk_tokens
    title = as_said(title)
    path = [part for part in section if part and part != title]
    told = [spoken[start:end] for start, end in sentences(spoken)]
    while True:
        lines = [line for line in (title, " > ".join(path), " ".join(told)) if line]
        if estimate_tokens("\n".join(lines)) <= room:
            return "\n".join(lines)
        if told:
            told.pop()
        elif path:
            path = path[1:]
        else:
            return _shorten(title, room)


def _shorten(title: str, room: int) -> str:
    """As much of the title's beginning as fits, in whole graphemes."""
    sums, end = token_sums(title), 0
    for grapheme in regex.finditer(r"\X", title):
        if sums[grapheme.end()] > room:
            break
        end = grapheme.end()
    return title[:end].rstrip()


def with_head(header: str, text: str) -> str:
    """What is embedded."""
    return f"{header}\n{text}" if header else text


def as_said(title: str) -> str:
    """A title that is a file's name as it would be said: "annual_report" is two words."""
    return title.replace("_", " ")


def titles_said(title: str) -> tuple[str, ...]:
    """The title as it is written and, where that is another, as it would be said: it is found by both."""
    said = as_said(title)
    return (title,) if said == title else (title, said)
