"""What a worker does with a claimed job: one step inside its tenant's scope, and what comes next written down."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connections, transaction
from django.utils import timezone

from accounts.errors import KeyUnavailable
from accounts.scope import tenant_scope
from knowledge import jobs
from knowledge.backends import embedder
from knowledge.errors import BackendDown, Overtaken, StepFailed, UnreadableFile
from knowledge.files import delete_doomed
from knowledge.index_builder import build_index, needs_index
from knowledge.ingest import OPEN_STATES, carries_on, run_step
from knowledge.jobs import Claim
from knowledge.models import Job, Version, VersionState
from knowledge.vectors import measure_baseline, needs_measuring, published_chunks, serving_set

log = logging.getLogger("citewell.work")
SLICE_SECONDS = 2.0
_LATER_SECONDS = 30
_OURS = ("accounts", "config", "knowledge")


class _Later(Exception):
    """What the job needs is taken at the moment."""


def work_once() -> bool:
    """Claim a job and do its next step; False where nothing was due."""
    claim = jobs.claim()
    if claim is None:
        return False
    with tenant_scope(claim.tenant), _kept_alive(claim):
        _run(claim)
    return True


def _run(claim: Claim) -> None:
    job = (
        Job.objects.select_related("version__document", "version__space", "space")
        .filter(id=claim.job)
        .first()
    )
    if job is None:
        return
    if job.attempts >= settings.JOB_ATTEMPTS:  # every worker that took it up died of it
        _end(claim, job, "worker_died", {})
        return
    try:
        more = _step(job)
    except UnreadableFile as error:
        _end(claim, job, error.code, dict(error.params))
    except (StepFailed, KeyUnavailable) as error:
        _end(claim, job, error.code if isinstance(error, StepFailed) else "key_unavailable", {})
    except BackendDown as error:
        _again(claim, job, "backend_down" if error.retryable else "backend_refused", retry=error.retryable)
    except _Later:
        jobs.hand_on(claim, seconds=_LATER_SECONDS)
    except Overtaken:
        _stand_back(claim, job)
    except Exception as error:  # whatever it is, the document must end; its words must not reach the log
        log.warning("a step of job %s failed: %s", job.id, place_of(error))
        close_old_connections()
        _again(claim, job, "trouble", retry=True)
    else:
        if more:
            jobs.hand_on(claim)
        else:
            with transaction.atomic():
                if jobs.finish(claim):
                    _follow_up(job)


def place_of(error: BaseException) -> str:
    """The type of an error and the line of ours that it came through last. Its message may quote a document or a
    statement, and is left out."""
    where = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = str(frame.f_globals.get("__name__", ""))
        if name.partition(".")[0] in _OURS:
            where = f" in {name}:{line}"
    return f"{type(error).__name__}{where}"


def _stand_back(claim: Claim, job: Job) -> None:
    """Another worker went on with the version, or it was cancelled or deleted. While it is open, the job goes on from
    where it is now."""
    if Version.objects.filter(id=job.version_id or 0, state__in=OPEN_STATES).exists():
        jobs.hand_on(claim)
    else:
        jobs.finish(claim)


def _again(claim: Claim, job: Job, code: str, *, retry: bool) -> None:
    """Later, while attempts and time last; the editor sees why it takes long. Then the end."""
    if retry and jobs.put_off(claim, code):
        Version.objects.filter(id=job.version_id or 0, state__in=OPEN_STATES).update(error_code=code)
    else:
        _end(claim, job, code, {})


def _step(job: Job) -> bool:
    """Steps of the job for a slice of time, at least one; True where there are more. A short document is done in one
    slice; a long one goes back behind what others wait for."""
    if job.kind == jobs.INGEST and job.version is not None:
        ends = time.monotonic() + SLICE_SECONDS
        while run_step(job.version):
            if time.monotonic() > ends and not carries_on(job.version):
                return True
        return False
    if job.kind == jobs.FILES:
        delete_doomed()
    found = serving_set(job.space_id or 0)
    if found is not None and job.kind == jobs.BASELINE:
        measure_baseline(found, embedder())
    if found is not None and job.kind == jobs.INDEX and not build_index(found):
        raise _Later
    return False


def _follow_up(job: Job) -> None:
    """What a published version may make due: a baseline measured anew, an index built."""
    found = serving_set(job.space_id or 0) if job.kind == jobs.INGEST else None
    if found is None or job.space is None:
        return
    chunks = published_chunks(found)
    if needs_measuring(found, chunks):
        jobs.add_job(jobs.BASELINE, space=job.space)
    if needs_index(found, chunks):
        jobs.add_job(jobs.INDEX, space=job.space)


def _end(claim: Claim, job: Job, code: str, params: dict[str, str | int]) -> None:
    """Give the job up, and say on its version why. What was published before goes on serving."""
    with transaction.atomic():
        if jobs.give_up(claim, code):
            Version.objects.filter(id=job.version_id or 0, state__in=OPEN_STATES).update(
                state=VersionState.FAILED, error_code=code, error_params=params, finished_at=timezone.now()
            )


@contextmanager
def _kept_alive(claim: Claim) -> Iterator[None]:
    """Renew the lease from a thread of its own while a step runs."""
    done = threading.Event()

    def renew() -> None:
        try:
            while not done.wait(settings.JOB_LEASE_SECONDS / 3):
                try:
                    with tenant_scope(claim.tenant):
                        jobs.renew(claim)
                except DatabaseError as error:
                    log.warning("the lease of job %s was not renewed: %s", claim.job, place_of(error))
                    connections.close_all()
        finally:
            connections.close_all()

    keeper = threading.Thread(target=renew, daemon=True)
    keeper.start()
    try:
        yield
    finally:
        done.set()
        keeper.join()
