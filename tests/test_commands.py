"""The commands of README as they stand there, and calls that are wrong."""

from __future__ import annotations

import io
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from config import env
from config.demo import load_demo

pytestmark = pytest.mark.django_db(transaction=True)

README = (env.BASE_DIR / "README.md").read_text(encoding="utf-8")
COMMANDS = [shlex.split(line) for line in re.findall(r"^\.venv/bin/python manage\.py (.+)$", README, re.M)]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(bundled_model: None, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in the demo's tenant: its exit status, what it said, what it complained."""
    monkeypatch.chdir(env.BASE_DIR)
    settings.HOME.mkdir(parents=True, exist_ok=True)
    load_demo()

    def call(name: str, *words: str) -> tuple[int, str, str]:
        out, err, status = io.StringIO(), io.StringIO(), 0
        try:
            call_command(name, *words, stdout=out, stderr=err)
        except SystemExit as ended:
            status = int(ended.code or 0)
        return status, out.getvalue(), err.getvalue()

    return call


def test_the_commands_of_readme_do_what_it_says(run: Run) -> None:
    assert [command[0] for command in COMMANDS] == ["ingest", "search", "ask"]
    for command in COMMANDS:
        status, said, complained = run(*command)
        assert status == 0, (command, complained)
        assert command[0] == "ingest" or "24 months" in said


def test_the_request_of_readme_names_an_agent_that_is_there(run: Run) -> None:
    asked = re.search(r"-d '(\{.+\})'", README)
    assert asked is not None
    body = json.loads(asked[1])
    assert run("ask", body["question"], "--agent", body["agent"])[0] == 0


def test_a_wrong_name_is_told_with_the_right_ones(run: Run) -> None:
    status, said, complained = run("ask", "How long is the warranty?", "--agent", "guide")
    assert (status, said) == (2, "") and "'guide'" in complained and "hanbit-desk" in complained
    status, said, complained = run("search", "warranty", "--space", "none", "--json")
    assert (status, said) == (2, "") and "'none'" in complained and "hanbit" in complained
    status, said, complained = run("search", "warranty", "--space", "hanbit", "--tenant", "nobody")
    assert (status, said) == (2, "") and "nobody" in complained


def test_a_wrong_request_of_a_batch_does_not_end_the_others(run: Run, tmp_path: Path) -> None:
    batch = tmp_path / "batch.jsonl"
    rows = [
        {"id": 1, "question": "How long is the warranty?"},
        {"id": 2, "question": "How long is the warranty?", "agent": "guide"},
        {"id": "셋", "question": ""},
        {"id": 4, "question": "보증 기간은 얼마나 되나요?"},
    ]
    batch.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    status, said, _ = run("ask", "--agent", "hanbit-desk", "--batch", str(batch), "--json")
    results = [json.loads(line) for line in said.splitlines()]
    assert status == 1
    assert [row["id"] for row in results] == [1, 2, "셋", 4]
    assert ["error" in row for row in results] == [False, True, True, False]


@pytest.mark.parametrize("fields", [{"spaces": [1]}, {"spaces": "nowhere"}, {"limit": "many"}, {"spaces": 7}])
def test_a_field_of_another_kind_does_not_end_a_batch(
    run: Run, tmp_path: Path, fields: dict[str, object]
) -> None:
    batch = tmp_path / "batch.jsonl"
    rows = [{"id": 1, "query": "warranty", **fields}, {"id": 2, "query": "warranty", "spaces": "hanbit"}]
    batch.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    status, said, _ = run("search", "--space", "hanbit", "--batch", str(batch), "--json")
    first, second = (json.loads(line) for line in said.splitlines())
    assert (status, first["id"], first["error"], second["id"]) == (1, 1, "wrong_call", 2)
    assert second["passages"]
