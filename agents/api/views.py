"""Agents and answers by REST."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.base import principal_of
from accounts.api.paging import page
from accounts.api.problems import MEDIA_TYPE, answer_problem, field_errors, problem
from accounts.api.serializers import DeleteIn
from accounts.doors import door
from accounts.errors import Refused
from accounts.types import KeyScope, Right
from agents import queries, services
from agents.api import serializers
from agents.asking import last_event, prepare, stream_answer
from agents.sse import event_json, stream_response
from agents.types import AnswerRequest, Completed, Failed, Turn


class Agents(APIView):
    @extend_schema(operation_id="list_agents", responses=serializers.AgentOut(many=True))
    def get(self, request: Request) -> Response:
        return page(self, queries.agents_for(principal_of(request)).order_by(), serializers.AgentOut)

    @extend_schema(
        operation_id="create_agent", request=serializers.AgentIn, responses={201: serializers.AgentOut}
    )
    def post(self, request: Request) -> Response:
        wanted = serializers.AgentIn(data=request.data)
        wanted.is_valid(raise_exception=True)
        agent = services.create_agent(principal_of(request), **wanted.validated_data)
        return Response(serializers.AgentOut(agent).data, status=201)


class Agent(APIView):
    @extend_schema(operation_id="get_agent", responses=serializers.AgentOut)
    def get(self, request: Request, agent: str) -> Response:
        found = queries.get_agent(principal_of(request), Right.ASK_AGENT, agent)
        return Response(serializers.AgentOut(found).data)

    @extend_schema(operation_id="change_agent", request=serializers.AgentIn, responses=serializers.AgentOut)
    def patch(self, request: Request, agent: str) -> Response:
        queries.get_agent(principal_of(request), Right.MANAGE_AGENT, agent)
        wanted = serializers.AgentIn(data=request.data)
        wanted.is_valid(raise_exception=True)
        fields = dict(wanted.validated_data)
        fields.pop("slug", None)
        return Response(
            serializers.AgentOut(services.change_agent(principal_of(request), agent, **fields)).data
        )

    @extend_schema(operation_id="delete_agent", request=DeleteIn, responses={204: None})
    def delete(self, request: Request, agent: str) -> Response:
        queries.get_agent(principal_of(request), Right.MANAGE_AGENT, agent)
        wanted = DeleteIn(data=request.data)
        wanted.is_valid(raise_exception=True)
        services.delete_agent(principal_of(request), agent, confirm=wanted.validated_data["confirm"])
        return Response(status=204)


def _asked(data: dict[str, Any]) -> AnswerRequest:
    turns = [Turn("user" if t["role"] == "user" else "model", t["text"]) for t in data.get("messages") or ()]
    question = data.get("question") or ""
    if not question:
        question, turns = turns[-1].text, turns[:-1]
    generation = data.get("generation") or {}
    return AnswerRequest(
        question=question,
        history=tuple(turns),
        conversation=str(data["conversation"] or ""),
        store=data["store"],
        language=data["language"],
        trace=data["trace"],
        max_tokens=generation.get("max_tokens"),
        temperature=generation.get("temperature"),
    )


class Answers(APIView):
    """What the schema says of the answering door; `answers` below answers."""

    @extend_schema(
        operation_id="answer",
        request=serializers.AnswerIn,
        responses={
            (200, "application/json"): serializers.AnswerOut,
            (200, "text/event-stream"): OpenApiTypes.STR,
        },
    )
    def post(self, request: Request) -> Response:
        raise NotImplementedError


def _may_trace(principal: Any, data: dict[str, Any]) -> bool:
    return bool(data["trace"]) and KeyScope.TRACE in principal.scopes


@door(Right.ASK_AGENT, "POST", scope=KeyScope.ANSWERS)
async def answers(request: Any) -> HttpResponseBase:
    """One door for both: events where the body says `"stream": true`, else one object. Asynchronous all the way, so
    that no thread waits while a model talks."""
    try:
        body = json.loads(request.body)
    except ValueError:
        return answer_problem("invalid", 400)
    wanted = serializers.AnswerIn(data=body)
    if not isinstance(body, dict) or not wanted.is_valid():
        errors = field_errors(wanted.errors) if isinstance(body, dict) else None
        return HttpResponse(json.dumps(problem("invalid", 400, errors)), status=400, content_type=MEDIA_TYPE)
    data = wanted.validated_data
    trace = _may_trace(request.principal, data)
    try:
        prepared = await prepare(request.principal, data["agent"], _asked(data))
    except Refused as error:
        return answer_problem(error.code, 400, **error.params)
    if data["stream"]:
        return stream_response(stream_answer(prepared), shape=lambda event: event_json(event, trace=trace))
    last = await last_event(prepared)
    if isinstance(last, Completed):
        return HttpResponse(json.dumps(last.answer.to_json(trace=trace)), content_type="application/json")
    return answer_problem(last.code if isinstance(last, Failed) else "backend_down", 503)


answers.cls, answers.initkwargs = Answers, {}  # type: ignore[attr-defined]  # drf-spectacular reads them
answers.csrf_exempt = True  # type: ignore[attr-defined]
