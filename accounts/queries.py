"""Reads of accounts. The first three cross tenants through functions that answer one question each."""

from __future__ import annotations

from uuid import UUID

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from accounts.crypto import secret_hash
from accounts.errors import Absent
from accounts.models import ApiKey, AuditEntry, Invitation, Member, Tenant
from accounts.scope import tenant_scope
from accounts.types import KeyScope, Principal, Role


def _one(function: str, argument: int | bytes) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [argument])
        row = cursor.fetchone()
    return row[0] if row else None


def tenants_of(user_id: int) -> list[Tenant]:
    """The tenants that a person is a member of, by name."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT citewell_tenants_of(%s)", [user_id])
        ids = [row[0] for row in cursor.fetchall()]
    return list(Tenant.objects.filter(id__in=ids).order_by("name"))


def tenant_of_key(secret: str) -> int | None:
    return _one("citewell_tenant_of_key", secret_hash(secret))


def tenant_of_invitation(secret: str) -> int | None:
    return _one("citewell_tenant_of_invitation", secret_hash(secret))


def tenant_by_slug(slug: str) -> Tenant | None:
    return Tenant.objects.filter(slug=slug).first()


def member_principal(tenant_id: int, user_id: int) -> Principal | None:
    """The principal of a person in a tenant; None for a stranger."""
    with tenant_scope(tenant_id):
        member = Member.objects.filter(user_id=user_id).values("id", "role").first()
    if member is None:
        return None
    return Principal(tenant_id, member["id"], user_id, Role(member["role"]))


def key_principal(secret: str) -> tuple[Principal, ApiKey] | None:
    """The principal of a bearer key; None where it is unknown or revoked."""
    if not secret.startswith("cw_"):
        return None
    tenant_id = tenant_of_key(secret)
    if tenant_id is None:
        return None
    with tenant_scope(tenant_id):
        key = ApiKey.objects.select_related("member").filter(secret_hash=secret_hash(secret)).first()
        if key is None or key.revoked_at is not None:
            return None
        scopes = frozenset(KeyScope(scope) for scope in key.scopes)
        principal = Principal(
            tenant_id, key.member_id, key.member.user_id, Role(key.member.role), key.id, scopes, key.agent_uid
        )
    return principal, key


def members() -> QuerySet[Member]:
    return Member.objects.select_related("user").order_by("user__email")


def get_member(uid: UUID) -> Member:
    """Raises Absent."""
    found = members().filter(uid=uid).first()
    if found is None:
        raise Absent
    return found


def open_invitations() -> QuerySet[Invitation]:
    return Invitation.objects.filter(accepted_at=None, expires_at__gt=timezone.now()).order_by("-created_at")


def active_keys() -> QuerySet[ApiKey]:
    return ApiKey.objects.select_related("member__user").filter(revoked_at=None).order_by("-created_at")


def recent_audit() -> QuerySet[AuditEntry]:
    return AuditEntry.objects.select_related("member__user").order_by("-at", "-id")
