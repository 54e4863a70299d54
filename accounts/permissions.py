"""The one policy: may this principal do this to that object, and which objects may it do this to.

A member's role gives rights on every space and agent that is not restricted; a grant (django-guardian) gives
rights on one, restricted or not; an owner has all. A key has its maker's rights as far as its scopes go.
There is no superuser and no global shortcut.
"""

from __future__ import annotations

from typing import Any, TypeVar
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from guardian.shortcuts import assign_perm, get_objects_for_user, get_user_perms, remove_perm

from accounts.errors import Absent, Forbidden
from accounts.models import User
from accounts.types import KeyScope, Principal, Right, Role

# A grant of a right holds for those after it too.
_SPACE_LADDER = (Right.MANAGE_SPACE, Right.EDIT_SPACE, Right.READ_SPACE)
_AGENT_LADDER = (Right.MANAGE_AGENT, Right.ASK_AGENT)

_ROLE_RIGHTS: dict[Role, frozenset[Right]] = {
    Role.OWNER: frozenset(Right),
    Role.EDITOR: frozenset(
        {Right.ENTER, Right.CREATE_SPACE, Right.EDIT_SPACE, Right.READ_SPACE, Right.ASK_AGENT}
    ),
    Role.AGENT_OWNER: frozenset(
        {Right.ENTER, Right.CREATE_AGENT, Right.MANAGE_AGENT, Right.READ_SPACE, Right.ASK_AGENT}
    ),
    Role.REVIEWER: frozenset({Right.ENTER, Right.READ_SPACE, Right.ASK_AGENT}),
    Role.READER: frozenset({Right.ENTER, Right.READ_SPACE, Right.ASK_AGENT}),
}

_SCOPE_RIGHTS: dict[KeyScope, frozenset[Right]] = {
    KeyScope.ANSWERS: frozenset({Right.ENTER, Right.ASK_AGENT, Right.READ_SPACE}),
    KeyScope.SEARCH: frozenset({Right.ENTER, Right.READ_SPACE}),
    KeyScope.SPACES_READ: frozenset({Right.ENTER, Right.READ_SPACE}),
    KeyScope.SPACES_WRITE: frozenset(
        {Right.ENTER, Right.READ_SPACE, Right.EDIT_SPACE, Right.MANAGE_SPACE, Right.CREATE_SPACE}
    ),
    KeyScope.AGENTS_READ: frozenset({Right.ENTER, Right.ASK_AGENT}),
    KeyScope.AGENTS_WRITE: frozenset({Right.ENTER, Right.ASK_AGENT, Right.MANAGE_AGENT, Right.CREATE_AGENT}),
    KeyScope.KEYS: frozenset({Right.ENTER, Right.MANAGE_KEYS}),
    KeyScope.MEMBERS: frozenset({Right.ENTER, Right.MANAGE_MEMBERS}),
    KeyScope.TRACE: frozenset(),
}

T = TypeVar("T", bound=Any)


def _within_key(principal: Principal, right: Right) -> bool:
    return not principal.is_key or any(right in _SCOPE_RIGHTS[scope] for scope in principal.scopes)


def _granting(right: Right) -> list[str]:
    for ladder in (_SPACE_LADDER, _AGENT_LADDER):
        if right in ladder:
            return [step.value for step in ladder[: ladder.index(right) + 1]]
    return []


def may(principal: Principal, right: Right, thing: Any = None) -> bool:
    """Whether the principal has the right, on `thing` where it is a right of spaces or agents.

    `thing` None asks whether the role has it at all.
    """
    if not _within_key(principal, right):
        return False
    if principal.role is Role.OWNER:
        return True
    by_role = right in _ROLE_RIGHTS[principal.role]
    if thing is None:
        return by_role
    if by_role and not thing.restricted:
        return True
    granted = set(get_user_perms(User(pk=principal.user_id), thing))
    return not granted.isdisjoint(_granting(right))


def allowed(principal: Principal, right: Right, queryset: QuerySet[T]) -> QuerySet[T]:
    """The rows of `queryset` (spaces or agents) that the principal has the right on."""
    if not _within_key(principal, right):
        return queryset.none()
    if principal.role is Role.OWNER:
        return queryset
    granted = get_objects_for_user(
        User(pk=principal.user_id),
        _granting(right),
        klass=queryset.model.objects.all(),
        use_groups=False,
        any_perm=True,
        with_superuser=False,
        accept_global_perms=False,
    )
    open_to_role = Q(restricted=False) if right in _ROLE_RIGHTS[principal.role] else Q(pk__in=[])
    return queryset.filter(open_to_role | Q(pk__in=granted.values("pk")))


def require(principal: Principal, right: Right, thing: Any = None) -> None:
    """Raises Forbidden without the right."""
    if not may(principal, right, thing):
        raise Forbidden(right.value)


def fetch(principal: Principal, right: Right, queryset: QuerySet[T], **lookup: object) -> T:
    """One space or agent, and the right to it, in one call.

    Raises Absent where it is not there or may not be known of, Forbidden where it may only be seen.
    """
    seeing = Right.READ_SPACE if right in _SPACE_LADDER else Right.ASK_AGENT
    try:
        thing = queryset.get(**lookup)
    except (queryset.model.DoesNotExist, ValidationError, ValueError):
        raise Absent from None
    if not may(principal, seeing, thing):
        raise Absent
    require(principal, right, thing)
    return thing


def as_uid(value: object) -> UUID:
    """A UUID from a path or body. Raises Absent where it is none: a malformed id is nobody's."""
    try:
        return UUID(str(value))
    except ValueError:
        raise Absent from None


def grant(user: User, right: Right, thing: Any) -> None:
    """Give a person a right on one space or agent. Called by services, which authorise and audit."""
    assign_perm(right.value, user, thing)


def revoke(user: User, right: Right, thing: Any) -> None:
    remove_perm(right.value, user, thing)
