"""Which broker carries the ticks: the database's own queue, Redis by QUEUE_URL, or none that leaves the process in
tests."""

from __future__ import annotations

import dramatiq
from django.conf import settings
from dramatiq.brokers.redis import RedisBroker
from dramatiq.brokers.stub import StubBroker
from dramatiq_postgres.django.middleware import DbConnectionsMiddleware

# Of a million: with dramatiq's own 1,000 what a killed worker had taken is handed out again only after minutes.
_MAINTENANCE_CHANCE = 200_000
_HEARTBEAT_MS = 10_000


def set_broker() -> None:
    """Put another broker in the place of the database's, where one is asked for. Called when all apps are loaded,
    before any actor is declared."""
    if settings.TESTING:
        broker: dramatiq.Broker = StubBroker()
    elif settings.QUEUE_URL:
        broker = RedisBroker(  # type: ignore[no-untyped-call]
            url=settings.QUEUE_URL, maintenance_chance=_MAINTENANCE_CHANCE, heartbeat_timeout=_HEARTBEAT_MS
        )
        broker.add_middleware(DbConnectionsMiddleware())
    else:
        return
    dramatiq.set_broker(broker)
