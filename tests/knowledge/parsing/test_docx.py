"""DOCX: nothing that a reader sees is passed over, and nothing that is deleted is read."""

from __future__ import annotations

import io

import docx as python_docx
import pytest

from knowledge.errors import UnreadableFile
from knowledge.types import BlockKind
from tests.knowledge.parsing.made import block_with, cell, docx, p, read, run, table, texts

SENTENCES = {
    "en": "The warranty lasts for 24 months.",
    "de": "Die Gewährleistung beträgt 24 Monate.",
    "es": "La garantía dura 24 meses.",
    "fr": "La garantie dure 24 mois.",
    "ko": "보증 기간은 24개월이다.",
    "ja": "保証期間は24か月とする。",
    "zh": "保修期为24个月。",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_document_of_word_is_read_in_order(language: str) -> None:
    made = python_docx.Document()
    made.core_properties.title = f"Title {language}"
    made.add_heading(f"1 {language}", 1)
    made.add_paragraph(SENTENCES[language])
    held = made.add_table(2, 2)
    for at, words in enumerate(("Plan", "Price", SENTENCES[language], "$49")):
        held.cell(at // 2, at % 2).text = words
    made.add_paragraph("the end")
    file = io.BytesIO()
    made.save(file)
    parsed = read(file.getvalue(), "made.docx")
    assert parsed.title == f"Title {language}"
    assert texts(parsed) == [
        f"1 {language}",
        SENTENCES[language],
        f"Plan: {SENTENCES[language]}; Price: $49",
        "the end",
    ]
    assert block_with(parsed, "the end").section == (f"1 {language}",)


def _lines(body: str, parts: dict[str, str] | None = None) -> list[str]:
    return read(docx(body, parts), "made.docx").text.split("\n\n")


def test_a_total_in_a_table_cell_is_found() -> None:
    assert _lines(table(["Position", "Amount"], ["Pump", "40,000"], ["Total", "49,000"])) == [
        "Position: Pump; Amount: 40,000\nPosition: Total; Amount: 49,000"
    ]


def test_a_total_in_a_table_inside_a_cell_is_found() -> None:
    inner = table(["Position", "Amount"], ["Total", "49,000"])
    lines = _lines(table(["Part", "Detail"], ["Costs", p("as follows") + inner + p("net")]))
    assert lines[-1] == "Position: Total; Amount: 49,000"
    assert "as follows net" in lines[0]


def test_a_cell_merged_over_columns_does_not_shift_the_others() -> None:
    span = '<w:gridSpan w:val="2"/>'
    body = table(
        ["Item", cell("2024", span)],
        ["Item", "H1", "H2"],
        ["Pump", "1", "2"],
        [cell("Total of all", span), "3"],
    )
    assert _lines(body) == ["Item: Pump; 2024 H1: 1; 2024 H2: 2\nItem: Total of all; 2024 H2: 3"]


def test_a_cell_merged_over_rows_stands_in_each_of_them() -> None:
    first, more = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    body = table(
        ["Region", "Town", "People"],
        [cell("North", first), "Kiel", "247"],
        [cell("", more), "Husum", "23"],
    )
    assert _lines(body) == ["Region: North; Town: Kiel; People: 247\nRegion: North; Town: Husum; People: 23"]


def test_columns_left_out_before_a_row_do_not_shift_it() -> None:
    late = f'<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>{cell("5")}{cell("6")}</w:tr>'
    body = table(["Name", "Q1", "Q2"], ["a", "1", "2"]).replace("</w:tbl>", late + "</w:tbl>")
    assert _lines(body) == ["Name: a; Q1: 1; Q2: 2\nQ1: 5; Q2: 6"]


def test_a_table_of_one_cell_is_read_as_text() -> None:
    parsed = read(docx(table([p("A note in a frame.") + p("Its second line.")])), "made.docx")
    assert texts(parsed, BlockKind.PARAGRAPH) == ["A note in a frame.", "Its second line."]


def test_a_text_box_is_read_once_behind_the_paragraph_it_hangs_on() -> None:
    box = f"<w:txbxContent>{p('inside the box')}</w:txbxContent>"
    both = (
        "<w:p><w:r><w:t>before</w:t></w:r><w:r><mc:AlternateContent>"
        f"<mc:Choice Requires='wps'><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r></w:p>"
    )
    assert _lines(both + p("after")) == ["before", "inside the box", "after"]


def test_a_text_box_in_a_cell_is_part_of_the_cell() -> None:
    boxed = (
        "<w:p><w:r><w:pict><v:textbox><w:txbxContent>"
        f"{p('49,000')}</w:txbxContent></v:textbox></w:pict></w:r></w:p>"
    )
    assert _lines(table(["Sum", "Due", "Day"], ["Total", boxed, "1"])) == ["Sum: Total; Due: 49,000; Day: 1"]


def test_tracked_changes_count_as_accepted_and_what_they_delete_is_in_the_ledger() -> None:
    body = (
        f"<w:p>{run('The fee is ')}<w:del><w:r><w:delText>10</w:delText></w:r></w:del>"
        f"<w:ins>{run('12')}</w:ins>{run(' euros.')}</w:p>"
        f"<w:p><w:moveFrom>{run('moved away')}</w:moveFrom></w:p><w:p><w:moveTo>{run('moved here')}</w:moveTo></w:p>"
    )
    parsed = read(docx(body), "made.docx")
    assert texts(parsed) == ["The fee is 12 euros.", "moved here"]
    assert [(drop.reason, drop.characters) for drop in parsed.drops] == [("deleted_revision", 12)]


def test_a_paragraph_whose_mark_is_deleted_goes_on_in_the_next() -> None:
    gone = f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{run('The fee')}</w:p>"
    assert _lines(gone + p("is due.")) == ["The fee is due."]


def test_a_deleted_table_row_is_not_read() -> None:
    gone = f"<w:tr><w:trPr><w:del/></w:trPr>{cell('b')}{cell('2')}{cell('2')}</w:tr>"
    assert _lines(table(["N", "X", "Y"], ["a", "1", "1"]).replace("</w:tbl>", gone + "</w:tbl>")) == [
        "N: a; X: 1; Y: 1"
    ]


def test_hidden_text_is_not_read_and_in_the_ledger() -> None:
    shown = run("too", '<w:vanish w:val="0"/>')
    body = f"<w:p>{run('seen ')}{run('unseen', '<w:vanish/>')}{shown}</w:p>"
    parsed = read(docx(body), "made.docx")
    assert parsed.text == "seen too"
    assert [(drop.reason, drop.characters) for drop in parsed.drops] == [("hidden", 6)]


def test_a_note_follows_the_paragraph_that_refers_to_it() -> None:
    body = f'<w:p>{run("The fee")}<w:r><w:footnoteReference w:id="2"/></w:r>{run(" is due.")}</w:p>' + p(
        "Next."
    )
    notes = (
        f"<w:footnotes NAMES><w:footnote w:type='separator' w:id='0'>{p('rule')}</w:footnote>"
        f"<w:footnote w:id='2'>{p('Without tax.')}</w:footnote></w:footnotes>"
    )
    assert _lines(body, {"word/footnotes.xml": notes}) == ["The fee is due.", "Without tax.", "Next."]


def test_a_header_is_read_once_and_a_bare_page_number_is_dropped() -> None:
    body = p("Body.") + (
        '<w:sectPr><w:headerReference r:id="r1"/><w:headerReference r:id="r2"/><w:footerReference r:id="r3"/></w:sectPr>'
    )
    relation = "".join(
        f'<Relationship Id="r{at}" Target="{name}.xml"/>'
        for at, name in ((1, "header1"), (2, "header2"), (3, "footer1"))
    )
    parts = {
        "word/_rels/document.xml.rels": f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{relation}</Relationships>',
        "word/header1.xml": f"<w:hdr NAMES>{p('Contract KR-2024-0117')}</w:hdr>",
        "word/header2.xml": f"<w:hdr NAMES>{p('Contract KR-2024-0117')}</w:hdr>",
        "word/footer1.xml": f"<w:ftr NAMES>{p('Page 3 of 7')}</w:ftr>",
    }
    parsed = read(docx(body, parts), "made.docx")
    assert texts(parsed) == ["Contract KR-2024-0117", "Body."]
    assert [(drop.reason, drop.characters) for drop in parsed.drops] == [("page_number", 11)]


def _numbering(levels: list[tuple[str, str]], more: str = "") -> dict[str, str]:
    inside = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{pattern}"/>{more}</w:lvl>'
        for at, (form, pattern) in enumerate(levels)
    )
    return {
        "word/numbering.xml": f'<w:numbering NAMES><w:abstractNum w:abstractNumId="0">{inside}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    }


def _item(words: str, depth: int, number: int = 1) -> str:
    return p(words, f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>')


NUMBERS = [
    ([("decimal", "제%1조")], [0, 0], ["제1조", "제2조"]),
    ([("decimal", "第%1条")], [0, 0], ["第1条", "第2条"]),
    (
        [("japaneseCounting", "第%1条")],
        [0] * 12,
        [f"第{n}条" for n in "一二三四五六七八九"] + ["第十条", "第十一条", "第十二条"],
    ),
    ([("ganada", "%1.")], [0, 0, 0], ["가.", "나.", "다."]),
    ([("decimalEnclosedCircle", "%1")], [0, 0], ["①", "②"]),
    ([("bullet", "\uf0b7")], [0, 0], ["•", "•"]),
    ([("lowerLetter", "(%1)")], [0, 0], ["(a)", "(b)"]),
    ([("upperRoman", "%1.")], [0, 0, 0, 0], ["I.", "II.", "III.", "IV."]),
    (
        [("decimal", "%1."), ("decimal", "%1.%2"), ("decimal", "%1.%2.%3")],
        [0, 1, 2, 2, 1, 0, 1],
        ["1.", "1.1", "1.1.1", "1.1.2", "1.2", "2.", "2.1"],
    ),
]


@pytest.mark.parametrize(("levels", "depths", "labels"), NUMBERS)
def test_a_list_is_numbered_as_its_reader_sees_it(
    levels: list[tuple[str, str]], depths: list[int], labels: list[str]
) -> None:
    body = "".join(_item("item", depth) for depth in depths)
    assert _lines(body, _numbering(levels)) == [f"{label} item" for label in labels]


def test_numbers_of_a_style_and_of_the_style_it_is_based_on_are_seen() -> None:
    styles = (
        '<w:styles NAMES><w:style w:styleId="Clause"><w:name w:val="Clause"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr>'
        '</w:pPr></w:style><w:style w:styleId="Own"><w:name w:val="heading 2"/><w:basedOn w:val="Clause"/></w:style></w:styles>'
    )
    body = p("보증", '<w:pStyle w:val="Own"/>') + p("비밀", '<w:pStyle w:val="Own"/>')
    parsed = read(docx(body, {**_numbering([("decimal", "제%1조")]), "word/styles.xml": styles}), "made.docx")
    assert [(block.text, block.level) for block in parsed.blocks] == [("제1조 보증", 2), ("제2조 비밀", 2)]


def test_a_list_that_begins_anew_counts_from_its_start() -> None:
    parts = _numbering([("decimal", "%1.")])
    anew = '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>'
    parts["word/numbering.xml"] = parts["word/numbering.xml"].replace("</w:numbering>", anew)
    body = _item("a", 0) + _item("b", 0) + _item("c", 0, 2) + _item("d", 0, 2)
    assert _lines(body, parts) == ["1. a", "2. b", "1. c", "2. d"]


@pytest.mark.parametrize(
    "name", ["heading 2", "제목 2", "标题 2", "見出し 2", "Überschrift 2", "Titre 2", "Título 2"]
)
def test_heading_styles_are_known_by_their_name_in_seven_languages(name: str) -> None:
    styles = f'<w:styles NAMES><w:style w:styleId="x1"><w:name w:val="{name}"/></w:style></w:styles>'
    (block,) = read(
        docx(p("Warranty", '<w:pStyle w:val="x1"/>'), {"word/styles.xml": styles}), "a.docx"
    ).blocks
    assert (block.kind, block.level) == (BlockKind.HEADING, 2)


def test_a_formula_and_ruby_keep_their_words() -> None:
    ruby = f"<w:r><w:ruby><w:rt>{run('ほしょう')}</w:rt><w:rubyBase>{run('保証')}</w:rubyBase></w:ruby></w:r>"
    body = f"<w:p>{ruby}{run('は')}<m:oMath><m:r><m:t>x=2</m:t></m:r></m:oMath></w:p>"
    assert _lines(body) == ["保証はx=2"]


def test_a_main_part_of_another_name_and_the_strict_form_are_read() -> None:
    assert read(docx(p("words"), main="word/document2.xml"), "a.docx").text == "words"
    strict = docx(p("words"), namespace="http://purl.oclc.org/ooxml/wordprocessingml/main")
    assert read(strict, "a.docx").text == "words"


def test_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    with pytest.raises(UnreadableFile) as refusal:
        read(docx("<w:p><w:r><w:t>&b;</w:t></w:r></w:p>", prologue=bomb), "a.docx")
    assert refusal.value.code == "damaged"


def test_an_empty_document_is_refused() -> None:
    with pytest.raises(UnreadableFile) as refusal:
        read(docx("<w:p/>"), "a.docx")
    assert refusal.value.code == "no_text"
