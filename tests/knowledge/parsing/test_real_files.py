"""Real files from elsewhere (CITEWELL_DATA): what is read holds the words that it must hold, what is not says why.

Formats and pictures that are not read here have to be refused in clear words.
"""

from __future__ import annotations

import json
import os
import re
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from knowledge.errors import UnreadableFile
from knowledge.parsing.limits import Limits
from knowledge.parsing.registry import READABLE
from knowledge.parsing.sandbox import parse_in_child
from knowledge.types import ParsedDocument

pytestmark = pytest.mark.data

ROOT = Path(__file__).resolve().parents[3]
FILES = Path(os.environ.get("CITEWELL_DATA") or ROOT.parent / "shared" / "data") / "files"
MANIFEST = FILES / "manifest.jsonl"
ROWS = [json.loads(line) for line in MANIFEST.read_text("utf-8").splitlines()] if MANIFEST.is_file() else []
CODES = {
    "needs a password": {"needs_password"},
    "damaged file": {"damaged", "no_pages"},
    "empty file": {"empty_file"},
    "no pages": {"no_pages"},
    "not a Word file": {"not_what_name_says"},
    "too many pages": {"too_many_pages"},
    "refused": {"damaged", "unknown_format"},
}
ENCODINGS = {"cp932": "shift_jis"}
SLOWEST = 10.0  # seconds
_INVISIBLE = re.compile(r"[\s\u064b-\u0652\u0670\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def _key(text: str) -> str:
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


def _outcome(row: dict[str, Any]) -> ParsedDocument | UnreadableFile:
    began = time.monotonic()
    try:
        return parse_in_child((FILES / row["file"]).read_bytes(), Path(row["file"]).name, Limits())
    except UnreadableFile as error:
        return error
    finally:
        assert time.monotonic() - began < SLOWEST


@pytest.mark.skipif(bool(ROWS), reason="the evaluation data is here")
def test_the_evaluation_data_is_here() -> None:
    pytest.skip("evaluation data not found; set CITEWELL_DATA")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["file"].removeprefix("files/"))
def test_a_real_file_gives_its_words_or_says_why_not(row: dict[str, Any]) -> None:
    expect, found = row["expect"], _outcome(row)
    if expect["kind"] == "ocr":
        assert isinstance(found, UnreadableFile)
        assert (found.code, found.params["pages"]) == ("needs_ocr", expect.get("pages", 1))
    elif Path(row["file"]).suffix not in READABLE:
        assert isinstance(found, UnreadableFile)
        assert found.code == "unknown_format"
    elif isinstance(found, UnreadableFile):
        assert expect["kind"] in {"error", "error_or_text"}
        assert found.code in CODES[expect["error"]]
    else:
        assert expect["kind"] in {"text", "error_or_text"}
        _holds(found, expect)


def _holds(parsed: ParsedDocument, expect: dict[str, Any]) -> None:
    text = _key(parsed.text)
    assert [words for words in expect.get("must", ()) if _key(words) not in text] == []
    assert [words for words in expect.get("must_not", ()) if _key(words) in text] == []
    assert not expect.get("any") or any(_key(words) in text for words in expect["any"])
    if "pages" in expect:
        assert len(parsed.pages) == expect["pages"]
    if "encoding" in expect:
        assert ENCODINGS.get(parsed.encoding, parsed.encoding) == expect["encoding"]
