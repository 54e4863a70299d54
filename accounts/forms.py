"""Shapes of what people send to accounts' pages; meaning is checked by the services."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.types import KeyScope, Role

ROLE_WORDS = {
    Role.OWNER: (_("Owner"), _("everything, members and keys included")),
    Role.EDITOR: (_("Editor"), _("makes spaces and curates documents")),
    Role.AGENT_OWNER: (_("Agent owner"), _("makes agents and sets what they may do")),
    Role.REVIEWER: (_("Reviewer"), _("reads, asks and reviews")),
    Role.READER: (_("Reader"), _("reads and asks")),
}
SCOPE_WORDS = {
    KeyScope.ANSWERS: _("Ask agents"),
    KeyScope.SEARCH: _("Search spaces"),
    KeyScope.SPACES_READ: _("Read spaces and documents"),
    KeyScope.SPACES_WRITE: _("Change spaces and documents"),
    KeyScope.AGENTS_READ: _("Read agents"),
    KeyScope.AGENTS_WRITE: _("Change agents"),
    KeyScope.KEYS: _("Manage keys"),
    KeyScope.MEMBERS: _("Manage members"),
    KeyScope.TRACE: _("See how an answer came about"),
}


class SignInForm(forms.Form):
    email = forms.EmailField(label=_("E-mail"), max_length=254)
    password = forms.CharField(label=_("Password"), widget=forms.PasswordInput)


class InvitationForm(forms.Form):
    email = forms.EmailField(label=_("E-mail"), max_length=254)
    role = forms.ChoiceField(
        label=_("Role"),
        choices=[(role.value, words[0]) for role, words in ROLE_WORDS.items()],
        initial="reader",
    )


class JoinForm(forms.Form):
    name = forms.CharField(label=_("Your name"), max_length=120, required=False)
    password = forms.CharField(label=_("Password"), widget=forms.PasswordInput, min_length=10)


class KeyForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=120)
    scopes = forms.MultipleChoiceField(
        label=_("What the key may do"),
        choices=[(scope.value, words) for scope, words in SCOPE_WORDS.items()],
        widget=forms.CheckboxSelectMultiple,
        initial=["answers", "search"],
    )
    agent = forms.UUIDField(label=_("Only this agent"), required=False)
    origins = forms.CharField(label=_("Allowed origins"), required=False, max_length=2000)

    def clean_origins(self) -> list[str]:
        return str(self.cleaned_data["origins"]).replace(",", " ").split()
