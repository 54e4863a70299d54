"""The wall: no tenant, no rows.

A scope is opened at entrances only (middleware, task base, command base, test helper). Inside one, every
tenant-owned manager filters to that tenant and every new row belongs to it; outside one, both raise. The
database holds the same line a second time: accounts/postgresql sets `app.tenant` for row-level security.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self, TypeVar
from uuid import uuid4

from django.db import models

from accounts.errors import WrongScope
from accounts.scope import across_tenants, current_tenant_id, is_wall_down, tenant_scope

__all__ = [
    "ClosedManagerMixin",
    "TenantForeignKey",
    "TenantManager",
    "TenantModel",
    "across_tenants",
    "current_tenant_id",
    "tenant_scope",
]

M = TypeVar("M", bound="TenantModel")


class TenantQuerySet(models.QuerySet[M]):
    def bulk_create(self, objs: Iterable[M], *args: Any, **kwargs: Any) -> list[M]:
        rows = list(objs)
        for row in rows:
            row.check_scope()
        return super().bulk_create(rows, *args, **kwargs)


class ClosedManagerMixin:
    """Mixed into any manager of a tenant-owned model."""

    def get_queryset(self) -> Any:
        queryset = super().get_queryset()  # type: ignore[misc]
        if is_wall_down():
            return queryset
        return queryset.filter(tenant_id=current_tenant_id())


class TenantManager(ClosedManagerMixin, models.Manager[M]):
    """Raises without a scope, filters inside one."""

    _queryset_class = TenantQuerySet


class TenantModel(models.Model):
    """Base of every tenant-owned model. `uid` is the id that leaves the house; `id` never does."""

    uid = models.UUIDField(default=uuid4, unique=True, editable=False)
    tenant = models.ForeignKey("accounts.Tenant", on_delete=models.CASCADE, related_name="+")

    objects = TenantManager()

    class Meta:
        abstract = True
        base_manager_name = "objects"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not args and "tenant" not in kwargs:  # rows read from the database come as positional values
            kwargs.setdefault("tenant_id", current_tenant_id())
        super().__init__(*args, **kwargs)

    def check_scope(self) -> None:
        """Raises WrongScope unless the row belongs to the open scope's tenant."""
        if not is_wall_down() and self.tenant_id != current_tenant_id():
            raise WrongScope(f"{type(self).__name__} belongs to another tenant than the scope")

    def save_base(self, *args: Any, **kwargs: Any) -> None:
        self.check_scope()
        super().save_base(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        self.check_scope()
        return super().delete(*args, **kwargs)

    @classmethod
    def get_by_uid(cls, uid: object) -> Self:
        return cls.objects.get(uid=uid)


class TenantForeignKey(models.ForeignKey):  # type: ignore[type-arg]
    """A key between rows of one tenant. The database constraint is the composite (parent, tenant) key that
    accounts/walls.py adds in the migration, so Django's own single-column constraint is left out; deletion
    cascades there too, without loading rows."""

    def __init__(self, to: Any, on_delete: Any = models.DO_NOTHING, **kwargs: Any) -> None:
        kwargs["db_constraint"] = False
        super().__init__(to, on_delete, **kwargs)
