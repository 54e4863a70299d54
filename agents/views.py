"""Pages of agents: the list, the settings, and the chat."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.api.problems import answer_problem
from accounts.doors import door
from accounts.errors import Refused
from accounts.http import TenantRequest
from accounts.messages import sentence
from accounts.permissions import allowed, may
from accounts.types import Right
from accounts.views import refuse
from agents import queries, services
from agents.asking import prepare, stream_answer
from agents.forms import AgentForm
from agents.models import Agent
from agents.sse import event_json, stream_response
from agents.threads import in_tenant
from agents.types import AnswerRequest, Cited, Completed, Event, SourcesFound
from knowledge.models import Space

PAGE = 50
KEPT = 100  # messages of a conversation that its page shows, the last ones


def _choices(request: TenantRequest) -> list[tuple[str, str]]:
    found = allowed(request.principal, Right.READ_SPACE, Space.objects.all()).order_by("name", "id")[:500]
    return [(str(space.uid), space.name) for space in found]


@door(Right.ENTER)
def agents(request: TenantRequest, tenant: str) -> HttpResponse:
    page = Paginator(queries.agents_for(request.principal), PAGE).get_page(request.GET.get("page"))
    manageable = set(
        allowed(request.principal, Right.MANAGE_AGENT, Agent.objects.all()).values_list("id", flat=True)
    )
    rows = [(agent, agent.id in manageable) for agent in page.object_list]
    return render(request, "agents/agents.html", {"page": page, "rows": rows})


def _initial(agent: Agent, principal: Any) -> dict[str, Any]:
    names = ("name", "welcome", "language", "restricted", "model_base_url", "model_name", "instructions")
    found: dict[str, Any] = {name: getattr(agent, name) for name in names}
    found["spaces"] = [str(space.uid) for space in queries.spaces_of(principal, agent)]
    found["examples"] = "\n".join(agent.examples or ())
    return found


def _agent_page(
    request: TenantRequest, form: AgentForm, agent: Agent | None, status: int = 200
) -> HttpResponse:
    return render(request, "agents/agent.html", {"form": form, "agent": agent}, status=status)


@door(Right.CREATE_AGENT, "GET", "POST")
def agent_create(request: TenantRequest, tenant: str) -> HttpResponse:
    form = AgentForm(request.POST or None, spaces=_choices(request))
    if request.method == "POST" and form.is_valid():
        try:
            agent = services.create_agent(request.principal, **form.cleaned_data)
        except Refused as error:
            refuse(form, error)
        else:
            return redirect("chat", tenant=tenant, agent=agent.slug)
    return _agent_page(request, form, None, 400 if form.is_bound else 200)


@door(Right.MANAGE_AGENT, "GET", "POST")
def agent_change(request: TenantRequest, tenant: str, agent: str) -> HttpResponse:
    found = queries.get_agent(request.principal, Right.MANAGE_AGENT, agent)
    form = AgentForm(
        request.POST or None, spaces=_choices(request), initial=_initial(found, request.principal)
    )
    if request.method == "POST" and form.is_valid():
        try:
            services.change_agent(request.principal, agent, **form.cleaned_data)
        except Refused as error:
            refuse(form, error)
        else:
            return redirect("chat", tenant=tenant, agent=agent)
    return _agent_page(request, form, found, 400 if form.is_bound else 200)


@door(Right.MANAGE_AGENT, "POST")
def agent_delete(request: TenantRequest, tenant: str, agent: str) -> HttpResponse:
    try:
        services.delete_agent(request.principal, agent, confirm=request.POST.get("confirm", ""))
    except Refused as error:
        messages.error(request, ". ".join(sentence(error.code)))
        return redirect("agent_change", tenant=tenant, agent=agent)
    return redirect("agents", tenant=tenant)


@door(Right.ASK_AGENT)
def chat(request: TenantRequest, tenant: str, agent: str) -> HttpResponse:
    """The chat page: empty, or with the conversation in ?conversation=."""
    found = queries.get_agent(request.principal, Right.ASK_AGENT, agent)
    conversation = None
    shown: list[dict[str, Any]] = []
    if request.GET.get("conversation"):
        conversation = queries.get_conversation(request.principal, found, request.GET["conversation"])
        kept = list(queries.messages_of(conversation).order_by("-id")[:KEPT])
        shown = [_shown(message, request) for message in reversed(kept)]
    context = {
        "agent": found,
        "conversation": conversation,
        "messages_kept": shown,
        "conversations": queries.conversations_of(request.principal, found)[:30],
        "may_manage": may(request.principal, Right.MANAGE_AGENT, found),
        "is_quoting": not found.model_base_url,
    }
    return render(request, "agents/chat.html", context)


def _shown(message: Any, request: TenantRequest) -> dict[str, Any]:
    answer = _linked(message.answer, request.tenant.slug, _slugs()) if message.answer else None
    role = "user" if message.role == "user" else "answer"
    return {
        "role": role,
        "text": message.text,
        "status": message.status,
        "answer": answer,
        "answer_id": f"answer-{message.uid}" if answer else "",
    }


def _slugs() -> dict[str, str]:
    return {str(uid): slug for uid, slug in Space.objects.values_list("uid", "slug")}


def _linked(answer: dict[str, Any], tenant: str, slugs: dict[str, str]) -> dict[str, Any]:
    """The answer with a link to each citation's passage in the console."""
    sources = {source["id"]: source for source in answer["sources"]}
    for citation in answer["citations"]:
        citation["link"] = _link(sources.get(citation["source"]), citation, tenant, slugs)
    return answer


def _link(source: dict[str, Any] | None, citation: dict[str, Any], tenant: str, slugs: dict[str, str]) -> str:
    if source is None or source["space"] not in slugs:
        return ""
    path = reverse(
        "passage", kwargs={"tenant": tenant, "space": slugs[source["space"]], "uid": source["version"]}
    )
    first = source["start"] + citation["quote_start"]
    return f"{path}?start={first}&end={first + len(citation['quote'])}"


@door(Right.ASK_AGENT, "POST")
async def chat_ask(request: Any, tenant: str, agent: str) -> HttpResponseBase:
    """Take a question from the chat page and stream the answer, citations linked to their passages."""
    await sync_to_async(queries.get_agent)(request.principal, Right.ASK_AGENT, agent)
    try:
        body = json.loads(request.body)
        question, conversation = str(body["question"]), str(body.get("conversation") or "")
    except (ValueError, KeyError, TypeError, AttributeError):
        return answer_problem("invalid", 400)
    asked = AnswerRequest(question=question, conversation=conversation)
    try:
        prepared = await prepare(request.principal, agent, asked)
    except Refused as error:
        return answer_problem(error.code, 400, **error.params)
    slugs = await in_tenant(request.principal.tenant_id, _slugs)
    return stream_response(stream_answer(prepared), shape=_Console(request.tenant.slug, slugs))


class _Console:
    """Events as the chat page takes them: each citation with its link."""

    def __init__(self, tenant: str, slugs: dict[str, str]) -> None:
        self.tenant, self.slugs = tenant, slugs
        self.sources: dict[str, dict[str, Any]] = {}

    def __call__(self, event: Event) -> tuple[str, dict[str, Any]]:
        name, data = event_json(event)
        if isinstance(event, SourcesFound):
            self.sources = {source["id"]: source for source in data["sources"]}
        elif isinstance(event, Cited):
            data["link"] = _link(self.sources.get(data["source"]), data, self.tenant, self.slugs)
        elif isinstance(event, Completed):
            data = _linked(data, self.tenant, self.slugs)
        return name, data


@door(Right.ASK_AGENT, "POST")
def conversation_delete(request: TenantRequest, tenant: str, agent: str, uid: UUID) -> HttpResponse:
    services.delete_conversation(request.principal, agent, uid)
    return redirect("chat", tenant=tenant, agent=agent)
