from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.text.sentences import clauses, sentences

CASES = [
    ("Dr. Kim said so. It costs 3.14 USD. See No. 5 for more.", ["Dr. Kim said so.", "It costs 3.14 USD.", "See No. 5 for more."]),
    ("The U.S. Army came. J. R. R. Tolkien wrote.", ["The U.S. Army came.", "J. R. R. Tolkien wrote."]),
    ("There are 12. Then more.", ["There are 12.", "Then more."]),
    ("1. Install it. 2. Run it.", ["1. Install it.", "2. Run it."]),
    ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
    ("See https://example.com/a.b?c=d. Then go.", ["See https://example.com/a.b?c=d.", "Then go."]),
    ("Das gilt z. B. am 3. Oktober. Danach nicht.", ["Das gilt z. B. am 3. Oktober.", "Danach nicht."]),
    ("El Sr. López vive en EE.UU. desde 2001. ¿Vale? Sí.", ["El Sr. López vive en EE.UU. desde 2001.", "¿Vale?", "Sí."]),
    ("M. Dupont est là. Il part !", ["M. Dupont est là.", "Il part !"]),
    ("보증 기간은 24개월이다. 제18조를 보라.그리고 끝났다.", ["보증 기간은 24개월이다.", "제18조를 보라.", "그리고 끝났다."]),
    ("허용오차는 0.25 퍼센트다. 끝", ["허용오차는 0.25 퍼센트다.", "끝"]),
    ("保修期为两年。不含水损！真的？是", ["保修期为两年。", "不含水损！", "真的？", "是"]),
    ("「はい。」と言った。彼は帰った。", ["「はい。」と言った。", "彼は帰った。"]),
    ("Is it safe? No. It is not.", ["Is it safe?", "No.", "It is not."]),
    ("See No. 5 and fig. 3. Done.", ["See No. 5 and fig. 3.", "Done."]),
    ('"Stop!" he said. Then he left.', ['"Stop!" he said.', "Then he left."]),
    ("really? yes. Well… maybe. Wait... what?", ["really?", "yes.", "Well… maybe.", "Wait... what?"]),
    ("It was measured.[3] Then it was sold at 5 p.m. Nobody came.", ["It was measured.[3]", "Then it was sold at 5 p.m.", "Nobody came."]),
    ("Mr. Smith vs. Jones, etc. Then more, e.g. this.", ["Mr. Smith vs. Jones, etc.", "Then more, e.g. this."]),
    ("Il dit : « Oui. » Puis il part.", ["Il dit : « Oui. »", "Puis il part."]),
    ("« Quoi ? » dit-il. É. Zola est né.", ["« Quoi ? » dit-il.", "É. Zola est né."]),
    ("Auf diese Art. Vgl. Abs. 3 und Nr. 5 dort. Fertig.", ["Auf diese Art.", "Vgl. Abs. 3 und Nr. 5 dort.", "Fertig."]),
    ("Es, p. ej., la pág. 3. Fin.", ["Es, p. ej., la pág. 3.", "Fin."]),
    ("2024. 5. 3. 시행한다. 그 뒤로 유효하다.", ["2024. 5. 3. 시행한다.", "그 뒤로 유효하다."]),
    ("U.S.에서 왔다. https://example.com/?가 를 보라.", ["U.S.에서 왔다.", "https://example.com/?가 를 보라."]),
    ("첫째 항목\n둘째 항목", ["첫째 항목", "둘째 항목"]),
    ("誤差は２．５％である．次に進む．", ["誤差は２．５％である．", "次に進む．"]),
    ("（他说：好。）然后走了。真的！！", ["（他说：好。）然后走了。", "真的！！"]),
    ("line one\nline two", ["line one", "line two"]),
    ("", []),
    ("   \n ", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from('ab. !?。！？\n"”)12,;가나は漢'), max_size=60))
def test_no_character_but_white_space_is_lost(text: str) -> None:
    for cut in (sentences, clauses):
        held = "".join(text[start:end] for start, end in cut(text))
        assert "".join(held.split()) == "".join(text.split())


def test_clauses_end_at_korean_endings_without_a_stop() -> None:
    text = "기기를 끈다 전원을 뺀다 필터를 바꾼다"
    assert [text[start:end] for start, end in clauses(text)] == [
        "기기를 끈다",
        "전원을 뺀다",
        "필터를 바꾼다",
    ]


@pytest.mark.parametrize(
    "part",
    [
        "Das gilt z. B. am 3. Oktober. Danach nicht. ",
        "보라.그리고",
        "!?",
        ".",
        ".x",
        '."',
        "1. ",
        "a.b",
        "\n",
        "。」",
        "U.S.",
    ],
)
def test_a_megabyte_takes_no_longer_by_the_character_than_a_tenth_of_it(part: str) -> None:
    text = part * (400_000 // len(part)) + "x"
    spent = []
    for size in (len(text) // 10, len(text)):
        began = time.perf_counter()
        sentences(text[-size:])
        spent.append((time.perf_counter() - began) / size)
    assert spent[1] < 5 * spent[0]
