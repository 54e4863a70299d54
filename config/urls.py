"""Every route. Pages of a tenant live under /t/<tenant>/, the native API under /api/v1/."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from accounts import urls as accounts_urls
from accounts.api import urls as accounts_api
from accounts.doors import door

urlpatterns: list[URLPattern | URLResolver] = [
    *accounts_urls.public,
    path("i18n/", include("django.conf.urls.i18n")),
    path("t/<slug:tenant>/", include(accounts_urls.console)),
    path("api/v1/", include(accounts_api)),
    path("api/schema/", door(None)(SpectacularAPIView.as_view()), name="api_schema"),
    path(
        "api/docs/", door(None)(SpectacularSwaggerSplitView.as_view(url_name="api_schema")), name="api_docs"
    ),
]
