"""Nothing readable on disk: words that went through every part are in no file and no dump, and are still found."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections

from accounts.scope import tenant_scope
from accounts.services import create_key
from agents.models import Conversation, Message
from agents.services import change_agent, create_agent
from knowledge.models import Space
from knowledge.search import search
from knowledge.services import create_space, upload_document
from knowledge.work import work_once
from tests.agents.test_answers_door import Desk
from tests.factories import Person
from tests.fakes.chat_server import chat_server

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

MARKS = {
    "body": "zqxbodyvart",
    "body_ko": "쾌늏본문뱄",
    "body_zh": "龘靐正文",
    "title": "zqxtitlewomb",
    "filename": "zqxfilenook",
    "heading": "zqxheadfurl",
    "uri": "zqxurigrot",
    "external_id": "zqxexternplod",
    "question": "zqxasksmirk",
    "answer": "zqxanswerglib",
    "instructions": "zqxinstructfop",
    "model_key": "zqxsecretkeyjut",
}
TEXT = f"# {MARKS['heading']} pump\n\nThe {MARKS['body']} pump is covered for 26 months. {MARKS['body_ko']} 펌프. {MARKS['body_zh']}泵。"


def _forms(word: str) -> Iterator[bytes]:
    """The ways in which a word could lie about."""
    raw = word.encode()
    yield raw
    yield word.encode("utf-16-le")
    yield raw.hex().encode()
    yield base64.b64encode(raw).rstrip(b"=")[:-1]
    yield word.encode("unicode_escape")


def _files() -> Iterator[tuple[str, bytes]]:
    for path in Path(settings.HOME).rglob("*"):
        if path.is_file() and not path.is_symlink():
            try:
                yield str(path), path.read_bytes()
            except (PermissionError, FileNotFoundError):
                continue


def _dump() -> Iterator[tuple[str, bytes]]:
    """Every table of the database, as a dump shows it."""
    owner = connections["owner"]
    with owner.cursor() as cursor:
        cursor.execute(
            "SELECT schemaname || '.' || quote_ident(tablename) FROM pg_tables WHERE schemaname !~ '^pg_|^information'"
        )
        tables = [row[0] for row in cursor.fetchall()]
    for table in tables:
        with owner.connection.cursor() as raw, raw.copy(f"COPY {table} TO STDOUT") as copy:
            yield table, b"".join(bytes(part) for part in copy)


def test_words_are_in_no_file_and_no_dump_and_are_found(
    site: str, bundled_model: None, alice: Person
) -> None:
    with chat_server() as model, tenant_scope(alice.tenant.id):
        space = create_space(alice.principal, "Pumps", slug="pumps")
        upload_document(
            alice.principal, space, f"{MARKS['filename']}.md", TEXT.encode(), title=f"{MARKS['title']} pump",
            uri=f"https://example.com/{MARKS['uri']}", external_id=MARKS["external_id"],
        )  # fmt: skip
        while work_once():
            pass
        agent = create_agent(alice.principal, name="Desk", slug="desk", spaces=[space.uid])
        model.reply = f"The {MARKS['body']} pump {MARKS['answer']} is covered for 26 months【1】."
        change_agent(
            alice.principal, agent.slug, model_base_url=model.url, model_name="fake",
            model_key=MARKS["model_key"], instructions=MARKS["instructions"],
        )  # fmt: skip
        _key, secret = create_key(alice.principal, "site", ["answers", "trace"])
        desk = Desk(site, secret, alice)
        answer = desk.ask(
            f"How long is the {MARKS['body']} pump covered? {MARKS['question']}", trace=True
        ).json()
        assert answer["status"] == "answered" and MARKS["answer"] in answer["text"]

        for name in ("body", "body_ko", "body_zh", "title", "heading"):
            found = search(alice.principal, [Space.objects.get()], MARKS[name])
            assert found.passages and "lexical" in found.passages[0].why, name
        assert Conversation.objects.get().title.startswith("How long")
        assert MARKS["question"] in Message.objects.get(role="user").text

    seen = 0
    for place, data in (*_dump(), *_files()):
        seen += 1
        for name, word in MARKS.items():
            for form in _forms(word):
                assert form not in data, f"{name} lies in {place}"
    assert seen > 100
