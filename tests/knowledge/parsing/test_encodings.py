"""Bytes are read in the encoding they were written in, whatever their length, or refused."""

from __future__ import annotations

import random

import pytest

from knowledge.errors import UnreadableFile
from knowledge.parsing.encodings import decode_text

TEXTS = {
    "cp949": (
        "안녕하세요",
        "계약 기간은 2년이다.",
        "재고 수량",
        "똠방각하 펲시콜라",
        "大韓民國 헌법 제1조",
        "보증금 500만원",
    ),
    "cp932": (
        "こんにちは",
        "契約期間は二年です。",
        "カタログ請求",
        "ﾃｽﾄﾃﾞｰﾀ 123",
        "東京都千代田区",
        "①株式会社の定款",
    ),
    "euc_jp": ("こんにちは", "契約期間は二年です。", "製品の保証期間"),
    "iso2022_jp": ("契約期間は二年です。",),
    "iso2022_kr": ("계약 기간",),
    "gb18030": ("你好", "合同期限为两年。", "中华人民共和国", "㐀合同镕", "产品说明书 V2.0"),
    "cp950": ("你好嗎", "合約期限為兩年。", "臺北市政府"),
    "cp1252": (
        "Größe",
        "für",
        "Straße 12",
        "año",
        "¿Qué?",
        "señor",
        "été",
        "Ça va",
        "Prix: 49 €",
        "façade – déjà vu",
    ),
    "cp1250": ("Żółta łódź",),
    "cp1251": ("Привет", "Договор действует два года"),
    "koi8_r": ("Привет", "Договор действует два года"),
    "cp1253": ("Γειά σου κόσμε",),
    "cp1254": ("Türkiye'de şirket değişikliği",),
    "cp1255": ("שלום עולם", "חוזה לשנתיים", "תקופת האחריות היא שנה"),
    "cp1256": ("مرحبا بالعالم", "مدة العقد سنتان"),
    "cp874": ("สวัสดีชาวโลก",),
    "utf-16-le": ("계약 기간은 2년이다", "契約期間は二年です", "合同期限为两年", "plain words"),
    "utf-16-be": ("계약 기간은 2년이다", "契約期間は二年です", "合同期限为两年", "plain words"),
    "utf-8": ("계약 기간", "契約期間", "合同期限", "Größe", "año", "été", "plain"),
}
CASES = [(encoding, text) for encoding, held in TEXTS.items() for text in held]


@pytest.mark.parametrize(("encoding", "text"), CASES)
def test_a_short_text_is_read_without_a_word_about_its_encoding(encoding: str, text: str) -> None:
    assert decode_text(text.encode(encoding))[0] == text


@pytest.mark.parametrize(("encoding", "text"), CASES)
def test_the_same_text_within_a_long_one_of_plain_letters_is_read(encoding: str, text: str) -> None:
    whole = "plain words and numbers 123\n" * 3000 + f"{text}\n" * 3
    assert decode_text(whole.encode(encoding))[0] == whole


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("text", ["계약 기간", "契約期間", "合同期限", "Größe", "año", "été", "plain"])
def test_a_mark_at_the_beginning_settles_it_and_is_no_character(encoding: str, text: str) -> None:
    assert decode_text(text.encode(encoding))[0] == text


@pytest.mark.parametrize(
    "text",
    [
        "계약 기간은 이년이며 연장할 수 있다",
        "契約期間は二年とし延長できるものとする",
        "合同期限为两年，可以延长",
    ],
)
def test_utf_8_that_was_cut_within_a_character_is_still_utf_8(text: str) -> None:
    decoded, encoding = decode_text(text.encode()[:-1])
    assert encoding == "utf-8"
    assert decoded[:-1] == text[:-1]


def test_bytes_at_random_are_no_text() -> None:
    source = random.Random(7)
    for _round in range(20):
        with pytest.raises(UnreadableFile) as refusal:
            decode_text(source.randbytes(3000))
        assert refusal.value.code == "damaged"
        with pytest.raises(UnreadableFile):
            decode_text(source.randbytes(3000).replace(b"\x00", b"\x01"))
