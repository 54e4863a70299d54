"""Builders of rows for tests, inside the open scope."""

from __future__ import annotations

from dataclasses import dataclass
from secrets import token_bytes
from typing import Any

from accounts.models import ApiKey, Member, Tenant, User
from accounts.scope import tenant_scope
from accounts.types import KeyScope, Principal, Role
from agents.models import Agent, AgentSpace
from knowledge.models import Space

PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class Person:
    """One of the cast: a user with a place in a tenant."""

    user: User
    tenant: Tenant
    member: Member

    @property
    def principal(self) -> Principal:
        return Principal(self.tenant.id, self.member.id, self.user.id, Role(self.member.role))

    def key_principal(self, *scopes: KeyScope) -> Principal:
        """The principal of a new key that this person made; needs the tenant's scope."""
        key = ApiKey(
            name="key", prefix="cw_", secret_hash=token_bytes(32), member=self.member, scopes=list(scopes)
        )
        key.save()
        role = Role(self.member.role)
        return Principal(self.tenant.id, self.member.id, self.user.id, role, key.id, frozenset(scopes))


def make_tenant(name: str) -> Tenant:
    return Tenant.objects.create(name=name, slug=name.lower())


def make_person(name: str, tenant: Tenant, role: Role) -> Person:
    user = User.objects.create_user(f"{name}@example.com", PASSWORD, name=name.title())
    with tenant_scope(tenant.id):
        member = Member(user=user, role=role)
        member.save()
    return Person(user, tenant, member)


def make_space(slug: str = "handbook", **fields: Any) -> Space:
    space = Space(**{"name": slug.title(), "slug": slug, **fields})
    space.save()
    return space


def make_agent(slug: str = "guide", *spaces: Space, **fields: Any) -> Agent:
    agent = Agent(**{"name": slug.title(), "slug": slug, **fields})
    agent.save()
    for order, space in enumerate(spaces):
        AgentSpace(agent=agent, space=space, order=order).save()
    return agent
