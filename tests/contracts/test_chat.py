"""The chat port's client against a real server that speaks the protocol, and that misbehaves."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import Callable, Iterator
from typing import TypeVar

import openai
import pytest

from agents.errors import ModelDown
from agents.llm import ChatDelta, ChatSettings, OpenAIChat, get_chat
from tests.fakes.chat_server import ChatServer, chat_server

MESSAGES = [{"role": "user", "content": "안녕?"}]
KEY = "sk-secret"

T = TypeVar("T")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


def _client(server: ChatServer, **limits: float) -> OpenAIChat:
    return OpenAIChat(ChatSettings(url=server.url, model="fake", key=KEY, **{"backoff": 0.01, **limits}))  # type: ignore[arg-type]


async def _all(client: OpenAIChat) -> list[ChatDelta]:
    return [delta async for delta in client.stream(MESSAGES, max_tokens=50, temperature=0.0)]


def _said(server: ChatServer, **limits: float) -> str:
    return "".join(delta.text for delta in asyncio.run(_all(_client(server, **limits))))


def _fails(server: ChatServer, **limits: float) -> ModelDown:
    with pytest.raises(ModelDown) as raised:
        _said(server, **limits)
    return raised.value


def _until(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 5
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


@pytest.mark.parametrize(
    "reply",
    [
        "Hello there.",
        "보증은 24개월입니다.",
        "保修两年。",
        "保証は二年です。",
        "Größe: ½ 🙂",
        "¿Cuánto?",
        "L’été",
    ],
)
def test_what_is_said_comes_in_pieces_and_whole(server: ChatServer, reply: str) -> None:
    server.reply, server.pieces = reply, 2
    deltas = asyncio.run(_all(_client(server)))
    assert "".join(delta.text for delta in deltas) == reply
    assert sum(bool(delta.text) for delta in deltas) == -(-len(reply) // 2)
    assert (deltas[-1].prompt_tokens, deltas[-1].completion_tokens) == (11, 7)
    asked = server.requests[0]
    assert (asked["messages"], asked["max_tokens"], asked["temperature"]) == (MESSAGES, 50, 0.0)
    assert server.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize("finish", ["stop", "length", "content_filter"])
def test_it_says_why_the_model_stopped(server: ChatServer, finish: str) -> None:
    server.finish = finish
    assert [delta.finish for delta in asyncio.run(_all(_client(server))) if delta.finish] == [finish]


@pytest.mark.parametrize("mood", ["busy", "dropped"])
def test_it_is_asked_again_before_a_word_was_said(server: ChatServer, mood: str) -> None:
    server.mood = mood
    assert _said(server) == "Hello." and server.calls == 3


@pytest.mark.parametrize(
    ("mood", "calls", "retryable"),
    [
        ("down", 3, True),
        ("broken", 3, True),
        ("page", 3, True),
        ("later", 1, True),
        ("refused", 1, False),
        ("moved", 1, False),
    ],
)
def test_a_model_that_is_down_says_so(server: ChatServer, mood: str, calls: int, retryable: bool) -> None:
    server.mood = mood
    assert _fails(server).retryable is retryable and server.calls == calls


def test_a_redirect_takes_the_passages_nowhere(server: ChatServer) -> None:
    with chat_server() as other:
        server.mood, server.elsewhere = "moved", other.url
        _fails(server)
        assert (server.calls, other.calls) == (1, 0)


@pytest.mark.parametrize("mood", ["down", "refused", "later", "cut", "error", "silent"])
def test_the_key_is_in_no_error_and_no_log(
    server: ChatServer, mood: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    server.mood, server.reply = mood, "a long reply that goes on"
    error = _fails(server, first=0.3, idle=0.3)
    told = "".join(traceback.format_exception(error)) + repr(error) + caplog.text
    assert KEY not in told + repr(_client(server).settings)


@pytest.mark.parametrize("mood", ["stalls", "cut", "garbage", "error"])
def test_what_was_said_is_not_said_twice(server: ChatServer, mood: str) -> None:
    server.mood, server.reply = mood, "a long reply that goes on"
    said: list[str] = []

    async def listen() -> None:
        async for delta in _client(server, idle=0.3).stream(MESSAGES, max_tokens=50, temperature=0.0):
            said.append(delta.text)

    began = time.monotonic()
    with pytest.raises(ModelDown):
        asyncio.run(listen())
    assert time.monotonic() - began < 3
    assert ("".join(said), server.calls) == ("a long rep", 1)


@pytest.mark.parametrize("mood", ["silent", "slow"])
def test_the_first_words_have_a_limit_of_their_own(server: ChatServer, mood: str) -> None:
    server.mood, server.delay = mood, 30.0
    began = time.monotonic()
    assert "too slow" in _fails(server, first=0.4, idle=30.0).reason
    assert 0.3 < time.monotonic() - began < 3
    assert _until(lambda: server.cancelled == 1)


def test_a_slow_beginning_is_not_taken_for_a_pause(server: ChatServer) -> None:
    server.mood, server.delay = "slow", 0.6
    assert _said(server, first=5.0, idle=0.2) == "Hello."


def test_all_of_it_has_a_limit(server: ChatServer) -> None:
    server.reply, server.pause, server.pieces = "word " * 400, 0.02, 5
    began = time.monotonic()
    assert "too slow" in _fails(server, total=0.5).reason
    assert 0.4 < time.monotonic() - began < 3
    assert _until(lambda: server.cancelled == 1)


@pytest.mark.parametrize("mood", ["hangs", "bare"])
def test_an_answer_is_whole_once_the_model_gave_its_reason_to_stop(server: ChatServer, mood: str) -> None:
    server.mood = mood
    assert _said(server) == "Hello." and server.calls == 1


def test_a_model_that_says_nothing_has_answered_nothing(server: ChatServer) -> None:
    server.mood = "empty"
    assert _said(server) == "" and server.calls == 1


def test_nobody_at_the_address_is_a_model_that_is_down() -> None:
    settings = ChatSettings(url="http://127.0.0.1:9/v1", model="fake", backoff=0.01)
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
    assert _until(lambda: server.cancelled == 1) and server.finished == 0


@pytest.mark.parametrize("mood", ["silent", "slow", "stalls"])
def test_a_cancelled_task_ends_the_call_at_the_server(server: ChatServer, mood: str) -> None:
    server.mood, server.delay, server.reply = mood, 30.0, "a long reply that goes on"

    async def leave() -> None:
        task = asyncio.create_task(_all(_client(server)))
        while not server.calls:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(leave())
    assert _until(lambda: server.cancelled == 1) and server.finished == 0


def test_without_settings_there_is_no_model() -> None:
    assert get_chat(None) is None


@pytest.mark.parametrize("streamed", [True, False])
def test_the_fake_speaks_to_the_official_client(server: ChatServer, streamed: bool) -> None:
    client = openai.OpenAI(base_url=server.url, api_key=KEY, max_retries=0)
    server.reply = "보증은 24개월입니다【7】."
    if streamed:
        pieces = client.chat.completions.create(model="fake", messages=MESSAGES, stream=True)  # type: ignore[call-overload]
        said = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
    else:
        whole = client.chat.completions.create(model="fake", messages=MESSAGES)  # type: ignore[call-overload]
        said, usage = whole.choices[0].message.content, whole.usage
        assert usage.total_tokens == 18
    assert said == server.reply and _until(lambda: server.finished == 1)
