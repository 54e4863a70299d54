"""django-guardian's grant tables behind the wall: one direct table an object type."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from guardian.managers import UserObjectPermissionManager
from guardian.models.models import UserObjectPermissionBase

from accounts.tenancy import ClosedManagerMixin, TenantModel


class GrantManager(ClosedManagerMixin, UserObjectPermissionManager):  # type: ignore[misc]
    """guardian's manager, closed without a scope."""


class Grant(TenantModel, UserObjectPermissionBase):  # type: ignore[misc]
    """A right on one object given to one person. A subclass adds `content_object`, a TenantForeignKey."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    objects: ClassVar[GrantManager] = GrantManager()

    class Meta(TenantModel.Meta):
        abstract = True
        unique_together = ["user", "permission", "content_object"]
