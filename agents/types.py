"""The native answer and the events on the way to it: frozen, plain, no Django.

Offsets are Unicode code points, end exclusive. `to_json` gives the API's object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from knowledge.types import PageBox, TraceStep


class Status(StrEnum):
    ANSWERED = "answered"
    PARTIAL = "partial"
    NOT_FOUND = "not_found"
    NEEDS_INPUT = "needs_input"
    HANDED_OFF = "handed_off"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of an exchange: `role` is user or model."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """What is asked: the visitor's own words, the turns before them, and what the agent leaves open."""

    question: str
    history: tuple[Turn, ...] = ()
    conversation: str = ""
    store: bool = True
    language: str = ""
    trace: bool = False
    max_tokens: int | None = None
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class Citation:
    """[start, end) of the answer's text rests on `quote`, which stands at [quote_start, quote_end) of the source's
    text letter for letter."""

    n: int
    start: int
    end: int
    source: str
    quote: str
    quote_start: int
    quote_end: int
    page: int | None = None
    boxes: tuple[PageBox, ...] = ()
    link: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "start": self.start,
            "end": self.end,
            "source": self.source,
            "quote": self.quote,
            "quote_start": self.quote_start,
            "quote_end": self.quote_end,
            "page": self.page,
            "boxes": [{"page": box.page, "box": list(box.box)} for box in self.boxes],
            "link": self.link,
        }


@dataclass(frozen=True, slots=True)
class Source:
    """A passage that the answer may rest on. `start` and `end` are its place in the version's text; `index` is that of
    the request's source it came from, or its place among them; `grade` (read, found) is the web's alone."""

    id: str
    index: int
    title: str
    text: str
    document: str
    version: str
    start: int
    end: int
    space: str
    page: int | None = None
    boxes: tuple[PageBox, ...] = ()
    section: tuple[str, ...] = ()
    passage_kind: str = "body"
    distance: float | None = None
    kind: str = "document"
    link: str = ""
    grade: str = ""
    author: str = ""
    uri: str = ""
    domain: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind,
            "grade": self.grade or None,
            "index": self.index,
            "title": self.title,
            "author": self.author or None,
            "uri": self.uri or None,
            "domain": self.domain or None,
            "attributes": dict(self.attributes),
            "text": self.text,
            "document": self.document,
            "version": self.version,
            "start": self.start,
            "end": self.end,
            "space": self.space,
            "page": self.page,
            "boxes": [{"page": box.page, "box": list(box.box)} for box in self.boxes],
            "section": list(self.section),
            "passage_kind": self.passage_kind,
            "distance": None if self.distance is None else round(self.distance, 4),
            "link": self.link,
        }


@dataclass(frozen=True, slots=True)
class Usage:
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The final object, streamed or not. A refusal carries no sources and no citations, and a citation's quote stands in
    its source letter for letter: an answer that breaks either cannot be made."""

    id: str
    created: int
    agent: str
    model: str
    status: Status
    text: str
    language: str = ""
    conversation: str = ""
    message: str = ""
    citations: tuple[Citation, ...] = ()
    sources: tuple[Source, ...] = ()
    usage: Usage = field(default_factory=Usage)
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    dropped_markers: int = 0
    trace: tuple[TraceStep, ...] = ()

    def __post_init__(self) -> None:
        if self.status is Status.NOT_FOUND and (self.sources or self.citations):
            raise ValueError("an answer that found nothing has no sources")
        texts = {source.id: source.text for source in self.sources}
        for citation in self.citations:
            text = texts.get(citation.source)
            if text is None or text[citation.quote_start : citation.quote_end] != citation.quote:
                raise ValueError(f"the quote of citation {citation.n} does not stand in its source")

    def to_json(self, *, trace: bool = False) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "id": self.id,
            "object": "answer",
            "created": self.created,
            "agent": self.agent,
            "model": self.model,
            "conversation": self.conversation or None,
            "message": self.message or None,
            "status": self.status.value,
            "text": self.text,
            "language": self.language,
            "citations": [citation.to_json() for citation in self.citations],
            "sources": [source.to_json() for source in self.sources],
            "usage": {
                "prompt_tokens": self.usage.prompt_tokens,
                "completion_tokens": self.usage.completion_tokens,
            },
            "timings_ms": dict(self.timings_ms),
        }
        if trace:
            shown["trace"] = [{"name": s.name, "ms": s.ms, "detail": dict(s.detail)} for s in self.trace]
        return shown


@dataclass(frozen=True, slots=True)
class Started:
    id: str
    conversation: str


@dataclass(frozen=True, slots=True)
class Step:
    """Progress, as a code of words to show: searching, reading, writing."""

    code: str


@dataclass(frozen=True, slots=True)
class SourcesFound:
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Delta:
    text: str


@dataclass(frozen=True, slots=True)
class Cited:
    citation: Citation


@dataclass(frozen=True, slots=True)
class Completed:
    answer: Answer


@dataclass(frozen=True, slots=True)
class Failed:
    """The answer could not be finished; `code` names the sentence shown."""

    code: str


Event = Started | Step | SourcesFound | Delta | Cited | Completed | Failed
