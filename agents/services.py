"""Verbs of agents: each owns its permission, transaction and audit row."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.db import transaction
from django.utils.text import slugify

from accounts import audit
from accounts.errors import Refused
from accounts.keys import destroy_scope, scope_keys
from accounts.models import Member, User
from accounts.permissions import allowed, grant, require
from accounts.types import Principal, Right
from agents.models import Agent, AgentSpace, Conversation
from agents.queries import get_agent, get_conversation
from knowledge.models import Space

_TEXTS = ("name", "model_base_url", "model_name", "language", "welcome", "instructions")
_NUMBERS = {"temperature": (0.0, 2.0), "max_tokens": (16, 32_000), "context_tokens": (300, 100_000)}


def _free_slug(wanted: str) -> str:
    base = slugify(wanted, allow_unicode=True)[:50] or f"agent-{secrets.token_hex(3)}"
    slug, number = base, 2
    while Agent.objects.filter(slug=slug).exists():
        slug, number = f"{base}-{number}", number + 1
    return slug


def _apply(agent: Agent, fields: Mapping[str, Any]) -> None:
    """Set the given fields, checked. Raises Refused naming the field."""
    for name in _TEXTS:
        if name in fields:
            setattr(agent, name, str(fields[name]).strip())
    for name, (least, most) in _NUMBERS.items():
        if name in fields:
            value = fields[name]
            if not least <= value <= most:
                raise Refused("out_of_range", name, least=str(least), most=str(most))
            setattr(agent, name, value)
    for name in ("restricted", "examples"):
        if name in fields:
            setattr(agent, name, fields[name])
    if fields.get("model_key"):  # an empty one keeps what is there: it is never shown, so never sent back
        agent.model_key = fields["model_key"]
    if not agent.name:
        raise Refused("name_missing", "name")
    if agent.model_base_url and urlsplit(agent.model_base_url).scheme not in {"http", "https"}:
        raise Refused("bad_address", "model_base_url")
    if bool(agent.model_base_url) != bool(agent.model_name):
        raise Refused("model_incomplete", "model_name" if agent.model_base_url else "model_base_url")


def _set_spaces(principal: Principal, agent: Agent, spaces: Sequence[UUID | str]) -> None:
    """The agent's spaces in this order. Raises Refused for one that the principal may not read."""
    readable = {
        str(s.uid): s for s in allowed(principal, Right.READ_SPACE, Space.objects.filter(uid__in=spaces))
    }
    if len(readable) != len({str(uid) for uid in spaces}):
        raise Refused("unknown_space", "spaces")
    AgentSpace.objects.filter(agent=agent).delete()
    rows = [
        AgentSpace(agent=agent, space=readable[str(uid)], order=order) for order, uid in enumerate(spaces)
    ]
    AgentSpace.objects.bulk_create(rows)


@transaction.atomic
def create_agent(
    principal: Principal, *, spaces: Sequence[UUID | str] = (), slug: str = "", **fields: Any
) -> Agent:
    """A new agent; who makes it may manage it. Raises Refused, Forbidden."""
    require(principal, Right.CREATE_AGENT)
    if slug and Agent.objects.filter(slug=slug).exists():
        raise Refused("slug_taken", "slug")
    agent = Agent(slug=slug or _free_slug(str(fields.get("name", ""))))
    _apply(agent, fields)
    agent.save()
    scope_keys("agent", agent.id)
    _set_spaces(principal, agent, spaces)
    grant(User.objects.get(pk=principal.user_id), Right.MANAGE_AGENT, agent)
    audit.record(principal, "create_agent", agent)
    return agent


@transaction.atomic
def change_agent(
    principal: Principal, name: str | UUID, /, *, spaces: Sequence[UUID | str] | None = None, **fields: Any
) -> Agent:
    agent = get_agent(principal, Right.MANAGE_AGENT, name)
    _apply(agent, fields)
    agent.save()
    if spaces is not None:
        _set_spaces(principal, agent, spaces)
    audit.record(principal, "change_agent", agent)
    return agent


@transaction.atomic
def delete_agent(principal: Principal, name: str | UUID, *, confirm: str) -> None:
    """Delete an agent, its conversations, and the key that they are sealed with. `confirm` repeats its name."""
    agent = get_agent(principal, Right.MANAGE_AGENT, name)
    if confirm != agent.name:
        raise Refused("name_does_not_match", "confirm")
    audit.record(principal, "delete_agent", agent)
    destroy_scope("agent", agent.id)
    Agent.objects.filter(id=agent.id).delete()


@transaction.atomic
def share_agent(principal: Principal, name: str | UUID, member_uid: UUID, right: Right) -> None:
    """Give a member a right on one agent, restricted or not."""
    agent = get_agent(principal, Right.MANAGE_AGENT, name)
    member = Member.objects.select_related("user").filter(uid=member_uid).first()
    if member is None or right not in (Right.ASK_AGENT, Right.MANAGE_AGENT):
        raise Refused("unknown_member", "member")
    grant(member.user, right, agent)
    audit.record(principal, "share_agent", agent, right=right.value)


@transaction.atomic
def delete_conversation(principal: Principal, name: str | UUID, uid: UUID) -> None:
    """Erase one's own conversation with its messages."""
    agent = get_agent(principal, Right.ASK_AGENT, name)
    conversation = get_conversation(principal, agent, uid)
    audit.record(principal, "delete_conversation", conversation)
    Conversation.objects.filter(id=conversation.id).delete()
