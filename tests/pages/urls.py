"""The names that the frame links to, for rendering pages without their doors."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import path


def nothing(request: HttpRequest, **kwargs: object) -> HttpResponse:
    return HttpResponse()


urlpatterns = [
    path("", nothing, name="home"),
    path("sign-out/", nothing, name="sign_out"),
    path("i18n/setlang/", nothing, name="set_language"),
    *[
        path(f"<slug:tenant>/{name}/", nothing, name=name)
        for name in ("spaces", "agents", "members", "keys", "audit")
    ],
]
