"""PDF: what stands on the pages, in the order of reading, each line with its place."""

from __future__ import annotations

import time

import pymupdf
import pytest

from knowledge.errors import UnreadableFile
from knowledge.parsing.limits import Limits
from knowledge.parsing.pdf_page import _unusable
from knowledge.parsing.registry import parse
from knowledge.types import Block, BlockKind, ParsedDocument
from tests.knowledge.parsing.made import FONTS, Pdf, block_with, paragraph, read, scan, texts

# Lines of one paragraph, and the paragraph as it was written.
PARAGRAPHS = {
    "en": (["The warranty of the pump lasts for", "twelve months after the delivery."], " "),
    "de": (["Die Gewährleistung für die Größe XL", "beträgt zwölf Monate ab Lieferung."], " "),
    "es": (["La garantía de la máquina pequeña", "dura doce meses desde la entrega."], " "),
    "fr": (["La garantie de la pièce détachée", "dure douze mois après la livraison."], " "),
    "ko": (["이 펌프의 보증 기간은 납품일로부터", "열두 달이며 소모품은 제외한다."], " "),
    "ja": (["このポンプの保証期間は納品の日から", "十二か月とし消耗品を除くものとする。"], ""),
    "zh": (["本水泵的保修期限自交货之日起", "为十二个月，易损件除外。"], ""),
}
REASONS = ("running_header", "page_number", "hyphen")
ORDINAL = [
    "the first clause of this agreement speaks",
    "of the price that the buyer has to pay",
    "and of the day on which he has to pay it",
    "to the seller at the seat of the seller",
]


@pytest.mark.parametrize("language", PARAGRAPHS)
def test_lines_of_a_paragraph_are_joined_as_its_writing_joins_words(language: str) -> None:
    lines, between = PARAGRAPHS[language]
    pdf = Pdf()
    pdf.page(paragraph(60, 100, lines), font=FONTS.get(language, "helv"))
    assert texts(pdf.read()) == [between.join(lines)]


@pytest.mark.parametrize("language", PARAGRAPHS)
def test_every_line_knows_its_characters_its_page_and_its_box(language: str) -> None:
    lines, _between = PARAGRAPHS[language]
    pdf = Pdf()
    pdf.page([(60, 60, "x")])
    pdf.page(paragraph(60, 100, lines), font=FONTS.get(language, "helv"))
    block = block_with(pdf.read(), lines[0][:4])
    assert [block.text[line.start : line.end] for line in block.lines] == lines
    for index, line in enumerate(block.lines):
        x0, y0, x1, y1 = line.box
        assert line.page == 2
        assert 55 < x0 < 65 < x1 < 595
        assert y0 < 100 + 14 * index < y1 + 1


def test_a_no_break_space_of_a_cjk_font_is_a_space() -> None:
    pdf = Pdf()
    pdf.page([(60, 100, "계약 기간은 2년")], font="korea")
    assert texts(pdf.read()) == ["계약 기간은 2년"]


def test_two_columns_are_read_one_after_the_other_and_a_title_over_both_first() -> None:
    left = [f"left {line}" for line in ORDINAL]
    right = [f"right {line}" for line in ORDINAL]
    pdf = Pdf()
    rows = [
        row for pair in zip(paragraph(60, 140, left), paragraph(320, 140, right), strict=True) for row in pair
    ]
    pdf.page([*rows, (60, 100, "Agreement on the sale of a pump in two columns", 20)])
    text = pdf.read().text
    assert text.index("Agreement") < text.index(left[0]) < text.index(left[3]) < text.index(right[0])


def test_columns_whose_lines_do_not_stand_level_are_read_one_after_the_other() -> None:
    pdf = Pdf()
    pdf.page(
        paragraph(320, 146, [f"right {line}" for line in ORDINAL])
        + paragraph(60, 140, [f"left {line}" for line in ORDINAL])
    )
    text = pdf.read().text
    assert text.index(f"left {ORDINAL[3]}") < text.index(f"right {ORDINAL[0]}")


def test_three_columns_and_full_lines_above_and_below_keep_their_places() -> None:
    pdf = Pdf()
    pdf.page(
        [(40, 80, "above all three columns stands a line that reaches from edge to edge of the whole page")]
    )
    page = pdf.document[0]
    for column, x in enumerate((40, 225, 410)):
        for index in range(5):
            page.insert_text((x, 120 + 14 * index), f"column {column} has the line {index} of", fontsize=11)
    page.insert_text(
        (40, 230), "below all three columns stands a line that reaches from edge to edge of the whole page"
    )
    text = pdf.read().text
    places = [text.index(words) for words in ("above", "column 0", "column 1", "column 2", "below")]
    assert places == sorted(places)


def test_a_paragraph_goes_on_in_the_next_column() -> None:
    pdf = Pdf()
    pdf.page(
        paragraph(60, 140, ORDINAL) + paragraph(320, 140, ["without any deduction, even where the", *ORDINAL])
    )
    assert "at the seat of the seller without any deduction" in pdf.read().text


@pytest.mark.parametrize("language", PARAGRAPHS)
def test_a_paragraph_that_breaks_across_a_page_is_joined_and_stands_on_both(language: str) -> None:
    lines, between = PARAGRAPHS[language]
    pdf = Pdf()
    for line in lines:
        pdf.page([(60, 700 if line is lines[0] else 80, line)], font=FONTS.get(language, "helv"), width=300)
    (block,) = pdf.read().blocks
    assert block.text == between.join(lines)
    assert [line.page for line in block.lines] == [1, 2]


def test_a_sentence_that_ends_a_page_does_not_swallow_the_next_one() -> None:
    pdf = Pdf()
    pdf.page([(60, 700, "The warranty of the pump lasts twelve months.")], width=320)
    pdf.page([(60, 80, "Repairs are made at the works of the seller.")], width=320)
    assert len(pdf.read().blocks) == 2


HYPHENS = [
    ("the agree-", "ment ends", "the agreement ends", 1),
    ("die Kündi-", "gungsfrist", "die Kündigungsfrist", 1),
    ("la garan-", "tie légale", "la garantie légale", 1),
    ("la máqui-", "na pequeña", "la máquina pequeña", 1),
    ("Haupt-", "und Nebenkosten", "Haupt- und Nebenkosten", 0),
    ("the state-of-the-", "art pump", "the state-of-the-art pump", 0),
    ("the CB-", "Board is", "the CB-Board is", 0),
    ("number KR-2024-", "0117 only", "number KR-2024-0117 only", 0),
    ("a margin of 5 -", "at most", "a margin of 5 - at most", 0),
]


@pytest.mark.parametrize(("first", "second", "whole", "dropped"), HYPHENS)
def test_a_hyphen_that_only_breaks_a_word_is_undone_and_in_the_ledger(
    first: str, second: str, whole: str, dropped: int
) -> None:
    pdf = Pdf()
    pdf.page(paragraph(60, 100, [first, second]))
    parsed = pdf.read()
    assert texts(parsed) == [whole]
    assert sum(drop.characters for drop in parsed.drops if drop.reason == "hyphen") == dropped
    assert [parsed.blocks[0].text[line.start : line.end] for line in parsed.blocks[0].lines][1] == second


def test_a_word_that_the_document_writes_with_a_hyphen_keeps_it() -> None:
    pdf = Pdf()
    pdf.page(
        [
            *paragraph(60, 100, ["It is a well-known rule."]),
            *paragraph(60, 200, ["This rule is well-", "known too"]),
        ]
    )
    assert "This rule is well-known too" in pdf.read().text


def test_a_ligature_stays_as_the_author_wrote_it() -> None:
    pdf = Pdf()
    page = pdf.page()
    writer = pymupdf.TextWriter(page.rect)
    writer.append((60, 100), "the ﬁrst oﬃce", font=pymupdf.Font("helv"))
    writer.write_text(page)
    text = pdf.read().text
    assert "ﬁrst" in text


RUNNING = {
    "en": ("Pump Works Ltd - confidential", "Page {} of 5"),
    "ko": ("한빛물산 사내 규정", "{}쪽"),
    "ja": ("社外秘 製品規格書", "第{}頁"),
    "zh": ("内部资料 产品手册", "第 {} 页"),
    "de": ("Pumpenwerk GmbH - vertraulich", "Seite {} von 5"),
    "es": ("Bombas S.A. - confidencial", "Página {} de 5"),
    "fr": ("Pompes SA - confidentiel", "Page {} sur 5"),
}


@pytest.mark.parametrize("language", RUNNING)
def test_running_headers_and_page_numbers_are_dropped_and_in_the_ledger(language: str) -> None:
    header, footer = RUNNING[language]
    font = FONTS.get(language, "helv")
    pdf = Pdf()
    for number in range(1, 6):
        page = pdf.page([(60, 40, header), (280, 815, footer.format(number))], font=font)
        page.insert_text((60, 300), f"fact {'abcde'[number - 1]}")
    parsed = pdf.read()
    assert texts(parsed) == [f"fact {letter}" for letter in "abcde"]
    reasons = sorted(drop.reason for drop in parsed.drops)
    assert reasons == ["page_number"] * 5 + ["running_header"] * 5


def test_headers_that_alternate_between_left_and_right_pages_are_dropped() -> None:
    pdf = Pdf()
    for number in range(1, 9):
        pdf.page(
            [
                (60, 40, "Manual" if number % 2 else "Chapter on pumps"),
                (60, 300, f"fact {'abcdefgh'[number - 1]}"),
            ]
        )
    assert texts(pdf.read()) == [f"fact {letter}" for letter in "abcdefgh"]


def test_a_line_at_the_edge_of_one_page_only_is_kept() -> None:
    pdf = Pdf()
    pdf.page([(60, 40, "Final report of the year"), (60, 300, "fact a")])
    pdf.page([(60, 300, "fact b")])
    pdf.page([(60, 300, "fact c")])
    assert "Final report of the year" in pdf.read().text


def test_a_bare_number_at_an_edge_is_kept_where_it_counts_no_pages() -> None:
    pdf = Pdf()
    pdf.page([(60, 300, "The year was"), (60, 815, "1994")])
    assert "1994" in pdf.read().text


def test_a_document_of_nothing_but_page_numbers_keeps_them() -> None:
    pdf = Pdf()
    for number in range(1, 5):
        pdf.page([(280, 815, f"Page {number}")])
    assert "Page 3" in pdf.read().text


def test_headings_are_seen_by_their_size_and_nest() -> None:
    pdf = Pdf()
    pdf.page(
        [
            (60, 80, "Handbook", 24),
            (60, 130, "Warranty", 16),
            *paragraph(60, 160, ["The warranty lasts for twelve months after delivery."]),
            (60, 220, "Returns", 16),
            *paragraph(60, 250, ["Unused goods may be sent back within thirty days."]),
        ]
    )
    parsed = pdf.read()
    assert [(block.text, block.level) for block in parsed.blocks if block.kind is BlockKind.HEADING] == [
        ("Handbook", 1),
        ("Warranty", 2),
        ("Returns", 2),
    ]
    assert block_with(parsed, "Unused").section == ("Handbook", "Returns")


def test_an_outline_entry_on_the_last_page_alone_loses_no_page() -> None:
    pdf = Pdf()
    for number in range(1, 5):
        pdf.page([(60, 100, f"Annex {number}"), (60, 130, f"fact number {number} of four")])
    pdf.document.set_toc([[1, "Annex 4", 4]])
    parsed = pdf.read()
    for number in range(1, 5):
        assert block_with(parsed, f"fact number {number}").page == number
    assert block_with(parsed, "fact number 4").section == ("Annex 4",)


def test_the_fact_on_page_three_is_on_page_three() -> None:
    pdf = Pdf()
    for words in ("First page.", "Second page.", "The limit is 14 days."):
        pdf.page([(60, 400, words)])
    block = block_with(pdf.read(), "14 days")
    assert [line.page for line in block.lines] == [3]
    assert 385 < block.lines[0].box[1] < 400 < block.lines[0].box[3] < 410


def test_list_items_stay_apart() -> None:
    pdf = Pdf()
    pdf.page(
        paragraph(60, 100, ["* first of the points", "- second of the points", "3) third of the points"])
    )
    assert texts(pdf.read(), BlockKind.LIST_ITEM) == [
        "* first of the points",
        "- second of the points",
        "3) third of the points",
    ]


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_stand_on_the_page_as_it_is_displayed(rotation: int) -> None:
    pdf = Pdf()
    pdf.page(
        [(50, 80, "near the top left"), (50, 110, "second line")], width=400, height=600, rotation=rotation
    )
    parsed = pdf.read()
    block = block_with(parsed, "near")
    assert parsed.text.index("near") < parsed.text.index("second")
    shown = pymupdf.open(stream=pdf.data())[0]
    (place,) = shown.search_for("near the top left")
    wanted = place * shown.rotation_matrix
    got = pymupdf.Rect(block.lines[0].box)
    assert abs((got & wanted).get_area() - wanted.get_area()) < 0.1 * wanted.get_area()
    assert (parsed.pages[0].width, parsed.pages[0].height) == (shown.rect.width, shown.rect.height)


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_text_that_stands_turned_on_the_page_is_read_in_its_own_direction(turn: int) -> None:
    pdf = Pdf()
    page = pdf.page(width=600, height=600)
    starts = {90: (100, 500), 180: (500, 500), 270: (500, 100)}
    step = {90: (14, 0), 180: (0, -14), 270: (-14, 0)}[turn]
    for index, line in enumerate(ORDINAL):
        x, y = starts[turn]
        page.insert_text((x + step[0] * index, y + step[1] * index), line, fontsize=11, rotate=turn)
    assert texts(pdf.read()) == [" ".join(ORDINAL)]


def test_vertical_writing_is_read_down_the_columns_from_the_right() -> None:
    pdf = Pdf()
    page = pdf.page(width=300, height=300)
    xref = page.insert_font(fontname="japan", set_simple=False)
    pdf.document.xref_set_key(xref, "Encoding", "/UniJIS-UTF16-V")
    for column, words in enumerate(("保証期間は納品", "の日から十二月")):
        coded = words.encode("utf-16-be").hex()
        stream = f"BT /japan 12 Tf 1 0 0 1 {250 - 20 * column} 250 Tm <{coded}> Tj ET".encode()
        _append(pdf.document, page, stream)
    text = pdf.read().text
    assert "保証期間は納品の日から十二月" in text.replace("\n", "")


def _append(document: pymupdf.Document, page: pymupdf.Page, stream: bytes) -> None:
    contents = page.get_contents()
    if contents:
        document.update_stream(contents[0], document.xref_stream(contents[0]) + b"\n" + stream)
        return
    xref = document.get_new_xref()
    document.update_object(xref, "<<>>")
    document.update_stream(xref, stream)
    page.set_contents(xref)


def test_text_outside_of_the_page_is_hidden_and_in_the_ledger() -> None:
    pdf = Pdf()
    pdf.page([(60, 100, "on the page"), (-500, 100, "beside it")])
    parsed = pdf.read()
    assert texts(parsed) == ["on the page"]


def test_a_shadow_of_a_line_is_not_read_twice() -> None:
    pdf = Pdf()
    pdf.page([(60, 100, "Price list"), (60.4, 100.3, "Price list")])
    parsed = pdf.read()
    assert parsed.text == "Price list"
    assert [(drop.reason, drop.characters) for drop in parsed.drops] == [("hidden", 10)]


def test_a_scanned_page_among_typed_ones_is_named() -> None:
    pdf = Pdf()
    pdf.page([(60, 100, "typed page")])
    scan(pdf.page())
    parsed = pdf.read()
    assert [(page.how, page.reason) for page in parsed.pages] == [("text", ""), ("empty", "no_text_layer")]
    assert parsed.warnings == ("pages_without_text",)


def test_a_blank_page_is_no_reason_to_warn() -> None:
    pdf = Pdf()
    pdf.page([(60, 100, "typed page")])
    pdf.page()
    parsed = pdf.read()
    assert [(page.how, page.reason) for page in parsed.pages] == [("text", ""), ("empty", "")]
    assert parsed.warnings == ()


def _refused(data: bytes, limits: Limits | None = None) -> UnreadableFile:
    with pytest.raises(UnreadableFile) as refusal:
        parse(data, "made.pdf", limits or Limits())
    return refusal.value


def test_scanned_pages_with_an_outline_are_refused_with_their_number_not_indexed_by_their_titles() -> None:
    pdf = Pdf()
    for _page in range(4):
        scan(pdf.page())
    pdf.document.set_toc([[1, f"Chapter {n}", n] for n in range(1, 5)])
    error = _refused(pdf.data())
    assert (error.code, error.params["pages"]) == ("needs_ocr", 4)


def test_a_document_of_blank_pages_has_no_text() -> None:
    pdf = Pdf()
    pdf.page()
    assert _refused(pdf.data()).code == "no_text"


def test_a_user_password_is_asked_for_and_an_owner_password_is_not() -> None:
    pdf = Pdf()
    pdf.page([(60, 100, "secret words")])
    way = pymupdf.PDF_ENCRYPT_AES_256
    assert _refused(pdf.data(encryption=way, user_pw="open", owner_pw="own")).code == "needs_password"
    assert read(pdf.data(encryption=way, owner_pw="own"), "a.pdf").text == "secret words"


def test_too_many_pages_are_refused_before_any_is_read() -> None:
    pdf = Pdf()
    for _page in range(4):
        pdf.page([(60, 100, "words")])
    error = _refused(pdf.data(), Limits(pages=3))
    assert (error.code, error.params) == ("too_many_pages", {"pages": 4, "most": 3})


def test_a_cut_off_or_broken_file_is_damaged() -> None:
    pdf = Pdf()
    pdf.page([(60, 100, "words")])
    whole = pdf.data()
    assert _refused(b"%PDF-1.7\n%%EOF\n").code in {"damaged", "no_pages"}
    assert _refused(whole[: len(whole) // 4]).code == "damaged"


def test_text_and_blocks_agree() -> None:
    pdf = Pdf()
    pdf.page([(60, 80, "Title of it all", 20), *paragraph(60, 120, ORDINAL)])
    parsed: ParsedDocument = pdf.read()
    for block, start in zip(parsed.blocks, parsed.starts, strict=True):
        assert isinstance(block, Block)
        assert parsed.text[start : start + len(block.text)] == block.text


def test_a_sentence_without_an_end_over_sixty_pages_takes_no_longer_than_its_words() -> None:
    pdf = Pdf()
    for _page in range(60):
        pdf.page(
            paragraph(
                60, 80, ["the seller shall deliver the goods to the buyer and the buyer shall take them"] * 48
            )
        )
    began = time.monotonic()
    parsed = pdf.read()
    assert time.monotonic() - began < 6
    assert len(parsed.blocks) == 1


def test_entries_of_a_table_of_contents_are_no_headings_and_stay_apart() -> None:
    pdf = Pdf()
    entries = ["1 Introduction . . . . . . . 1", "2 Warranty ........... 4", "3 Returns ............ 9"]
    pdf.page([(60, 100 + 18 * at, entry, 15) for at, entry in enumerate(entries)])
    pdf.page(paragraph(60, 100, ORDINAL * 4))
    parsed = pdf.read()
    assert texts(parsed)[:3] == entries
    assert not texts(parsed, BlockKind.HEADING)


@pytest.mark.parametrize("language", PARAGRAPHS)
def test_every_letter_of_the_pages_is_in_the_text_or_in_the_ledger(language: str) -> None:
    lines, _between = PARAGRAPHS[language]
    font = FONTS.get(language, "helv")
    pdf = Pdf()
    for number in range(1, 5):
        page = pdf.page(paragraph(60, 120, lines * 2) + paragraph(330, 125, lines[::-1] * 2), font=font)
        page.insert_text((60, 40), "Confidential")
        page.insert_text((60, 300), "The agree-")
        page.insert_text((60, 314), "ment ends here.")
        page.insert_text((290, 815), str(number))
    parsed = pdf.read()
    drawn = sum(len("".join(page.get_text().split())) for page in pymupdf.open(stream=pdf.data()))
    kept = len("".join(parsed.text.split()))
    dropped = {reason: sum(d.characters for d in parsed.drops if d.reason == reason) for reason in REASONS}
    assert dropped == {"running_header": 4 * len("Confidential"), "page_number": 4, "hyphen": 4}
    assert kept + sum(dropped.values()) == drawn


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\ufffd" * 20 + "ab", "no_text_layer"),
        ("\ue010\ue011\ue012 \uf0b7", "no_text_layer"),
        ("보증 기간 \ufffd 24개월", None),
        ("契約期間 \ue010 二年", None),
        ("", ""),
    ],
)
def test_a_text_layer_without_meaning_counts_as_none(text: str, reason: str | None) -> None:
    assert _unusable(text, Pdf().page()) == reason


def test_words_that_were_turned_into_drawings_need_recognition() -> None:
    pdf = Pdf()
    page = pdf.page()
    for at in range(40):
        page.draw_bezier((60 + 8 * at, 100), (62 + 8 * at, 90), (64 + 8 * at, 110), (66 + 8 * at, 100))
    assert _refused(pdf.data()).code == "needs_ocr"


def test_a_page_that_breaks_the_reader_leaves_the_others() -> None:
    pdf = Pdf()
    pdf.page([(60, 100, "first page")])
    pdf.page([(60, 100, "second page")])
    pdf.page([(60, 100, "third page")])
    pdf.document.xref_set_key(pdf.document.page_xref(1), "Contents", "99999 0 R")
    parsed = pdf.read()
    assert texts(parsed) == ["first page", "third page"]
    assert len(parsed.pages) == 3


def test_a_filled_form_field_is_read() -> None:
    pdf = Pdf()
    page = pdf.page([(60, 62, "Buyer:")])
    field = pymupdf.Widget()
    field.field_type, field.field_name = pymupdf.PDF_WIDGET_TYPE_TEXT, "buyer"
    field.rect, field.field_value = pymupdf.Rect(110, 50, 300, 70), "Pump Works"
    page.add_widget(field)
    assert "Pump Works" in pdf.read().text
