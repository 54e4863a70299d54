"""Shapes of what agents' owners send; meaning is checked by the services."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

LANGUAGES = [
    ("", _("the language of the question")),
    ("en", "English"),
    ("ko", "한국어"),
    ("zh", "中文"),
    ("ja", "日本語"),
    ("es", "Español"),
    ("de", "Deutsch"),
    ("fr", "Français"),
]


class AgentForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=120)
    spaces = forms.MultipleChoiceField(
        label=_("Spaces it answers from"), required=False, widget=forms.CheckboxSelectMultiple
    )
    welcome = forms.CharField(label=_("Words of welcome"), max_length=500, required=False)
    examples = forms.CharField(
        label=_("Questions to begin with"),
        required=False,
        max_length=2000,
        widget=forms.Textarea({"rows": 3}),
        help_text=_("One a line."),
    )
    language = forms.ChoiceField(label=_("Language of answers"), choices=LANGUAGES, required=False)
    restricted = forms.BooleanField(
        label=_("Restricted"),
        required=False,
        help_text=_("Only owners and the members you share it with know that it is there."),
    )
    model_base_url = forms.CharField(
        label=_("Address of the chat model"),
        required=False,
        max_length=300,
        help_text=_("OpenAI-compatible, up to /v1. Empty: it answers by quoting, with no model."),
    )
    model_name = forms.CharField(label=_("Name of the chat model"), required=False, max_length=120)
    model_key = forms.CharField(
        label=_("Key of the chat model"),
        required=False,
        max_length=300,
        widget=forms.PasswordInput,
        help_text=_("Kept encrypted and never shown. Empty keeps the one there is."),
    )
    instructions = forms.CharField(
        label=_("Instructions to the model"),
        required=False,
        max_length=4000,
        widget=forms.Textarea({"rows": 4}),
    )

    def __init__(self, *args: Any, spaces: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["spaces"].choices = spaces  # type: ignore[attr-defined]

    def clean_examples(self) -> list[str]:
        return [line.strip() for line in str(self.cleaned_data["examples"]).splitlines() if line.strip()][:6]
