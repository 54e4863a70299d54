from __future__ import annotations

from typing import Any

import pytest

from agents.steps.score import MOST_LEAD, Evidence, answerable, is_worth_asking


def test_more_of_any_evidence_never_lowers_the_score() -> None:
    low = answerable(Evidence(3.0, 0.3, 0.02))
    for more in (Evidence(5.0, 0.3, 0.02), Evidence(3.0, 0.6, 0.02), Evidence(3.0, 0.3, 0.1)):
        assert 0 < low < answerable(more) < 1


@pytest.mark.parametrize(
    ("evidence", "answers"),
    [
        (Evidence(6.0, 0.75, 0.15), True),  # near, nearly all named, well ahead
        (Evidence(6.0, 0.35, 0.02), False),  # a sibling: near, but half of what is asked is not there
        (Evidence(3.0, 0.2, 0.0), False),  # another article
        (Evidence(6.0, None, 0.05), True),  # another language: the words cannot tell
        (Evidence(3.5, None, 0.05), False),
    ],
)
def test_the_threshold_parts_what_answers_from_what_does_not(evidence: Evidence, answers: bool) -> None:
    assert (answerable(evidence) > 0.5) is answers


def test_a_lead_says_no_more_from_some_point_on_and_never_less_than_nothing() -> None:
    assert answerable(Evidence(4.0, 0.5, 9.0)) == answerable(Evidence(4.0, 0.5, MOST_LEAD))
    assert answerable(Evidence(4.0, 0.5, -1.0)) == answerable(Evidence(4.0, 0.5, 0.0))


def test_a_model_is_asked_wherever_the_words_are_not_far_off() -> None:
    def asks(*evidence: Any) -> bool:
        return is_worth_asking(Evidence(*evidence), answerable(Evidence(*evidence)))

    assert asks(4.0, 0.3, 0.05)
    assert asks(4.0, 0.0, 0.05)
    assert not asks(2.2, 0.05, 0.0)
    assert not asks(1.9, 0.0, 0.08), "no word of the question, and hardly nearer than anything"
    assert asks(1.9, None, 0.08), "in another language words cannot tell"
    assert not is_worth_asking(None, 0.0)
