"""Search terms of a text: what the blind index stores as keyed hashes, and what a question looks up.

A term is a string with its kind in front: `w:` a folded word, `b:` a pair of CJK characters (or one that stands
alone), `s:` a Korean stem, `i:` an identifier or number. Japanese and Chinese have no word borders and Korean glues
particles on, so pairs of characters find what a word would not.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from knowledge.text.lexicon import (
    ASKING_PHRASES,
    EMPTY_HAN,
    KOREAN_ENDINGS,
    MEASURES_ASKED,
    STOP,
    SUFFIXES,
)
from knowledge.text.scripts import CJK_CLASS, is_cjk

_HANGUL_CLASS = r"\uac00-\ud7a3"
# An identifier: letters and digits mixed, or groups of digits joined by - . / _ ; or a plain number.
_IDENTIFIER = re.compile(
    r"(?<![a-z0-9])(?=[a-z0-9./_-]*\d)[a-z0-9]+(?:[-./_][a-z0-9]+)*(?:[.,]\d+)*(?![a-z0-9])"
)
_RUN = re.compile(rf"[{CJK_CLASS}]+|[^\W_{CJK_CLASS}]+(?:['’][^\W_{CJK_CLASS}]+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_GLUE = re.compile(r"[-./_\s]")
_PREFIX = re.compile(r"(?<![a-z0-9])([a-z]{1,4})[\s-]$")  # the ISO of "ISO 9408": a code's letters are few
# A code whose groups stand apart ("kr 2024 0117"): also indexed as one.
_APART = re.compile(r"(?<![a-z0-9])([a-z]{1,5})[\s-]?\d[a-z0-9]*(?:[-./_\s]\d[a-z0-9]*)+(?![a-z0-9])")
_NAMING = re.compile(
    r"[a-z]+\d|\d+[a-z]+\d"
)  # letters first, or digits on both sides: not 19th, 1990s, 100km
_LONGEST = 64
_CJK_PARTS = re.compile(rf"[{_HANGUL_CLASS}]+|[^{_HANGUL_CLASS}\s]+")
_HIRAGANA_PAIR = re.compile("[ぁ-ゖー]{2}")
_ASKING = re.compile("|".join(sorted(ASKING_PHRASES, key=len, reverse=True)))


def fold(text: str) -> str:
    """The form that terms are made of: NFKC, casefolded, thousands separators dropped."""
    return _THOUSANDS.sub("", unicodedata.normalize("NFKC", text).casefold())


def _unaccent(word: str) -> str:
    bare = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    return bare.replace("ß", "ss").replace("œ", "oe").replace("æ", "ae")


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A Latin word without accents and light endings; words with digits are left as they are."""
    bare = _unaccent(word)
    if not bare.isalpha() or not bare.isascii():
        return bare
    for ending, instead, least in SUFFIXES:
        if bare.endswith(ending) and len(bare) - len(ending) >= least:
            bare = bare[: len(bare) - len(ending)] + instead
            break
    return bare[:-1] if len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "ls" else bare


@lru_cache(maxsize=8192)
def korean_stem(eojeol: str) -> str:
    """A Korean word without the particle or ending that hides its stem."""
    for ending in KOREAN_ENDINGS:
        if eojeol.endswith(ending) and len(eojeol) - len(ending) >= (1 if len(ending) > 1 else 2):
            return eojeol[: -len(ending)]
    return eojeol


def identifier_key(text: str) -> str:
    """One key for an identifier however it is written: `KR-2024-0117`, `kr 2024 0117`, `ＫＲ2024-0117`."""
    return _GLUE.sub("", fold(text))


def index_terms(text: str) -> Counter[str]:
    """Every term of a text and how often it stands there."""
    return Counter(_terms(fold(text)))


def query_terms(text: str) -> Counter[str]:
    """The terms of a question that may find something: no stop words. Falls back to all where none is left."""
    folded = fold(text)
    kept = Counter(_terms(MEASURES_ASKED.sub(" ", folded), STOP))
    return kept or Counter(_terms(folded))


def _terms(folded: str, stop: frozenset[str] = frozenset()) -> Iterator[str]:
    for match in _IDENTIFIER.finditer(folded):
        key = _GLUE.sub("", match[0])[:_LONGEST]
        yield f"i:{key}"
        prefix = _PREFIX.search(folded, max(0, match.start() - 6), match.start())
        if prefix and prefix[1] not in STOP and match[0][0].isdigit():
            yield f"i:{prefix[1]}{key}"
    for match in _APART.finditer(folded):
        if match[1] not in STOP and any(char.isspace() for char in match[0]):
            yield f"i:{_GLUE.sub('', match[0])[:_LONGEST]}"
    for match in _RUN.finditer(folded):
        run = match[0]
        if is_cjk(run[0]):
            yield from _cjk_terms(run, stop)
        elif run not in stop and len(run) <= _LONGEST and not run.isdigit():
            for part in re.split(r"['’]", run):
                if len(part) > 1 and part not in stop:
                    yield f"w:{stem(part)}"


def _cjk_terms(run: str, stop: frozenset[str]) -> Iterator[str]:
    for part in _CJK_PARTS.findall(_ASKING.sub(" ", run) if stop else run):
        if part in stop:
            continue
        if "\uac00" <= part[0] <= "\ud7a3":
            root = korean_stem(part)
            if root in stop:
                continue
            yield f"s:{root}"
            part = root if len(root) > 1 else part
        if len(part) == 1:
            yield f"b:{part}"
        for at in range(len(part) - 1):
            pair = part[at : at + 2]
            if not stop or not _is_empty_pair(pair):
                yield f"b:{pair}"


def _is_empty_pair(pair: str) -> bool:
    """Whether a pair of a question says nothing of a thing: grammar in Kana, or a Han character that is grammar."""
    return bool(_HIRAGANA_PAIR.fullmatch(pair)) or not EMPTY_HAN.isdisjoint(pair)


def names_something(term: str) -> bool:
    """Whether a term is an identifier that names one thing: a code of letters and digits, or a long number."""
    if not term.startswith("i:"):
        return False
    key = term[2:]
    if key.isdigit():
        return len(key) >= 6
    return bool(_NAMING.match(key)) and sum(char.isdigit() for char in key) >= 2
