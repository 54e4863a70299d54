"""Every form of the console is filled as it stands in its page: rightly, wrongly, in English and in Korean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.models import ApiKey, AuditEntry, Invitation, Member
from agents.models import Agent
from knowledge.models import Document, Space
from knowledge.work import work_once
from tests.factories import PASSWORD, Person, make_agent, make_space
from tests.pages.visitor import Visitor, file

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def visit(client: Client) -> Callable[..., Visitor]:
    def enter(person: Person | None = None, language: str = "en") -> Visitor:
        visitor = Visitor(client)
        client.cookies["django_language"] = language
        if person is not None:
            client.force_login(person.user)
        return visitor

    return enter


def work() -> None:
    while work_once():
        pass


class TestSigningIn:
    @pytest.mark.parametrize(
        ("language", "words"), [("en", "E-mail and password do not fit"), ("ko", "이메일과 비밀번호가")]
    )
    def test_a_wrong_password_is_told_and_the_mail_kept(
        self, alice: Person, visit: Any, language: str, words: str
    ) -> None:
        page = visit(language=language).open("/sign-in/")
        page.fill("", email="alice@example.com", password="wrong horse battery")
        assert words in page.text
        assert page.form("").fields["email"] == "alice@example.com"
        page.fill("", password=PASSWORD)
        assert page.url == "/t/acme/spaces/"

    def test_one_comes_back_to_the_page_one_wanted(self, alice: Person, visit: Any) -> None:
        page = visit().open("/t/acme/members/")
        assert page.url.startswith("/sign-in/")
        page.fill("", email="alice@example.com", password=PASSWORD)
        assert page.url == "/t/acme/members/"
        page.fill("/sign-out/")
        assert page.url == "/sign-in/"
        assert page.open("/t/acme/members/").url.startswith("/sign-in/")


class TestSpaces:
    def test_a_space_is_made_renamed_and_deleted_by_its_name(
        self, in_acme: Any, alice: Person, visit: Any
    ) -> None:
        page = visit(alice).open("/t/acme/spaces/")
        page.fill("/spaces/create/", name="펌프 설명서")
        space = Space.objects.get()
        assert page.status == 200 and space.name == "펌프 설명서" and space.slug in page.url
        page.fill("/change/", name="Pumps", restricted="on")
        space.refresh_from_db()
        assert (space.name, space.restricted) == ("Pumps", True) and "Pumps" in page.text
        page.fill("/delete/", confirm="Lamps")
        assert Space.objects.count() == 1 and "name" in page.text.lower()
        page.fill("/delete/", confirm="Pumps")
        assert not Space.objects.exists() and page.url == "/t/acme/spaces/"

    def test_a_space_without_a_name_is_refused_beside_its_field(
        self, in_acme: Any, alice: Person, visit: Any
    ) -> None:
        page = visit(alice).open("/t/acme/spaces/")
        page.fill("/spaces/create/", name="   ")
        assert page.status == 400 and "This field is required" in page.text
        make_space()
        page.open("/t/acme/spaces/handbook/").fill("/change/", name="")
        assert "give the space a name" in page.text and Space.objects.get().name == "Handbook"


class TestDocuments:
    def test_files_go_in_are_seen_and_go(
        self, in_acme: Any, bundled_model: None, alice: Person, visit: Any
    ) -> None:
        make_space()
        page = visit(alice).open("/t/acme/spaces/handbook/")
        page.fill(
            "/upload/", file=[file("a.txt", "The pump weighs 9 kg."), file("설명서.txt", "펌프는 9 kg이다.")]
        )
        assert "설명서" in page.text and Document.objects.count() == 2
        page.fill("/upload/", file=[file("a.txt", "The pump weighs 9 kg.")])
        assert "Already here" in page.text and Document.objects.count() == 2
        page.fill("/upload/", file=[file("b.xyz", "x\x00\x01")])
        assert Document.objects.count() == 2 and "b.xyz" in page.text
        document = next(row for row in Document.objects.all() if row.filename == "a.txt")
        page.open(f"/t/acme/spaces/handbook/documents/{document.uid}/").fill("/cancel/")
        assert "cancelled" in page.text.lower()
        page.fill("/retry/")
        work()
        page.open(page.url)
        assert "The pump weighs 9 kg." in page.text
        page.fill("/delete/", confirm="wrong")
        assert Document.objects.count() == 2
        page.fill("/delete/", confirm=document.title)
        assert page.url == "/t/acme/spaces/handbook/" and "a.txt" not in page.text


class TestAgents:
    def test_an_agent_is_made_changed_and_deleted_by_its_name(
        self, in_acme: Any, alice: Person, visit: Any
    ) -> None:
        space = make_space()
        page = visit(alice).open("/t/acme/agents/create/")
        page.fill("", name="Desk", spaces=[str(space.uid)], examples="How much?\nHow long?")
        agent = Agent.objects.get()
        assert page.url == f"/t/acme/agents/{agent.slug}/" and "How long?" in page.text
        page.open(f"{page.url}settings/")
        page.fill("", name="안내", welcome="무엇이든 물어보세요", instructions="Be brief.")
        agent.refresh_from_db()
        assert (agent.name, agent.welcome, agent.instructions) == ("안내", "무엇이든 물어보세요", "Be brief.")
        assert list(agent.examples) == ["How much?", "How long?"], "what was not touched is kept"
        page.open(f"/t/acme/agents/{agent.slug}/settings/")
        page.fill("/delete/", confirm="Desk")
        assert Agent.objects.exists()
        page.open(f"/t/acme/agents/{agent.slug}/settings/").fill("/delete/", confirm="안내")
        assert not Agent.objects.exists() and page.url == "/t/acme/agents/"

    def test_a_key_of_a_model_is_kept_where_none_is_given(
        self, in_acme: Any, alice: Person, visit: Any
    ) -> None:
        make_agent("desk", make_space())
        page = visit(alice).open("/t/acme/agents/desk/settings/")
        page.fill("", model_base_url="https://models.example.com/v1", model_name="m", model_key="sk-zq1")
        page.open("/t/acme/agents/desk/settings/")
        assert "sk-zq1" not in page.client.get(page.url).content.decode()
        page.fill("", welcome="Hello")
        assert Agent.objects.get().model_key == "sk-zq1"

    @pytest.mark.parametrize("address", ["ftp://models.example.com", "models.example.com", "javascript:x"])
    def test_an_address_that_is_none_is_refused_beside_its_field(
        self, in_acme: Any, alice: Person, visit: Any, address: str
    ) -> None:
        make_agent("desk", make_space())
        page = visit(alice).open("/t/acme/agents/desk/settings/")
        page.fill("", model_base_url=address, model_name="m", welcome="Hello")
        assert page.status == 400
        assert page.form("").fields["welcome"] == "Hello", "what was typed is kept"
        assert page.form("").fields["model_base_url"] == address
        assert Agent.objects.get().model_base_url == ""


class TestMembers:
    def test_one_is_invited_joins_gets_another_role_and_is_removed(
        self, in_acme: Any, alice: Person, visit: Any, client: Client
    ) -> None:
        page = visit(alice).open("/t/acme/members/")
        page.fill("/invite/", email="new@example.com", role="reader")
        link = next(word for word in page.page.itertext() if "/invitations/" in word).strip()
        page.fill("/sign-out/")
        page.open(link[link.index("/invitations/") :])
        page.fill("", name="Nova", password="short")
        assert "10" in page.text and page.form("").fields["name"] == "Nova"
        page.fill("", name="Nova", password="another horse battery")
        assert page.url == "/t/acme/spaces/"
        newest = Member.objects.select_related("user").get(user__email="new@example.com")
        assert newest.role == "reader" and newest.user.name == "Nova"
        client.force_login(alice.user)
        page.open("/t/acme/members/").fill(f"/{newest.uid}/role/", role="editor")
        newest.refresh_from_db()
        assert newest.role == "editor"
        page.fill(f"/{newest.uid}/remove/", confirm="else@example.com")
        assert Member.objects.filter(uid=newest.uid).exists()
        page.fill(f"/{newest.uid}/remove/", confirm="new@example.com")
        assert not Member.objects.filter(uid=newest.uid).exists()

    def test_the_last_owner_stays_and_is_told_why(self, in_acme: Any, alice: Person, visit: Any) -> None:
        page = visit(alice).open("/t/acme/members/")
        page.fill(f"/{alice.member.uid}/role/", role="reader")
        alice.member.refresh_from_db()
        assert alice.member.role == "owner" and "owner" in page.text
        page.fill(f"/{alice.member.uid}/remove/", confirm="alice@example.com")
        assert Member.objects.filter(uid=alice.member.uid).exists()

    def test_an_invitation_is_withdrawn_and_its_link_dead(
        self, in_acme: Any, alice: Person, visit: Any
    ) -> None:
        page = visit(alice).open("/t/acme/members/")
        page.fill("/invite/", email="new@example.com", role="reader")
        link = next(word for word in page.page.itertext() if "/invitations/" in word).strip()
        page.open("/t/acme/members/").fill(f"/{Invitation.objects.get().uid}/withdraw/")
        page.fill("/sign-out/")
        assert page.open(link[link.index("/invitations/") :]).status == 404

    def test_a_mail_that_is_none_is_refused_beside_its_field(
        self, in_acme: Any, alice: Person, visit: Any
    ) -> None:
        page = visit(alice, "ko").open("/t/acme/members/")
        page.fill("/invite/", email="nobody", role="editor")
        assert page.status == 400 and "이메일" in page.text
        assert page.form("/invite/").fields["email"] == "nobody"


class TestKeys:
    def test_a_key_is_shown_once_and_revoked_by_its_name(
        self, in_acme: Any, alice: Person, visit: Any
    ) -> None:
        page = visit(alice).open("/t/acme/keys/")
        page.fill(
            "/keys/create/", name="site", scopes=["search"], origins="https://a.example, https://b.example"
        )
        key = ApiKey.objects.get()
        assert key.origins == ["https://a.example", "https://b.example"]
        assert key.prefix in page.text
        secret = next(
            word.strip() for word in page.page.itertext() if word.strip().startswith("cw_") and len(word) > 20
        )
        assert secret not in page.open("/t/acme/keys/").text
        page.fill("/revoke/", confirm="else")
        assert "name" in page.text.lower()
        page.fill("/revoke/", confirm="site")
        assert "No keys yet" in page.text

    def test_a_key_that_may_nothing_is_refused_beside_its_field(
        self, in_acme: Any, alice: Person, visit: Any
    ) -> None:
        page = visit(alice).open("/t/acme/keys/")
        page.fill("/keys/create/", name="site", scopes=[])
        assert page.status == 400 and not ApiKey.objects.exists()
        assert page.form("/keys/create/").fields["name"] == "site"


@pytest.mark.parametrize("language", ["en", "ko"])
def test_what_was_done_stands_in_the_audit_trail(
    in_acme: Any, alice: Person, visit: Any, language: str
) -> None:
    page = visit(alice, language).open("/t/acme/spaces/")
    page.fill("/spaces/create/", name="Pumps")
    assert AuditEntry.objects.filter(verb="create_space").exists()
    page.open("/t/acme/audit/")
    assert page.status == 200 and "alice@example.com" in page.text


@pytest.mark.parametrize("page_number", ["0", "-1", "999999", "x", "9" * 40])
def test_a_page_number_that_is_none_shows_a_page(
    in_acme: Any, alice: Person, visit: Any, page_number: str
) -> None:
    make_agent("desk", make_space())
    for where in ("spaces/", "spaces/handbook/", "agents/", "members/", "keys/", "audit/"):
        assert visit(alice).open(f"/t/acme/{where}?page={page_number}").status == 200, where
