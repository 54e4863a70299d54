"""Markdown: structure and words as they are shown."""

from __future__ import annotations

import pytest

from knowledge.types import BlockKind
from tests.knowledge.parsing.made import block_with, read, texts

SECTIONS = {
    "en": ("Warranty", "It lasts for", "24 months.", "It lasts for 24 months."),
    "de": ("Gewährleistung", "Sie beträgt", "24 Monate.", "Sie beträgt 24 Monate."),
    "es": ("Garantía", "Dura", "24 meses.", "Dura 24 meses."),
    "fr": ("Garantie", "Elle dure", "24 mois.", "Elle dure 24 mois."),
    "ko": ("보증", "기간은", "24개월이다.", "기간은 24개월이다."),
    "ja": ("保証", "期間は納品の日か", "ら起算する。", "期間は納品の日から起算する。"),
    "zh": ("保修", "保修期限自交货之", "日起计算。", "保修期限自交货之日起计算。"),
}


@pytest.mark.parametrize("language", SECTIONS)
def test_headings_nest_and_broken_lines_are_joined(language: str) -> None:
    name, first, second, whole = SECTIONS[language]
    parsed = read(f"# {name}\n\n## 1\n\n{first}\n{second}\n".encode(), "made.md")
    block = block_with(parsed, whole)
    assert block.text == whole
    assert block.section == (name, "1")
    assert parsed.title == name


def test_a_list_a_quote_and_code_keep_their_kind() -> None:
    parsed = read(b"- one\n- two\n  1. inner\n\n> said\n\n```py\nx = 1\n```\n\n3. three\n4. four\n", "a.md")
    assert [(block.kind.value, block.text) for block in parsed.blocks] == [
        ("list_item", "- one"),
        ("list_item", "- two"),
        ("list_item", "1. inner"),
        ("paragraph", "said"),
        ("code", "x = 1"),
        ("list_item", "3. three"),
        ("list_item", "4. four"),
    ]


def test_a_table_repeats_its_names() -> None:
    (block,) = read(b"| Plan | Price |\n|---|---:|\n| **Starter** | $49 |\n", "a.md").blocks
    assert (block.kind, block.text) == (BlockKind.TABLE, "Plan: Starter; Price: $49")


def test_front_matter_is_kept_and_names_the_title() -> None:
    parsed = read(b"---\ntitle: 'Price list'\nvalid: 2024\n---\n# Prices\n\ntext\n", "a.md")
    assert parsed.title == "Price list"
    assert texts(parsed)[0] == "title: 'Price list'\nvalid: 2024"


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert texts(read(b"---\n\nwords\n\n---\n\nmore\n", "a.md")) == ["words", "more"]


def test_a_link_keeps_its_address_and_a_picture_its_words() -> None:
    text = read(
        b"See [the terms](https://example.org/terms), <https://example.org/> and ![a pump](p.png).", "a.md"
    ).text
    assert text == "See the terms (https://example.org/terms), https://example.org/ and a pump."


def test_html_inside_is_read_and_its_scripts_are_not() -> None:
    data = b"<table><tr><th>A<th>B<tr><td>1<td>2</table>\n\n<script>\nx()\n</script>\n\nwords<br>more\n\n<!-- note -->\n"
    assert texts(read(data, "a.md")) == ["A: 1; B: 2", "words\nmore"]


def test_marks_of_emphasis_are_not_words() -> None:
    assert (
        read(b"It is **very** _much_ `code` ~~gone~~ \\*kept\\*.", "a.md").text
        == "It is very much code gone *kept*."
    )
