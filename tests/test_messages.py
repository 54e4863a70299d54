"""Every sentence that the platform speaks is there in Korean, with its blanks, and compiled."""

from __future__ import annotations

import re

import pytest
from django.utils import translation

from accounts.messages import SENTENCES, sentence
from config import env

CATALOGUE = env.BASE_DIR / "locale" / "ko" / "LC_MESSAGES" / "django.po"
_ENTRY = re.compile(
    r'msgid (?P<id>(?:"[^\n]*"\n)+)(?:msgid_plural (?:"[^\n]*"\n)+)?msgstr(?:\[0\])? (?P<said>(?:"[^\n]*"\n?)+)'
)
_BLANK = re.compile(r"%\(\w+\)s")


def _entries() -> list[tuple[str, str]]:
    text = CATALOGUE.read_text(encoding="utf-8")
    joined = [
        ("".join(re.findall(r'"(.*)"', m["id"])), "".join(re.findall(r'"(.*)"', m["said"])))
        for m in _ENTRY.finditer(text)
    ]
    return [(one, said) for one, said in joined if one]


def test_there_are_entries() -> None:
    assert len(_entries()) > 250


@pytest.mark.parametrize(("one", "said"), _entries(), ids=lambda value: value[:40])
def test_each_is_translated_with_its_blanks_and_compiled(one: str, said: str) -> None:
    assert said and "fuzzy" not in said
    assert set(_BLANK.findall(said)) == set(_BLANK.findall(one))
    if "\\" not in one:
        with translation.override("ko"):
            assert translation.gettext(one) == said or "%(count)s" in one


def test_nothing_is_left_fuzzy() -> None:
    assert "fuzzy" not in CATALOGUE.read_text(encoding="utf-8")


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_every_code_has_a_sentence_that_differs_by_language(code: str) -> None:
    blanks = dict.fromkeys(("reason", "formats", "ending", "pages", "most", "least", "seconds"), "1")
    english = sentence(code, **blanks)
    with translation.override("ko"):
        korean = sentence(code, **blanks)
    assert english != korean and all(english) and all(korean)
