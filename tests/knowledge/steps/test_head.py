"""The header is what is shortened, never the chunk."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.steps.head import WINDOW, head, titles_said, with_head
from knowledge.text.scripts import estimate_tokens

TITLES = {
    "en": "Customer handbook",
    "ko": "고객 안내서",
    "zh": "客户手册",
    "ja": "お客様案内書",
    "de": "Kundenhandbuch",
    "es": "Manual del cliente",
    "fr": "Manuel du client",
}


@pytest.mark.parametrize("language", TITLES)
def test_title_sections_and_spoken_sentences_stand_before_the_chunk(language: str) -> None:
    title = TITLES[language]
    header = head(title, ("A", "B"), 320, spoken="It fits. It holds.")
    assert header == f"{title}\nA > B\nIt fits. It holds."
    assert with_head(header, "text") == f"{header}\ntext"


def test_a_section_that_is_the_title_is_not_said_twice() -> None:
    assert head("Handbook", ("Handbook", "", "Terms"), 100) == "Handbook\nTerms"


def test_the_last_spoken_sentences_go_first_then_the_outer_headings_then_the_title_ends() -> None:
    def at(window: int) -> str:
        return head(
            "Handbook of the pumps", ("Outer part", "Inner part"), 0, spoken="One is. Two is.", window=window
        )

    seen = list(dict.fromkeys(at(window) for window in range(60, -1, -1)))
    assert seen[:5] == [
        "Handbook of the pumps\nOuter part > Inner part\nOne is. Two is.",
        "Handbook of the pumps\nOuter part > Inner part\nOne is.",
        "Handbook of the pumps\nOuter part > Inner part",
        "Handbook of the pumps\nInner part",
        "Handbook of the pumps",
    ]
    assert seen[-1] == "" and all("Handbook of the pumps".startswith(header) for header in seen[4:])


@settings(max_examples=120, deadline=None)
@given(
    st.text(st.sampled_from("ab 가漢は.é👍🏽\u0301"), max_size=200),
    st.lists(st.text(st.sampled_from("ab 가漢"), max_size=60), max_size=5),
    st.text(st.sampled_from("ab 가漢. 。"), max_size=200),
    st.integers(0, 600),
)
def test_header_and_chunk_fit_the_window(title: str, section: list[str], spoken: str, tokens: int) -> None:
    header = head(title, section, tokens, spoken=spoken)
    assert header == "" or estimate_tokens(header) <= WINDOW - tokens


def test_a_title_is_not_cut_inside_a_grapheme() -> None:
    title = "👩🏽‍🚀e\u0301한" * 30
    ends = {match.end() for match in regex.finditer(r"\X", title)} | {0}
    assert {len(head(title, (), 0, window=window)) for window in range(80)} <= ends


def test_a_files_name_is_read_as_it_would_be_said() -> None:
    assert head("annual_report_2024", (), 10) == "annual report 2024"
    assert titles_said("annual_report") == ("annual_report", "annual report")
    assert titles_said("보증 안내") == ("보증 안내",)
