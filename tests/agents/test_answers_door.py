"""The answering door of the API, over HTTP: streamed or not it is the same object, held by passages."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from accounts.scope import tenant_scope
from accounts.services import create_key
from agents.models import Conversation, Message
from agents.services import change_agent, create_agent
from knowledge.services import create_space, upload_document
from knowledge.work import work_once
from tests.factories import Person
from tests.fakes.chat_server import ChatServer, chat_server

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

TEXT = "# Pump\n\nThe pump is covered for 26 months from delivery.\n\n# Lamp\n\nThe lamp weighs 900 grams.\n"
QUESTION = "How many months is the pump covered?"
QUOTE = "The pump is covered for 26 months from delivery."


@dataclass
class Desk:
    """An agent with a document, and a key to ask it."""

    site: str
    secret: str
    owner: Person

    def ask(self, question: str = QUESTION, **more: Any) -> httpx.Response:
        body = {"agent": "desk", "question": question, **more}
        headers = {"Authorization": f"Bearer {self.secret}"}
        return httpx.post(f"{self.site}/api/v1/answers", json=body, headers=headers, timeout=30)

    def stream(self, question: str = QUESTION, **more: Any) -> list[tuple[str, Any]]:
        blocks = self.ask(question, stream=True, **more).text.strip().split("\n\n")
        lines = [block.split("\n", 1) for block in blocks]
        return [
            (event.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for event, data in lines
        ]


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


@pytest.fixture
def desk(site: str, bundled_model: None, alice: Person) -> Desk:
    with tenant_scope(alice.tenant.id):
        space = create_space(alice.principal, "Pumps", slug="pumps")
        upload_document(alice.principal, space, "guide.md", TEXT.encode(), title="Guide")
        create_agent(alice.principal, name="Desk", slug="desk", spaces=[space.uid])
        _key, secret = create_key(alice.principal, "site", ["answers", "trace"])
    while work_once():
        pass
    return Desk(site, secret, alice)


def with_model(desk: Desk, model: ChatServer, reply: str) -> None:
    model.reply = reply
    with tenant_scope(desk.owner.tenant.id):
        change_agent(
            desk.owner.principal, "desk", model_base_url=model.url, model_name="fake", model_key="sk-1"
        )


def bare(answer: dict[str, Any]) -> dict[str, Any]:
    """What must not differ between two answers to one question."""
    left_out = {"id", "created", "conversation", "message", "timings_ms", "trace"}
    return {key: value for key, value in answer.items() if key not in left_out}


def test_without_a_model_it_quotes_and_each_quote_stands_in_its_source(desk: Desk) -> None:
    answer = desk.ask().json()
    assert (answer["status"], answer["model"]) == ("answered", "extractive")
    sources = {source["id"]: source for source in answer["sources"]}
    assert answer["citations"][0]["quote"] == QUOTE
    for citation in answer["citations"]:
        text = sources[citation["source"]]["text"]
        assert text[citation["quote_start"] : citation["quote_end"]] == citation["quote"]
        assert citation["quote"] in answer["text"][citation["start"] : citation["end"]].replace("\n> ", "\n")


def test_what_is_not_there_is_not_found_with_no_source_and_no_call(desk: Desk, model: ChatServer) -> None:
    with_model(desk, model, "A prime number is divisible by one and itself【1】.")
    for question in ("What is a prime number?", "Hello", "소수란 무엇인가요?", "你好"):
        answer = desk.ask(question).json()
        assert (answer["status"], answer["sources"], answer["citations"]) == ("not_found", [], [])
    assert model.calls == 0


@pytest.mark.parametrize(
    "reply",
    ["The pump is covered for 26 months【1】.", "Bananas are yellow【1】.", "NOT_IN_MATERIAL", "Sure!【9】"],
)
def test_stream_and_object_are_the_same_answer(desk: Desk, model: ChatServer, reply: str) -> None:
    with_model(desk, model, reply)
    events = desk.stream()
    whole = desk.ask().json()
    names = [name for name, _data in events]
    assert names[0] == "started" and names[-1] == "completed"
    assert bare(events[-1][1]) == bare(whole)
    assert whole["status"] == ("answered" if "26" in reply else "not_found")
    if whole["status"] == "answered":
        assert "".join(data["text"] for name, data in events if name == "delta") == whole["text"]
        assert [data for name, data in events if name == "citation"] == whole["citations"]
        assert whole["citations"][0]["quote"] == QUOTE


@pytest.mark.parametrize("mood", ["down", "refused"])
def test_a_model_that_is_down_is_stood_in_for_by_quotes(desk: Desk, model: ChatServer, mood: str) -> None:
    with_model(desk, model, "x")
    model.mood = mood
    answer = desk.ask(trace=True).json()
    assert (answer["status"], answer["model"]) == ("answered", "extractive")
    assert "model_down" in [step["name"] for step in answer["trace"]]


def test_a_reader_who_leaves_ends_the_models_call(desk: Desk, model: ChatServer) -> None:
    with_model(desk, model, "The pump is covered for 26 months【1】. " * 50)
    model.pause = 0.02
    headers = {"Authorization": f"Bearer {desk.secret}"}
    body = {"agent": "desk", "question": QUESTION, "stream": True}
    with httpx.stream(
        "POST", f"{desk.site}/api/v1/answers", json=body, headers=headers, timeout=30
    ) as response:
        for line in response.iter_lines():
            if "delta" in line:
                break
    deadline = time.monotonic() + 8
    while not model.cancelled and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (model.cancelled, model.finished) == (1, 0)


def test_a_conversation_goes_on_and_reaches_the_model_as_turns(desk: Desk, model: ChatServer) -> None:
    with_model(desk, model, "The pump is covered for 26 months【1】.")
    first = desk.ask().json()
    desk.ask("And how many months is the pump covered after that?", conversation=first["conversation"])
    roles = [message["role"] for message in model.requests[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    with tenant_scope(desk.owner.tenant.id):
        assert Conversation.objects.count() == 1 and Message.objects.count() == 4


def test_store_false_keeps_nothing(desk: Desk) -> None:
    answer = desk.ask(store=False).json()
    assert (answer["conversation"], answer["message"]) == (None, None)
    with tenant_scope(desk.owner.tenant.id):
        assert not Conversation.objects.exists() and not Message.objects.exists()


def test_anothers_conversation_is_not_there(desk: Desk) -> None:
    first = desk.ask().json()
    with tenant_scope(desk.owner.tenant.id):
        _key, other = create_key(desk.owner.principal, "other", ["answers"])
    response = Desk(desk.site, other, desk.owner).ask(conversation=first["conversation"])
    assert response.status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"question": ""},
        {"messages": []},
        {"question": "x" * 9000},
        {"question": "x", "conversation": "no"},
        [],
        "x",
        {"question": 3.5, "language": "xx"},
    ],
)
def test_a_bad_request_gets_a_problem_document(desk: Desk, body: Any) -> None:
    headers = {"Authorization": f"Bearer {desk.secret}"}
    if isinstance(body, dict):
        body = {"agent": "desk", **body}
    response = httpx.post(f"{desk.site}/api/v1/answers", json=body, headers=headers, timeout=30)
    assert response.status_code == 400
    assert response.headers["content-type"].startswith("application/problem+json")
    assert {"type", "title", "status", "detail"} <= set(response.json())


def test_many_ask_at_once_and_none_is_lost(desk: Desk) -> None:
    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda: answers.append(desk.ask().json()["status"])) for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == ["answered"] * 20
