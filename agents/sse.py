"""An answer's events as server-sent events, with the words that a page shows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from django.http import StreamingHttpResponse
from django.utils import translation

from accounts.api.problems import problem
from agents.messages import STEPS
from agents.types import Cited, Completed, Delta, Event, Failed, SourcesFound, Started, Step

PING_SECONDS = 10.0
Shape = Callable[[Event], tuple[str, dict[str, Any]]]


def event_json(event: Event, *, trace: bool = False) -> tuple[str, dict[str, Any]]:
    """The name and data of one event."""
    match event:
        case Started(id, conversation):
            return "started", {"id": id, "conversation": conversation or None}
        case Step(code):
            return "step", {"code": code, "words": str(STEPS[code])}
        case SourcesFound(sources):
            return "sources", {"sources": [source.to_json() for source in sources]}
        case Delta(text):
            return "delta", {"text": text}
        case Cited(citation):
            return "citation", citation.to_json()
        case Completed(answer):
            return "completed", answer.to_json(trace=trace)
        case Failed(code):
            return "error", problem(code, 503)


def _frame(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


async def _with_pings(events: AsyncIterator[Event]) -> AsyncIterator[Event | None]:
    """The events, and None where nothing came for PING_SECONDS."""
    pending: asyncio.Future[Event] | None = None
    try:
        while True:
            pending = pending or asyncio.ensure_future(anext(events))
            done, _ = await asyncio.wait({pending}, timeout=PING_SECONDS)
            if not done:
                yield None
                continue
            try:
                event = pending.result()
            except StopAsyncIteration:
                return
            pending = None
            yield event
    finally:
        if pending is not None:
            pending.cancel()
            await asyncio.wait({pending})
        await events.aclose()  # type: ignore[attr-defined]


def stream_response(events: AsyncIterator[Event], *, shape: Shape = event_json) -> StreamingHttpResponse:
    """The response that streams them, each in the given shape. A reader that goes away ends the answer, and the model's call with it."""
    language = translation.get_language() or "en"

    async def frames() -> AsyncIterator[str]:
        async for event in _with_pings(events):
            if event is None:
                yield _frame("ping", {})
                continue
            with translation.override(language):
                frame = _frame(*shape(event))
            yield frame

    response = StreamingHttpResponse(frames(), content_type="text/event-stream; charset=utf-8")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response
