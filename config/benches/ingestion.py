"""Ingestion over the bare cost of parsing and embedding the same documents."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

from accounts.types import Principal
from config.benches.made import texts
from knowledge.backends import embedder
from knowledge.models import Version, VersionState
from knowledge.parsing.limits import Limits
from knowledge.parsing.sandbox import parse_in_child
from knowledge.services import create_space, delete_space, upload_document
from knowledge.steps.head import head, with_head
from knowledge.steps.split import split
from knowledge.work import work_once

DOCUMENTS = 6
SENTENCES = 260
ROUNDS = 3


def _documents() -> list[bytes]:
    lines = texts(DOCUMENTS * SENTENCES)
    made = []
    for number in range(DOCUMENTS):
        part = lines[number * SENTENCES : (number + 1) * SENTENCES]
        sections = [part[at : at + 13] for at in range(0, len(part), 13)]
        body = "\n\n".join(
            f"## Part {index}\n\n{' '.join(section)}" for index, section in enumerate(sections, 1)
        )
        made.append(f"# Log {number}\n\n{body}\n".encode())
    return made


def run(principal: Principal, data: Path) -> dict[str, Any]:
    """Both ways in turn, ROUNDS times: the ratio is of the fastest of each, which other work on the machine disturbed
    least."""
    documents = _documents()
    embedder().embed_query("warm")
    bare: list[float] = []
    whole: list[float] = []
    for _round in range(ROUNDS):
        seconds, chunks = _bare(documents)
        bare.append(seconds)
        whole.append(_whole(principal, documents))
    return {
        "documents": len(documents),
        "chunks": chunks,
        "bare_seconds": [round(seconds, 2) for seconds in bare],
        "whole_seconds": [round(seconds, 2) for seconds in whole],
        "ratio": round(min(whole) / min(bare), 3),
        "median_of_ratios": round(median(w / b for w, b in zip(whole, bare, strict=True)), 3),
    }


def _whole(principal: Principal, documents: list[bytes]) -> float:
    """Seconds from the first upload until all are ready, the worker's steps done here."""
    space = create_space(principal, "bench ingestion", slug=f"bench-{uuid4().hex[:8]}")
    try:
        began = time.perf_counter()
        for number, document in enumerate(documents):
            upload_document(principal, space, f"log-{number}.md", document)
        while Version.objects.filter(space=space).exclude(state=VersionState.READY).exists():
            work_once()
        return time.perf_counter() - began
    finally:
        delete_space(principal, space.slug, confirm=space.name)


def _bare(documents: list[bytes]) -> tuple[float, int]:
    """Seconds to parse and embed, one document after another, and how many chunks they make."""
    began, chunks = time.perf_counter(), 0
    for number, document in enumerate(documents):
        parsed = parse_in_child(document, f"log-{number}.md", Limits())
        drafts = split(parsed)
        chunks += len(drafts)
        embedder().embed_passages(
            [with_head(head(f"log-{number}", draft.section, draft.tokens), draft.text) for draft in drafts]
        )
    return time.perf_counter() - began, chunks
