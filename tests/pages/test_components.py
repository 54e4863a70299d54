"""The design system: contrast, component signatures, and every component rendered into a page one can look at."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django import forms
from django.contrib.messages.storage.base import Message
from django.core.paginator import Paginator
from django.template import engines
from django.test import RequestFactory

ROOT = Path(__file__).resolve().parents[2]
COMPONENTS = sorted((ROOT / "templates" / "components").glob("*.html"))
PAGES = [*COMPONENTS, *(ROOT / "templates").glob("*.html")]
STYLES = (ROOT / "static/css/citewell.css").read_text()
COLOURS = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", STYLES)
}
GROUNDS = ("paper", "surface", "raised", "sunken")
TEXT_ON = [
    *[(ink, ground) for ink in ("ink", "muted", "accent", "failed") for ground in GROUNDS],
    ("accent-ink", "accent"),
    ("accent-ink", "accent-strong"),
    ("danger-ink", "danger"),
    ("ink", "mark"),
    *[
        (state, f"{state}-wash")
        for state in ("accent", "material", "public", "ready", "partial", "failed", "working")
    ],
    *[("ink", f"{state}-wash") for state in ("accent", "ready", "partial", "failed", "working")],
    ("surface", "material"),
    ("surface", "public"),
]
PARTS_ON = [(part, ground) for part in ("control", "focus", "material", "public") for ground in GROUNDS]


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2.2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), TEXT_ON)
def test_words_stand_out_from_their_ground(theme: int, ink: str, ground: str) -> None:
    assert contrast(COLOURS[ink][theme], COLOURS[ground][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("part", "ground"), PARTS_ON)
def test_edges_of_controls_can_be_seen(theme: int, part: str, ground: str) -> None:
    assert contrast(COLOURS[part][theme], COLOURS[ground][theme]) >= 3


@pytest.mark.parametrize("path", COMPONENTS, ids=lambda path: path.name)
def test_a_component_begins_with_the_variables_it_accepts(path: Path) -> None:
    head = path.read_text().split("{% endcomment %}")[0]
    assert head.startswith("{% comment %}\n")
    assert "Variables accepted:" in head


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_template_has_nothing_that_the_content_security_policy_refuses(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"\sstyle=|<style|\son\w+=|javascript:|hx-on|hx-vals='js", text)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text))
    assert "//cdn" not in text
    assert "https://" not in text


@pytest.mark.parametrize("path", sorted((ROOT / "static/js").glob("*.js")), ids=lambda path: path.name)
def test_a_script_makes_no_html_from_text(path: Path) -> None:
    assert not re.search(
        r"innerHTML\s*=|outerHTML\s*=|insertAdjacentHTML|document\.write|\beval\(|new Function",
        path.read_text(),
    )


def test_every_icon_that_a_template_names_is_in_the_sprite() -> None:
    drawn = set(re.findall(r'<symbol id="([\w-]+)"', (ROOT / "static/img/icons.svg").read_text()))
    named = set()
    for path in (ROOT / "templates").rglob("*.html"):
        text = path.read_text()
        named |= set(re.findall(r'components/icon.html" with name="([\w-]+)"', text))
        named |= set(re.findall(r'\b(?:action_|extra_)?icon="([\w-]+)"', text))
    assert named <= drawn


def test_every_class_that_a_component_writes_has_a_style() -> None:
    known = set(re.findall(r"\.([a-z][\w-]*)", STYLES))
    for path in PAGES:
        for value in re.findall(r'class="([^"{]*)"', path.read_text()):
            assert set(value.split()) <= known, path.name


class Invitation(forms.Form):
    email = forms.EmailField(label="E-mail", help_text="The invitation goes to this address.")
    note = forms.CharField(label="A word to them", required=False, widget=forms.Textarea)
    role = forms.ChoiceField(label="Role", choices=[("reader", "Reader"), ("editor", "Editor")])
    spaces = forms.MultipleChoiceField(
        label="Spaces",
        choices=[("a", "Customer documents"), ("b", "Standards")],
        widget=forms.CheckboxSelectMultiple,
    )
    tell = forms.BooleanField(label="Tell me when they join", required=False)


ANSWER = {
    "status": "answered",
    "text": "The warranty lasts **24 months** from the day of delivery. Sensors carry 6 months.\n\n"
    "- Send the instrument in before noon.\n- Keep the `serial number` at hand.\n\n"
    "| Plan | Price |\n|---|---|\n| Basic | 49 USD |\n| Team | 129 USD |",
    "citations": [
        {
            "n": 1,
            "start": 0,
            "end": 58,
            "source": "h",
            "quote": "The warranty lasts 24 months from the day of delivery.",
        },
        {"n": 2, "start": 59, "end": 82, "source": "w", "quote": "Sensors are wearing parts: 6 months."},
    ],
    "sources": [
        {"id": "h", "kind": "document", "title": "Instrument handbook", "page": 2, "section": "Warranty"},
        {"id": "w", "kind": "web", "title": "Sensor life, explained", "domain": "example.org"},
    ],
}

CONTEXT = {
    "tenant": {"name": "Hanbit Instruments", "slug": "hanbit"},
    "can": {"manage_members": True, "manage_keys": True},
    "section": "spaces",
    "crumbs": [{"label": "Spaces", "url": "#"}],
    "tabs": [
        {"label": "Documents", "url": "#", "current": True, "count": 12},
        {"label": "Search", "url": "#"},
        {"label": "People", "url": "#", "count": 0},
    ],
    "columns": [
        {"label": "Title", "url": "#", "sort": "ascending"},
        {"label": "State"},
        {"label": "Pages", "numeric": True},
        {"label": "Progress"},
        {"label": "Actions", "hidden": True},
    ],
    "rows": [
        {
            "title": "Instrument handbook",
            "status": "ready",
            "pages": 12,
            "step": "Published",
            "value": 100,
            "text": "14 chunks",
        },
        {
            "title": "한빛 계측 고객 안내서",
            "status": "working",
            "pages": 40,
            "step": "Embedding",
            "value": 30,
            "text": "12 of 40",
        },
        {"title": "規格一覧 HIS 9407", "status": "queued", "pages": 3, "step": "Waiting"},
        {
            "title": "产品手册 HT-200",
            "status": "partial",
            "pages": 8,
            "step": "Published",
            "value": 100,
            "text": "1 page unread",
        },
        {
            "title": "scan-2024.pdf",
            "status": "failed",
            "pages": "",
            "step": "Reading",
            "value": 20,
            "failed": True,
        },
    ],
    "steps": [
        {"label": "Read the file", "state": "done", "detail": "12 pages"},
        {"label": "Cut into chunks", "state": "done", "detail": "14"},
        {"label": "Embed", "state": "working", "detail": "8 of 14"},
        {"label": "Publish", "state": "waiting"},
    ],
    "statuses": ["ready", "partial", "failed", "working", "queued", "material", "public", "draft"],
    "levels": ["info", "success", "warning", "error"],
    "roles": [("reader", "Reader"), ("editor", "Editor")],
    "boxes": [(20.5, 30, 120, 12), (20, 44, 80, 12)],
    "suggestions": ["How long is the warranty?", "교정은 며칠 걸리나요?", "HIS 9408 の対象は何ですか？"],
    "kept": [
        {"role": "user", "text": "How long is the warranty?"},
        {"role": "answer", "text": ANSWER["text"], "status": "answered", "answer_id": "answer-1"},
        {"role": "user", "text": "Who won the cup in 1998?"},
        {"role": "answer", "text": "Your material does not say.", "status": "not_found"},
    ],
    "answer": ANSWER,
    "messages": [
        Message(25, "“Instrument handbook” is ready."),
        Message(40, "scan-2024.pdf could not be read."),
    ],
}


@pytest.fixture
def gallery(settings) -> Path:
    settings.ROOT_URLCONF = "tests.pages.urls"
    folder = ROOT / "artefacts" / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.parametrize("page", ["components", "chat", "chat-empty", "document", "passage"])
def test_every_component_is_rendered_into_the_gallery(gallery: Path, page: str, django_user_model) -> None:
    source = (Path(__file__).parent / "gallery" / f"{page.removesuffix('-empty')}.html").read_text()
    request = RequestFactory().get("/hanbit/spaces/")
    request.user = django_user_model(email="mira@example.org")
    form = Invitation({"email": "mira", "role": "reader"})
    context = {**CONTEXT, "form": form, "page": Paginator(range(95), 10).page(3), "user": request.user}
    if page == "chat-empty":
        context = {**context, "kept": []}
    text = engines["django"].from_string(source).render(context, request)
    (gallery / f"{page}.html").write_text(text)
    assert "None" not in text
    for target in re.findall(r'aria-describedby="([^"]+)"', text):
        assert all(f'id="{one}"' in text for one in target.split())
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
