from __future__ import annotations

import pytest

from knowledge.text.asking import Shape, asked_shape, has_shape

ASKED = [
    (Shape.DATE, "When was it built?", "언제 지어졌나요?", "什么时候建成的？", "いつ建てられましたか。", "Wann wurde es gebaut?",
     "¿Cuándo se construyó?", "Quand a-t-il été construit ?"),
    (Shape.NUMBER, "How many rooms are there?", "방은 몇 개인가요?", "有多少个房间？", "部屋はいくつありますか。",
     "Wie viele Zimmer gibt es?", "¿Cuántas habitaciones hay?", "Combien de pièces y a-t-il ?"),
    (Shape.PERSON, "Who built it?", "누구가 지었나요?", "谁建的？", "誰が建てましたか。", "Wer hat es gebaut?",
     "¿Quién lo construyó?", "Qui l'a construit ?"),
    (Shape.PLACE, "Where does it stand?", "어디에 있나요?", "它在哪里？", "どこにありますか。", "Wo steht es?",
     "¿Dónde está?", "Où se trouve-t-il ?"),
    (Shape.REASON, "Why was it closed?", "왜 닫았나요?", "为什么关闭？", "なぜ閉まりましたか。", "Warum ist es geschlossen?",
     "¿Por qué cerró?", "Pourquoi a-t-il fermé ?"),
    (Shape.DURATION, "How long does it last?", "얼마나 오래 가나요?", "持续多久？", "どのくらいの期間ですか。",
     "Wie lange dauert es?", "¿Cuánto tiempo dura?", "Combien de temps dure-t-il ?"),
]  # fmt: skip
LOOKS = [
    (
        Shape.DATE,
        "in May 2010",
        "2010년 5월",
        "2010年5月",
        "2010年5月",
        "am 3. Oktober 1990",
        "en mayo de 2010",
        "en mai 2010",
    ),
    (Shape.NUMBER, "it has 24", "24개", "24个", "24個", "24 Stück", "hay 24", "il y en a 24"),
    (Shape.MONEY, "$49", "5만 원", "300元", "500円", "49 €", "49 dólares", "49 euros"),
    (Shape.DURATION, "24 months", "24개월", "24个月", "24か月", "24 Monate", "24 meses", "24 mois"),
    (
        Shape.PERCENT,
        "12%",
        "12 퍼센트",
        "百分之十二",
        "12パーセント",
        "12 Prozent",
        "12 por ciento",
        "12 pour cent",
    ),
]


@pytest.mark.parametrize(("shape", "question"), [(row[0], text) for row in ASKED for text in row[1:]])
def test_a_question_word_tells_what_an_answer_looks_like(shape: Shape, question: str) -> None:
    assert asked_shape(question) is shape


@pytest.mark.parametrize(("shape", "text"), [(row[0], text) for row in LOOKS for text in row[1:]])
def test_an_answer_of_the_shape_is_seen(shape: Shape, text: str) -> None:
    assert has_shape(text, shape)


@pytest.mark.parametrize("shape", [Shape.DATE, Shape.NUMBER, Shape.MONEY, Shape.DURATION, Shape.PERCENT])
@pytest.mark.parametrize(
    "text", ["The gate is green.", "문은 초록색이다.", "大门是绿的。", "門は緑だ。", "Das Tor ist grün."]
)
def test_a_sentence_without_figures_has_no_shape_of_one(shape: Shape, text: str) -> None:
    assert not has_shape(text, shape)


def test_a_question_for_a_thing_has_no_shape() -> None:
    assert asked_shape("What is it called?") is None
