"""The verbs on spaces and documents: who may, what is recognised, and that deleted means gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import connections, transaction

from accounts.errors import Absent, Forbidden, KeyUnavailable, Refused
from accounts.keys import forget_keys, scope_keys
from accounts.models import AuditEntry, ScopeKey
from accounts.scope import tenant_scope
from accounts.tenancy import TenantModel
from accounts.types import KeyScope, Right
from knowledge import services
from knowledge.errors import DocumentBusy, RefusedInput
from knowledge.files import delete_doomed, drop_files
from knowledge.models import (
    Chunk,
    Document,
    DoomedFile,
    InSpace,
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
from knowledge.queries import read_parsed
from knowledge.search import search
from knowledge.storage import get_store
from tests.factories import Person
from tests.fakes.embedding_server import EmbeddingServer
from tests.knowledge.conftest import work
from tests.knowledge.test_ingest import TEXTS, assert_counts_are_true, put

pytestmark = pytest.mark.django_db(transaction=True)


def stored(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


class TestRights:
    def test_a_reader_may_not_change_what_is_there(self, space: Space, bob: Person, rita: Person) -> None:
        done = put(bob, space, "a.txt", "Some text.")
        for verb in (
            lambda who: put(who, space, "b.txt", "Other text."),
            lambda who: services.retry_version(who.principal, done.version),
            lambda who: services.cancel_version(who.principal, done.version),
            lambda who: services.delete_document(who.principal, done.document, confirm="a"),
            lambda who: services.change_space(who.principal, space.slug, name="Mine", restricted=False),
            lambda who: services.delete_space(who.principal, space.slug, confirm=space.name),
            lambda who: services.share_space(who.principal, space.slug, who.member.uid, Right.MANAGE_SPACE),
            lambda who: services.create_space(who.principal, "Mine"),
        ):
            with pytest.raises(Forbidden):
                verb(rita)
        assert services.read_original(rita.principal, done.version) == b"Some text."
        assert (Document.objects.count(), Space.objects.get().name) == (1, "Handbook")

    def test_a_restricted_space_is_open_to_its_grants_alone(
        self, space: Space, alice: Person, bob: Person, rita: Person
    ) -> None:
        services.change_space(alice.principal, space.slug, name=space.name, restricted=True)
        space.refresh_from_db()
        done = put(alice, space, "a.txt", "Some text.")
        with pytest.raises(Forbidden):
            services.read_original(rita.principal, done.version)
        services.share_space(alice.principal, space.slug, rita.member.uid, Right.READ_SPACE)
        assert services.read_original(rita.principal, done.version) == b"Some text."
        with pytest.raises(Forbidden):
            put(rita, space, "b.txt", "Other text.")
        services.share_space(alice.principal, space.slug, rita.member.uid, Right.EDIT_SPACE)
        put(rita, space, "b.txt", "Other text.")
        services.share_space(alice.principal, space.slug, rita.member.uid, None)
        with pytest.raises(Forbidden):
            services.read_original(rita.principal, done.version)

    def test_a_key_for_reading_does_not_write(self, space: Space, bob: Person) -> None:
        with pytest.raises(Forbidden):
            services.upload_document(bob.key_principal(KeyScope.SPACES_READ), space, "a.txt", b"Some text.")
        services.upload_document(bob.key_principal(KeyScope.SPACES_WRITE), space, "a.txt", b"Some text.")

    def test_to_a_stranger_a_space_is_not_there(self, space: Space, charlie: Person) -> None:
        with tenant_scope(charlie.tenant.id):
            for verb in (
                lambda: services.delete_space(charlie.principal, space.slug, confirm=space.name),
                lambda: services.change_space(charlie.principal, space.slug, name="Mine", restricted=False),
                lambda: services.share_space(charlie.principal, space.slug, charlie.member.uid, None),
            ):
                with pytest.raises(Absent):
                    verb()

    def test_every_verb_leaves_a_row_in_the_trail_without_words(self, space: Space, bob: Person) -> None:
        done = put(bob, space, "a.txt", "Some text.", title="Secret title")
        services.cancel_version(bob.principal, done.version)
        services.retry_version(bob.principal, done.version)
        services.share_space(bob.principal, space.slug, bob.member.uid, Right.MANAGE_SPACE)
        services.change_space(bob.principal, space.slug, name="New", restricted=False)
        services.delete_document(bob.principal, done.document, confirm="Secret title")
        services.delete_space(bob.principal, space.slug, confirm="New")
        rows = AuditEntry.objects.order_by("id")
        verbs = ["create_space", "upload_document", "cancel_version", "retry_version", "share_space"]
        verbs += ["change_space", "delete_document", "delete_space"]
        assert [row.verb for row in rows] == verbs
        assert {row.member_id for row in rows} == {bob.member.id}
        assert "Secret" not in str([row.detail for row in rows])


class TestSameFile:
    @pytest.mark.parametrize("language", TEXTS)
    def test_the_same_bytes_are_recognised_and_nothing_is_queued(
        self, language: str, space: Space, bob: Person
    ) -> None:
        name, text, _words = TEXTS[language]
        first = put(bob, space, name, text)
        for other in (name, f"copy of {name}"):
            again = put(bob, space, other, text)
            assert again.is_duplicate and not again.is_new and again.document.id == first.document.id
        assert (Document.objects.count(), Version.objects.count(), Job.objects.count()) == (1, 1, 1)

    def test_the_same_bytes_in_another_space_are_another_document(self, space: Space, bob: Person) -> None:
        other = services.create_space(bob.principal, "Other", slug="other")
        first, second = put(bob, space, "a.txt", "Some text."), put(bob, other, "a.txt", "Some text.")
        assert second.is_new and not second.is_duplicate
        assert bytes(first.version.content_hash) != bytes(second.version.content_hash), "keyed by the space"
        assert bytes(first.document.name_hash) != bytes(second.document.name_hash)

    def test_what_failed_may_be_put_in_again(self, space: Space, bob: Person, plant: EmbeddingServer) -> None:
        plant.mood = "refused"
        put(bob, space, "a.txt", "Some text.")
        work()
        plant.mood = "well"
        again = put(bob, space, "a.txt", "Some text.")
        assert not again.is_duplicate and again.version.number == 2
        work()
        assert_counts_are_true(space)

    def test_going_back_to_an_older_content_is_a_new_version(self, space: Space, bob: Person) -> None:
        for text in ("Ten days.", "Fourteen days.", "Ten days."):
            done = put(bob, space, "a.txt", text)
        assert (done.version.number, done.is_duplicate) == (3, False)

    def test_two_folders_may_hold_a_file_of_one_name(self, space: Space, bob: Person) -> None:
        put(bob, space, "readme.md", "Of the first.", folder="first")
        assert put(bob, space, "readme.md", "Of the second.", folder="second").is_new
        assert not put(bob, space, "readme.md", "Of the second, again.", folder="second").is_new

    def test_an_id_names_a_document_whatever_its_file_is_called(self, space: Space, bob: Person) -> None:
        first = put(bob, space, "a.txt", "Same text.", external_id="one", title="First")
        assert put(bob, space, "b.txt", "Same text.", external_id="two").is_new
        again = put(bob, space, "c.txt", "New text.", external_id="one", title="Renamed")
        assert again.document.id == first.document.id and again.document.title == "Renamed"
        assert put(bob, space, "one", "A file called like an id.").is_new

    @pytest.mark.parametrize(
        ("name", "data", "code"),
        [
            ("a.txt", b"", "empty_file"),
            ("a.exe", b"MZ\x90\x00" + b"\0" * 64, "unknown_format"),
            ("a.pdf", b"this is no document of that kind", "not_what_name_says"),
        ],
    )
    def test_what_cannot_be_read_at_all_is_refused_before_anything_is_kept(
        self, name: str, data: bytes, code: str, space: Space, bob: Person, files: Path
    ) -> None:
        with pytest.raises(RefusedInput) as refused:
            services.upload_document(bob.principal, space, name, data)
        assert refused.value.code == code
        assert not Document.objects.exists() and not stored(files)

    def test_a_file_that_is_too_large_is_refused(self, space: Space, bob: Person, settings: Any) -> None:
        settings.MAX_UPLOAD_BYTES = 100
        with pytest.raises(RefusedInput, match="too_large"):
            put(bob, space, "a.txt", "Much text. " * 20)


class TestDelete:
    @pytest.fixture
    def full(self, space: Space, bob: Person) -> Space:
        for name, text, _words in TEXTS.values():
            put(bob, space, name, text)
        work()
        put(bob, space, "leave.txt", TEXTS["en"][1] + " And one more.")
        work()
        put(bob, space, "leave.txt", TEXTS["en"][1] + " And another one, still to be done.")
        space.refresh_from_db()
        return space

    def test_the_title_has_to_be_typed(self, full: Space, bob: Person) -> None:
        document = Document.objects.select_related("space").first()
        assert document is not None
        with pytest.raises(Refused, match="name_does_not_match"):
            services.delete_document(bob.principal, document, confirm="something else")
        with pytest.raises(Refused, match="name_does_not_match"):
            services.delete_space(bob.principal, full.slug, confirm="handbook?")
        assert Document.objects.count() == len(TEXTS)

    def test_a_deleted_document_leaves_nothing_to_be_found(
        self, full: Space, bob: Person, files: Path
    ) -> None:
        for document in list(Document.objects.select_related("space")):
            keys = list(StoredFile.objects.filter(version__document=document).values_list("key", flat=True))
            words = {text: words for _name, text, words in TEXTS.values()}
            services.delete_document(bob.principal, document, confirm=document.title)
            for model in (Version, Chunk):
                assert not model.objects.filter(document_id=document.id).exists()
            for key in keys:
                with pytest.raises(FileNotFoundError):
                    get_store().get(key)
        work()
        for model in (Document, Version, Chunk, TermCount, Vector, StagedVector, StoredFile, DoomedFile):
            assert not model.objects.exists(), model
        assert not stored(files)
        assert_counts_are_true(full)
        for text in words.values():
            assert not search(bob.principal, [full], text).passages

    def test_others_stay_as_they_were(self, full: Space, bob: Person) -> None:
        gone = next(d for d in Document.objects.select_related("space") if d.filename == "leave.txt")
        services.delete_document(bob.principal, gone, confirm=gone.title)
        work()
        assert_counts_are_true(full)
        assert Document.objects.count() == len(TEXTS) - 1
        assert search(bob.principal, [full], TEXTS["ko"][2]).passages[0].text in TEXTS["ko"][1]
        assert not [p for p in search(bob.principal, [full], "paid leave") if "paid leave" in p.text]

    def test_a_deleted_space_leaves_no_row_no_file_and_no_key(
        self, full: Space, bob: Person, files: Path
    ) -> None:
        version = Version.objects.select_related("space", "document").filter(state=VersionState.READY)[0]
        parsed = read_parsed(version)
        assert parsed is not None and stored(files)
        sealed = bytes(Chunk.objects.all()[0].text_sealed)
        services.delete_space(bob.principal, full.slug, confirm=full.name)
        work()
        for model in apps.get_app_config("knowledge").get_models():
            if issubclass(model, InSpace) or model in (
                Space,
                VectorSet,
                Vector,
                StagedVector,
                TermCount,
                DoomedFile,
            ):
                assert not model.objects.exists(), model
        assert not ScopeKey.objects.filter(kind="space", scope_id=full.id).exists()
        assert not stored(files)
        assert not Job.objects.filter(state__in=[JobState.READY, JobState.RUNNING]).exists()
        forget_keys()
        with pytest.raises(KeyUnavailable):
            scope_keys("space", full.id, create=False).unseal(sealed, "anywhere")

    def test_a_deleted_spaces_index_goes_with_it(self, full: Space, bob: Person, settings: Any) -> None:
        settings.EXACT_SCAN_ROWS = 3
        put(bob, full, "more.txt", "A text that makes it large.")
        work()
        assert VectorSet.objects.get().indexed
        services.delete_space(bob.principal, full.slug, confirm=full.name)
        with connections["owner"].cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'knowledge_vector_hnsw%'")
            assert cursor.fetchone() == (0,)

    def test_what_is_being_worked_on_may_be_deleted(self, space: Space, bob: Person) -> None:
        from knowledge import ingest

        for step in ("parse", "chunk", "embed", "publish"):
            done = put(bob, space, f"{step}.txt", f"Text of {step}.")
            version = Version.objects.select_related("space", "document").get(id=done.version.id)
            while version.step != step:
                ingest.run_step(version)
            services.delete_document(bob.principal, done.document, confirm=done.document.title)
            assert not work() or not Version.objects.exists()
        assert_counts_are_true(space)

    def test_files_that_an_ended_process_left_are_deleted_by_the_next_worker(
        self, space: Space, bob: Person, files: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        done = put(bob, space, "a.txt", "Some text.")
        work()
        monkeypatch.setattr(
            "knowledge.files.delete_doomed", lambda: None
        )  # the process ends after its commit
        services.delete_document(bob.principal, done.document, confirm=done.document.title)
        monkeypatch.undo()
        assert stored(files)
        work()
        assert not stored(files) and not DoomedFile.objects.exists()

    def test_a_deletion_that_is_taken_back_keeps_the_bytes(self, in_acme: Any, files: Path) -> None:
        key = get_store().put(b"sealed")
        with pytest.raises(RuntimeError), transaction.atomic():
            drop_files([key])
            raise RuntimeError
        delete_doomed()
        assert get_store().get(key) == b"sealed"


def test_a_version_that_is_being_worked_on_is_not_retried_twice(space: Space, bob: Person) -> None:
    done = put(bob, space, "a.txt", "Some text.")
    with pytest.raises(DocumentBusy):
        services.retry_version(bob.principal, done.version)
    assert Job.objects.count() == 1


def test_files_are_sealed_before_they_reach_the_store(space: Space, bob: Person, files: Path) -> None:
    marker = "zqxplainmarker"
    put(bob, space, f"{marker}.txt", f"{marker} stands here.", title=f"About {marker}")
    work()
    assert len(stored(files)) == 2
    assert not [path for path in stored(files) if marker.encode() in path.read_bytes() or marker in str(path)]


def test_a_sealed_file_opens_in_its_own_place_alone(space: Space, bob: Person) -> None:
    first, second = put(bob, space, "a.txt", "The first."), put(bob, space, "b.txt", "The second.")
    keys = {row.version_id: row.key for row in StoredFile.objects.all()}
    StoredFile.objects.filter(version=first.version).update(key=keys[second.version.id])
    with pytest.raises(KeyUnavailable):
        services.read_original(bob.principal, first.version)


def test_every_row_in_a_space_is_a_tenants_own() -> None:
    assert all(issubclass(model, TenantModel) for model in apps.get_app_config("knowledge").get_models())
