"""HTML: what a reader of the page reads, without the frame around it."""

from __future__ import annotations

import pytest

from knowledge.errors import UnreadableFile
from knowledge.parsing.limits import Limits
from knowledge.parsing.sandbox import parse_in_child
from knowledge.types import BlockKind
from tests.knowledge.parsing.made import block_with, read, texts

SENTENCES = {
    "en": ("The warranty lasts for 24 months.", "cp1252"),
    "de": ("Die Gewährleistung beträgt 24 Monate.", "iso-8859-1"),
    "es": ("La garantía dura 24 meses.", "windows-1252"),
    "fr": ("La garantie dure 24 mois à compter d’août.", "windows-1252"),
    "ko": ("보증 기간은 24개월이다. 똠방각하", "euc-kr"),
    "ja": ("保証期間は24か月とする。①", "shift_jis"),
    "zh": ("保修期为24个月。镕", "gb2312"),
}


def page(body: str, head: str = "") -> bytes:
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>".encode()


@pytest.mark.parametrize("language", SENTENCES)
def test_a_page_is_read_in_the_encoding_that_it_declares_as_browsers_read_it(language: str) -> None:
    sentence, declared = SENTENCES[language]
    wider = {"euc-kr": "cp949", "shift_jis": "cp932", "gb2312": "gb18030", "iso-8859-1": "cp1252"}.get(
        declared, declared
    )
    data = f'<html><head><meta charset="{declared}"><title>{sentence}</title></head><p>{sentence}</p></html>'.encode(
        wider
    )
    parsed = read(data, "page.html")
    assert (parsed.text, parsed.title) == (sentence, sentence)


@pytest.mark.parametrize("language", SENTENCES)
def test_a_page_that_declares_nothing_or_falsely_is_read_all_the_same(language: str) -> None:
    sentence, _declared = SENTENCES[language]
    for head in ("", '<meta charset="us-foo">', '<meta charset="ascii">'):
        data = f"<html><head>{head}</head><p>{sentence} {sentence}</p></html>".encode()
        if head.endswith('"ascii">') and language != "en":
            continue
        assert read(data, "page.html").text == f"{sentence} {sentence}"


def test_an_xml_declaration_is_no_obstacle() -> None:
    data = '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html><body><p>größer</p></body></html>'.encode()
    assert read(data, "page.xhtml").text == "größer"


def test_scripts_styles_menus_and_hidden_parts_are_dropped_and_in_the_ledger() -> None:
    parsed = read(
        page(
            "<nav>Home</nav><script>var secret=1</script><style>p{}</style><main><p>The fact.</p>"
            "<p hidden>unseen</p><p style='display: none'>unseen</p></main><footer>Imprint</footer>"
        ),
        "page.html",
    )
    assert parsed.text == "The fact."
    assert {drop.reason: drop.characters for drop in parsed.drops} == {"boilerplate": 11, "hidden": 12}


def test_a_main_element_that_holds_next_to_nothing_is_not_taken_for_the_page() -> None:
    body = "<main><p>Welcome</p></main><div>" + "<p>The page speaks of pumps at length.</p>" * 10 + "</div>"
    assert "pumps" in read(page(body), "page.html").text


def test_a_page_wrapped_in_a_form_is_read() -> None:
    assert (
        read(page("<form><p>The fact.</p><input value='x'><select><option>A</select></form>"), "a.html").text
        == "The fact."
    )


def test_an_aside_within_the_content_is_content() -> None:
    assert texts(
        read(page("<main><p>The fact holds.</p><aside>But not in May.</aside></main>"), "a.html")
    ) == [
        "The fact holds.",
        "But not in May.",
    ]


def test_headings_nest_and_words_of_blocks_do_not_run_together() -> None:
    parsed = read(
        page(
            "<h1>Pumps<br>and valves</h1><h2>Warranty</h2><div>one<p>two</p>three</div><h2>Returns</h2><p>four</p>"
        ),
        "page.html",
    )
    assert texts(parsed) == ["Pumps and valves", "Warranty", "one", "two", "three", "Returns", "four"]
    assert block_with(parsed, "four").section == ("Pumps and valves", "Returns")


def test_lists_nest_and_count_as_shown() -> None:
    parsed = read(
        page(
            "<ol start=3><li>three<ul><li>inner</li></ul></li><li value=7>seven</li><li>eight</li></ol><p>after</p>"
        ),
        "a.html",
    )
    assert texts(parsed) == ["3. three", "- inner", "7. seven", "8. eight", "after"]
    assert [block.kind for block in parsed.blocks[:4]] == [BlockKind.LIST_ITEM] * 4


def test_code_keeps_its_lines() -> None:
    (block,) = read(page("<pre>if x:\n    y = 1</pre>"), "a.html").blocks
    assert (block.kind, block.text) == (BlockKind.CODE, "if x:\n    y = 1")


TABLES = [
    ("<tr><th>Plan<th>Price<tr><td>Starter<td>$49", "Plan: Starter; Price: $49"),
    (
        "<caption>Prices</caption><tr><th>Plan<th>Price<tr><td>Starter<td>$49",
        "Prices\nPlan: Starter; Price: $49",
    ),
    ("<tr><th>Seller<td>Acme<tr><th>Total<td>49,000", "Seller: Acme\nTotal: 49,000"),
    (
        "<tr><th rowspan=2>지역<th colspan=2>2024년<tr><th>상반기<th>하반기<tr><td>서울<td>12<td>15",
        "지역: 서울; 2024년 상반기: 12; 2024년 하반기: 15",
    ),
    (
        "<tr><th>Region<th>Town<th>People<tr><td rowspan=2>North<td>Kiel<td>247<tr><td>Husum<td>23<tr><td>South<td>Ulm<td>9",
        "Region: North; Town: Kiel; People: 247\nRegion: North; Town: Husum; People: 23\nRegion: South; Town: Ulm; People: 9",
    ),
    (
        "<tr><th>A<th>B<th>C<tr><td>1<td rowspan=3>x<td>2<tr><td>3<td>4<tr><td>5<td>6",
        "A: 1; B: x; C: 2\nA: 3; B: x; C: 4\nA: 5; B: x; C: 6",
    ),
    ("<tr><th>A<th>B<tr><td><p>one</p><p>two</p><td>x<br>y<script>z</script>", "A: one two; B: x y"),
    ("<tr><td colspan=999999999 rowspan=999999999>wide<td>b<tr><td>c", None),
]


@pytest.mark.parametrize(("inside", "text"), TABLES)
def test_a_row_of_a_table_means_something_alone(inside: str, text: str | None) -> None:
    parsed = read(page(f"<table>{inside}</table>"), "a.html")
    assert "wide" in parsed.text if text is None else parsed.text == text


def test_a_table_that_lays_out_the_page_is_read_as_text() -> None:
    body = "<table><tr><td>menu</td><td><p>The fact.</p><table><tr><th>A<th>B<tr><td>1<td>2</table></td></tr></table>"
    assert texts(read(page(body), "a.html")) == ["menu", "The fact.", "A: 1; B: 2"]


def test_entities_are_characters_and_nothing_is_fetched() -> None:
    body = '<p>5&nbsp;&euro; &lt;net&gt; &#44032;</p><img src="http://127.0.0.1:9/x.png"><iframe src="http://127.0.0.1:9/">'
    assert read(page(body), "a.html").text == "5 € <net> 가"


@pytest.mark.parametrize("depth", [300, 1500, 50_000])
def test_a_deeply_nested_page_is_read_or_refused_never_cut(depth: int) -> None:
    data = page("<div>" * depth + "fact" + "</div>" * depth)
    try:
        assert parse_in_child(data, "a.html", Limits()).text == "fact"
    except UnreadableFile as error:
        assert depth > 2000
        assert error.code == "damaged"


@pytest.mark.parametrize(
    "data", [page(""), page("<script>x</script>"), b"<html>", b"<!doctype html><!-- x -->"]
)
def test_a_page_without_words_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableFile) as refusal:
        read(data, "a.html")
    assert refusal.value.code == "no_text"
