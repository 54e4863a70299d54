"""Verbs of accounts: each owns its permission, transaction and audit row."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.text import slugify

from accounts import audit
from accounts.crypto import secret_hash
from accounts.errors import Absent, Refused
from accounts.keys import tenant_key
from accounts.models import ApiKey, Invitation, Member, Tenant, User
from accounts.permissions import require
from accounts.queries import tenant_of_invitation
from accounts.tenancy import tenant_scope
from accounts.types import KeyScope, Principal, Right, Role

INVITATION_DAYS = 14


def create_tenant(name: str, owner: User, *, slug: str = "") -> Tenant:
    """A new tenant with its key and its first owner. Raises Refused(slug_taken)."""
    slug = slug or slugify(name) or f"t-{secrets.token_hex(4)}"
    if Tenant.objects.filter(slug=slug).exists():
        raise Refused("slug_taken", "name")
    with transaction.atomic():
        tenant = Tenant.objects.create(name=name, slug=slug)
        with tenant_scope(tenant.id):
            tenant_key()
            Member(user=owner, role=Role.OWNER).save()
            audit.record(None, "create_tenant")
    return tenant


def make_user(email: str, password: str, *, name: str = "") -> User:
    """A new person. Raises Refused for a bad address, a taken one, or a weak password."""
    email = _checked_email(email)
    if User.objects.filter(email__iexact=email).exists():
        raise Refused("email_taken", "email")
    try:
        validate_password(password)
    except ValidationError as error:
        raise Refused("weak_password", "password", reason=" ".join(error.messages)) from None
    return User.objects.create_user(email, password, name=name)


def _checked_email(email: str) -> str:
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise Refused("bad_email", "email") from None
    return email


def _checked_role(role: str) -> Role:
    try:
        return Role(role)
    except ValueError:
        raise Refused("bad_role", "role") from None


def invite_member(principal: Principal, email: str, role: str) -> tuple[Invitation, str]:
    """An open invitation and its secret, which is shown once."""
    require(principal, Right.MANAGE_MEMBERS)
    email, chosen = _checked_email(email), _checked_role(role)
    if Member.objects.filter(user__email__iexact=email).exists():
        raise Refused("already_member", "email")
    secret = secrets.token_urlsafe(32)
    with transaction.atomic():
        Invitation.objects.filter(email=email, accepted_at=None).delete()
        invitation = Invitation(
            email=email,
            role=chosen,
            secret_hash=secret_hash(secret),
            invited_by_id=principal.member_id,
            expires_at=timezone.now() + timedelta(days=INVITATION_DAYS),
        )
        invitation.save()
        audit.record(principal, "invite_member", invitation, role=chosen)
    return invitation, secret


def withdraw_invitation(principal: Principal, uid: UUID) -> None:
    require(principal, Right.MANAGE_MEMBERS)
    invitation = Invitation.objects.filter(uid=uid, accepted_at=None).first()
    if invitation is None:
        raise Absent
    with transaction.atomic():
        audit.record(principal, "withdraw_invitation", invitation)
        invitation.delete()


def find_invitation(secret: str) -> tuple[Tenant, Invitation]:
    """The open invitation of a secret. Raises Absent where it is unknown, used or out of date."""
    tenant_id = tenant_of_invitation(secret)
    if tenant_id is None:
        raise Absent
    with tenant_scope(tenant_id):
        invitation = Invitation.objects.filter(
            secret_hash=secret_hash(secret), accepted_at=None, expires_at__gt=timezone.now()
        ).first()
    if invitation is None:
        raise Absent
    return Tenant.objects.get(id=tenant_id), invitation


def accept_invitation(
    secret: str, *, user: User | None, password: str = "", name: str = ""
) -> tuple[Tenant, User]:
    """Join a tenant: as the signed-in `user`, whose address must be the invited one, or as a new person.

    Raises Refused(wrong_person) for another's invitation, Refused(sign_in_first) where the invited address
    has an account already.
    """
    tenant, invitation = find_invitation(secret)
    if user is not None and user.email.lower() != invitation.email:
        raise Refused("wrong_person", "email")
    if user is None and User.objects.filter(email__iexact=invitation.email).exists():
        raise Refused("sign_in_first", "email")
    with transaction.atomic(), tenant_scope(tenant.id):
        taken = Invitation.objects.filter(id=invitation.id, accepted_at=None).update(
            accepted_at=timezone.now()
        )
        if not taken:
            raise Absent
        user = user or make_user(invitation.email, password, name=name)
        Member.objects.get_or_create(user=user, defaults={"role": invitation.role})
        audit.record(None, "accept_invitation", invitation)
    return tenant, user


def _member(uid: UUID) -> Member:
    member = Member.objects.select_related("user").select_for_update().filter(uid=uid).first()
    if member is None:
        raise Absent
    return member


def _keep_an_owner(member: Member) -> None:
    others = Member.objects.select_for_update().filter(~Q(id=member.id), role=Role.OWNER)
    if member.role == Role.OWNER and not others.exists():
        raise Refused("last_owner")


@transaction.atomic
def change_role(principal: Principal, uid: UUID, role: str) -> Member:
    """Raises Refused(last_owner) where nobody would own the tenant."""
    require(principal, Right.MANAGE_MEMBERS)
    member, chosen = _member(uid), _checked_role(role)
    if chosen is not Role.OWNER:
        _keep_an_owner(member)
    before, member.role = member.role, chosen
    member.save(update_fields=["role"])
    audit.record(principal, "change_role", member, before=before, after=chosen)
    return member


@transaction.atomic
def remove_member(principal: Principal, uid: UUID) -> None:
    """Take a person out of the tenant; the keys that they made stop working."""
    require(principal, Right.MANAGE_MEMBERS)
    member = _member(uid)
    _keep_an_owner(member)
    stopped = ApiKey.objects.filter(member=member, revoked_at=None).update(revoked_at=timezone.now())
    audit.record(principal, "remove_member", member, keys_stopped=stopped)
    member.delete()


def create_key(
    principal: Principal,
    name: str,
    scopes: Sequence[str],
    *,
    agent_uid: UUID | None = None,
    origins: Sequence[str] = (),
) -> tuple[ApiKey, str]:
    """A key and its secret, which is shown once. A key cannot make a key with more scopes than its own."""
    require(principal, Right.MANAGE_KEYS)
    try:
        chosen = sorted({KeyScope(scope) for scope in scopes})
    except ValueError:
        raise Refused("bad_scope", "scopes") from None
    if not chosen:
        raise Refused("no_scope", "scopes")
    if principal.is_key and not set(chosen) <= principal.scopes:
        raise Refused("scope_beyond_own", "scopes")
    if not name.strip():
        raise Refused("name_missing", "name")
    secret = f"cw_{secrets.token_urlsafe(32)}"
    with transaction.atomic():
        key = ApiKey(
            name=name.strip(),
            prefix=secret[:10],
            secret_hash=secret_hash(secret),
            member_id=principal.member_id,
            scopes=list(chosen),
            agent_uid=agent_uid,
            origins=list(origins),
        )
        key.save()
        audit.record(principal, "create_key", key)
    return key, secret


@transaction.atomic
def revoke_key(principal: Principal, uid: UUID) -> None:
    require(principal, Right.MANAGE_KEYS)
    key = ApiKey.objects.filter(uid=uid, revoked_at=None).first()
    if key is None:
        raise Absent
    key.revoked_at = timezone.now()
    key.save(update_fields=["revoked_at"])
    audit.record(principal, "revoke_key", key)
