from __future__ import annotations

import pytest

from agents.steps.score import GATE, MOST_LEAD, Evidence, answerable


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
    assert answerable(Evidence(4.0, 0.3, 0.05)) > GATE
    assert answerable(Evidence(2.2, 0.05, 0.0)) < GATE
