"""The verb of the answering doors: authorise, load, answer, keep. One for page, API and command line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from functools import lru_cache

from django.db import transaction
from django.utils import timezone

from accounts import audit
from accounts.errors import Refused
from accounts.types import Principal, Right
from agents.answer import Asked, answer
from agents.llm import ChatModel, ChatSettings, get_chat
from agents.models import Agent, Conversation, Message
from agents.queries import get_agent, get_conversation, messages_of, spaces_of
from agents.threads import in_tenant
from agents.types import Answer, AnswerRequest, Completed, Event, Started, Turn
from knowledge.models import Space

LONGEST_QUESTION = 8000
_TITLE = 80
_HISTORY = 12


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question that may be asked: its agent's row, what answering needs, and the conversation to keep it in."""

    agent: Agent
    asked: Asked
    conversation: Conversation | None


@lru_cache(maxsize=64)
def _chat(settings: ChatSettings, loop: int) -> ChatModel | None:
    """One client for each endpoint and event loop: a client's connections belong to the loop that opened them."""
    return get_chat(settings)


def _chat_settings(agent: Agent) -> ChatSettings | None:
    if not agent.model_base_url:
        return None
    return ChatSettings(url=agent.model_base_url, model=agent.model_name, key=agent.model_key)


def _prepare(
    principal: Principal, agent_name: str, request: AnswerRequest
) -> tuple[Prepared, ChatSettings | None]:
    """Raises Absent, Forbidden, Refused."""
    question = request.question.strip()
    if not question:
        raise Refused("question_missing", "question")
    if len(question) > LONGEST_QUESTION:
        raise Refused("question_too_long", "question", most=LONGEST_QUESTION)
    agent = get_agent(principal, Right.ASK_AGENT, agent_name)
    conversation = get_conversation(principal, agent, request.conversation) if request.conversation else None
    if request.store and conversation is None:
        conversation = Conversation(agent=agent, member_id=None if principal.is_key else principal.member_id)
        conversation.key_id = principal.key_id
        conversation.title = question[:_TITLE]
        conversation.save()
    history = request.history or (_turns(conversation) if conversation else ())
    request = replace(
        request,
        question=question,
        history=history,
        conversation=str(conversation.uid) if conversation else "",
    )
    asked = Asked(
        principal=principal,
        request=request,
        agent=agent.slug,
        spaces=tuple(spaces_of(principal, agent)),
        chat=None,
        instructions=agent.instructions,
        language=agent.language,
        context_tokens=agent.context_tokens,
        max_tokens=agent.max_tokens,
        temperature=agent.temperature,
    )
    return Prepared(agent, asked, conversation), _chat_settings(agent)


def _turns(conversation: Conversation) -> tuple[Turn, ...]:
    last = list(messages_of(conversation).order_by("-id")[:_HISTORY])
    return tuple(Turn(message.role, message.text) for message in reversed(last))


@transaction.atomic
def _keep(prepared: Prepared, found: Answer) -> Answer:
    """Write question and answer into the conversation, sealed; the answer comes back with its message's id."""
    conversation = prepared.conversation
    if conversation is None or not prepared.asked.request.store:
        return replace(found, conversation="")
    spaces = Space.objects.filter(uid__in={source.space for source in found.sources}).values_list(
        "id", flat=True
    )
    asked = Message(agent=prepared.agent, conversation=conversation, role="user")
    asked.text = prepared.asked.request.question
    asked.save()
    said = Message(
        agent=prepared.agent,
        conversation=conversation,
        role="model",
        status=found.status.value,
        space_ids=list(spaces),
    )
    found = replace(found, message=str(said.uid))
    said.text, said.answer, said.trace = found.text, found.to_json(), found.to_json(trace=True)["trace"]
    said.save()
    Conversation.objects.filter(id=conversation.id).update(updated_at=timezone.now())
    audit.record(prepared.asked.principal, "ask", prepared.agent, status=found.status.value)
    return found


async def prepare(principal: Principal, agent_name: str, request: AnswerRequest) -> Prepared:
    """Authorise and load, before anything is sent. Raises Absent, Forbidden, Refused."""
    prepared, settings = await in_tenant(principal.tenant_id, _prepare, principal, agent_name, request)
    chat = _chat(settings, id(asyncio.get_running_loop())) if settings else None
    return replace(prepared, asked=replace(prepared.asked, chat=chat))


async def stream_answer(prepared: Prepared) -> AsyncIterator[Event]:
    """The events of an answer, which is kept before it is said to be complete."""
    principal = prepared.asked.principal
    events = answer(prepared.asked)
    try:
        async for event in events:
            if isinstance(event, Completed):
                event = Completed(await in_tenant(principal.tenant_id, _keep, prepared, event.answer))
            elif isinstance(event, Started):
                event = Started(event.id, prepared.asked.request.conversation)
            yield event
    finally:
        await events.aclose()  # type: ignore[attr-defined]


async def last_event(prepared: Prepared) -> Event:
    """Completed or Failed."""
    last: Event = Started("", "")
    async for event in stream_answer(prepared):
        last = event
    return last


async def answer_question(principal: Principal, agent_name: str, request: AnswerRequest) -> Event:
    """Completed or Failed. Raises Absent, Forbidden, Refused."""
    return await last_event(await prepare(principal, agent_name, request))
