"""Work as rows: claimed under a lease, done in bounded steps, handed on, or given up with a reason."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Q
from django.utils import timezone

from knowledge.models import Job, JobState, Space, Version

log = logging.getLogger("citewell.jobs")

INGEST, BASELINE, INDEX, FILES = "ingest", "baseline", "index", "files"
_DEADLINE = timedelta(hours=24)
_LONGEST_PAUSE = 600


@dataclass(frozen=True, slots=True)
class Claim:
    """A job that is ours until its lease runs out."""

    job: int
    tenant: int
    lease: UUID


def add_job(kind: str, *, space: Space | None, version: Version | None = None) -> Job:
    """A job that is ready now. Of a kind without a version a space has one waiting at most."""
    if version is None:
        waiting = Job.objects.filter(kind=kind, space=space, state=JobState.READY).first()
        if waiting is not None:
            return waiting
    now = timezone.now()
    job = Job(kind=kind, space=space, version=version, run_after=now, deadline=now + _DEADLINE)
    job.save()
    return job


def claim() -> Claim | None:
    """Lease the next job of all tenants: of the one with the fewest running, then the one that waited longest. None
    where nothing is due. Called outside of any scope."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, tenant_id, lease FROM citewell_claim_job(%s)", [settings.JOB_LEASE_SECONDS]
        )
        row = cursor.fetchone()
    return Claim(*row) if row else None


def _mine(claim: Claim) -> Q:
    return Q(id=claim.job, lease=claim.lease, state=JobState.RUNNING)


def renew(claim: Claim) -> bool:
    """Lengthen the lease; False where somebody else has taken over, or the job was cancelled."""
    until = timezone.now() + timedelta(seconds=settings.JOB_LEASE_SECONDS)
    return bool(Job.objects.filter(_mine(claim)).update(leased_until=until))


def hand_on(claim: Claim, *, seconds: int = 0) -> bool:
    """Back to the queue for its next step, behind what waits already, or after some seconds."""
    due = timezone.now() + timedelta(seconds=seconds)
    return bool(
        Job.objects.filter(_mine(claim)).update(state=JobState.READY, lease=None, attempts=0, run_after=due)
    )


def finish(claim: Claim) -> bool:
    return bool(
        Job.objects.filter(_mine(claim)).update(state=JobState.DONE, lease=None, finished_at=timezone.now())
    )


def put_off(claim: Claim, code: str) -> bool:
    """Try again later, with growing pauses; False where attempts or time are used up: the caller gives it up."""
    job = Job.objects.filter(_mine(claim)).first()
    now = timezone.now()
    if job is None:
        return True
    if job.attempts + 1 >= settings.JOB_ATTEMPTS or now > job.deadline:
        return False
    pause = min(settings.JOB_PAUSE_SECONDS * 2**job.attempts, _LONGEST_PAUSE)
    Job.objects.filter(_mine(claim)).update(
        state=JobState.READY,
        lease=None,
        attempts=job.attempts + 1,
        error_code=code,
        run_after=now + timedelta(seconds=pause),
    )
    return True


def give_up(claim: Claim, code: str) -> bool:
    """End the job as failed; False where it is somebody else's by now."""
    log.warning("job %s given up: %s", claim.job, code)
    return bool(
        Job.objects.filter(_mine(claim)).update(
            state=JobState.FAILED, lease=None, error_code=code, finished_at=timezone.now()
        )
    )


def cancel_jobs(version: Version) -> int:
    """Cancel the open jobs of a version; a worker that has one finds its lease gone."""
    return Job.objects.filter(version=version, state__in=[JobState.READY, JobState.RUNNING]).update(
        state=JobState.CANCELLED, lease=None, finished_at=timezone.now()
    )


def open_jobs_anywhere() -> bool:
    """Whether any tenant has work that is due. Called outside of any scope."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT citewell_work_is_due()")
        return bool((cursor.fetchone() or (False,))[0])
