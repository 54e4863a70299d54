"""The embedding process as its clients, its operator and the kernel meet it."""

from __future__ import annotations

import base64
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import openai
import pytest

from knowledge.e5.server import MOST_BYTES, MOST_CHARACTERS, MOST_INPUTS
from tests.fakes.ports import free_port
from tests.knowledge.e5.serving import PROJECT, TOKEN, Serving, command, serving
from tests.knowledge.e5.test_model import QUESTIONS, TEXTS


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("e5")) as found:
        yield found


def vectors(server: Serving, **body: object) -> np.ndarray:
    with server.client() as client:
        answer = client.post("/embeddings", json={"model": "any", **body})
    assert answer.status_code == 200, answer.text
    return np.array([row["embedding"] for row in answer.json()["data"]], np.float32)


def test_the_prefix_is_the_passages_unless_the_request_says_query(server: Serving) -> None:
    text = TEXTS["ko"]
    assert np.array_equal(vectors(server, input=text), vectors(server, input=[text], input_type="passage"))
    assert not np.allclose(vectors(server, input=text), vectors(server, input=text, input_type="query"))


def test_packed_numbers_are_the_listed_ones(server: Serving) -> None:
    listed = vectors(server, input=list(TEXTS.values()))
    with server.client() as client:
        body = {"input": list(TEXTS.values()), "encoding_format": "base64"}
        rows = client.post("/embeddings", json=body).json()["data"]
    packed = np.stack([np.frombuffer(base64.b64decode(row["embedding"]), "<f4") for row in rows])
    assert np.array_equal(packed, listed) and [row["index"] for row in rows] == list(range(len(TEXTS)))


def test_tokens_are_those_of_the_usage_without_marks_and_prefix(server: Serving) -> None:
    with server.client() as client:
        counts = client.post("/tokenize", json={"input": list(TEXTS.values())}).json()["counts"]
        usage = client.post("/embeddings", json={"input": list(TEXTS.values())}).json()["usage"]
    assert sum(counts) + 4 * len(TEXTS) == usage["total_tokens"]


def test_openais_own_client_works_over_tcp(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    port = free_port()
    process = subprocess.Popen(command(tmp_path, "--port", str(port)), cwd=PROJECT)
    try:
        client = openai.OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key=TOKEN, max_retries=20)
        found = client.embeddings.create(model="multilingual-e5-small", input=list(TEXTS.values()))
        assert [row.index for row in found.data] == list(range(len(TEXTS)))
        assert len(found.data[0].embedding) == 384 and found.usage.total_tokens > 0
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/embeddings", {}, 400),
        ("/embeddings", {"input": []}, 400),
        ("/embeddings", {"input": [1, 2, 3]}, 400),
        ("/embeddings", {"input": ["a", None]}, 400),
        ("/embeddings", {"input": {"a": "b"}}, 400),
        ("/embeddings", {"input": "a", "input_type": "poem"}, 400),
        ("/embeddings", {"input": "a", "input_type": ["query"]}, 400),
        ("/embeddings", {"input": "a", "encoding_format": "int8"}, 400),
        ("/embeddings", {"input": "a", "dimensions": 256}, 400),
        ("/embeddings", {"input": ["a"] * (MOST_INPUTS + 1)}, 400),
        ("/embeddings", {"input": "a" * (MOST_CHARACTERS + 1)}, 400),
        ("/embeddings", ["a"], 400),
        ("/tokenize", {"input": 7}, 400),
        ("/completions", {"input": "a"}, 404),
    ],
)
def test_what_cannot_be_done_is_said_and_the_next_request_works(
    server: Serving, path: str, body: object, status: int
) -> None:
    with server.client() as client:
        answer = client.post(path, json=body)
        assert answer.status_code == status
        assert answer.json()["error"]["message"]
        assert client.post("/embeddings", json={"input": "a"}).status_code == 200


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"input": "a"'])
def test_a_body_that_is_no_json_is_said_to_be_none(server: Serving, content: bytes) -> None:
    with server.client() as client:
        assert client.post("/embeddings", content=content).status_code == 400


@pytest.mark.parametrize("token", [None, "another", TOKEN[:-1], TOKEN + "x", "tok\u00e9n"])
def test_only_the_token_opens_it(server: Serving, token: str | None) -> None:
    head = {"Authorization": f"Bearer {token}".encode("latin-1")} if token else {}
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(server.socket)), headers=head) as client:
        for path in ("embeddings", "tokenize"):
            assert client.post(f"http://e5/v1/{path}", json={"input": "a"}).status_code == 401


def raw(server: Serving, head: str) -> bytes:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(str(server.socket))
        connection.sendall(head.replace("\n", "\r\n").encode())
        return connection.recv(64)


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (f"Content-Length: {MOST_BYTES + 1}", b"413"),
        ("Content-Length: -5", b"411"),
        ("Content-Length: many", b"411"),
        ("Transfer-Encoding: chunked", b"411"),
    ],
)
def test_too_much_is_refused_before_it_is_sent(server: Serving, header: str, status: bytes) -> None:
    said = raw(server, f"POST /v1/embeddings HTTP/1.1\nAuthorization: Bearer {TOKEN}\n{header}\n\n")
    assert said.split()[1] == status


def test_a_question_is_answered_long_before_the_batch_that_came_first(server: Serving) -> None:
    text, ends = TEXTS["en"] * 10, []
    batch = threading.Thread(
        target=lambda: (vectors(server, input=[text] * 64), ends.append(time.monotonic()))
    )
    batch.start()
    time.sleep(0.3)
    asked = []
    for question in QUESTIONS.values():
        began = time.monotonic()
        vectors(server, input=question, input_type="query")
        asked.append(time.monotonic() - began)
    assert not ends, "the batch was over before the questions"
    left = time.monotonic()
    batch.join()
    assert sorted(asked)[len(asked) // 2] < (ends[0] - left) / 4


def test_its_socket_is_its_users_alone(server: Serving) -> None:
    assert stat.S_IMODE(server.socket.stat().st_mode) == 0o600


def test_its_log_holds_no_text(server: Serving) -> None:
    secret = "Xylophonkonzert"
    with server.client() as client:
        for body in (
            {"input": secret},
            {"input": [secret, 1]},
            {"input": secret, "input_type": secret},
            {secret: 1},
        ):
            client.post("/embeddings", json=body)
        client.post(f"/{secret}", json={})
        client.post("/embeddings", content=secret.encode())
    raw(server, f"{secret} / HTTP/9\n\n")
    assert server.process.poll() is None
    assert secret not in server.log.read_text()


@pytest.mark.slow
def test_at_the_end_what_waits_is_refused_and_the_socket_goes(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        answers = []

        def ask() -> None:
            with server.client() as client:
                answers.append(
                    client.post("/embeddings", json={"input": [TEXTS["de"] * 10] * 400}).status_code
                )

        asker = threading.Thread(target=ask)
        asker.start()
        time.sleep(0.5)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0
        assert time.monotonic() - began < 8
        asker.join()
        assert answers == [503]
        assert not server.socket.exists()


@pytest.mark.slow
def test_one_that_ends_leaves_its_successors_socket(tmp_path: Path) -> None:
    with serving(tmp_path) as first, serving(tmp_path) as second:
        first.process.terminate()
        first.process.wait(30)
        assert second.socket.exists()
        assert vectors(second, input="a").shape == (1, 384)


PARENT = """
import subprocess, sys, time
print(subprocess.Popen(sys.argv[1:]).pid, flush=True)
time.sleep(600)
"""


@pytest.mark.slow
def test_it_dies_with_its_parent_when_told_to(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    path = tmp_path / "s"
    words = command(tmp_path, "--socket", str(path), "--die-with-parent")
    parent = subprocess.Popen([sys.executable, "-c", PARENT, *words], cwd=PROJECT, stdout=subprocess.PIPE)
    child = int((parent.stdout or sys.exit()).readline())
    wait_for(path.exists)
    parent.kill()
    parent.wait()
    wait_for(lambda: is_gone(child))
    assert not path.exists()


def wait_for(condition: object, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (ProcessLookupError, FileNotFoundError):
        return True


@pytest.mark.parametrize("words", [(), ("--socket", "a", "--port", "1")])
def test_it_wants_one_address(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    assert subprocess.run(command(tmp_path, *words), cwd=PROJECT, capture_output=True).returncode == 2


def test_it_does_not_run_without_a_token(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(" \n")
    ran = subprocess.run(command(tmp_path, "--socket", str(tmp_path / "s")), cwd=PROJECT, capture_output=True)
    assert ran.returncode == 2 and not (tmp_path / "s").exists()
