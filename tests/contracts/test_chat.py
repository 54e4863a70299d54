"""The chat port's client against a real server that speaks the protocol, and that misbehaves."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest

from agents.errors import ModelDown
from agents.llm import ChatDelta, ChatSettings, OpenAIChat, get_chat
from tests.fakes.chat_server import ChatServer, chat_server

MESSAGES = [{"role": "user", "content": "안녕?"}]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


def _client(server: ChatServer, **limits: float) -> OpenAIChat:
    return OpenAIChat(ChatSettings(url=server.url, model="fake", key="sk-secret", **limits))  # type: ignore[arg-type]


async def _all(client: OpenAIChat) -> list[ChatDelta]:
    return [delta async for delta in client.stream(MESSAGES, max_tokens=50, temperature=0.0)]


@pytest.mark.parametrize(
    "reply", ["Hello there.", "보증은 24개월입니다.", "保修两年。", "保証は二年です。", "Größe: ½ 🙂"]
)
def test_what_is_said_comes_in_pieces_and_whole(server: ChatServer, reply: str) -> None:
    server.reply, server.pieces = reply, 2
    deltas = asyncio.run(_all(_client(server)))
    assert "".join(delta.text for delta in deltas) == reply
    assert (deltas[-1].prompt_tokens, deltas[-1].completion_tokens) == (11, 7)
    assert server.requests[0]["messages"] == MESSAGES and server.requests[0]["max_tokens"] == 50


def test_a_busy_model_is_asked_again(server: ChatServer) -> None:
    server.mood = "busy"
    assert "".join(d.text for d in asyncio.run(_all(_client(server)))) == "Hello."
    assert server.calls == 3


@pytest.mark.parametrize(("mood", "calls", "retryable"), [("down", 3, True), ("refused", 1, False)])
def test_a_model_that_is_down_says_so_without_the_key(
    server: ChatServer, mood: str, calls: int, retryable: bool
) -> None:
    server.mood = mood
    with pytest.raises(ModelDown) as raised:
        asyncio.run(_all(_client(server)))
    assert raised.value.retryable is retryable and server.calls == calls
    assert "sk-secret" not in repr(raised.value) + str(raised.value)


@pytest.mark.parametrize("mood", ["stalls", "cut", "garbage"])
def test_a_model_that_breaks_off_ends_within_its_limits(server: ChatServer, mood: str) -> None:
    server.mood, server.reply = mood, "a long reply that goes on"
    began = time.monotonic()
    with pytest.raises(ModelDown):
        asyncio.run(_all(_client(server, idle=0.4, first=2.0)))
    assert time.monotonic() - began < 5


def test_nobody_at_the_address_is_a_model_that_is_down() -> None:
    settings = ChatSettings(url="http://127.0.0.1:9/v1", model="fake")
    with pytest.raises(ModelDown):
        asyncio.run(_all(OpenAIChat(settings)))


def test_closing_the_stream_ends_the_call_at_the_server(server: ChatServer) -> None:
    server.reply, server.pause, server.pieces = "word " * 200, 0.02, 5

    async def leave() -> None:
        stream = _client(server).stream(MESSAGES, max_tokens=50, temperature=0.0)
        async for _delta in stream:
            break
        await stream.aclose()  # type: ignore[attr-defined]

    asyncio.run(leave())
    deadline = time.monotonic() + 5
    while not server.cancelled and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (server.cancelled, server.finished) == (1, 0)


def test_without_settings_there_is_no_model() -> None:
    assert get_chat(None) is None
