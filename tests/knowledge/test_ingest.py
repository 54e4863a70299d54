"""From a file to passages that are found: whole, once, and never half."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pymupdf
import pytest
from django.utils import timezone

from accounts.scope import current_tenant_id
from knowledge import ingest, jobs, services
from knowledge.errors import Overtaken
from knowledge.models import (
    Chunk,
    Document,
    Job,
    JobState,
    Space,
    StagedVector,
    StoredFile,
    TermCount,
    Vector,
    VectorSet,
    Version,
    VersionState,
)
from knowledge.search import search
from knowledge.services import Upload
from tests.factories import Person
from tests.fakes.embedding_server import MODEL, EmbeddingServer
from tests.knowledge.conftest import work
from tests.knowledge.texts import paragraphs

pytestmark = pytest.mark.django_db(transaction=True)

# language: a file's name, its text, words to find it by
TEXTS = {
    "en": ("leave.txt", "Annual leave\n\nEvery employee has 25 days of paid leave.", "paid leave"),
    "ko": ("휴가.txt", "연차 휴가\n\n모든 직원은 25일의 유급 휴가를 받는다.", "유급 휴가"),
    "zh": ("休假.txt", "年假\n\n每位员工有二十五天带薪休假。", "带薪休假"),
    "ja": ("休暇.txt", "年次休暇\n\n社員は全員、二十五日の有給休暇を取得できる。", "有給休暇"),
    "de": (
        "urlaub.txt",
        "Jahresurlaub\n\nJede Angestellte hat 25 Tage bezahlten Urlaub.",
        "bezahlten Urlaub",
    ),
    "es": (
        "permiso.txt",
        "Vacaciones anuales\n\nCada empleado tiene 25 días de permiso retribuido.",
        "permiso retribuido",
    ),
    "fr": ("congé.txt", "Congé annuel\n\nChaque employé a 25 jours de congé payé.", "congé payé"),
}


def put(person: Person, space: Space, name: str, text: str, **more: Any) -> Upload:
    return services.upload_document(person.principal, space, name, text.encode(), **more)


def current(document: Document) -> str:
    """What readers see of a document: its published text, in order."""
    return "\n".join(chunk.text for chunk in Chunk.objects.filter(document=document).order_by("ordinal"))


def assert_counts_are_true(space: Space) -> None:
    """The space's counts are those of its published chunks, and every chunk has its vector."""
    chunks = list(Chunk.objects.filter(space=space))
    terms = Counter(term for chunk in chunks for term in chunk.terms)
    held = dict(TermCount.objects.filter(space=space).values_list("term", "chunks"))
    assert held == dict(terms)
    space.refresh_from_db()
    assert (space.chunk_count, space.term_count) == (len(chunks), sum(chunk.length for chunk in chunks))
    assert Vector.objects.filter(set__space=space).count() == len(chunks)
    assert not Chunk.objects.exclude(version__in=Document.objects.values("current")).exists()
    assert not StagedVector.objects.exists()


@pytest.mark.parametrize("language", TEXTS)
def test_a_file_becomes_a_passage_that_its_words_find(language: str, space: Space, bob: Person) -> None:
    name, text, words = TEXTS[language]
    done = put(bob, space, name, text)
    assert done.is_new and done.version.state == VersionState.QUEUED
    work()
    version = Version.objects.get()
    assert (version.state, version.step, version.error_code) == (VersionState.READY, "done", "")
    assert version.chunks == version.vectors == Chunk.objects.count() > 0
    assert version.characters > 0 and version.finished_at is not None
    assert Document.objects.get().current_id == version.id
    space.refresh_from_db()
    (found,) = search(bob.principal, [space], words)
    assert found.text in text and words in found.text
    assert_counts_are_true(space)


def test_in_a_space_of_seven_languages_each_is_found_by_its_own_words(space: Space, bob: Person) -> None:
    for name, text, _words in TEXTS.values():
        put(bob, space, name, text)
    work()
    space.refresh_from_db()
    for name, text, words in TEXTS.values():
        first = search(bob.principal, [space], words).passages[0]
        assert first.text in text, name
    assert_counts_are_true(space)


def test_nothing_is_left_behind_but_the_original_and_the_parsed_text(space: Space, bob: Person) -> None:
    put(bob, space, "a.txt", "Some text.")
    work()
    assert set(StoredFile.objects.values_list("purpose", flat=True)) == {"original", "parsed"}
    assert not Job.objects.exclude(state=JobState.DONE).exists()


def test_a_new_file_under_an_old_name_replaces_what_is_found(space: Space, bob: Person) -> None:
    first = put(bob, space, "rules.txt", "The limit is ten days.")
    work()
    second = put(bob, space, "RULES.txt", "The limit is fourteen days.")
    assert not second.is_new and second.document.id == first.document.id and second.version.number == 2
    assert current(first.document) == "The limit is ten days.", "until the new one is published"
    work()
    assert current(first.document) == "The limit is fourteen days."
    assert_counts_are_true(space)


def test_a_changed_paragraph_embeds_one_chunk(space: Space, bob: Person, plant: EmbeddingServer) -> None:
    put(bob, space, "a.md", paragraphs("alpha", "beta", "gamma", "delta"))
    work()
    before = Version.objects.get().chunks
    plant.embedded.clear()
    put(bob, space, "a.md", paragraphs("alpha", "beta", "gamma", "delta").replace("Delta7 ", "Changed "))
    work()
    newest = Version.objects.get(number=2)
    assert newest.state == VersionState.READY and newest.chunks == before >= 4
    embedded = [text for text in plant.embedded if "stands here" in text]
    assert len(embedded) == 1 and "Changed" in embedded[0]
    assert_counts_are_true(space)


def test_the_same_text_twice_in_a_document_is_embedded_once(
    space: Space, bob: Person, plant: EmbeddingServer
) -> None:
    section = paragraphs("alpha")
    put(bob, space, "a.md", f"{section}\n\n{section}\n\n{section}")
    work()
    assert Chunk.objects.count() >= 3
    embedded = Counter(text for text in plant.embedded if "stands here" in text)
    assert set(embedded.values()) == {1}
    assert_counts_are_true(space)


def test_a_version_that_fails_leaves_the_old_one_serving(
    space: Space, bob: Person, plant: EmbeddingServer
) -> None:
    document = put(bob, space, "a.txt", "The old text.").document
    work()
    plant.mood = "refused"
    put(bob, space, "a.txt", "The new text.")
    work()
    newest = Version.objects.get(number=2)
    assert (newest.state, newest.error_code) == (VersionState.FAILED, "backend_refused")
    assert current(document) == "The old text."
    assert [passage.text for passage in search_when_well(plant, bob, space, "old text")] == ["The old text."]
    services.retry_version(bob.principal, newest)
    work()
    assert current(document) == "The new text."
    assert_counts_are_true(space)


def search_when_well(plant: EmbeddingServer, person: Person, space: Space, words: str) -> list[Any]:
    plant.mood = "well"
    space.refresh_from_db()
    return list(search(person.principal, [space], words))


@pytest.mark.parametrize(
    ("mood", "code"),
    [
        ("down", "backend_down"),
        ("dropped", "backend_down"),
        ("refused", "backend_refused"),
        ("no_json", "backend_down"),
        ("no_object", "backend_down"),
        ("no_vectors", "backend_down"),
        ("too_few", "backend_down"),
        ("not_finite", "backend_down"),
        ("zero", "backend_down"),
        ("other_dimension", "dimension_changed"),
    ],
)
def test_a_backend_that_misbehaves_ends_in_a_reason_and_a_retry_mends_it(
    mood: str, code: str, space: Space, bob: Person, plant: EmbeddingServer
) -> None:
    put(bob, space, "first.txt", "The first text.")
    work()
    plant.mood = mood
    done = put(bob, space, "second.txt", "The second text.")
    work()
    version = Version.objects.get(id=done.version.id)
    assert (version.state, version.error_code) == (VersionState.FAILED, code)
    assert not Chunk.objects.filter(version=version).exists()
    assert [passage.text for passage in search_when_well(plant, bob, space, "first text")] == [
        "The first text."
    ]
    services.retry_version(bob.principal, version)
    work()
    assert Version.objects.get(id=version.id).state == VersionState.READY
    assert_counts_are_true(space)


def test_a_backend_that_is_too_slow_ends_in_a_reason(
    space: Space, bob: Person, plant: EmbeddingServer, settings: Any
) -> None:
    put(bob, space, "first.txt", "The first text.")
    work()
    settings.EMBEDDING_SECONDS = 1
    plant.delay = 1.5
    done = put(bob, space, "second.txt", "The second text.")
    work()
    version = Version.objects.get(id=done.version.id)
    assert (version.state, version.error_code) == (VersionState.FAILED, "backend_down")
    assert_counts_are_true(space)


def test_while_the_backend_is_down_the_editor_sees_why_it_takes_long(
    space: Space, bob: Person, plant: EmbeddingServer, settings: Any
) -> None:
    settings.JOB_PAUSE_SECONDS = 60
    plant.mood = "down"
    put(bob, space, "a.txt", "Some text.")
    work()
    version = Version.objects.get()
    assert (version.state, version.step, version.error_code) == (
        VersionState.WORKING,
        "embed",
        "backend_down",
    )
    plant.mood = "well"
    Job.objects.update(run_after=timezone.now())
    work()
    version.refresh_from_db()
    assert (version.state, version.error_code) == (VersionState.READY, "")


def test_another_model_does_not_mix_its_vectors_in(space: Space, bob: Person, settings: Any) -> None:
    put(bob, space, "a.txt", "The first text.")
    work()
    settings.EMBEDDING_MODEL = "another"
    put(bob, space, "b.txt", "The second text.")
    work()
    version = Version.objects.order_by("-id")[0]
    assert (version.state, version.error_code) == (VersionState.FAILED, "model_changed")
    assert VectorSet.objects.get().model == MODEL


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.pdf", b"%PDF-1.7\nnothing of a document", "damaged"),
        ("a.html", b"<html><script>alert(1)</script></html>", "no_text"),
    ],
)
def test_a_file_that_cannot_be_read_ends_failed_and_its_neighbours_ready(
    name: str, data: bytes, code: str, space: Space, bob: Person
) -> None:
    for number in range(3):
        put(bob, space, f"{number}.txt", f"Text number {number}.")
    bad = services.upload_document(bob.principal, space, name, data)
    work()
    version = Version.objects.get(id=bad.version.id)
    assert (version.state, version.error_code) == (VersionState.FAILED, code)
    assert set(Version.objects.exclude(id=version.id).values_list("state", flat=True)) == {VersionState.READY}
    assert_counts_are_true(space)


def test_a_document_with_pages_that_were_not_read_is_partial_and_names_them(
    space: Space, bob: Person
) -> None:
    with pymupdf.open() as document:
        for number in range(4):
            page = document.new_page()
            if number in (1, 3):
                picture = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 300, 400))
                picture.set_rect(picture.irect, (90, 60, 30))
                page.insert_image(page.rect, pixmap=picture)
            else:
                page.insert_text((72, 72), f"Page {number + 1} tells how the pump is oiled, step by step.")
        data = document.tobytes()
    services.upload_document(bob.principal, space, "scan.pdf", data)
    work()
    version = Version.objects.get()
    assert (version.state, version.pages, version.pages_unread) == (VersionState.PARTIAL, 4, [2, 4])
    assert "Page 3" in current(version.document)
    services.retry_version(bob.principal, version)
    work()
    assert Version.objects.get().state == VersionState.PARTIAL
    assert_counts_are_true(space)


@pytest.mark.parametrize("step", ["parse", "chunk", "embed", "publish"])
def test_each_step_may_be_done_again_from_its_beginning(step: str, space: Space, bob: Person) -> None:
    """As after a worker's death: the step's work was done, what comes next was not written down."""
    put(bob, space, "a.md", paragraphs("alpha", "beta"))
    while (version := Version.objects.select_related("space", "document").get()).step != step:
        ingest.run_step(version)
    before = {"step": version.step, "state": version.state}
    ingest.run_step(version)
    if step != "publish":  # it is one transaction: either nothing of it happened, or all
        Version.objects.update(**before)
    work()
    assert Version.objects.get().state == VersionState.READY
    assert_counts_are_true(space)


@pytest.mark.parametrize("step", ["parse", "chunk", "embed", "publish"])
def test_a_worker_that_comes_late_changes_nothing(step: str, space: Space, bob: Person) -> None:
    put(bob, space, "a.md", paragraphs("alpha", "beta"))
    while (late := Version.objects.select_related("space", "document").get()).step != step:
        ingest.run_step(late)
    work()
    before = Version.objects.values().get()
    with pytest.raises(Overtaken):
        ingest.run_step(late)
    assert Version.objects.values().get() == before
    assert before["state"] == VersionState.READY
    assert_counts_are_true(space)


def test_a_job_whose_version_went_on_elsewhere_goes_on_from_there(space: Space, bob: Person) -> None:
    """A worker that was thought dead wrote down its step after another one had taken the job over."""
    put(bob, space, "a.txt", "Some text.")
    claim = jobs.claim()
    assert claim is not None
    late = Version.objects.select_related("space", "document").get()
    Job.objects.update(leased_until=timezone.now())
    ingest.run_step(late)
    assert Version.objects.get().step == "chunk"
    work()
    assert Version.objects.get().state == VersionState.READY
    assert not Job.objects.exclude(state=JobState.DONE).exists()


def test_an_older_version_that_comes_late_does_not_replace_a_newer_one(space: Space, bob: Person) -> None:
    first = put(bob, space, "a.txt", "The old text.")
    Job.objects.update(run_after=timezone.now() + timezone.timedelta(hours=1))
    put(bob, space, "a.txt", "The new text.")
    work()
    Job.objects.update(run_after=timezone.now())
    work()
    assert current(first.document) == "The new text."
    assert Version.objects.get(number=1).state == VersionState.READY
    assert_counts_are_true(space)


@pytest.mark.parametrize("step", ["parse", "chunk", "embed", "publish"])
def test_a_cancelled_version_stops_and_may_be_taken_up_again(step: str, space: Space, bob: Person) -> None:
    document = put(bob, space, "a.md", paragraphs("alpha")).document
    work()
    put(bob, space, "a.md", paragraphs("beta"))
    while (version := Version.objects.select_related("space", "document").get(number=2)).step != step:
        ingest.run_step(version)
    services.cancel_version(bob.principal, version)
    assert not work()
    with pytest.raises(Overtaken):
        ingest.run_step(version)
    assert Version.objects.get(number=2).state == VersionState.CANCELLED
    assert "Alpha1 " in current(document) and "Beta1 " not in current(document)
    services.retry_version(bob.principal, version)
    work()
    assert "Beta1 " in current(document) and "Alpha1 " not in current(document)
    assert_counts_are_true(space)


def test_a_job_that_kills_its_workers_is_given_up_with_a_reason(space: Space, bob: Person) -> None:
    put(bob, space, "a.txt", "Some text.")
    for _ in range(3):
        assert jobs.claim() is not None
        Job.objects.update(leased_until=timezone.now())
    work()
    version = Version.objects.get()
    assert (version.state, version.error_code) == (VersionState.FAILED, "worker_died")


def test_an_error_nobody_foresaw_ends_the_document_and_tells_the_log_no_words(
    space: Space, bob: Person, caplog: pytest.LogCaptureFixture
) -> None:
    put(bob, space, "a.txt", "MARKERWORD stands here.")
    version = Version.objects.select_related("space", "document").get()
    ingest.run_step(version)
    ingest.keep_json(version, "parsed", {"blocks": "MARKERWORD is no list of blocks"})
    work()
    version.refresh_from_db()
    assert (version.state, version.error_code) == (VersionState.FAILED, "trouble")
    assert "a step of job" in caplog.text
    assert "MARKERWORD" not in caplog.text and "Traceback" not in caplog.text


def test_a_long_document_is_handed_on_between_slices(
    space: Space, bob: Person, plant: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "EMBED_SECONDS", 0.05)
    monkeypatch.setattr(ingest, "EMBED_BATCH", 4)
    monkeypatch.setattr("knowledge.work.SLICE_SECONDS", 0.0)
    plant.delay = 0.05
    put(bob, space, "a.md", paragraphs(*(f"word{chr(97 + n)}x" for n in range(8))))
    assert work() >= 5
    version = Version.objects.get()
    assert version.state == VersionState.READY and version.chunks > 2 * ingest.EMBED_BATCH
    assert_counts_are_true(space)


def test_a_space_that_doubled_has_its_baseline_measured_on_its_own_passages(
    space: Space, bob: Person
) -> None:
    put(bob, space, "a.md", paragraphs("alpha", "beta", "gamma"))
    work()
    first = VectorSet.objects.get()
    assert first.baseline_samples == Chunk.objects.count() > 2
    assert 0 < first.baseline_mean < 2 and first.baseline_deviation > 0
    put(bob, space, "b.txt", "One more.")
    work()
    assert VectorSet.objects.get().baseline_samples == first.baseline_samples, "it has not doubled"
    put(bob, space, "c.md", paragraphs("delta", "epsilon", "zeta", "eta"))
    work()
    assert VectorSet.objects.get().baseline_samples == Chunk.objects.count()


def test_work_is_done_in_the_scope_of_its_tenant(space: Space, bob: Person) -> None:
    put(bob, space, "a.txt", "Some text.")
    work()
    assert current_tenant_id() == bob.tenant.id
    assert set(Job.objects.values_list("tenant_id", flat=True)) == {bob.tenant.id}


@pytest.mark.parametrize("batch", [2, 64])
def test_steps_of_different_workers_make_what_one_worker_makes(
    batch: int, space: Space, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the chunks are kept in a file (more than a batch) or made again."""
    monkeypatch.setattr(ingest, "EMBED_BATCH", batch)
    text = paragraphs(*TEXTS)
    put(bob, space, "one.md", text, external_id="one", title="Title")
    work()
    put(bob, space, "many.md", text, external_id="many", title="Title")
    while True:
        version = Version.objects.select_related("space", "document").get(
            document__external_hash__isnull=False, step__in=("parse", "chunk", "embed", "publish")
        )
        if not ingest.run_step(version):
            break
    assert StoredFile.objects.filter(purpose="drafts").count() == 0
    work()
    by_version: dict[int, list[tuple[Any, ...]]] = {}
    for chunk in Chunk.objects.order_by("ordinal"):
        by_version.setdefault(chunk.version_id, []).append(
            (chunk.ordinal, chunk.start, chunk.end, chunk.text, chunk.section, chunk.terms)
        )
    one, many = by_version.values()
    assert one == many and len(one) > 2
    assert_counts_are_true(space)
