"""The embedder goes, or changes, while a question is being answered: the words answer, or the failure is told."""

from __future__ import annotations

import time

import pytest
from asgiref.sync import async_to_sync

from agents.asking import answer_question
from agents.services import create_agent
from agents.types import AnswerRequest, Completed, Event, Failed, Status
from knowledge import services
from knowledge.models import Space
from tests.factories import Person
from tests.fakes.embedding_server import EmbeddingServer
from tests.knowledge.conftest import endpoint, files, plant, space, work

__all__ = ["endpoint", "files", "plant", "space"]  # fixtures
pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "# Pump\n\nThe pump is covered for 26 months from delivery.\n\n# Lamp\n\nThe lamp weighs 900 grams.\n"


@pytest.fixture
def desk(space: Space, bob: Person, alice: Person) -> Person:
    services.upload_document(bob.principal, space, "a.md", TEXT.encode())
    work()
    create_agent(alice.principal, name="Desk", slug="desk", spaces=[space.uid])
    return alice


def ask(person: Person) -> Event:
    request = AnswerRequest(question="How many months is the pump covered?", store=False)
    return async_to_sync(answer_question)(person.principal, "desk", request)


@pytest.mark.parametrize("mood", ["down", "refused", "other_dimension", "no_vectors", "asleep"])
def test_where_sentences_cannot_be_measured_the_words_answer(
    desk: Person, plant: EmbeddingServer, mood: str
) -> None:
    plant.mood, plant.well_first = mood, 1
    began = time.monotonic()
    event = ask(desk)
    assert isinstance(event, Completed) and event.answer.status is Status.ANSWERED
    assert "26 months" in event.answer.text
    assert time.monotonic() - began < 10, "an answer does not wait long for what it can do without"


@pytest.mark.parametrize("mood", ["refused", "other_dimension"])
def test_where_the_question_cannot_be_measured_the_failure_is_told(
    desk: Person, plant: EmbeddingServer, mood: str
) -> None:
    plant.mood = mood
    event = ask(desk)
    assert isinstance(event, Failed) and event.code == "backend_down"
