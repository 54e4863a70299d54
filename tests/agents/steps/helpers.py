"""Passages and sources for the steps of an answer."""

from __future__ import annotations

from uuid import uuid4

from agents.answer import source
from agents.types import Source
from knowledge.types import Line, Passage


def make_passage(
    text: str, title: str = "Guide", *, distance: float = 0.4, score: float = 0.6, page: int = 1
) -> Passage:
    lines = (Line(0, len(text), page, (10.0, 20.0, 200.0, 32.0)),)
    uid = uuid4()
    return Passage(
        id=uid, space=uid, document=uid, version=uid, version_number=1, title=title, text=text, start=100,
        end=100 + len(text), lines=lines, distance=distance, score=score,
    )  # fmt: skip


def make_sources(passages: list[Passage]) -> list[Source]:
    return [source(index, passage) for index, passage in enumerate(passages)]
