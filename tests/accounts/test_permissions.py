"""A right is asked in both directions, and the two agree."""

from __future__ import annotations

import pytest

from accounts.errors import Absent, Forbidden
from accounts.models import Tenant
from accounts.permissions import allowed, fetch, grant, may, revoke
from accounts.types import KeyScope, Right
from agents.models import Agent
from knowledge.models import Space
from tests.factories import Person, make_agent, make_space

pytestmark = pytest.mark.django_db

SPACE_RIGHTS = (Right.READ_SPACE, Right.EDIT_SPACE, Right.MANAGE_SPACE)
AGENT_RIGHTS = (Right.ASK_AGENT, Right.MANAGE_AGENT)

# role: rights on an open space, on a restricted one, on an open agent, on a restricted one
BY_ROLE = {
    "alice": (3, 3, 2, 2),
    "bob": (2, 0, 1, 0),
    "adam": (1, 0, 2, 0),
    "rev": (1, 0, 1, 0),
    "rita": (1, 0, 1, 0),
}


@pytest.fixture
def person(request: pytest.FixtureRequest) -> Person:
    found: Person = request.getfixturevalue(request.param)
    return found


@pytest.mark.parametrize("person", BY_ROLE, indirect=True)
def test_each_role_has_its_rights_and_lists_agree(in_acme: Tenant, person: Person) -> None:
    things = (make_space("open"), make_space("shut", restricted=True))
    agents = (make_agent("open"), make_agent("shut", restricted=True))
    name = person.user.name.lower()
    for number, thing in enumerate((*things, *agents)):
        rights = SPACE_RIGHTS if number < 2 else AGENT_RIGHTS
        for step, right in enumerate(rights):
            expected = step < BY_ROLE[name][number]
            assert may(person.principal, right, thing) is expected, (right, thing.slug)
            model = Space if number < 2 else Agent
            assert (thing in allowed(person.principal, right, model.objects.all())) is expected


@pytest.mark.parametrize(("given", "held"), [(SPACE_RIGHTS[i], SPACE_RIGHTS[: i + 1]) for i in range(3)])
def test_a_grant_holds_for_the_lesser_rights_too(
    in_acme: Tenant, rita: Person, given: Right, held: tuple[Right, ...]
) -> None:
    shut, other = make_space("shut", restricted=True), make_space("other", restricted=True)
    grant(rita.user, given, shut)
    for right in SPACE_RIGHTS:
        assert may(rita.principal, right, shut) is (right in held)
        assert not may(rita.principal, right, other)
        assert (shut in allowed(rita.principal, right, Space.objects.all())) is (right in held)
    revoke(rita.user, given, shut)
    assert not may(rita.principal, Right.READ_SPACE, shut)


def test_a_key_has_its_makers_rights_only_as_far_as_its_scopes(in_acme: Tenant, bob: Person) -> None:
    space = make_space()
    searching = bob.key_principal(KeyScope.SEARCH)
    assert may(searching, Right.READ_SPACE, space) and not may(searching, Right.EDIT_SPACE, space)
    assert not allowed(searching, Right.EDIT_SPACE, Space.objects.all()).exists()
    writing = bob.key_principal(KeyScope.SPACES_WRITE)
    assert may(writing, Right.EDIT_SPACE, space) and not may(writing, Right.MANAGE_SPACE, space)
    assert not may(writing, Right.ASK_AGENT, make_agent())


def test_what_may_not_be_seen_is_absent_and_what_may_only_be_seen_is_forbidden(
    in_acme: Tenant, rita: Person
) -> None:
    shut, space = make_space("shut", restricted=True), make_space()
    with pytest.raises(Absent):
        fetch(rita.principal, Right.READ_SPACE, Space.objects.all(), slug="shut")
    with pytest.raises(Absent):
        fetch(rita.principal, Right.EDIT_SPACE, Space.objects.all(), uid=shut.uid)
    with pytest.raises(Absent):
        fetch(rita.principal, Right.READ_SPACE, Space.objects.all(), uid="not-a-uid")
    with pytest.raises(Forbidden):
        fetch(rita.principal, Right.EDIT_SPACE, Space.objects.all(), slug=space.slug)
