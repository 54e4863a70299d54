"""State, sources and citations of an answer never disagree."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.types import Answer, Citation, Status
from tests.agents.steps.helpers import make_passage, make_sources

SOURCES = tuple(make_sources([make_passage("보증은 24개월입니다. 영수증이 필요합니다.")]))
CITATION = Citation(1, 0, 10, SOURCES[0].id, "보증은 24개월입니다.", 0, 12)
ANSWER = Answer(
    "a", 1, "desk", "fake", Status.ANSWERED, "24개월입니다.", citations=(CITATION,), sources=SOURCES
)


@pytest.mark.parametrize("held", [{"sources": SOURCES}, {"sources": SOURCES, "citations": (CITATION,)}])
def test_a_refusal_has_no_sources_and_no_citations(held: dict) -> None:  # type: ignore[type-arg]
    with pytest.raises(ValueError, match="no sources"):
        Answer("a", 1, "desk", "fake", Status.NOT_FOUND, "Not there.", **held)


@pytest.mark.parametrize(
    "citation",
    [
        replace(CITATION, quote="보증은 36개월입니다."),
        replace(CITATION, quote_start=1),
        replace(CITATION, quote_end=90),
        replace(CITATION, source="another"),
    ],
)
def test_a_quote_that_is_not_in_its_source_cannot_be_in_an_answer(citation: Citation) -> None:
    with pytest.raises(ValueError, match="does not stand"):
        replace(ANSWER, citations=(citation,))


def test_the_object_of_the_api_names_what_holds_it() -> None:
    shown = ANSWER.to_json()
    source, cited = shown["sources"][0], shown["citations"][0]
    assert (shown["object"], shown["status"]) == ("answer", "answered") and "trace" not in shown
    assert cited["source"] == source["id"]
    assert source["text"][cited["quote_start"] : cited["quote_end"]] == cited["quote"]
    assert (source["kind"], source["grade"], source["attributes"]) == ("document", None, {})
