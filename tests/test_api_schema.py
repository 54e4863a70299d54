"""What the API answers is what its OpenAPI document says: each answer is held against it, and no key may be unsaid."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from accounts.scope import tenant_scope
from accounts.services import create_key
from accounts.types import KeyScope
from knowledge.work import work_once
from tests.factories import Person

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "# Pump\n\nThe pump is covered for 26 months from delivery.\n\n# Lamp\n\nThe lamp weighs 900 grams.\n"


@dataclass
class Caller:
    """Calls doors with a key that may all, and holds what comes back against the schema."""

    client: Client
    secret: str
    schema: dict[str, Any]

    def call(self, method: str, door: str, body: dict[str, Any] | None = None, **names: str) -> Any:
        """What a door answers to a request as the document wants it. Raises where it refuses."""
        operation = self.operation(method, door)
        if body is not None:
            asked = operation["requestBody"]["content"]["application/json"]["schema"]
            assert self.faults(asked, body) == [], (method, door)
        response = self.send(method, door, body, names)
        code = str(response.status_code)
        assert code in operation["responses"], (method, door, code, response.content)
        if response.status_code == 204:
            return None
        return self.held(operation["responses"][code], response)

    def refused(self, method: str, door: str, body: dict[str, Any] | None = None, **names: str) -> Any:
        """The problem that a door answers with."""
        response = self.send(method, door, body, names)
        assert response.status_code >= 400
        problem = self.held(self.operation(method, door)["responses"]["default"], response)
        assert problem["status"] == response.status_code
        return problem

    def operation(self, method: str, door: str) -> Any:
        return self.schema["paths"][f"/api/v1{door}"][method.lower()]

    def send(self, method: str, door: str, body: dict[str, Any] | None, names: dict[str, str]) -> Any:
        return self.client.generic(
            method,
            "/api/v1" + door.format(**names),
            "" if body is None else json.dumps(body),
            content_type="application/json",
            headers={"Authorization": f"Bearer {self.secret}"},
        )

    def held(self, said: Any, response: Any) -> Any:
        """The answer, held against what is said of it."""
        kind = response.headers["Content-Type"].split(";")[0]
        assert self.faults(said["content"][kind]["schema"], response.json()) == []
        return response.json()

    def faults(self, shape: dict[str, Any], said: Any) -> list[str]:
        validator = Draft202012Validator({**shape, "components": self.schema["components"]})
        return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(said)]


def _closed(node: Any) -> Any:
    """The schema with every object closed: a key that it does not name is a fault."""
    if isinstance(node, list):
        return [_closed(one) for one in node]
    if not isinstance(node, dict):
        return node
    inner = {name: _closed(one) for name, one in node.items()}
    if inner.get("type") == "object" and "properties" in inner:
        inner.setdefault("additionalProperties", False)
    return inner


@pytest.fixture
def caller(client: Client, bundled_model: None, alice: Person) -> Iterator[Caller]:
    schema = client.get("/api/schema/", headers={"Accept": "application/json"}).json()
    with tenant_scope(alice.tenant.id):
        _key, secret = create_key(alice.principal, "all", [scope.value for scope in KeyScope])
    yield Caller(client, secret, _closed(schema))


def test_the_document_is_openapi_3_1(caller: Caller) -> None:
    assert caller.schema["openapi"].startswith("3.1")


def test_every_answer_is_as_the_document_says(caller: Caller) -> None:
    call = caller.call
    space = call("POST", "/spaces", {"name": "Pumps", "slug": "pumps"})
    call("GET", "/spaces")
    call("GET", "/spaces/{space}", space="pumps")
    call("PATCH", "/spaces/{space}", {"restricted": True}, space="pumps")
    made = call("POST", "/spaces/{space}/documents", {"text": TEXT, "filename": "a.md"}, space="pumps")
    again = call("POST", "/spaces/{space}/documents", {"text": TEXT, "filename": "a.md"}, space="pumps")
    assert (made["duplicate"], again["duplicate"]) == (False, True)
    while work_once():
        pass
    call("GET", "/spaces/{space}/documents", space="pumps")
    call("GET", "/spaces/{space}/documents/{uid}", space="pumps", uid=made["id"])
    found = call("POST", "/search", {"spaces": ["pumps"], "query": "How long is the pump covered?"})
    assert found["passages"]
    call("POST", "/agents", {"name": "Desk", "slug": "desk", "spaces": [space["id"]]})
    call("GET", "/agents")
    call("GET", "/agents/{agent}", agent="desk")
    call("PATCH", "/agents/{agent}", {"name": "The desk"}, agent="desk")
    for question in ("How many months is the pump covered?", "Who wrote the anthem of Peru?"):
        told = call("POST", "/answers", {"agent": "desk", "question": question, "trace": True})
        assert told["trace"]
    call("POST", "/spaces/{space}/documents/{uid}/retry", space="pumps", uid=made["id"])
    call(
        "DELETE", "/spaces/{space}/documents/{uid}", {"confirm": made["title"]}, space="pumps", uid=made["id"]
    )
    call("DELETE", "/agents/{agent}", {"confirm": "The desk"}, agent="desk")
    call("DELETE", "/spaces/{space}", {"confirm": "Pumps"}, space="pumps")


def test_keys_and_members_are_as_the_document_says(caller: Caller, bob: Person) -> None:
    call = caller.call
    key = call("POST", "/keys", {"name": "site", "scopes": ["search"]})
    call("GET", "/keys")
    call("DELETE", "/keys/{uid}", uid=key["id"])
    call("GET", "/members")
    call("POST", "/invitations", {"email": "new@example.com", "role": "reader"})
    call("PATCH", "/members/{uid}", {"role": "reader"}, uid=str(bob.member.uid))
    call("DELETE", "/members/{uid}", uid=str(bob.member.uid))


def test_a_refusal_is_a_problem_as_the_document_says(caller: Caller) -> None:
    refused = caller.refused
    assert refused("GET", "/spaces/{space}", space="none")["status"] == 404
    assert refused("POST", "/keys", {"name": "site", "scopes": ["everything"]})["errors"]
    assert refused("POST", "/answers", {"agent": "none", "question": "Is it there?"})["status"] == 404
    assert refused("POST", "/answers", {"agent": "none"})["errors"]
    caller.call("POST", "/spaces", {"name": "Pumps", "slug": "pumps"})
    assert refused("DELETE", "/spaces/{space}", {"confirm": "Lamps"}, space="pumps")["status"] == 400
    assert refused("DELETE", "/spaces/{space}", space="pumps")["errors"]


def test_a_form_is_refused_where_the_document_names_json_alone(caller: Caller) -> None:
    """In a form what is left out reads as false: a rename would open a restricted space."""
    caller.call("POST", "/spaces", {"name": "Secret", "slug": "secret", "restricted": True})
    kinds = caller.operation("PATCH", "/spaces/{space}")["requestBody"]["content"]
    assert list(kinds) == ["application/json"]
    response = caller.client.generic(
        "PATCH",
        "/api/v1/spaces/secret",
        "name=Renamed",
        content_type="application/x-www-form-urlencoded",
        headers={"Authorization": f"Bearer {caller.secret}"},
    )
    assert response.status_code == 415
    renamed = caller.call("PATCH", "/spaces/{space}", {"name": "Renamed"}, space="secret")
    assert (renamed["name"], renamed["restricted"]) == ("Renamed", True)
