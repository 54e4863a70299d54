"""Plain text: paragraphs, and lines that were broken to fill a width."""

from __future__ import annotations

import pytest

from knowledge.errors import UnreadableFile
from tests.knowledge.parsing.made import read, texts


@pytest.mark.parametrize(
    ("words", "encoding"),
    [
        ("보증 기간은 24개월이다.", "cp949"),
        ("保証期間は24か月とする。", "cp932"),
        ("保修期为24个月。", "gb18030"),
        ("Die Gewährleistung beträgt 24 Monate.", "cp1252"),
        ("La garantía dura 24 meses.", "cp1252"),
        ("La garantie dure 24 mois à compter de la livraison.", "utf-16"),
        ("The warranty lasts for 24 months.", "utf-8"),
    ],
)
def test_paragraphs_stand_between_blank_lines(words: str, encoding: str) -> None:
    data = f"{words}\r\n \r\n\r\n{words} 2\r\n".encode(encoding)
    parsed = read(data, "made.txt")
    assert texts(parsed) == [words, f"{words} 2"]
    assert parsed.encoding == encoding


WRAPPED = [
    (
        [
            "The warranty of the pump lasts for twelve months",
            "from the day of delivery, unless the parties have",
            "agreed otherwise in writing.",
        ],
        " ",
    ),
    (
        [
            "保証期間は納品の日から起算して二十四か月とし、消耗",
            "品についてはこれを六か月とする。ただし、当事者が書面",
            "で別に定めたときはこの限りでない。",
        ],
        "",
    ),
    (
        [
            "保修期自交货之日起为二十四个月，易损件的保修期为六",
            "个月。双方另有书面约定的，从其约定。本条规定适用于",
            "全部产品。",
        ],
        "",
    ),
    (
        [
            "보증 기간은 납품일로부터 스물네 달로 하고 소모품은",
            "여섯 달로 한다. 다만 당사자가 서면으로 달리 정하면",
            "그에 따른다.",
        ],
        " ",
    ),
]


@pytest.mark.parametrize(("lines", "between"), WRAPPED)
def test_lines_broken_to_fill_a_width_are_joined(lines: list[str], between: str) -> None:
    assert texts(read("\n".join(lines).encode(), "a.txt")) == [between.join(lines)]


@pytest.mark.parametrize(
    "text",
    [
        "Acme Ltd\n12 Mill Lane\nLeeds",
        "- the first point of the list is this one here\n- the second point of the list is this one\n- the third point",
        "2024-01-01 10:00:00 INFO the service was started\n    at module one in line twenty and so on and\n    at two",
        "장미\n국화\n백합",
    ],
)
def test_lines_that_are_their_own_stay_so(text: str) -> None:
    assert read(text.encode(), "a.txt").text == text


def test_a_file_of_white_space_is_empty() -> None:
    with pytest.raises(UnreadableFile) as refusal:
        read(b" \r\n\t\n", "a.txt")
    assert refusal.value.code == "empty_file"


def test_a_file_of_marks_alone_has_no_text() -> None:
    with pytest.raises(UnreadableFile) as refusal:
        read(b"-----\n*****\n", "a.txt")
    assert refusal.value.code == "no_text"
