"""The queue carries ticks alone: "there may be work". What the work is stands in the Job table, behind the wall."""

from __future__ import annotations

import dramatiq
from django.db import transaction

from knowledge.work import work_once


@dramatiq.actor(max_retries=0, time_limit=3_600_000)
def tick() -> None:
    """Do one step of the job that is due next, and come back for the following one."""
    if work_once():
        tick.send()


def tick_on_commit() -> None:
    """Wake a worker once the transaction stands. A tick that is lost is made up for by the sweeper (config/worker.py)."""
    transaction.on_commit(_send)


def _send() -> None:
    tick.send()
