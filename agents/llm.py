"""Port to chat models: any OpenAI-compatible `/chat/completions`, streamed, with a limit on every wait."""

from __future__ import annotations

import asyncio
import json
import math
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Protocol

import openai

from agents.errors import ModelDown

_BUSY = frozenset({408, 409, 425, 429})
_TOO_SLOW = "the chat model is too slow"
_BROKE_OFF = "the chat model broke off"
_DATA, _DONE = "data:", "[DONE]"
_AFTERWARDS = 2.0  # seconds that the usage may take to come, once the model has given its reason to stop


@dataclass(frozen=True, slots=True)
class ChatDelta:
    """A piece of what the model says. `finish` is why it stopped (stop, length, content_filter), once it has; the last
    piece carries what it cost, where the endpoint tells."""

    text: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish: str = ""


_NOTHING = ChatDelta()
_ENDED = ChatDelta(finish="done")  # the end was told, whether or not a reason was


class ChatModel(Protocol):
    name: str

    def stream(
        self, messages: Sequence[Mapping[str, str]], *, max_tokens: int, temperature: float
    ) -> AsyncIterator[ChatDelta]:
        """What the model says, piece by piece. Raises ModelDown. Closing the iterator ends the call at the server."""
        ...


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """Waits in seconds: `connect` for a connection, `first` until the first words, `idle` between pieces after them,
    `total` for all, `patience` for the longest pause that a busy endpoint may ask for. `attempts` are made before the
    first words only: what was said is never said twice."""

    url: str
    model: str
    key: str = field(default="", repr=False)
    connect: float = 5.0
    first: float = 60.0
    idle: float = 30.0
    total: float = 300.0
    patience: float = 20.0
    attempts: int = 3
    backoff: float = 0.3


class _Again(Exception):
    """This attempt failed before a word was said; the next one may do better, after `wait` seconds."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.reason, self.wait = reason, wait


class OpenAIChat:
    """Client of an OpenAI-compatible endpoint, by the official package. One event loop a client.

    The stream's lines are read here, not by the package: parsing each event into its model takes a third more of a
    processor at 200 streams. Redirects are not followed: they would carry passages to an address that nobody configured.
    """

    def __init__(self, settings: ChatSettings) -> None:
        self.settings = settings
        self.name = settings.model
        self._client = openai.AsyncOpenAI(
            base_url=settings.url,
            api_key=settings.key or "none",
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(
                follow_redirects=False, timeout=openai.Timeout(None, connect=settings.connect)
            ),
        )

    async def stream(
        self, messages: Sequence[Mapping[str, str]], *, max_tokens: int, temperature: float
    ) -> AsyncIterator[ChatDelta]:
        ends = time.monotonic() + self.settings.total
        request: dict[str, Any] = {
            "model": self.settings.model,
            "messages": list(messages),
            "max_tokens": max_tokens,
            "temperature": temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        for attempt in range(1, self.settings.attempts + 1):
            pieces = self._attempt(request, ends)
            try:
                async for delta in pieces:
                    yield delta
                return
            except _Again as failed:
                reason = failed.reason
                wait = failed.wait or self.settings.backoff * 2 ** (attempt - 1) * random.uniform(0.8, 1.2)  # noqa: S311
            finally:
                await pieces.aclose()
            if attempt == self.settings.attempts or wait > min(self.settings.patience, _left(ends)):
                raise ModelDown(reason)
            await asyncio.sleep(wait)

    async def _attempt(self, request: Mapping[str, Any], ends: float) -> AsyncGenerator[ChatDelta, None]:
        """One call. Raises _Again until words came, ModelDown after them."""
        first = min(time.monotonic() + self.settings.first, ends)
        has_spoken = is_finished = False
        async with AsyncExitStack() as held:
            lines = await self._open(held, request, first)
            while True:
                wait = _AFTERWARDS if is_finished else self.settings.idle
                limit = min(time.monotonic() + wait, ends) if has_spoken or is_finished else first
                try:
                    delta = await _next(lines, limit)
                except (ModelDown, _Again) as failed:
                    if is_finished:  # all was said: what failed is the telling of what it cost
                        return
                    raise (ModelDown(failed.reason) if has_spoken else failed) from None
                if delta is _ENDED:
                    return
                if delta is None:
                    break
                has_spoken = has_spoken or bool(delta.text)
                is_finished = is_finished or bool(delta.finish or delta.prompt_tokens)
                if delta != _NOTHING:
                    yield delta
            if not is_finished:  # the connection ended in the middle: no reason to stop was given
                raise ModelDown(_BROKE_OFF) if has_spoken else _Again(_BROKE_OFF)

    async def _open(
        self, held: AsyncExitStack, request: Mapping[str, Any], limit: float
    ) -> AsyncIterator[str]:
        """The lines of the open stream, by `limit` on the monotonic clock; `held` closes it."""
        opening = self._client.chat.completions.with_streaming_response.create(**request)
        try:
            async with asyncio.timeout(_left(limit)):
                response = await held.enter_async_context(opening)
                lines: AsyncIterator[str] = response.iter_lines()
                return lines
        except openai.APIStatusError as error:
            reason = f"the chat model refused: status {error.status_code}"
            if error.status_code not in _BUSY and error.status_code < 500:
                raise ModelDown(reason, retryable=False) from None
            raise _Again(reason, _asked_wait(error.response.headers.get("Retry-After", ""))) from None
        except TimeoutError:
            raise ModelDown(_TOO_SLOW) from None
        except openai.OpenAIError as error:
            raise _Again(f"the chat model cannot be reached ({type(error).__name__})") from None


async def _next(lines: AsyncIterator[str], limit: float) -> ChatDelta | None:
    """The next piece, None at the end. Raises ModelDown where it is not there by `limit`, _Again where the stream is
    broken: whatever that raises, inside a client that is not ours."""
    try:
        async with asyncio.timeout(_left(limit)):
            async for line in lines:
                data = line[len(_DATA) :].strip() if line.startswith(_DATA) else ""
                if data == _DONE:
                    return _ENDED
                if data:
                    return _delta(json.loads(data))
            return None
    except TimeoutError:
        raise ModelDown(_TOO_SLOW) from None
    except Exception as error:
        raise _Again(f"{_BROKE_OFF} ({type(error).__name__})") from None


def _left(limit: float) -> float:
    return max(0.0, limit - time.monotonic())


def _asked_wait(header: str) -> float:
    """Seconds that a Retry-After asks for; 0 where it gives none, or a date."""
    try:
        seconds = float(header)
    except ValueError:
        return 0.0
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0


def _delta(piece: Any) -> ChatDelta:
    """One event's words. Endpoints leave out what they like: choices, a choice's delta, its text, the usage. An event
    that is none of this protocol raises, one that tells of an error too."""
    if piece.get("error"):
        raise ValueError("an error event")
    usage = piece.get("usage") or {}
    choice = (piece.get("choices") or [{}])[0]
    text = (choice.get("delta") or {}).get("content") or ""
    if not isinstance(text, str):
        raise TypeError("content that is no text")
    return ChatDelta(
        text,
        int(usage.get("prompt_tokens") or 0),
        int(usage.get("completion_tokens") or 0),
        str(choice.get("finish_reason") or ""),
    )


def get_chat(settings: ChatSettings | None) -> ChatModel | None:
    """The chat model, or None where none is configured: the extractive answerer then answers."""
    return OpenAIChat(settings) if settings else None
