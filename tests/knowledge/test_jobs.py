"""Work as rows: shared out fairly, taken over when its worker dies, never done by two."""

from __future__ import annotations

import itertools
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, connections, transaction
from django.utils import timezone

from accounts.models import Tenant
from accounts.scope import tenant_scope
from knowledge import jobs
from knowledge.jobs import Claim
from knowledge.models import Job, JobState
from tests.factories import make_space

pytestmark = pytest.mark.django_db(transaction=True)


def queue(tenant: Tenant, number: int = 1) -> list[int]:
    """So many jobs of a tenant that are due, in their order."""
    with tenant_scope(tenant.id):
        due = timezone.now() - timedelta(minutes=1)
        rows = [
            Job(kind="probe", run_after=due + timedelta(milliseconds=n), deadline=due + timedelta(hours=1))
            for n in range(number)
        ]
        return [row.id for row in Job.objects.bulk_create(rows)]


def claimed() -> Claim:
    claim = jobs.claim()
    assert claim is not None
    return claim


def expire(claim: Claim) -> None:
    with tenant_scope(claim.tenant):
        Job.objects.filter(id=claim.job).update(leased_until=timezone.now() - timedelta(seconds=1))


def test_nothing_is_due_where_nothing_waits(acme: Tenant) -> None:
    assert jobs.claim() is None
    assert not jobs.open_jobs_anywhere()


def test_jobs_of_a_tenant_are_claimed_in_order_each_once(acme: Tenant) -> None:
    wanted = queue(acme, 5)
    assert [claimed().job for _ in wanted] == wanted
    assert jobs.claim() is None


def test_a_job_before_its_time_is_left(acme: Tenant) -> None:
    (job,) = queue(acme)
    with tenant_scope(acme.id):
        Job.objects.filter(id=job).update(run_after=timezone.now() + timedelta(minutes=5))
    assert jobs.claim() is None
    assert not jobs.open_jobs_anywhere()


def test_a_tenant_with_thousands_waiting_does_not_keep_another_waiting(acme: Tenant, rival: Tenant) -> None:
    queue(acme, 5000)
    for _ in range(4):
        claimed()
    queue(rival)
    assert claimed().tenant == rival.id


def test_turns_alternate_while_jobs_end_at_once(acme: Tenant, rival: Tenant) -> None:
    queue(acme, 30)
    queue(rival, 30)
    served: list[int] = []
    for _ in range(20):
        claim = claimed()
        served.append(claim.tenant)
        with tenant_scope(claim.tenant):
            assert jobs.finish(claim)
    assert Counter(served) == {acme.id: 10, rival.id: 10}
    assert all(a != b for a, b in itertools.pairwise(served))


def test_running_jobs_are_shared_out_evenly(acme: Tenant, rival: Tenant) -> None:
    queue(acme, 50)
    queue(rival, 50)
    assert Counter(claimed().tenant for _ in range(10)) == {acme.id: 5, rival.id: 5}


def test_workers_that_claim_at_once_never_get_the_same_job(acme: Tenant, rival: Tenant) -> None:
    wanted = {*queue(acme, 40), *queue(rival, 40)}

    def take(_: int) -> list[int]:
        try:
            found = []
            while (claim := jobs.claim()) is not None:
                found.append(claim.job)
            return found
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        taken = [job for found in pool.map(take, range(4)) for job in found]
    assert sorted(taken) == sorted(wanted)


def test_a_lease_that_ran_out_is_taken_over_and_counted_as_an_attempt(acme: Tenant) -> None:
    (job,) = queue(acme)
    first = claimed()
    assert jobs.claim() is None
    expire(first)
    assert jobs.open_jobs_anywhere()
    second = claimed()
    assert second.job == job and second.lease != first.lease
    with tenant_scope(acme.id):
        assert Job.objects.get(id=job).attempts == 1


@pytest.mark.parametrize(
    "act", [jobs.renew, jobs.hand_on, jobs.finish, lambda claim: jobs.give_up(claim, "trouble")]
)
def test_a_worker_that_lost_its_lease_changes_nothing(act: Any, acme: Tenant) -> None:
    queue(acme)
    first = claimed()
    expire(first)
    second = claimed()
    with tenant_scope(acme.id):
        before = Job.objects.values().get()
        assert not act(first)
        assert Job.objects.values().get() == before
        assert act(second)


def test_a_renewed_lease_is_not_taken_over(acme: Tenant) -> None:
    queue(acme)
    claim = claimed()
    expire(claim)
    with tenant_scope(acme.id):
        assert jobs.renew(claim)
    assert jobs.claim() is None


def test_pauses_grow_until_the_attempts_are_used_up(acme: Tenant, settings: Any) -> None:
    settings.JOB_PAUSE_SECONDS, settings.JOB_ATTEMPTS = 5, 4
    queue(acme)
    pauses = []
    with tenant_scope(acme.id):
        claim = claimed()
        while jobs.put_off(claim, "backend_down"):
            job = Job.objects.get()
            assert job.state == JobState.READY and job.error_code == "backend_down"
            pauses.append(round((job.run_after - timezone.now()).total_seconds()))
            assert jobs.claim() is None
            Job.objects.update(run_after=timezone.now() - timedelta(seconds=1))
            claim = claimed()
        assert pauses == [5, 10, 20]
        assert jobs.give_up(claim, "backend_down")
        assert Job.objects.get().state == JobState.FAILED


def test_past_its_deadline_a_job_is_not_put_off(acme: Tenant) -> None:
    queue(acme)
    claim = claimed()
    with tenant_scope(acme.id):
        Job.objects.update(deadline=timezone.now() - timedelta(seconds=1))
        assert not jobs.put_off(claim, "backend_down")


def test_a_step_that_went_well_starts_the_attempts_anew(acme: Tenant) -> None:
    queue(acme)
    expire(claimed())
    claim = claimed()
    with tenant_scope(acme.id):
        assert jobs.hand_on(claim)
        assert Job.objects.get().attempts == 0


def test_a_space_has_one_job_of_a_kind_waiting(in_acme: Tenant) -> None:
    space = make_space()
    first = jobs.add_job(jobs.BASELINE, space=space)
    assert jobs.add_job(jobs.BASELINE, space=space) == first
    assert jobs.add_job(jobs.BASELINE, space=make_space("other")) != first
    assert jobs.add_job(jobs.INDEX, space=space) != first


def test_a_claim_shows_ids_of_a_tenant_and_nothing_else(acme: Tenant) -> None:
    queue(acme)
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM citewell_claim_job(60)")
        assert [column.name for column in cursor.description] == ["id", "tenant_id", "lease"]
        cursor.execute("SELECT count(*) FROM knowledge_job")
        assert cursor.fetchone() == (0,), "no scope is open"


def test_a_job_cannot_be_queued_for_another_tenant(in_acme: Tenant, rival: Tenant) -> None:
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO knowledge_job (uid, tenant_id, kind, state, attempts, run_after, deadline, error_code, created_at) "
            "VALUES (gen_random_uuid(), %s, 'probe', 'ready', 0, now(), now(), '', now())",
            [rival.id],
        )
