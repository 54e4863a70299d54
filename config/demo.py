"""The demo tenant: a fictional maker of measuring instruments, in four languages."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asgiref.sync import async_to_sync
from django.conf import settings

from accounts.models import Member, Tenant, User
from accounts.queries import tenant_by_slug
from accounts.scope import tenant_scope
from accounts.services import create_tenant, make_user
from accounts.types import Principal, Role
from agents import services as agents
from agents.asking import answer_question
from agents.models import Agent
from agents.types import Answer, AnswerRequest, Citation, Completed, Source, Status
from config.embedded.files import secret
from knowledge import services as knowledge
from knowledge.models import Space, Version
from knowledge.queries import WORKING
from knowledge.work import work_once

FOLDER = Path(settings.BASE_DIR) / "demo"
EMAIL = "demo@citewell.local"
_WAIT_SECONDS = 180


@dataclass(frozen=True)
class Demo:
    """Where the demo can be entered, and one question that it answered."""

    email: str
    password: str
    question: str
    answer: Answer

    @property
    def is_answered(self) -> bool:
        return self.answer.status is Status.ANSWERED and bool(self.answer.citations)

    def cited(self) -> Iterator[tuple[Citation, Source]]:
        sources = {source.id: source for source in self.answer.sources}
        for citation in self.answer.citations:
            yield citation, sources[citation.source]


class NoAnswer(Exception):
    """The worked question could not be answered; the message is the code of what went wrong."""


def load_demo() -> Demo:
    """Make what is missing of the demo, wait until its documents are done, and ask its first question."""
    manifest = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    password = secret(Path(settings.HOME) / "secrets" / "demo_password")
    tenant = _tenant(password)
    with tenant_scope(tenant.id):
        principal = _owner(tenant)
        space = _space(principal, manifest)
        _agent(principal, space, manifest)
        _wait(space)
        question = str(manifest["questions"][0]["question"])
        asked = AnswerRequest(question=question, store=False)
        event = async_to_sync(answer_question)(principal, manifest["agent"]["slug"], asked)
    if not isinstance(event, Completed):
        raise NoAnswer(getattr(event, "code", "unknown"))
    return Demo(EMAIL, password, question, event.answer)


def _tenant(password: str) -> Tenant:
    found = tenant_by_slug(settings.DEMO_TENANT)
    if found is not None:
        return found
    user = User.objects.filter(email=EMAIL).first() or make_user(EMAIL, password, name="Demo")
    return create_tenant("Hanbit Instruments", user, slug=settings.DEMO_TENANT)


def _owner(tenant: Tenant) -> Principal:
    member = Member.objects.filter(role=Role.OWNER).order_by("id")[0]
    return Principal(tenant.id, member.id, member.user_id, Role.OWNER)


def _space(principal: Principal, manifest: dict[str, Any]) -> Space:
    wanted = manifest["space"]
    space = Space.objects.filter(slug=wanted["slug"]).first()
    if space is not None:
        return space
    space = knowledge.create_space(principal, wanted["name"], slug=wanted["slug"])
    for document in manifest["documents"]:
        path = FOLDER / document["file"]
        knowledge.upload_document(principal, space, path.name, path.read_bytes(), title=document["title"])
    return space


def _agent(principal: Principal, space: Space, manifest: dict[str, Any]) -> None:
    wanted = manifest["agent"]
    if not Agent.objects.filter(slug=wanted["slug"]).exists():
        examples = [row["question"] for row in manifest["questions"]][::3]
        agents.create_agent(
            principal,
            name=wanted["name"],
            slug=wanted["slug"],
            welcome=wanted["welcome"],
            spaces=[space.uid],
            examples=examples,
        )


def _wait(space: Space) -> None:
    """Until the documents are done, doing the work here too where no worker is quicker."""
    deadline = time.monotonic() + _WAIT_SECONDS
    while Version.objects.filter(space=space, state__in=WORKING).exists() and time.monotonic() < deadline:
        if not work_once():
            time.sleep(0.1)
