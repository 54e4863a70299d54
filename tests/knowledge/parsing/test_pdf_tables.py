"""Tables in PDFs: a row means something alone, and stands at its place."""

from __future__ import annotations

import pytest

from knowledge.types import BlockKind
from tests.knowledge.parsing.made import FONTS, Pdf, block_with, draw_table, texts

HEADERS = {
    "en": ("Plan", "Price", "Starter", "49 USD"),
    "de": ("Tarif", "Preis", "Größe S", "49 EUR"),
    "es": ("Plan", "Precio", "Básico", "49 EUR"),
    "fr": ("Offre", "Prix", "Débutant", "49 EUR"),
    "ko": ("요금제", "가격", "기본형", "49,000원"),
    "ja": ("プラン", "価格", "基本", "4,900円"),
    "zh": ("套餐", "价格", "基础版", "49元"),
}


@pytest.mark.parametrize("language", HEADERS)
def test_a_row_repeats_the_names_of_its_columns(language: str) -> None:
    name, price, plan, amount = HEADERS[language]
    pdf = Pdf()
    draw_table(
        pdf.page(), [(name, price), (plan, amount), (f"{plan} 2", amount)], font=FONTS.get(language, "helv")
    )
    (block,) = pdf.read().blocks
    assert block.kind is BlockKind.TABLE
    assert block.text == f"{name}: {plan}; {price}: {amount}\n{name}: {plan} 2; {price}: {amount}"
    assert block.has_header
    assert block.rows[0] == (name, price)


def test_each_row_of_a_table_has_its_own_box() -> None:
    pdf = Pdf()
    draw_table(pdf.page(), [("Plan", "Price"), ("Starter", "49"), ("Team", "99")], y=100, height=22)
    (block,) = pdf.read().blocks
    assert [block.text[line.start : line.end] for line in block.lines] == block.text.split("\n")
    assert [round(line.box[1]) for line in block.lines] == [122, 144]
    assert [round(line.box[3]) for line in block.lines] == [144, 166]


def test_rows_on_the_next_page_keep_the_names_of_the_columns() -> None:
    pdf = Pdf()
    rows = [(f"row {number}", f"{number}.1", f"{number}.2") for number in range(1, 41)]
    widths = (100, 80, 80)
    draw_table(pdf.page(), [("Name", "Q2", "Q3"), *rows[:20]], widths=widths)
    draw_table(pdf.page(), rows[20:], widths=widths)
    parsed = pdf.read()
    block = block_with(parsed, "row 38")
    assert "Name: row 38; Q2: 38.1; Q3: 38.2" in block.text.split("\n")
    assert block.page == 2
    assert sum(len(found.text.split("\n")) for found in parsed.blocks) == 40


def test_a_header_that_is_repeated_on_the_next_page_is_no_row() -> None:
    pdf = Pdf()
    for first in (1, 3):
        rows = [("Name", "Amount"), (f"item {first}", "10"), (f"item {first + 1}", "20")]
        draw_table(pdf.page(), rows)
    assert "Name: Name" not in pdf.read().text
    assert "Name: item 4; Amount: 20" in pdf.read().text


def test_a_table_of_its_own_on_the_next_page_keeps_its_own_header() -> None:
    pdf = Pdf()
    draw_table(pdf.page(), [("Name", "Amount"), ("item", "10")])
    page = pdf.page([(60, 80, "Another matter is listed here.")])
    draw_table(page, [("Town", "People"), ("Ulm", "120000")])
    assert "Town: Ulm; People: 120000" in pdf.read().text


def test_text_around_a_table_keeps_its_place() -> None:
    pdf = Pdf()
    page = pdf.page([(60, 80, "The prices are as follows."), (60, 240, "All prices are net of tax.")])
    draw_table(page, [("Plan", "Price"), ("Starter", "49"), ("Team", "99")])
    assert [block.kind for block in pdf.read().blocks] == [
        BlockKind.PARAGRAPH,
        BlockKind.TABLE,
        BlockKind.PARAGRAPH,
    ]


def test_columns_without_rules_that_stand_under_each_other_are_a_table() -> None:
    pdf = Pdf()
    rows = [("Country", "Capital", "People"), ("Austria", "Vienna", "8.9"), ("Belgium", "Brussels", "11.5")]
    lines = [
        (60 + 120 * at, 100 + 15 * row, words)
        for row, cells in enumerate(rows)
        for at, words in enumerate(cells)
    ]
    pdf.page(lines)
    assert texts(pdf.read()) == [
        "Country: Austria; Capital: Vienna; People: 8.9\nCountry: Belgium; Capital: Brussels; People: 11.5"
    ]


def test_a_form_of_names_and_values_is_read_as_pairs() -> None:
    pdf = Pdf()
    draw_table(pdf.page(), [("Buyer", "Pump Works"), ("Seller", "Acme"), ("Total", "49,000 EUR")])
    assert texts(pdf.read()) == ["Buyer: Pump Works\nSeller: Acme\nTotal: 49,000 EUR"]


def test_a_table_on_a_turned_page_is_read_upright() -> None:
    pdf = Pdf()
    page = pdf.page(width=600, height=600)
    rows = [("Plan", "Price"), ("Starter", "49"), ("Team", "99")]
    # drawn lying on its side, and the page turned so that it is displayed upright
    for at in range(4):
        page.draw_line((100 + 30 * at, 100), (100 + 30 * at, 340))
    for y in (100, 220, 340):
        page.draw_line((100, y), (190, y))
    for at, (name, price) in enumerate(rows):
        page.insert_text((120 + 30 * at, 335), name, fontsize=10, rotate=90)
        page.insert_text((120 + 30 * at, 215), price, fontsize=10, rotate=90)
    page.set_rotation(90)
    (block,) = pdf.read().blocks
    assert block.text == "Plan: Starter; Price: 49\nPlan: Team; Price: 99"
    assert block.lines[0].box[1] < block.lines[1].box[1]


def test_a_table_that_lies_on_its_side_is_read_too() -> None:
    pdf = Pdf()
    page = pdf.page(width=600, height=600)
    draw_table(page, [("Plan", "Price"), ("Starter", "49"), ("Team", "99")], x=60, y=100)
    page.set_rotation(270)
    (block,) = pdf.read().blocks
    assert block.text == "Plan: Starter; Price: 49\nPlan: Team; Price: 99"
    assert all(0 <= side <= 600 for line in block.lines for side in line.box)


def test_words_inside_a_table_that_no_cell_holds_are_read_as_text() -> None:
    pdf = Pdf()
    page = pdf.page()
    draw_table(page, [("Plan", "Price"), ("Starter", "49"), ("Team", "99")])
    page.insert_text((130, 148), "across the rules of the table", fontsize=10)
    text = pdf.read().text.replace("\n", " ")
    for words in ("Starter", "49", "Team", "99", "across", "rules", "table"):
        assert words in text
