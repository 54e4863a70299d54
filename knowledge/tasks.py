"""The queue carries ticks alone: "there may be work". What the work is stands in the Job table, behind the wall."""

from __future__ import annotations

import logging
import time

import dramatiq
from django.db import transaction

from knowledge.work import place_of, work_once

log = logging.getLogger("citewell.tasks")
_TICK_SECONDS = 5.0


@dramatiq.actor(max_retries=0, time_limit=3_600_000)
def tick() -> None:
    """Do what is due, step by step, for some seconds; then come back for the rest."""
    ends = time.monotonic() + _TICK_SECONDS
    try:
        while work_once():
            if time.monotonic() > ends:
                tick.send()
                return
    except (
        Exception
    ) as error:  # the broker would keep and log its words; the lease and the sweeper see to the job
        log.warning("a tick failed: %s", place_of(error))


def tick_on_commit() -> None:
    """Wake a worker once the transaction stands. A tick that is lost, or could not be sent, is made up for by the
    sweeper (config/worker.py)."""
    transaction.on_commit(_send)


def _send() -> None:
    try:
        tick.send()
    except Exception as error:
        log.warning("no tick was sent: %s", place_of(error))
