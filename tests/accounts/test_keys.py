from __future__ import annotations

import pytest
from django.db import transaction

from accounts import keys
from accounts.errors import KeyUnavailable
from accounts.models import ScopeKey, Tenant, TenantKey
from accounts.scope import tenant_scope
from knowledge.models import Document
from tests.factories import make_space

pytestmark = pytest.mark.django_db


def make_document(title: str) -> Document:
    document = Document(space=make_space(), name_hash=b"n", title=title)
    document.save()
    return document


def read_title(document: Document) -> str:
    keys.forget_keys()
    return str(Document.objects.get(id=document.id).title)


def test_words_are_read_back_and_never_stand_in_the_row(in_acme: Tenant) -> None:
    document = make_document("비밀 안내서 secret guide")
    assert b"secret guide" not in bytes(Document.objects.get().title_sealed)
    assert read_title(document) == "비밀 안내서 secret guide"


def test_an_empty_text_reads_as_empty(in_acme: Tenant) -> None:
    assert read_title(make_document("")) == ""


def test_rows_cannot_be_swapped(in_acme: Tenant) -> None:
    document = make_document("one")
    other = Document(space_id=document.space_id, name_hash=b"o", title="two")
    other.save()
    Document.objects.filter(id=document.id).update(title_sealed=other.title_sealed)
    with pytest.raises(KeyUnavailable):
        read_title(document)


def test_destroying_a_spaces_key_makes_its_words_unreadable(in_acme: Tenant) -> None:
    document = make_document("one")
    keys.destroy_scope("space", document.space_id)
    with pytest.raises(KeyUnavailable):
        read_title(document)


def test_rotating_the_tenants_key_rewrites_no_words(in_acme: Tenant) -> None:
    document = make_document("one")
    before = (bytes(document.title_sealed), bytes(TenantKey.objects.get().wrapped))
    assert keys.rotate_tenant_key() == ScopeKey.objects.count() == 2
    after = (bytes(Document.objects.get().title_sealed), bytes(TenantKey.objects.get().wrapped))
    assert after[0] == before[0] and after[1] != before[1]
    assert read_title(document) == "one"


def test_a_new_data_key_seals_new_words_while_old_ones_stay_readable(in_acme: Tenant) -> None:
    document = make_document("one")
    assert keys.add_data_key("space", document.space_id) == 2
    other = Document(space_id=document.space_id, name_hash=b"o", title="two")
    other.save()
    assert (read_title(document), read_title(other)) == ("one", "two")


def test_an_old_master_key_may_go_once_the_tenants_are_rewrapped(in_acme: Tenant, settings: object) -> None:
    old, new = keys.make_master_line("old"), keys.make_master_line("new")
    settings.MASTER_KEYS = old  # type: ignore[attr-defined]
    document = make_document("one")
    settings.MASTER_KEYS = f"{new}\n{old}"  # type: ignore[attr-defined]
    assert keys.rewrap_tenant_key() == "new"
    settings.MASTER_KEYS = new  # type: ignore[attr-defined]
    assert read_title(document) == "one"
    settings.MASTER_KEYS = old  # type: ignore[attr-defined]
    with pytest.raises(KeyUnavailable):
        read_title(document)


def test_another_tenants_key_does_not_open_a_row(in_acme: Tenant, rival: Tenant) -> None:
    document = make_document("one")
    with tenant_scope(rival.id):
        theirs = keys.scope_keys("space", document.space_id)
    with pytest.raises(KeyUnavailable):
        theirs.unseal(
            bytes(document.title_sealed), f"knowledge_document.title_sealed:{in_acme.id}:{document.uid}"
        )


def test_keys_made_in_a_transaction_that_fails_seal_nothing_afterwards(in_acme: Tenant) -> None:
    space = make_space()
    with pytest.raises(RuntimeError), transaction.atomic():
        lost = keys.scope_keys("space", space.id)
        assert keys.scope_keys("space", space.id) is lost
        raise RuntimeError
    kept = keys.scope_keys("space", space.id)
    assert kept.index != lost.index
    keys.forget_keys()
    assert keys.scope_keys("space", space.id, create=False).index == kept.index


@pytest.mark.parametrize("line", ["", "m1:short", "m1:AAAA"])
def test_a_bad_master_key_is_refused_with_a_reason(line: str) -> None:
    with pytest.raises((KeyUnavailable, ValueError)):
        keys.LocalMasterKeys(line)
