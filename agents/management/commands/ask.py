"""Ask an agent from the command line."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from asgiref.sync import async_to_sync

from accounts.errors import Absent
from accounts.management.base import RequestCommand, there_is_no
from accounts.messages import sentence
from accounts.types import Principal
from agents.asking import answer_question
from agents.queries import agents_for
from agents.types import AnswerRequest, Completed, Failed, Turn

_ROLES = {"user": "user", "model": "model", "assistant": "model"}


class Command(RequestCommand):
    help = "Ask an agent; the answer is the object of the API. Nothing is kept."
    field = "question"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--agent", help="slug")
        parser.add_argument("--trace", action="store_true")

    def answer(
        self, principal: Principal, request: dict[str, Any], options: dict[str, Any]
    ) -> dict[str, Any]:
        turns = [
            Turn(_ROLES.get(t.get("role"), "user"), str(t.get("text", "")))
            for t in request.get("messages") or ()
        ]
        question = str(request.get("question") or (turns[-1].text if turns else ""))
        asked = AnswerRequest(
            question=question,
            history=tuple(turns[:-1] if turns and not request.get("question") else turns),
            store=False,
            language=str(request.get("language") or ""),
        )
        agent = str(request.get("agent") or options["agent"] or "")
        try:
            event = async_to_sync(answer_question)(principal, agent, asked)
        except Absent:
            known = agents_for(principal).values_list("slug", flat=True)
            raise there_is_no("agent", agent, known) from None
        if isinstance(event, Failed):
            return {"error": event.code, "detail": ". ".join(sentence(event.code)), "failed": 1}
        assert isinstance(event, Completed)
        return event.answer.to_json(trace=options["trace"] or bool(request.get("trace")))

    def show(self, result: dict[str, Any]) -> None:
        if result.get("is_batch"):
            return
        self.stdout.write(result.get("text") or result.get("detail", ""))
        titles = {source["id"]: source["title"] for source in result.get("sources", ())}
        for citation in result.get("citations", ()):
            page = f", page {citation['page']}" if citation["page"] else ""
            self.stdout.write(f"[{citation['n']}] {titles[citation['source']]}{page}")
