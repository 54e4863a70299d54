from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts import queries, services
from accounts.errors import Absent, Forbidden, Refused
from accounts.models import ApiKey, AuditEntry, Invitation, Member, Tenant
from accounts.scope import tenant_scope
from accounts.types import KeyScope, Role
from tests.factories import PASSWORD, Person

pytestmark = pytest.mark.django_db


def test_a_new_tenant_has_an_owner_and_a_first_audit_row(alice: Person) -> None:
    tenant = services.create_tenant("한빛 계측", alice.user, slug="hanbit")
    assert queries.member_principal(tenant.id, alice.user.id).role is Role.OWNER  # type: ignore[union-attr]
    with tenant_scope(tenant.id):
        assert [entry.verb for entry in AuditEntry.objects.all()] == ["create_tenant"]
    with pytest.raises(Refused, match="slug_taken"):
        services.create_tenant("Other", alice.user, slug="hanbit")


def test_an_invited_person_joins_once(in_acme: Tenant, alice: Person) -> None:
    _invitation, secret = services.invite_member(alice.principal, "New@Example.com", "editor")
    tenant, user = services.accept_invitation(secret, user=None, password=PASSWORD)
    assert (tenant, user.email) == (in_acme, "new@example.com")
    assert queries.member_principal(tenant.id, user.id).role is Role.EDITOR  # type: ignore[union-attr]
    with pytest.raises(Absent):
        services.accept_invitation(secret, user=None, password=PASSWORD)


def test_an_invitation_is_for_the_invited_address(in_acme: Tenant, alice: Person, charlie: Person) -> None:
    _invitation, secret = services.invite_member(alice.principal, "new@example.com", "editor")
    with pytest.raises(Refused, match="wrong_person"):
        services.accept_invitation(secret, user=charlie.user)
    _invitation, secret = services.invite_member(alice.principal, charlie.user.email, "reader")
    with pytest.raises(Refused, match="sign_in_first"):
        services.accept_invitation(secret, user=None, password=PASSWORD)
    services.accept_invitation(secret, user=charlie.user)
    assert Member.objects.filter(user=charlie.user).exists()


def test_an_invitation_ends(in_acme: Tenant, alice: Person) -> None:
    invitation, secret = services.invite_member(alice.principal, "new@example.com", "editor")
    Invitation.objects.filter(id=invitation.id).update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(Absent):
        services.find_invitation(secret)
    with pytest.raises(Absent):
        services.find_invitation("no such secret")


@pytest.mark.parametrize("name", ["bob", "adam", "rev", "rita"])
def test_only_an_owner_manages_members_and_keys(
    in_acme: Tenant, alice: Person, name: str, request: pytest.FixtureRequest
) -> None:
    person: Person = request.getfixturevalue(name)
    acts = (
        lambda: services.invite_member(person.principal, "x@example.com", "reader"),
        lambda: services.change_role(person.principal, person.member.uid, "owner"),
        lambda: services.remove_member(person.principal, alice.member.uid),
        lambda: services.create_key(person.principal, "x", ["search"]),
    )
    for act in acts:
        with pytest.raises(Forbidden):
            act()


def test_the_last_owner_stays(in_acme: Tenant, alice: Person, bob: Person) -> None:
    with pytest.raises(Refused, match="last_owner"):
        services.change_role(alice.principal, alice.member.uid, "reader")
    with pytest.raises(Refused, match="last_owner"):
        services.remove_member(alice.principal, alice.member.uid)
    services.change_role(alice.principal, bob.member.uid, "owner")
    services.change_role(alice.principal, alice.member.uid, "reader")


def test_a_member_of_another_tenant_is_absent(in_acme: Tenant, alice: Person, charlie: Person) -> None:
    for act in (services.remove_member, services.revoke_key):
        with pytest.raises(Absent):
            act(alice.principal, charlie.member.uid)


def test_a_key_is_shown_once_and_found_by_its_hash(in_acme: Tenant, alice: Person) -> None:
    key, secret = services.create_key(alice.principal, "site", ["answers", "search", "answers"])
    found = queries.key_principal(secret)
    assert found is not None and found[1] == key
    assert found[0].scopes == {KeyScope.ANSWERS, KeyScope.SEARCH}
    assert secret.encode() not in bytes(ApiKey.objects.get().secret_hash)
    services.revoke_key(alice.principal, key.uid)
    assert queries.key_principal(secret) is None
    with pytest.raises(Absent):
        services.revoke_key(alice.principal, key.uid)


@pytest.mark.parametrize("secret", ["", "cw_", "cw_unknown", "Bearer", "cw_\x00", "한국어"])
def test_a_wrong_key_is_nobody(db: None, secret: str) -> None:
    assert queries.key_principal(secret) is None


def test_a_key_makes_no_stronger_key(in_acme: Tenant, alice: Person) -> None:
    weak = alice.key_principal(KeyScope.KEYS, KeyScope.SEARCH)
    services.create_key(weak, "x", ["search"])
    with pytest.raises(Refused, match="scope_beyond_own"):
        services.create_key(weak, "x", ["search", "spaces.write"])


def test_removing_a_member_stops_their_keys(in_acme: Tenant, alice: Person, bob: Person) -> None:
    services.change_role(alice.principal, bob.member.uid, "owner")
    bobs = Person(bob.user, bob.tenant, Member.objects.get(id=bob.member.id))
    _key, secret = services.create_key(bobs.principal, "x", ["search"])
    services.remove_member(alice.principal, bob.member.uid)
    assert queries.key_principal(secret) is None


def test_every_deed_leaves_a_row(in_acme: Tenant, alice: Person, bob: Person) -> None:
    services.change_role(alice.principal, bob.member.uid, "reader")
    key, _secret = services.create_key(alice.principal, "x", ["search"])
    services.revoke_key(alice.principal, key.uid)
    rows = list(AuditEntry.objects.order_by("id").values_list("verb", "member_id"))
    assert rows == [(verb, alice.member.id) for verb in ("change_role", "create_key", "revoke_key")]
