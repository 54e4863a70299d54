"""Limiters that count in the database, one atomic statement a try: exact under concurrency, with no Redis."""

from __future__ import annotations

import time
from dataclasses import dataclass

from django.db import connection


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `most` in each window of `seconds`."""

    most: int
    seconds: int


SIGN_IN = Limit(10, 300)


def take(name: str, limit: Limit) -> bool:
    """Count one try under `name`; False where it is one too many."""
    window = int(time.time()) // limit.seconds
    with connection.cursor() as cursor:
        cursor.execute(
            'INSERT INTO accounts_ratewindow AS r (name, "window", count) VALUES (%s, %s, 1) '
            'ON CONFLICT (name, "window") DO UPDATE SET count = r.count + 1 RETURNING count',
            [name, window],
        )
        (count,) = cursor.fetchone() or (0,)
        if count == 1:
            cursor.execute(
                'DELETE FROM accounts_ratewindow WHERE name = %s AND "window" < %s', [name, window]
            )
    return bool(count <= limit.most)


def retry_after(limit: Limit) -> int:
    """Seconds until the window ends."""
    return limit.seconds - int(time.time()) % limit.seconds
