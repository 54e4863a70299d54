from __future__ import annotations

import unicodedata

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.text.language import language_of
from knowledge.text.normalise import clean, find_exact, mapped_key, match_key
from knowledge.text.scripts import estimate_tokens, shares


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x00b", "ab"),
        ("a\ud800b", "ab"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("e\u0301", "é"),
        ("\ufeffa", "a"),
        ("a\x0bb\u2028c", "a\nb\nc"),
        ("ㅎㅏㄴ", "ㅎㅏㄴ"),
        ("\u1112\u1161\u11ab", "한"),
        ("ＡＢ", "ＡＢ"),
    ],
)
def test_clean_text_keeps_what_the_author_wrote(text: str, expected: str) -> None:
    assert clean(text) == expected


@pytest.mark.parametrize(
    ("needle", "haystack", "found"),
    [
        ("warranty of 24 months", "A  Warranty\nof 24\tmonths.", "Warranty\nof 24\tmonths"),
        ("24개월", "보증은 ２４개월이다", "２４개월"),
        ("二年", "保証は\u3000二年です", "二年"),
        ("straße", "Die STRASSE ist", "STRASSE"),
        ("ﬁle", "a file here", "file"),
        ("ガス", "都市ｶﾞｽは", "ｶﾞｽ"),
        ("한국", "\u1112\u1161\u11ab국은", "\u1112\u1161\u11ab국"),
        ("café", "Le cafe\u0301 est", "cafe\u0301"),
        ("absent", "something else", None),
        ("", "something", None),
    ],
)
def test_a_quote_is_found_in_the_original_letters(needle: str, haystack: str, found: str | None) -> None:
    span = find_exact(needle, haystack)
    assert (haystack[slice(*span)] if span else None) == found


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=40))
def test_the_key_with_offsets_is_the_key(text: str) -> None:
    text = unicodedata.normalize("NFC", text)
    mapped = mapped_key(text)
    assert len(mapped.key) == len(mapped.starts) == len(mapped.ends)
    assert mapped.key.split() == match_key(mapped.key).split()
    assert list(mapped.starts) == sorted(mapped.starts)
    assert all(0 <= a < b <= len(text) for a, b in zip(mapped.starts, mapped.ends, strict=True))


@settings(max_examples=150, deadline=None)
@given(
    st.text(st.sampled_from("aBß ﬁＡ１２\u3000\n가ｶﾞがe\u0301\u1112\u1161\u11ab👍🏽-"), max_size=30), st.data()
)
def test_whatever_is_taken_from_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    needle = text[at : data.draw(st.integers(at, len(text)))]
    if regex.fullmatch(r"\X*", needle) and match_key(needle) in match_key(text):
        found = find_exact(needle, text)
        assert (found is None) == (match_key(needle) == "")
        assert found is None or match_key(needle) in match_key(text[slice(*found)])


@pytest.mark.parametrize("text", ["A  B", "  한국어\n문서 ", "ＡＢＣ", "Ａ\u3000b"])
def test_both_keys_agree_on_plain_text(text: str) -> None:
    assert mapped_key(text).key == match_key(text)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How long is the warranty?", "en"), ("보증 기간은 얼마나 되나요?", "ko"), ("保修期是多久？", "zh"), ("保証期間はいつまでですか。", "ja"),
        ("¿Cuánto dura la garantía?", "es"), ("Wie lange gilt die Garantie?", "de"), ("Combien de temps dure la garantie ?", "fr"),
        ("12345", None), ("", None), ("HIS 9410 の第5条", "ja"),
        ("保証期間", "ja"), ("保修期限", "zh"), ("The world's fair", "en"), ("It isn't here", "en"), ("l'eau", "fr"), ("Guten Tag", None),
        ("Это по-русски", None),
    ],
)  # fmt: skip
def test_the_language_of_a_question(text: str, language: str | None) -> None:
    assert language_of(text) == language


def test_shares_add_up_and_follow_the_script() -> None:
    assert shares("계약 contract")["hangul"] == pytest.approx(2 / 10)
    assert sum(shares("漢字かなabc").values()) == pytest.approx(1)
    assert sum(shares("123").values()) == 0


@pytest.mark.parametrize("text", ["한국어 문서를 나눈다", "The supplier delivers", "供应商应交货"])
def test_tokens_add_up(text: str) -> None:
    whole, parts = estimate_tokens(f"{text}\n{text}"), 2 * estimate_tokens(text)
    assert whole == pytest.approx(parts, abs=1) and parts > 0
