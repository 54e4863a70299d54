"""From a question to a grounded answer, top to bottom: search, then quote or write, cite, keep.

Synchronous parts run in threads inside the tenant's scope (agents/threads.py); nothing is held while a model talks.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

from accounts.types import Principal
from agents.errors import ModelDown
from agents.extractive import Extract, extract
from agents.llm import ChatModel
from agents.steps.cite import MarkerReader
from agents.steps.compose import compose, fitting
from agents.steps.score import is_worth_asking
from agents.threads import in_tenant
from agents.types import (
    Answer,
    AnswerRequest,
    Citation,
    Cited,
    Completed,
    Delta,
    Event,
    Failed,
    Source,
    SourcesFound,
    Started,
    Status,
    Step,
    Usage,
)
from agents.words import not_in_material, quoted_intro
from knowledge.errors import BackendDown
from knowledge.models import Space
from knowledge.search import search
from knowledge.text.language import language_of
from knowledge.types import Baseline, Found, Passage, TraceStep

EXTRACTIVE = "extractive"


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with all that answering it needs, loaded by the service: no row is read again."""

    principal: Principal
    request: AnswerRequest
    agent: str
    spaces: tuple[Space, ...]
    chat: ChatModel | None
    instructions: str = ""
    language: str = ""
    context_tokens: int = 3000
    max_tokens: int = 800
    temperature: float = 0.0

    @property
    def answer_language(self) -> str:
        return self.request.language or self.language or language_of(self.request.question) or "en"


class _Clock:
    def __init__(self) -> None:
        self._began = self._last = time.perf_counter()
        self.ms: dict[str, float] = {}

    def mark(self, name: str) -> None:
        now = time.perf_counter()
        self.ms[name] = round(1000 * (now - self._last), 1)
        self._last = now
        self.ms["total"] = round(1000 * (now - self._began), 1)


async def answer(asked: Asked) -> AsyncIterator[Event]:
    """Events up to Completed or Failed. Closing the iterator ends the model's call."""
    clock = _Clock()
    blank = Answer(
        id=uuid4().hex,
        created=int(time.time()),
        agent=asked.agent,
        model=asked.chat.name if asked.chat else EXTRACTIVE,
        status=Status.NOT_FOUND,
        text="",
        language=asked.answer_language,
        conversation=asked.request.conversation,
    )
    yield Started(blank.id, asked.request.conversation)
    yield Step("searching")
    try:
        found = await in_tenant(
            asked.principal.tenant_id, search, asked.principal, asked.spaces, asked.request.question
        )
    except BackendDown:
        yield Failed("backend_down")
        return
    clock.mark("search")
    blank = replace(blank, trace=found.trace, timings_ms=clock.ms)
    if not found.passages or found.baseline is None:
        yield Completed(_refused(blank, asked))
        return
    extracted = await _extracted(asked, found, found.baseline)
    blank = _judged(blank, extracted)
    clock.mark("judge")
    written = (
        _write(asked, found, blank, extracted, clock)
        if asked.chat
        else _quote(asked, found, blank, extracted)
    )
    async for event in written:
        yield event


async def _extracted(asked: Asked, found: Found, baseline: Baseline) -> Extract:
    """What the passages' own sentences answer. They are measured where they will be quoted; a model's answer is not kept
    waiting for that, nor one whose embedder has just gone."""
    words = (asked.request.question, found.passages, baseline, found.rarities)
    if asked.chat is None and found.nearness is not None:
        try:
            return await in_tenant(asked.principal.tenant_id, extract, *words, nearness=found.nearness)
        except BackendDown:
            pass
    return await in_tenant(asked.principal.tenant_id, extract, *words)


def _judged(blank: Answer, extracted: Extract) -> Answer:
    step = TraceStep("judge", 0.0, {"answerable": round(extracted.score, 4)})
    return replace(blank, trace=(*blank.trace, step))


def _refused(blank: Answer, asked: Asked) -> Answer:
    return replace(blank, status=Status.NOT_FOUND, text=not_in_material(asked.answer_language))


async def _quote(asked: Asked, found: Found, blank: Answer, extracted: Extract) -> AsyncIterator[Event]:
    """The passages' own sentences, letter for letter, said to be quotes."""
    if extracted.score < 0.5 or not extracted.quotes:
        yield Completed(_refused(blank, asked))
        return
    passages = found.passages
    used = sorted({quote.passage for quote in extracted.quotes})
    sources = tuple(source(index, passages[number]) for index, number in enumerate(used))
    yield SourcesFound(sources)
    text = quoted_intro(asked.answer_language)
    yield Delta(text)
    citations: list[Citation] = []
    for quote in extracted.quotes:
        passage, origin = passages[quote.passage], sources[used.index(quote.passage)]
        words = passage.text[quote.start : quote.end]
        piece = "\n\n> " + words.replace("\n", "\n> ")
        boxes = passage.boxes(quote.start, quote.end)
        citation = Citation(
            n=origin.index + 1,
            start=len(text) + 4,
            end=len(text) + len(piece),
            source=origin.id,
            quote=words,
            quote_start=quote.start,
            quote_end=quote.end,
            page=boxes[0].page if boxes else origin.page,
            boxes=boxes,
        )
        text += piece
        citations.append(citation)
        yield Delta(piece)
        yield Cited(citation)
    yield Completed(
        replace(blank, status=Status.ANSWERED, text=text, citations=tuple(citations), sources=sources)
    )


async def _write(
    asked: Asked, found: Found, blank: Answer, extracted: Extract, clock: _Clock
) -> AsyncIterator[Event]:
    """A chat model's answer from the passages, its markers resolved; where it does not answer, the quotes do."""
    if not is_worth_asking(extracted.evidence, extracted.score):
        yield Completed(_refused(blank, asked))
        return
    passages = fitting(found.passages, asked.context_tokens)
    sources = tuple(source(index, passage) for index, passage in enumerate(passages))
    yield SourcesFound(sources)
    yield Step("writing")
    reader = MarkerReader(passages, sources)
    usage = Usage()
    try:
        async for delta in _spoken(asked, passages):
            usage = Usage(
                usage.prompt_tokens + delta.prompt_tokens, usage.completion_tokens + delta.completion_tokens
            )
            for event in _events(*reader.feed(delta.text)):
                yield event
    except ModelDown as error:
        if reader.text:
            yield Failed("model_broke_off")
            return
        step = TraceStep("model_down", 0.0, {"reason": error.reason})
        blank = replace(blank, model=EXTRACTIVE, trace=(*blank.trace, step))
        async for event in _quote(asked, found, blank, extracted):
            yield event
        return
    for event in _events(*reader.end()):
        yield event
    clock.mark("write")
    yield Completed(_finished(asked, blank, reader, sources, usage))


async def _spoken(asked: Asked, passages: Sequence[Passage]) -> AsyncIterator:  # type: ignore[type-arg]
    assert asked.chat is not None
    messages = compose(
        asked.request.question,
        asked.request.history,
        passages,
        fence=f"=== {secrets.token_hex(8)} ===",
        language=asked.request.language or asked.language,
        instructions=asked.instructions,
    )
    stream = asked.chat.stream(
        messages,
        max_tokens=min(asked.request.max_tokens or asked.max_tokens, asked.max_tokens),
        temperature=asked.temperature if asked.request.temperature is None else asked.request.temperature,
    )
    try:
        async for delta in stream:
            yield delta
    finally:
        await stream.aclose()  # type: ignore[attr-defined]


def _events(text: str, citations: Sequence[Citation]) -> list[Event]:
    said: list[Event] = [Delta(text)] if text else []
    return [*said, *(Cited(citation) for citation in citations)]


def _finished(
    asked: Asked, blank: Answer, reader: MarkerReader, sources: tuple[Source, ...], usage: Usage
) -> Answer:
    """What the model said, as it stands. Where nothing in it is held by a passage, that is no answer of the material."""
    blank = replace(blank, usage=usage, dropped_markers=reader.dropped)
    if reader.is_not_found or not reader.citations:
        return _refused(blank, asked)
    status = Status.PARTIAL if reader.is_partial else Status.ANSWERED
    return replace(blank, status=status, text=reader.text, citations=tuple(reader.citations), sources=sources)


def source(index: int, passage: Passage) -> Source:
    return Source(
        id=str(passage.id),
        index=index,
        title=passage.title,
        text=passage.text,
        document=str(passage.document),
        version=str(passage.version),
        start=passage.start,
        end=passage.end,
        space=str(passage.space),
        page=passage.pages[0] if passage.pages else None,
        boxes=passage.boxes(0, len(passage.text)),
        section=passage.section,
        passage_kind=passage.kind.value,
        distance=passage.distance,
    )
