from __future__ import annotations

import threading

import pytest
from django.db import connection

from accounts.limits import Limit, take


@pytest.mark.django_db
def test_the_limit_is_per_name() -> None:
    limit = Limit(3, 3600)
    assert [take("a", limit) for _ in range(5)] == [True, True, True, False, False]
    assert take("b", limit)


@pytest.mark.django_db(transaction=True)
def test_it_counts_exactly_under_concurrency() -> None:
    limit, passed = Limit(20, 3600), []

    def try_ten() -> None:
        passed.extend(take("a", limit) for _ in range(10))
        connection.close()

    threads = [threading.Thread(target=try_ten) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert passed.count(True) == 20 and len(passed) == 60
