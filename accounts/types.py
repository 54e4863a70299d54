"""Values of accounts: roles, rights, scopes of keys, and the principal that acts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


class Role(StrEnum):
    OWNER = "owner"
    EDITOR = "editor"
    AGENT_OWNER = "agent_owner"
    REVIEWER = "reviewer"
    READER = "reader"


class Right(StrEnum):
    """What a door asks for. Those of spaces and agents are asked of an object, the others of the tenant."""

    ENTER = "enter"  # any member
    READ_SPACE = "read_space"
    EDIT_SPACE = "edit_space"
    MANAGE_SPACE = "manage_space"
    CREATE_SPACE = "create_space"
    ASK_AGENT = "ask_agent"
    MANAGE_AGENT = "manage_agent"
    CREATE_AGENT = "create_agent"
    MANAGE_MEMBERS = "manage_members"
    MANAGE_KEYS = "manage_keys"
    READ_AUDIT = "read_audit"


class KeyScope(StrEnum):
    ANSWERS = "answers"
    SEARCH = "search"
    SPACES_READ = "spaces.read"
    SPACES_WRITE = "spaces.write"
    AGENTS_READ = "agents.read"
    AGENTS_WRITE = "agents.write"
    KEYS = "keys"
    MEMBERS = "members"
    TRACE = "trace"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who acts in a tenant: a signed-in member, or an API key, which has the rights of the member who made it
    as far as its scopes go. `agent_uid` binds a key to one agent."""

    tenant_id: int
    member_id: int
    user_id: int
    role: Role
    key_id: int | None = None
    scopes: frozenset[KeyScope] = frozenset()
    agent_uid: UUID | None = None

    @property
    def is_key(self) -> bool:
        return self.key_id is not None
