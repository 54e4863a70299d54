"""Every route x everybody who may knock: walked from the URL conf, so that a new route cannot be forgotten.

A stranger gets the answer of a thing that is not there (404), a member without the right 403, nobody a redirect to
the sign-in or 401. Who has the right gets neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.doors import OBJECT_RIGHTS, Door
from accounts.models import Tenant
from accounts.permissions import _ROLE_RIGHTS, _SCOPE_RIGHTS
from accounts.scope import tenant_scope
from accounts.services import create_key, invite_member
from accounts.types import KeyScope, Right, Role
from agents.models import Agent, Conversation
from knowledge.models import Document, Space, Version
from tests.factories import Person, make_agent, make_space


@dataclass(frozen=True)
class Route:
    """One method of one route."""

    name: str
    pattern: str
    door: Door

    @property
    def method(self) -> str:
        return "GET" if "GET" in self.door.methods else self.door.methods[0]

    @property
    def is_api(self) -> bool:
        return self.pattern.startswith("api/v1/")

    @property
    def is_page(self) -> bool:
        return self.pattern.startswith("t/")


def _walk(resolver: URLResolver, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for found in resolver.url_patterns:
        path = prefix + str(found.pattern)
        if isinstance(found, URLResolver):
            yield from _walk(found, path)
        else:
            yield path, found


PATTERNS = list(_walk(get_resolver()))
ROUTES = [
    Route(found.name or path, path, one)
    for path, found in PATTERNS
    for one in (
        list(found.callback.doors.values())
        if hasattr(found.callback, "doors")
        else [found.callback.door]
        if hasattr(found.callback, "door")
        else []
    )
]
PAGES = [route for route in ROUTES if route.is_page]
API = [route for route in ROUTES if route.is_api]


def _id(route: Route) -> str:
    return f"{route.method} {route.name}"


@pytest.mark.parametrize(
    ("path", "found"), PATTERNS, ids=lambda value: str(value) if isinstance(value, str) else ""
)
def test_every_route_declares_its_right(path: str, found: URLPattern) -> None:
    declared = hasattr(found.callback, "door") or hasattr(found.callback, "doors")
    assert declared, f"{path} is no door: declare it with accounts.doors.door"


def test_every_route_of_a_tenant_asks_for_a_right() -> None:
    assert [route for route in (*PAGES, *API) if route.door.right is None] == []


def test_every_api_door_asks_a_key_for_a_scope_that_gives_the_right() -> None:
    for route in API:
        assert route.door.scope is not None, route
        assert route.door.right in _SCOPE_RIGHTS[route.door.scope], route


@dataclass(frozen=True)
class World:
    """One of everything in Acme, and what fills a route's parameters."""

    tenant: Tenant
    space: Space
    document: Document
    version: Version
    agent: Agent
    conversation: Conversation
    other: dict[str, Any]

    def path(self, route: Route) -> str:
        filled = route.pattern
        for name, value in self._values(route).items():
            for kind in ("slug", "str", "uuid"):
                filled = filled.replace(f"<{kind}:{name}>", str(value))
        assert "<" not in filled, filled
        return "/" + filled

    def _values(self, route: Route) -> dict[str, Any]:
        uid: Any = uuid4()
        if route.name in self.other:
            uid = self.other[route.name]
        elif "document" in route.name:
            uid = self.document.uid
        elif route.name == "passage":
            uid = self.version.uid
        elif "conversation" in route.name:
            uid = self.conversation.uid
        return {"tenant": self.tenant.slug, "space": self.space.slug, "agent": self.agent.slug, "uid": uid}


@pytest.fixture
def world(in_acme: Tenant, alice: Person, bob: Person) -> World:
    space = make_space()
    document = Document(space=space, name_hash=b"n")
    document.title = "Guide"
    document.save()
    version = Version(space=space, document=document, number=1, content_hash=b"c")
    version.save()
    agent = make_agent("guide", space)
    conversation = Conversation(agent=agent, member=alice.member)
    conversation.save()
    key, _secret = create_key(alice.principal, "site", ["search"])
    invitation, _secret = invite_member(alice.principal, "new@example.com", "reader")
    other = {
        "member_role": bob.member.uid,
        "member_remove": bob.member.uid,
        "api_member": bob.member.uid,
        "invitation_withdraw": invitation.uid,
        "key_revoke": key.uid,
        "api_key": key.uid,
    }
    return World(in_acme, space, document, version, agent, conversation, other)


def _knock(client: Client, route: Route, path: str, **headers: str) -> int:
    response = client.generic(route.method, path, b"{}", content_type="application/json", headers=headers)
    return response.status_code


@pytest.mark.django_db
@pytest.mark.parametrize("route", PAGES, ids=_id)
class TestPages:
    def test_nobody_is_sent_to_the_sign_in(self, world: World, client: Client, route: Route) -> None:
        assert _knock(client, route, world.path(route)) == 302

    def test_a_stranger_finds_nothing(
        self, world: World, client: Client, charlie: Person, route: Route
    ) -> None:
        client.force_login(charlie.user)
        assert _knock(client, route, world.path(route)) == 404

    @pytest.mark.parametrize("name", ["alice", "bob", "adam", "rev", "rita"])
    def test_a_member_gets_in_by_right(
        self, world: World, client: Client, name: str, route: Route, request: pytest.FixtureRequest
    ) -> None:
        person: Person = request.getfixturevalue(name)
        client.force_login(person.user)
        status = _knock(client, route, world.path(route))
        allowed = (
            person.principal.role is Role.OWNER or route.door.right in _ROLE_RIGHTS[person.principal.role]
        )
        if allowed:
            assert status not in (401, 403, 500), status
            assert status != 404 or route.name in {"passage", "conversation_delete", "document_original"}, (
                status
            )
        else:
            assert status == 403

    def test_another_tenants_things_are_not_there_under_ones_own_name(
        self, world: World, client: Client, charlie: Person, route: Route
    ) -> None:
        client.force_login(charlie.user)
        path = world.path(route).replace(f"/t/{world.tenant.slug}/", f"/t/{charlie.tenant.slug}/")
        names_a_thing = path.count("/") > 4 and any(f"<{k}" in route.pattern for k in ("str:", "uuid:"))
        status = _knock(client, route, path)
        if names_a_thing:
            assert status in (404, 302), status
            assert status == 404 or route.name in {"invitation_withdraw", "member_role"}


@pytest.mark.django_db
@pytest.mark.parametrize("route", API, ids=_id)
class TestApi:
    def test_no_key_gets_401(self, world: World, client: Client, route: Route) -> None:
        assert _knock(client, route, world.path(route)) == 401
        assert _knock(client, route, world.path(route), authorization="Bearer cw_wrong") == 401

    def test_a_strangers_key_finds_nothing(
        self, world: World, client: Client, charlie: Person, route: Route
    ) -> None:
        if "<" not in route.pattern:
            pytest.skip("names no thing of Acme")
        with tenant_scope(charlie.tenant.id):
            _key, secret = create_key(charlie.principal, "all", [scope.value for scope in KeyScope])
        assert _knock(client, route, world.path(route), authorization=f"Bearer {secret}") == 404

    def test_a_key_without_the_scope_gets_403(
        self, world: World, client: Client, alice: Person, route: Route
    ) -> None:
        others = [scope.value for scope in KeyScope if scope is not route.door.scope]
        _key, secret = create_key(alice.principal, "others", others)
        assert _knock(client, route, world.path(route), authorization=f"Bearer {secret}") == 403

    def test_a_key_with_the_scope_gets_in(
        self, world: World, client: Client, alice: Person, route: Route
    ) -> None:
        assert route.door.scope is not None
        _key, secret = create_key(alice.principal, "one", [route.door.scope.value])
        status = _knock(client, route, world.path(route), authorization=f"Bearer {secret}")
        assert status not in (401, 403, 500), status


def test_rights_of_objects_are_those_that_are_fetched_with_a_thing() -> None:
    assert {
        Right.READ_SPACE,
        Right.EDIT_SPACE,
        Right.MANAGE_SPACE,
        Right.ASK_AGENT,
        Right.MANAGE_AGENT,
    } == OBJECT_RIGHTS
