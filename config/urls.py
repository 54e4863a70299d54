"""Every route. Pages of a tenant live under /t/<tenant>/, the native API under /api/v1/."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path
from django.views.i18n import set_language
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from accounts import urls as accounts_urls
from accounts.api import urls as accounts_api
from accounts.doors import door
from agents import urls as agents_urls
from agents.api import urls as agents_api
from knowledge import urls as knowledge_urls
from knowledge.api import urls as knowledge_api

urlpatterns: list[URLPattern | URLResolver] = [
    *accounts_urls.public,
    path("i18n/setlang/", door(None, "POST")(set_language), name="set_language"),
    path(
        "t/<slug:tenant>/", include([*accounts_urls.console, *knowledge_urls.console, *agents_urls.console])
    ),
    path(
        "api/v1/", include([*accounts_api.urlpatterns, *knowledge_api.urlpatterns, *agents_api.urlpatterns])
    ),
    path("api/schema/", door(None)(SpectacularAPIView.as_view()), name="api_schema"),
    path(
        "api/docs/", door(None)(SpectacularSwaggerSplitView.as_view(url_name="api_schema")), name="api_docs"
    ),
]
