"""Who you are and where you stand."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.tenancy import TenantForeignKey, TenantModel
from accounts.types import Role

ROLES = [(role.value, role.value) for role in Role]


class Tenant(models.Model):
    """An organisation. Everything it owns carries its id; nothing crosses."""

    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email__iexact=username)


class User(AbstractBaseUser):
    """A person who signs in. Rights come from memberships alone: there is no superuser."""

    email = models.EmailField(max_length=254, unique=True)  # kept in lower case
    name = models.CharField(max_length=120, blank=True)
    language = models.CharField(max_length=8, blank=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "email"


class Member(TenantModel):
    """A person's place in a tenant."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=16, choices=ROLES)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        constraints = [models.UniqueConstraint(fields=["tenant", "user"], name="accounts_member_once")]


class Invitation(TenantModel):
    """An open offer of membership; only the hash of its secret is kept."""

    email = models.EmailField(max_length=254)
    role = models.CharField(max_length=16, choices=ROLES)
    secret_hash = models.BinaryField(unique=True)
    invited_by = TenantForeignKey(Member, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)


class ApiKey(TenantModel):
    """A bearer key `cw_...`, shown once; only its hash is kept."""

    name = models.CharField(max_length=120)
    prefix = models.CharField(max_length=12)
    secret_hash = models.BinaryField(unique=True)
    member = TenantForeignKey(Member, related_name="keys")
    scopes = ArrayField(models.CharField(max_length=20), default=list)
    agent_uid = models.UUIDField(null=True)
    origins = ArrayField(models.CharField(max_length=200), default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)


class AuditEntry(TenantModel):
    """What was done, by whom, to what. Ids only: never words of a document."""

    at = models.DateTimeField(auto_now_add=True)
    member = TenantForeignKey(Member, null=True, related_name="+")
    key = TenantForeignKey(ApiKey, null=True, related_name="+")
    verb = models.CharField(max_length=40)
    object_type = models.CharField(max_length=40, blank=True)
    object_uid = models.UUIDField(null=True)
    detail = models.JSONField(default=dict)

    class Meta(TenantModel.Meta):
        indexes = [models.Index(fields=["tenant", "-at"], name="accounts_audit_recent")]


class TenantKey(TenantModel):
    """The tenant's key, wrapped by a master key named by `master`."""

    master = models.CharField(max_length=64)
    wrapped = models.BinaryField()

    class Meta(TenantModel.Meta):
        constraints = [models.UniqueConstraint(fields=["tenant"], name="accounts_tenantkey_once")]


class ScopeKey(TenantModel):
    """A data key (one row a version) or the index key of one scope, wrapped by the tenant's key. Deleting the
    rows of a scope makes everything sealed in it unreadable."""

    kind = models.CharField(max_length=12)  # tenant, space, agent
    scope_id = models.BigIntegerField(default=0)
    purpose = models.CharField(max_length=8)  # data, index
    version = models.PositiveSmallIntegerField(default=1)
    wrapped = models.BinaryField()

    class Meta(TenantModel.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "kind", "scope_id", "purpose", "version"], name="accounts_scopekey_once"
            )
        ]


class RateWindow(models.Model):
    """Counter of one limiter in one window of time; no tenant's content, so outside the wall."""

    name = models.CharField(max_length=120)
    window = models.BigIntegerField()
    count = models.IntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "window"], name="accounts_ratewindow_once")]
