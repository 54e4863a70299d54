"""What the middleware adds to a request, declared."""

from __future__ import annotations

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from accounts.models import ApiKey, Tenant, User
from accounts.types import Principal


class TenantRequest(HttpRequest):
    """A request that entered a tenant: by session on a page, by bearer key on the API."""

    htmx: HtmxDetails
    user: User
    tenant: Tenant
    principal: Principal
    key: ApiKey | None
