"""Tables as text: names of columns, groups of columns, merged cells, captions."""

from __future__ import annotations

import pytest

from knowledge.parsing.grid import Grid, table_block

CASES: list[tuple[str, Grid, int | None, str]] = [
    ("names", [["Plan", "Price"], ["Starter", "$49"]], None, "Plan: Starter; Price: $49"),
    ("pairs", [["Seller", "Acme"], ["Buyer", "Beta"]], None, "Seller: Acme\nBuyer: Beta"),
    ("told", [["Term", "Sense"], ["SLA", "a promise"]], 1, "Term: SLA; Sense: a promise"),
    ("values", [["Ulm", "120", "7"], ["Bonn", "330", "9"]], None, "Ulm; 120; 7\nBonn; 330; 9"),
    ("years", [["Town", "2023", "2024"], ["Ulm", "120", "121"]], None, "Town: Ulm; 2023: 120; 2024: 121"),
    (
        "groups",
        [["지역", "2023년", None], ["지역", "상반기", "하반기"], ["서울", "12", "15"]],
        None,
        "지역: 서울; 2023년 상반기: 12; 2023년 하반기: 15",
    ),
    (
        "title",
        [["価格表", None, None], ["品", "色", "円"], ["筆", "赤", "90"]],
        None,
        "価格表\n品: 筆; 色: 赤; 円: 90",
    ),
    ("merged", [["项", "一月", "二月"], ["租金", "900", None]], None, "项: 租金; 一月: 900"),
    (
        "terms",
        [["Loan", "3 months", "1 year"], ["A", "4 %", "5 %"]],
        None,
        "Loan: A; 3 months: 4 %; 1 year: 5 %",
    ),
    ("blank", [["A", "B", "C"], ["", "", ""], ["1", "", "3"]], None, "A: 1; C: 3"),
    ("one row", [["only", "this", "row"]], None, "only; this; row"),
]


@pytest.mark.parametrize(
    ("grid", "header", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_table_row_means_something_alone(grid: Grid, header: int | None, text: str) -> None:
    placed = table_block(grid, header)
    assert placed is not None
    assert placed.block.text == text
    assert len(placed.sources) == len(text.split("\n"))


def test_a_table_that_goes_on_takes_the_names_it_is_given() -> None:
    placed = table_block([["Team", "$99"]], names=("Plan", "Price"))
    assert placed is not None
    assert placed.block.text == "Plan: Team; Price: $99"
    assert not placed.block.has_header


def test_a_table_without_words_is_none() -> None:
    assert table_block([["", " "], [None, ""]]) is None
