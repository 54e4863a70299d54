"""A visitor without scripts: reads pages, fills the forms that stand in them, and goes where they send."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from lxml import html


@dataclass
class Visitor:
    client: Client
    url: str = "/"
    status: int = 0
    page: Any = None

    def open(self, url: str) -> Visitor:
        return self._land(self.client.get(url, follow=True))

    def fill(self, action: str, **words: Any) -> Visitor:
        """Send the page's form whose action ends so. Words are for fields that stand in it; the others keep what they
        hold, as a browser does it."""
        form = self.form(action)
        sent: dict[str, Any] = {}
        for name, value in form.fields.items():
            field = form.inputs[name]
            is_several = isinstance(field, html.CheckboxGroup) or getattr(field, "multiple", False)
            held = sorted(field.value) if is_several else value
            if held is not None and getattr(field, "type", "") != "file":
                sent[name] = held
        for name, value in words.items():
            assert name in form.fields, f"the form {form.action} has no field {name}: {list(form.fields)}"
            sent[name] = value
        return self._land(self.client.post(form.action or self.url, sent, follow=True))

    def form(self, action: str) -> Any:
        """The form that sends there; that of the page itself where `action` is empty."""
        found = [
            form
            for form in self.page.forms
            if (urlsplit(form.action or "").path.endswith(action) if action else not form.action)
        ]
        assert found, f"no form to {action} on {self.url}: {[form.action for form in self.page.forms]}"
        return found[0]

    @property
    def text(self) -> str:
        return " ".join(self.page.text_content().split())

    def _land(self, response: Any) -> Visitor:
        self.status = response.status_code
        landed = response.redirect_chain[-1][0] if response.redirect_chain else response.request["PATH_INFO"]
        self.url = unquote(landed)
        self.page = html.document_fromstring(response.content.decode())
        return self


def file(name: str, text: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode(), content_type="text/plain")
