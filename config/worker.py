"""The worker: dramatiq's entry, with a sweeper that makes up for lost ticks.

python -m dramatiq config.worker --processes 1 --threads 4
"""

from __future__ import annotations

import logging
import os
import threading

import django
import dramatiq

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.db import connections  # noqa: E402 - after setup

from config.embedded.child import die_with_parent  # noqa: E402
from knowledge.jobs import open_jobs_anywhere  # noqa: E402
from knowledge.tasks import tick  # noqa: E402
from knowledge.work import place_of  # noqa: E402

SWEEP_SECONDS = 3.0
log = logging.getLogger("citewell.worker")

# A killed master would leave its worker processes running beside those of the next one.
die_with_parent()


class Sweeper(dramatiq.Middleware):
    """Ticks while work is due, whatever became of the messages that said so."""

    def __init__(self) -> None:
        self._stop = threading.Event()

    def after_worker_boot(self, broker: dramatiq.Broker, worker: dramatiq.Worker) -> None:
        threading.Thread(target=self._sweep, daemon=True, name="sweeper").start()

    def before_worker_shutdown(self, broker: dramatiq.Broker, worker: dramatiq.Worker) -> None:
        self._stop.set()

    def _sweep(self) -> None:
        while not self._stop.wait(SWEEP_SECONDS):
            try:
                if open_jobs_anywhere():
                    tick.send()
            except Exception as error:  # it must outlive the database, the broker and their libraries' errors
                log.warning("the sweeper could not look: %s", place_of(error))
            finally:
                connections.close_all()


broker = dramatiq.get_broker()
broker.add_middleware(Sweeper())
