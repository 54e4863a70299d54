"""Port to chat models: any OpenAI-compatible `/chat/completions`, streamed, with a limit on every wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import openai

from agents.errors import ModelDown


@dataclass(frozen=True, slots=True)
class ChatDelta:
    """A piece of what the model says; the last one carries what it cost, where the endpoint tells."""

    text: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0


class ChatModel(Protocol):
    name: str

    def stream(
        self, messages: Sequence[Mapping[str, str]], *, max_tokens: int, temperature: float
    ) -> AsyncIterator[ChatDelta]:
        """What the model says, piece by piece. Raises ModelDown. Closing the iterator ends the call at the server."""
        ...


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """Waits in seconds: `first` until the first piece, `idle` between pieces, `total` for all."""

    url: str
    model: str
    key: str = field(default="", repr=False)
    first: float = 60.0
    idle: float = 30.0
    total: float = 300.0
    attempts: int = 3


class OpenAIChat:
    """Client of an OpenAI-compatible endpoint, by the official package. One event loop a client."""

    def __init__(self, settings: ChatSettings) -> None:
        self.settings = settings
        self.name = settings.model
        self._client = openai.AsyncOpenAI(
            base_url=settings.url,
            api_key=settings.key or "none",
            max_retries=0,
            timeout=openai.Timeout(settings.first, connect=5.0),
        )

    async def stream(
        self, messages: Sequence[Mapping[str, str]], *, max_tokens: int, temperature: float
    ) -> AsyncIterator[ChatDelta]:
        ends = time.monotonic() + self.settings.total
        response = await self._open(messages, max_tokens, temperature)
        try:
            pieces = response.__aiter__()
            wait, is_finished = self.settings.first, False
            while True:
                left = ends - time.monotonic()
                try:
                    piece = await asyncio.wait_for(anext(pieces), max(0.001, min(wait, left)))
                except StopAsyncIteration:
                    if not is_finished:  # the connection ended in the middle: no reason to stop was given
                        raise ModelDown("the chat model broke off") from None
                    return
                except TimeoutError:
                    raise ModelDown("the chat model is too slow") from None
                except (
                    Exception
                ) as error:  # whatever a broken stream raises, inside a client that is not ours
                    raise ModelDown(f"the chat model broke off ({type(error).__name__})") from None
                wait, is_finished = self.settings.idle, is_finished or _is_last(piece)
                delta = _delta(piece)
                if delta is not None:
                    yield delta
        finally:
            await response.close()

    async def _open(self, messages: Sequence[Mapping[str, str]], max_tokens: int, temperature: float) -> Any:
        """The open stream; tried again before anything was said."""
        request: dict[str, Any] = {
            "model": self.settings.model,
            "messages": list(messages),
            "max_tokens": max_tokens,
            "temperature": temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        for attempt in range(self.settings.attempts):
            try:
                return await self._client.chat.completions.create(**request)
            except openai.APIStatusError as error:
                retryable = error.status_code in {408, 409, 429} or error.status_code >= 500
                reason = f"the chat model refused: status {error.status_code}"
                wait = _asked_wait(error.response) or 0.3 * 2**attempt
                if not retryable:
                    raise ModelDown(reason, retryable=False) from None
            except openai.APITimeoutError:
                raise ModelDown("the chat model is too slow") from None
            except openai.OpenAIError as error:
                reason, wait = f"the chat model cannot be reached ({type(error).__name__})", 0.3 * 2**attempt
            if attempt + 1 < self.settings.attempts:
                await asyncio.sleep(wait)
        raise ModelDown(reason)


def _asked_wait(response: Any) -> float:
    try:
        return min(float(response.headers.get("Retry-After", "")), 20.0)
    except ValueError:
        return 0.0


def _is_last(piece: Any) -> bool:
    choices = getattr(piece, "choices", None) or []
    return bool(choices and choices[0].finish_reason) or getattr(piece, "usage", None) is not None


def _delta(piece: Any) -> ChatDelta | None:
    usage = getattr(piece, "usage", None)
    choices = getattr(piece, "choices", None) or []
    text = (choices[0].delta.content or "") if choices and choices[0].delta else ""
    if usage is not None:
        return ChatDelta(text, usage.prompt_tokens or 0, usage.completion_tokens or 0)
    return ChatDelta(text) if text else None


def get_chat(settings: ChatSettings | None) -> ChatModel | None:
    """The chat model, or None where none is configured: the extractive answerer then answers."""
    return OpenAIChat(settings) if settings else None
