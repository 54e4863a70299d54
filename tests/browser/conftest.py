"""A real browser against a real server: uvicorn in a thread on the test database, Debian's Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from config import env
from tests.factories import PASSWORD, Person

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
ARTEFACTS = env.BASE_DIR / "artefacts"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.django_db(transaction=True, databases=["default", "owner"]))
            if not CHROMIUM:
                item.add_marker(
                    pytest.mark.skip(reason="no Chromium found: install Debian's package chromium")
                )


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for a module, not for the session: while it is open, Playwright's own loop runs in the thread of the tests, and
    those of other modules would find themselves inside of it."""
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


class Visit:
    """A page, its complaints, and pictures of it."""

    def __init__(self, page: Page, site: str) -> None:
        self.page, self.site = page, site
        self.complaints: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _hear(self, message: object) -> None:
        if message.type in {"error", "warning"}:  # type: ignore[attr-defined]
            self.complaints.append(message.text)  # type: ignore[attr-defined]

    def go(self, path: str) -> None:
        self.page.goto(self.site + path)

    def sign_in(self, person: Person) -> None:
        self.go("/sign-in/")
        self.page.fill("[name=email]", person.user.email)
        self.page.fill("[name=password]", PASSWORD)
        self.page.click("main button[type=submit]")
        self.page.wait_for_url("**/t/**")

    def picture(self, name: str) -> None:
        ARTEFACTS.mkdir(exist_ok=True)
        self.page.screenshot(path=ARTEFACTS / f"{name}.png", full_page=True)


def _context(browser: Browser, locale: str, width: int, scheme: str) -> BrowserContext:
    return browser.new_context(
        locale=locale,
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
    )


@pytest.fixture(params=["en", "ko"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def visit(browser: Browser, site: str, language: str) -> Iterator[Visit]:
    """A visit in one language on a desk-sized light screen."""
    context = _context(browser, language, 1280, "light")
    context.set_default_timeout(15_000)
    yield Visit(context.new_page(), site)
    context.close()
