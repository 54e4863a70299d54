"""The main job in a real browser, in English and in Korean: sign in, upload, watch it finish, ask, open the citation
and see the quoted words marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from accounts.scope import tenant_scope
from agents.services import create_agent
from knowledge.services import create_space
from tests.browser.conftest import Visit
from tests.factories import Person

ASKED = {
    "en": ("guide.md", "# Warranty\n\nThe pump is covered for 26 months from delivery.\n\n# Care\n\nOil it every spring.\n",
           "How many months is the pump covered?", "The pump is covered for 26 months from delivery."),
    "ko": ("안내.md", "# 보증\n\n펌프의 보증 기간은 인도일부터 26개월이다.\n\n# 손질\n\n봄마다 기름을 친다.\n",
           "펌프의 보증 기간은 몇 개월인가요?", "펌프의 보증 기간은 인도일부터 26개월이다."),
}  # fmt: skip
SPOKEN = {"en": ("Ready", "material says"), "ko": ("준비됨", "자료에는 이렇게")}


def test_from_a_file_to_an_opened_citation(
    visit: Visit, worker: None, alice: Person, language: str, tmp_path: Path
) -> None:
    name, text, question, quote = ASKED[language]
    ready, says = SPOKEN[language]
    with tenant_scope(alice.tenant.id):
        space = create_space(alice.principal, "Pumps", slug="pumps")
        create_agent(alice.principal, name="Desk", slug="desk", spaces=[space.uid])
    (tmp_path / name).write_text(text, encoding="utf-8")

    visit.sign_in(alice)
    visit.go("/t/acme/spaces/pumps/")
    visit.page.set_input_files("[data-dropzone-input]", tmp_path / name)
    visit.page.wait_for_selector(f"#documents .pill-ready:has-text('{ready}')")
    visit.picture(f"{language}-1-uploaded")

    visit.go("/t/acme/agents/desk/")
    visit.page.fill("#question", question)
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_selector(".message-answer:not(.is-streaming)")
    answer = visit.page.inner_text(".message-answer")
    assert says in answer and quote in answer
    visit.picture(f"{language}-2-answered")

    visit.page.click(".message-answer .cite >> nth=0")
    visit.page.wait_for_selector("#source-panel mark")
    assert visit.page.inner_text("#source-panel mark") == quote
    visit.picture(f"{language}-3-opened")
    assert visit.complaints == []


def test_a_kept_conversation_is_shown_again_with_its_citations(
    visit: Visit, worker: None, alice: Person, language: str, tmp_path: Path
) -> None:
    test_from_a_file_to_an_opened_citation(visit, worker, alice, language, tmp_path)
    visit.go("/t/acme/agents/desk/")
    visit.page.click(".chat-history .nav-link >> nth=0")
    visit.page.wait_for_selector(".message-answer .cite")
    visit.page.click(".message-answer .cite >> nth=0")
    visit.page.wait_for_selector("#source-panel mark")
    assert visit.page.inner_text("#source-panel mark") == ASKED[language][3]


def test_what_the_material_does_not_say_is_said_so(
    visit: Visit, worker: None, alice: Person, language: str
) -> None:
    with tenant_scope(alice.tenant.id):
        create_agent(alice.principal, name="Desk", slug="desk", spaces=[])
    visit.sign_in(alice)
    visit.go("/t/acme/agents/desk/")
    visit.page.fill("#question", ASKED[language][2])
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_selector(".message-not-found")
    assert visit.page.query_selector(".message-answer .cite") is None
    visit.picture(f"{language}-4-not-found")


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("path", ["spaces/", "agents/", "agents/create/", "members/", "keys/", "audit/"])
def test_no_page_is_wider_than_the_screen_or_complains(
    visit: Visit, alice: Person, language: str, path: str, width: int
) -> None:
    visit.page.set_viewport_size({"width": width, "height": 800})
    visit.sign_in(alice)
    visit.go(f"/t/acme/{path}")
    assert visit.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert visit.complaints == []
