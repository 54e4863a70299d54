from __future__ import annotations

import pytest

from knowledge.text.identifiers import holds, identifiers, quoted_phrases

KEY = "kr20240117"
WRITTEN = [
    "KR-2024-0117",
    "kr-2024-0117",
    "KR 2024-0117",
    "kr 2024 0117",
    "ＫＲ－２０２４－０１１７",
    "KR2024-0117",
    "KR_2024_0117",
]
IN_A_SENTENCE = [
    "What is the warranty period of {}?",
    "{}의 보증기간은?",
    "{}的保修期是多久？",
    "{}の保証期間は？",
    "Wie lange gilt die Garantie von {}?",
    "¿Cuál es la garantía de {}?",
    "Quelle est la garantie de {} ?",
]


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("sentence", IN_A_SENTENCE)
def test_a_code_has_one_key_however_it_is_written_and_in_whatever_language(
    sentence: str, written: str
) -> None:
    asked = sentence.format(written)
    assert identifiers(asked) == (KEY,)
    assert holds(asked, KEY)


@pytest.mark.parametrize(
    "neighbour",
    [
        "KR-2024-0171",
        "KR-2024-011",
        "KR-2024-01170",
        "KR-2023-0117",
        "XKR-2024-0117",
        "KR-2024-0117-2",
        "KR-2024",
    ],
)
def test_a_neighbour_does_not_hold_the_code(neighbour: str) -> None:
    assert not holds(f"The order {neighbour} was shipped.", KEY)


def test_a_code_at_the_end_of_a_sentence_is_held() -> None:
    assert holds("It supersedes KR-2024-0117. 2 copies remain.", KEY)


@pytest.mark.parametrize(
    "text",
    [
        "In May 2010, from 2010-2015",
        "on May 12 2010",
        "in the 19th century and the mid-1990s",
        "100km/h or 802.11n",
        "a top-10 list, pages 12-15",
        "post-1945 and EURO 2016",
        "2016년 5월 3일",
        "第18条 1990年代",
        "24 Monate, 3,5 kg",
    ],
)
def test_a_year_a_measure_or_an_ordinal_is_no_code(text: str) -> None:
    assert identifiers(text) == ()


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("ISO 9408 and RFC 9110", ("iso9408", "rfc9110")),
        ("A320とA321の違い", ("a320", "a321")),
        ("SKU-00123, SKU-00123", ("sku00123",)),
        ("COVID-19 규정", ("covid19",)),
    ],
)
def test_codes_come_in_order_and_once(text: str, keys: tuple[str, ...]) -> None:
    assert identifiers(text) == keys


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ('Where does "blue pump seal" stand?', ("blue pump seal",)),
        ("Where are “one thing” and “another”?", ("one thing", "another")),
        ("Wo steht „die Dichtung“?", ("die Dichtung",)),
        ("Wo steht »die Dichtung«?", ("die Dichtung",)),
        ("Où est « le joint » ?", ("le joint",)),
        ("¿Dónde está «la junta»?", ("la junta",)),
        ("「青いポンプ」はどこですか。", ("青いポンプ",)),
        ("『青いポンプ』と「弁」", ("青いポンプ",)),
        ("《三国演义》是谁写的？", ("三国演义",)),
        ("“蓝色的泵”在哪里？", ("蓝色的泵",)),
        ("‘파란 펌프’는 어디에 있나요?", ("파란 펌프",)),
        ("Where's the neighbour's pump?", ()),
        ('An inch is 1"', ()),
    ],
)
def test_a_quoted_phrase_is_read_in_the_marks_of_every_language(text: str, phrases: tuple[str, ...]) -> None:
    assert quoted_phrases(text) == phrases
