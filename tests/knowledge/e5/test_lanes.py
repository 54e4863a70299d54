"""Two lanes: a question goes first, passages keep their order and are bounded."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from knowledge.e5.lanes import MOST_WAITING, Busy, Lanes, Stopping


class Gate:
    """A model whose passages wait until it is opened; its vector is the number that the text holds."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.begun = threading.Semaphore(0)

    def count_tokens(self, text: str) -> int:
        return 1

    def embed(self, text: str, kind: str) -> tuple[np.ndarray, int]:
        if kind == "passage":
            self.begun.release()
            assert self.opened.wait(30)
        return np.full(1, float(text), np.float32), 1


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.opened.set()


def test_a_question_is_answered_while_every_passage_waits(gate: Gate) -> None:
    lanes = Lanes(gate, cores=2)
    with ThreadPoolExecutor(1) as asker:
        passages = asker.submit(lanes.many, [str(n) for n in range(64)], "passage")
        assert gate.begun.acquire(timeout=10) and gate.begun.acquire(timeout=10)
        assert lanes.urgent("7", "query")[0] == 7
        assert not passages.done()
        gate.opened.set()
        assert [vector[0] for vector, _ in passages.result(10)] == list(range(64))


def test_more_passages_than_may_wait_are_told_to_come_again_and_then_served(gate: Gate) -> None:
    lanes = Lanes(gate, cores=1)
    with ThreadPoolExecutor(1) as asker:
        first = asker.submit(lanes.many, ["1"] * MOST_WAITING, "passage")
        assert gate.begun.acquire(timeout=10)
        with pytest.raises(Busy):
            lanes.many(["2"], "passage")
        gate.opened.set()
        assert len(first.result(30)) == MOST_WAITING
    assert lanes.many(["2"], "passage")[0][0] == 2


def test_a_stop_drops_what_waits_and_takes_no_more(gate: Gate) -> None:
    lanes = Lanes(gate, cores=1)
    with ThreadPoolExecutor(1) as asker:
        waiting = asker.submit(lanes.many, ["1"] * 20, "passage")
        assert gate.begun.acquire(timeout=10)
        lanes.stop()
        gate.opened.set()
        with pytest.raises(Stopping):
            waiting.result(10)
    with pytest.raises(Stopping):
        lanes.many(["1"], "passage")


class Fails(Gate):
    def embed(self, text: str, kind: str) -> tuple[np.ndarray, int]:
        raise RuntimeError("the engine failed")


def test_a_failure_of_the_model_is_not_taken_for_the_end(gate: Gate) -> None:
    with pytest.raises(RuntimeError, match="the engine failed"):
        Lanes(Fails(), cores=1).many(["1"], "passage")
