"""Answers without a model: at most two quotes, letter for letter, and silence where the material does not say."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agents.extractive import MEASURED, extract
from knowledge.types import Baseline
from tests.agents.steps.helpers import make_passage

BASELINE = Baseline(1.0, 0.1, 200)
CASES = {
    "en": ("How long is the warranty?", "Hanbit makes scales. The warranty lasts 24 months. Paint it green."),
    "ko": ("보증 기간은 얼마나 되나요?", "한빛은 저울을 만든다. 보증 기간은 24개월이다. 초록으로 칠한다."),
    "zh": ("保修期是多久？", "韩光制造秤。保修期为24个月。请涂成绿色。"),
    "ja": ("保証期間はどのくらいですか。", "ハンビットは秤を作る。保証期間は24か月である。緑に塗る。"),
    "de": (
        "Wie lange gilt die Garantie?",
        "Hanbit baut Waagen. Die Garantie gilt 24 Monate. Streichen Sie sie grün.",
    ),
    "es": (
        "¿Cuánto tiempo dura la garantía?",
        "Hanbit fabrica balanzas. La garantía dura 24 meses. Píntela de verde.",
    ),
    "fr": (
        "Combien de temps dure la garantie ?",
        "Hanbit fabrique des balances. La garantie dure 24 mois. Peignez-la.",
    ),
}


@pytest.mark.parametrize("language", CASES)
def test_the_sentence_that_answers_is_quoted(language: str) -> None:
    question, text = CASES[language]
    found = extract(question, [make_passage(text, distance=0.4), make_passage("x", score=0.2)], BASELINE)
    assert 1 <= len(found.quotes) <= 2 and found.score > 0.5
    assert any("24" in text[quote.start : quote.end] for quote in found.quotes)


@pytest.mark.parametrize("language", CASES)
def test_a_passage_about_something_else_is_no_answer(language: str) -> None:
    question = CASES[language][0]
    other = make_passage("The river floods every spring, and the mill stands still.", distance=0.8, score=0.2)
    near = make_passage("Nobody has seen the ferry since.", distance=0.82, score=0.19)
    assert extract(question, [other, near], BASELINE).score < 0.5


def test_nothing_found_is_nothing_quoted() -> None:
    assert extract("What?", [], BASELINE).quotes == ()


def test_a_quote_of_a_list_without_stops_is_bounded() -> None:
    text = "warranty months " * 400
    for quote in extract("How long is the warranty?", [make_passage(text)], BASELINE).quotes:
        assert quote.end - quote.start <= 600


CODES = {
    "en": ("What is the warranty of {}?", "Order {}: the warranty lasts {} months."),
    "ko": ("{}의 보증기간은?", "계약번호 {}: 보증기간은 {}개월이다."),
    "zh": ("{}的保修期是多久？", "合同编号{}：保修期为{}个月。"),
    "ja": ("{}の保証期間は？", "契約番号{}：保証期間は{}か月である。"),
    "de": ("Wie lange gilt die Garantie von {}?", "Auftrag {}: die Garantie gilt {} Monate."),
    "es": ("¿Cuánto dura la garantía de {}?", "Pedido {}: la garantía dura {} meses."),
    "fr": ("Combien dure la garantie de {} ?", "Commande {} : la garantie dure {} mois."),
}
WRITTEN = ["KR-2024-0117", "kr-2024-0117", "kr 2024 0117", "ＫＲ-２０２４-０１１７", "KR2024-0117"]


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("language", CODES)
def test_only_the_passage_that_carries_the_code_is_quoted(language: str, written: str) -> None:
    question, text = CODES[language]
    neighbours = [make_passage(text.format(code, 9), score=0.9) for code in ("KR-2024-0171", "KR-2024-011")]
    right = make_passage(text.format("KR-2024-0117", 24), score=0.8)
    passages = [*neighbours, right]
    found = extract(question.format(written), passages, BASELINE)
    assert {quote.passage for quote in found.quotes} == {2} and found.score > 0.5


@pytest.mark.parametrize("language", CODES)
def test_a_neighbour_never_answers_for_a_code_that_is_absent(language: str) -> None:
    question, text = CODES[language]
    neighbours = [
        make_passage(text.format(code, 9), distance=0.2) for code in ("KR-2024-0171", "KR-2024-011")
    ]
    assert extract(question.format("KR-2024-0117"), neighbours, BASELINE).score == 0


@pytest.mark.parametrize(
    ("question", "texts", "held"),
    [
        ("Weight and current of pump X?", ("Pump X: the weight is 12 kg.", "Pump X: the current is 3 A."), ("12", "3 A")),
        ("펌프 X의 무게와 전류는?", ("펌프 X의 무게는 12 kg이다.", "펌프 X의 전류는 3 A이다."), ("12", "3 A")),
        ("泵X的重量和电流是多少？", ("泵X的重量是12公斤。", "泵X的电流是3安。"), ("12", "3安")),
        ("ポンプXの重量と電流は？", ("ポンプXの重量は12キロである。", "ポンプXの電流は3アンペアである。"), ("12", "3ア")),
        ("Gewicht und Strom der Pumpe X?", ("Pumpe X: Das Gewicht ist 12 kg.", "Pumpe X: Der Strom ist 3 A."), ("12", "3 A")),
    ],
)  # fmt: skip
def test_two_facts_of_two_documents_are_both_quoted(
    question: str, texts: tuple[str, str], held: tuple[str, str]
) -> None:
    fillers = (" Paint it green.", " Store it dry.")
    passages = [
        make_passage(text + f, score=0.6 - n / 50)
        for n, (text, f) in enumerate(zip(texts, fillers, strict=True))
    ]
    found = extract(question, passages, BASELINE)
    quoted = " ".join(passages[q.passage].text[q.start : q.end] for q in found.quotes)
    assert all(fact in quoted for fact in held)


@pytest.mark.parametrize("language", CASES)
def test_every_quote_stands_in_its_passage_and_there_are_at_most_two(language: str) -> None:
    question, text = CASES[language]
    passages = [make_passage(f"{text}\n\n{other[1]} {text}", score=0.6) for other in CASES.values()]
    found = extract(question, passages, BASELINE)
    assert 1 <= len(found.quotes) <= 2
    for quote in found.quotes:
        assert 0 <= quote.start < quote.end <= len(passages[quote.passage].text)
    assert found.quotes == tuple(sorted(found.quotes, key=lambda q: (q.passage, q.start)))


def test_measured_nearness_decides_between_sentences_alike_in_words_and_its_cost_is_bounded() -> None:
    asked: list[int] = []

    def nearness(said: Sequence[str]) -> Sequence[float]:
        asked.append(len(said))
        return [0.9 if "soaks" in sentence else 0.0 for sentence in said]

    text = "The seal is black. The seal soaks in oil. " + "The seal is here. " * 40
    found = extract("What is done with the seal?", [make_passage(text)], BASELINE, nearness=nearness)
    assert asked == [MEASURED]
    assert any("soaks" in text[quote.start : quote.end] for quote in found.quotes)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("보증 기간은 얼마나 되나요?", "The warranty lasts twenty-four months from the day of delivery."),
        ("保修期是多久？", "Die Garantie gilt vierundzwanzig Monate ab dem Tag der Lieferung."),
        ("How long is the warranty?", "保証期間は納品の日から二十四か月である。"),
    ],
)
def test_a_passage_in_another_language_is_judged_by_its_nearness(question: str, text: str) -> None:
    near, far = make_passage(text, distance=0.4), make_passage(text, distance=0.75)
    assert extract(question, [near], BASELINE).score > 0.5 > extract(question, [far], BASELINE).score
