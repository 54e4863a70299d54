"""Where the synchronous parts of an answer run: a bounded pool of threads, each call inside its tenant's scope.

No scope is held across a yield of a stream, and no database connection while a model talks: a call opens the
scope in its thread, and gives the thread's connections back when it ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.db import connections

from accounts.scope import tenant_scope

P = ParamSpec("P")
R = TypeVar("R")

_pool = ThreadPoolExecutor(max_workers=settings.ANSWER_THREADS, thread_name_prefix="answer")


def _scoped(tenant_id: int, act: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    try:
        with tenant_scope(tenant_id):
            return act(*args, **kwargs)
    finally:
        connections.close_all()


async def in_tenant(tenant_id: int, act: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run `act` in a thread of the pool, inside the tenant's scope, in the caller's language."""
    context = copy_context()
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(
        _pool, lambda: context.run(lambda: _scoped(tenant_id, act, *args, **kwargs))
    )
