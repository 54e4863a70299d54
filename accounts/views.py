"""Pages of accounts: signing in, members, keys, the audit trail."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth import authenticate, login, logout
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from accounts import limits, queries, services
from accounts.doors import door
from accounts.errors import Absent, Refused
from accounts.forms import ROLE_WORDS, InvitationForm, JoinForm, KeyForm, SignInForm
from accounts.http import TenantRequest
from accounts.messages import sentence
from accounts.types import Right

PAGE = 50


def refuse(form: forms.Form, error: Refused) -> None:
    """Put a service's refusal beside the field it is about."""
    title, advice = sentence(error.code, **error.params)
    field = error.field if error.field in form.fields else None
    form.add_error(field, f"{title}. {advice}")


@door(None)
def home(request: HttpRequest) -> HttpResponse:
    """The first page: to the one tenant, a choice among several, or the sign-in."""
    if not request.user.is_authenticated:
        return redirect("sign_in")
    tenants = queries.tenants_of(request.user.pk)
    if len(tenants) == 1:
        return redirect("spaces", tenant=tenants[0].slug)
    return render(request, "accounts/home.html", {"tenants": tenants})


@door(None, "GET", "POST")
def sign_in(request: HttpRequest) -> HttpResponse:
    form = SignInForm(request.POST or None)
    target = request.POST.get("next") or request.GET.get("next") or ""
    if request.method == "POST" and form.is_valid():
        email = form.cleaned_data["email"].lower()
        if not limits.take(f"sign_in:{email}", limits.SIGN_IN):
            form.add_error(None, _("Too many tries. Wait a few minutes and try again."))
            response = render(request, "accounts/sign_in.html", {"form": form, "next": target}, status=429)
            response["Retry-After"] = str(limits.retry_after(limits.SIGN_IN))
            return response
        user = authenticate(request, username=email, password=form.cleaned_data["password"])
        if user is not None:
            login(request, user)
            safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure())
            return redirect(target if safe else "home")
        form.add_error(None, _("E-mail and password do not fit together."))
    return render(request, "accounts/sign_in.html", {"form": form, "next": target})


@door(None, "POST")
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("sign_in")


@door(None, "GET", "POST")
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Accept an invitation: with the account signed in, or with a new one."""
    tenant, found = services.find_invitation(secret)
    user = request.user if request.user.is_authenticated else None
    form = JoinForm(request.POST or None)
    if request.method == "POST" and (user is not None or form.is_valid()):
        words = form.cleaned_data if user is None else {}
        try:
            tenant, joined = services.accept_invitation(secret, user=user, **words)
        except Refused as error:
            form.is_valid()
            refuse(form, error)
        else:
            if user is None:
                login(request, joined, backend="django.contrib.auth.backends.ModelBackend")
            return redirect("spaces", tenant=tenant.slug)
    return render(request, "accounts/invitation.html", {"form": form, "place": tenant, "invitation": found})


def _members_page(
    request: TenantRequest, form: InvitationForm, link: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "form": form,
        "link": link,
        "roles": [(role.value, *words) for role, words in ROLE_WORDS.items()],
        "page": Paginator(queries.members(), PAGE).get_page(request.GET.get("page")),
        "invitations": queries.open_invitations()[:PAGE],
    }
    return render(request, "accounts/members.html", context, status=status)


@door(Right.MANAGE_MEMBERS)
def members(request: TenantRequest, tenant: str) -> HttpResponse:
    return _members_page(request, InvitationForm())


@door(Right.MANAGE_MEMBERS, "POST")
def member_invite(request: TenantRequest, tenant: str) -> HttpResponse:
    form = InvitationForm(request.POST)
    if form.is_valid():
        try:
            _invited, secret = services.invite_member(request.principal, **form.cleaned_data)
        except Refused as error:
            refuse(form, error)
        else:
            link = request.build_absolute_uri(reverse("invitation", kwargs={"secret": secret}))
            return _members_page(request, InvitationForm(), link)
    return _members_page(request, form, status=400)


def _is_confirmed(request: TenantRequest, name: str) -> bool:
    """Whether the name typed to confirm is the name; says so in a message where it is not."""
    if request.POST.get("confirm", "").strip() == name:
        return True
    messages.error(request, " ".join(sentence("name_does_not_match")))
    return False


def _tell(request: TenantRequest, act: Any, *arguments: Any) -> None:
    """Do it, and say in a message where it was refused."""
    try:
        act(request.principal, *arguments)
    except Refused as error:
        messages.error(request, " ".join(sentence(error.code, **error.params)))


@door(Right.MANAGE_MEMBERS, "POST")
def member_role(request: TenantRequest, tenant: str, uid: UUID) -> HttpResponse:
    _tell(request, services.change_role, uid, request.POST.get("role", ""))
    return redirect("members", tenant=tenant)


@door(Right.MANAGE_MEMBERS, "POST")
def member_remove(request: TenantRequest, tenant: str, uid: UUID) -> HttpResponse:
    member = queries.get_member(uid)
    if _is_confirmed(request, member.user.email):
        _tell(request, services.remove_member, uid)
    return redirect("members", tenant=tenant)


@door(Right.MANAGE_MEMBERS, "POST")
def invitation_withdraw(request: TenantRequest, tenant: str, uid: UUID) -> HttpResponse:
    _tell(request, services.withdraw_invitation, uid)
    return redirect("members", tenant=tenant)


def _keys_page(request: TenantRequest, form: KeyForm, secret: str = "", status: int = 200) -> HttpResponse:
    page = Paginator(queries.active_keys(), PAGE).get_page(request.GET.get("page"))
    context = {"form": form, "secret": secret, "page": page}
    return render(request, "accounts/keys.html", context, status=status)


@door(Right.MANAGE_KEYS)
def keys(request: TenantRequest, tenant: str) -> HttpResponse:
    return _keys_page(request, KeyForm())


@door(Right.MANAGE_KEYS, "POST")
def key_create(request: TenantRequest, tenant: str) -> HttpResponse:
    form = KeyForm(request.POST)
    if form.is_valid():
        words = form.cleaned_data
        try:
            _key, secret = services.create_key(
                request.principal,
                words["name"],
                words["scopes"],
                agent_uid=words["agent"],
                origins=words["origins"],
            )
        except Refused as error:
            refuse(form, error)
        else:
            return _keys_page(request, KeyForm(), secret)
    return _keys_page(request, form, status=400)


@door(Right.MANAGE_KEYS, "POST")
def key_revoke(request: TenantRequest, tenant: str, uid: UUID) -> HttpResponse:
    key = queries.active_keys().filter(uid=uid).first()
    if key is None:
        raise Absent
    if _is_confirmed(request, key.name):
        _tell(request, services.revoke_key, uid)
    return redirect("keys", tenant=tenant)


@door(Right.READ_AUDIT)
def audit(request: TenantRequest, tenant: str) -> HttpResponse:
    page = Paginator(queries.recent_audit(), PAGE).get_page(request.GET.get("page"))
    return render(request, "accounts/audit.html", {"page": page})


@door(None)
def health(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})
