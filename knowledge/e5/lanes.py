"""Two lanes to one model: questions, which somebody waits for, and passages, which are many."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from knowledge.e5.load import Model

Embedded = tuple[NDArray[np.float32], int]

NICENESS = 10
"""Of the passages' threads: beside two of them a question's thread gets some nine tenths of a core (sched(7))."""
MOST_WAITING = 8192
"""Passages in the queue, about ten minutes of work for two cores: what comes then is asked to come again later."""


class Busy(Exception):
    """As many passages wait as may."""


class Stopping(Exception):
    """The process ends; what was waiting is not done."""


class Lanes:
    """A question runs at once in its asker's thread, at most as many as there are cores; passages are shared out
    over as many threads of lower priority. So a question never waits behind a batch of passages."""

    def __init__(self, model: Model, cores: int | None = None) -> None:
        self._model = model
        count = cores or len(os.sched_getaffinity(0))
        self._questions = threading.BoundedSemaphore(count)
        self._passages = ThreadPoolExecutor(count, "passages", initializer=_step_back)
        self._waiting = 0
        self._stopped = False
        self._lock = threading.Lock()

    def urgent(self, text: str, kind: str) -> Embedded:
        """A question, or a short sentence that somebody waits for."""
        with self._questions:
            return self._model.embed(text, kind)

    def many(self, texts: Sequence[str], kind: str) -> list[Embedded]:
        """In the order of the texts. Raises Busy and Stopping."""
        with self._lock:
            if self._waiting and self._waiting + len(texts) > MOST_WAITING:
                raise Busy
            self._waiting += len(texts)
        try:
            if self._stopped:
                raise Stopping
            return list(self._passages.map(lambda text: self._model.embed(text, kind), texts))
        except CancelledError:
            raise Stopping from None
        except RuntimeError:
            if self._stopped:  # while they were handed over
                raise Stopping from None
            raise
        finally:
            with self._lock:
                self._waiting -= len(texts)

    def stop(self) -> None:
        """Drop what waits; what is running ends by itself, within one text."""
        self._stopped = True
        self._passages.shutdown(wait=False, cancel_futures=True)


def _step_back() -> None:
    """Lower the priority of this thread alone: Linux keeps one for each thread."""
    with suppress(OSError, AttributeError):
        thread = threading.get_native_id()
        now = os.getpriority(os.PRIO_PROCESS, thread)
        os.setpriority(os.PRIO_PROCESS, thread, min(19, now + NICENESS))
