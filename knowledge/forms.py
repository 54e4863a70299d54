"""Shapes of what editors send; meaning is checked by the services."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class SpaceForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=120)
    restricted = forms.BooleanField(
        label=_("Restricted"),
        required=False,
        help_text=_("Only owners and the members you share it with know that it is there."),
    )


class DocumentTextForm(forms.Form):
    title = forms.CharField(label=_("Title"), max_length=300)
    text = forms.CharField(label=_("Text"), max_length=2_000_000, widget=forms.Textarea({"rows": 10}))
