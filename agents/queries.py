"""Reads of agents, narrowed to what the principal may ask or see."""

from __future__ import annotations

from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from accounts.errors import Absent
from accounts.permissions import allowed, fetch
from accounts.types import Principal, Right
from agents.models import Agent, Conversation, Message
from knowledge.models import Space


def agents_for(principal: Principal) -> QuerySet[Agent]:
    """The agents that the principal may ask, by name."""
    found = allowed(principal, Right.ASK_AGENT, Agent.objects.all())
    if principal.agent_uid is not None:
        found = found.filter(uid=principal.agent_uid)
    return found.order_by("name", "id")


def get_agent(principal: Principal, right: Right, name: str | UUID | None) -> Agent:
    """An agent by slug or id; by None the one that the key is bound to. Raises Absent, Forbidden."""
    wanted = name if name else principal.agent_uid
    if wanted is None:
        raise Absent
    queryset = Agent.objects.all()
    if principal.agent_uid is not None:
        queryset = queryset.filter(uid=principal.agent_uid)
    lookup = "uid" if _is_uid(wanted) else "slug"
    return fetch(principal, right, queryset, **{lookup: wanted})


def _is_uid(value: str | UUID) -> bool:
    try:
        UUID(str(value))
    except ValueError:
        return False
    return True


def spaces_of(principal: Principal, agent: Agent) -> list[Space]:
    """The agent's spaces that the principal may read, in the agent's order."""
    readable = allowed(principal, Right.READ_SPACE, Space.objects.all())
    return list(readable.filter(agentspace__agent=agent).order_by("agentspace__order", "id").distinct())


def conversations_of(principal: Principal, agent: Agent) -> QuerySet[Conversation]:
    """The principal's own conversations with an agent, the latest first: nobody reads another's."""
    found = Conversation.objects.filter(agent=agent)
    mine = (
        found.filter(key_id=principal.key_id)
        if principal.is_key
        else found.filter(member_id=principal.member_id)
    )
    return mine.order_by("-updated_at", "-id")


def get_conversation(principal: Principal, agent: Agent, uid: UUID | str) -> Conversation:
    """Raises Absent for another's."""
    try:
        found = conversations_of(principal, agent).filter(uid=uid).first()
    except (ValidationError, ValueError):
        raise Absent from None
    if found is None:
        raise Absent
    return found


def messages_of(conversation: Conversation) -> QuerySet[Message]:
    return (
        Message.objects.filter(conversation=conversation).select_related("agent").order_by("created_at", "id")
    )
