"""Pages of editors: spaces, documents, and the passages that citations open."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.doors import door
from accounts.errors import Refused
from accounts.http import TenantRequest
from accounts.messages import sentence
from accounts.permissions import allowed, fetch, may
from accounts.types import Right
from accounts.views import refuse
from knowledge import queries, services
from knowledge.errors import RefusedInput
from knowledge.forms import SpaceForm
from knowledge.models import Space
from knowledge.parsing.registry import READABLE

PAGE = 50
Refusals = (Refused, RefusedInput)


def _space(request: TenantRequest, right: Right, slug: str) -> Space:
    return fetch(request.principal, right, Space.objects.all(), slug=slug)


def _say(request: TenantRequest, error: Refused | RefusedInput) -> None:
    messages.error(request, ". ".join(sentence(error.code, **error.params)))


def _spaces_page(request: TenantRequest, form: SpaceForm, status: int = 200) -> HttpResponse:
    found = allowed(request.principal, Right.READ_SPACE, Space.objects.all()).order_by("name", "id")
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    rows = queries.space_counts(page.object_list)
    return render(request, "knowledge/spaces.html", {"page": page, "rows": rows, "form": form}, status=status)


@door(Right.ENTER)
def spaces(request: TenantRequest, tenant: str) -> HttpResponse:
    return _spaces_page(request, SpaceForm())


@door(Right.CREATE_SPACE, "POST")
def space_create(request: TenantRequest, tenant: str) -> HttpResponse:
    form = SpaceForm(request.POST)
    if form.is_valid():
        try:
            space = services.create_space(request.principal, **form.cleaned_data)
        except Refused as error:
            refuse(form, error)
        else:
            return redirect("space", tenant=tenant, space=space.slug)
    return _spaces_page(request, form, status=400)


@door(Right.READ_SPACE)
def space(request: TenantRequest, tenant: str, space: str) -> HttpResponse:
    """The documents of a space, and their progress while some are being worked on."""
    found = _space(request, Right.READ_SPACE, space)
    page = Paginator(queries.documents_of(found), PAGE).get_page(request.GET.get("page"))
    rows = queries.document_rows(page.object_list)
    context = {
        "space": found,
        "page": page,
        "rows": rows,
        "is_working": any(row.is_working for row in rows),
        "may_edit": may(request.principal, Right.EDIT_SPACE, found),
        "may_manage": may(request.principal, Right.MANAGE_SPACE, found),
        "accept": ",".join(READABLE),
        "max_bytes": settings.MAX_UPLOAD_BYTES,
        "form": SpaceForm({"name": found.name, "restricted": found.restricted}),
    }
    template = "knowledge/space_documents.html" if request.htmx else "knowledge/space.html"
    return render(request, template, context)


@door(Right.MANAGE_SPACE, "POST")
def space_change(request: TenantRequest, tenant: str, space: str) -> HttpResponse:
    _space(request, Right.MANAGE_SPACE, space)
    form = SpaceForm(request.POST)
    if form.is_valid():
        services.change_space(request.principal, space, **form.cleaned_data)
    else:
        messages.error(request, _("Nothing was saved: give the space a name."))
    return redirect("space", tenant=tenant, space=space)


@door(Right.MANAGE_SPACE, "POST")
def space_delete(request: TenantRequest, tenant: str, space: str) -> HttpResponse:
    try:
        services.delete_space(request.principal, space, confirm=request.POST.get("confirm", ""))
    except Refusals as error:
        _say(request, error)
        return redirect("space", tenant=tenant, space=space)
    return redirect("spaces", tenant=tenant)


@door(Right.EDIT_SPACE, "POST")
def document_upload(request: TenantRequest, tenant: str, space: str) -> HttpResponse:
    """Take files in. The drop zone sends one a request and reads JSON; the plain form sends several."""
    found = _space(request, Right.EDIT_SPACE, space)
    wants_json = "application/json" in request.headers.get("Accept", "")
    status, told = 201, ""
    for file in request.FILES.getlist("file"):
        try:
            outcome = services.upload_document(
                request.principal,
                found,
                file.name or _("untitled"),
                file.read(),
                media_type=file.content_type or "",
            )
            told = _("Already here: nothing was changed.") if outcome.is_duplicate else ""
        except Refusals as error:
            status, told = 400, ". ".join(sentence(error.code, **error.params))
        if told and not wants_json:
            messages.warning(request, f"{file.name}: {told}")
    if wants_json:
        return JsonResponse({"detail": told}, status=status)
    return redirect("space", tenant=tenant, space=space)


def _document(request: TenantRequest, right: Right, space: str, uid: UUID) -> Any:
    return queries.get_document(_space(request, right, space), uid)


@door(Right.READ_SPACE)
def document(request: TenantRequest, tenant: str, space: str, uid: UUID) -> HttpResponse:
    """A document's text, with its chunks beside it."""
    found = _document(request, Right.READ_SPACE, space, uid)
    page = Paginator(queries.chunks_of(found), PAGE).get_page(request.GET.get("page"))
    context = {
        "space": found.space,
        "document": found,
        "row": queries.document_rows([found])[0],
        "versions": queries.versions_of(found)[:PAGE],
        "page": page,
        "may_edit": may(request.principal, Right.EDIT_SPACE, found.space),
    }
    template = "knowledge/document_status.html" if request.htmx else "knowledge/document.html"
    return render(request, template, context)


@door(Right.EDIT_SPACE, "POST")
def document_delete(request: TenantRequest, tenant: str, space: str, uid: UUID) -> HttpResponse:
    found = _document(request, Right.EDIT_SPACE, space, uid)
    try:
        services.delete_document(request.principal, found, confirm=request.POST.get("confirm", ""))
    except Refusals as error:
        _say(request, error)
        return redirect("document", tenant=tenant, space=space, uid=uid)
    return redirect("space", tenant=tenant, space=space)


@door(Right.EDIT_SPACE, "POST")
def document_retry(request: TenantRequest, tenant: str, space: str, uid: UUID) -> HttpResponse:
    found = _document(request, Right.EDIT_SPACE, space, uid)
    try:
        services.retry_version(request.principal, queries.latest_version(found))
    except Refusals as error:
        _say(request, error)
    return redirect("document", tenant=tenant, space=space, uid=uid)


@door(Right.EDIT_SPACE, "POST")
def document_cancel(request: TenantRequest, tenant: str, space: str, uid: UUID) -> HttpResponse:
    found = _document(request, Right.EDIT_SPACE, space, uid)
    try:
        services.cancel_version(request.principal, queries.latest_version(found))
    except Refusals as error:
        _say(request, error)
    return redirect("document", tenant=tenant, space=space, uid=uid)


@door(Right.READ_SPACE)
def document_original(request: TenantRequest, tenant: str, space: str, uid: UUID) -> HttpResponse:
    """The file as it was put in. Always a download: a page of a stranger must not run as one of ours."""
    found = _document(request, Right.READ_SPACE, space, uid)
    data = services.read_original(request.principal, queries.latest_version(found))
    response = HttpResponse(data, content_type="application/octet-stream")
    response["Content-Disposition"] = "attachment"
    return response


@door(Right.READ_SPACE)
def passage(request: TenantRequest, tenant: str, space: str, uid: UUID) -> HttpResponse:
    """Characters [start, end) of a version's text, marked, with what stands around them."""
    opened = queries.open_passage(
        _space(request, Right.READ_SPACE, space),
        uid,
        request.GET.get("start", ""),
        request.GET.get("end", ""),
    )
    context = {
        "passage": opened,
        "document_url": reverse(
            "document", kwargs={"tenant": tenant, "space": space, "uid": opened.document.uid}
        ),
    }
    template = "knowledge/passage_fragment.html" if request.htmx else "knowledge/passage.html"
    return render(request, template, context)
