"""Scripts of a text, and how many tokens it is likely to make.

Size is set in tokens, text is cut in characters. One ratio for all scripts makes CJK chunks several times too big, so
tokens per character are what is added up: they do add up, characters per token do not. Each character has its weight by
script, so that a text between two scripts lands between their ratios; codes and addresses, which break words, cost more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

# Characters per token of prose with the bundled model's tokeniser (XLM-RoBERTa unigram), by script.
# `python -m config.benches.tokens` prints what it counts on our own sentences.
CHARS_PER_TOKEN: Mapping[str, float] = {
    "latin": 4.2,
    "han": 1.42,
    "kana": 1.58,
    "hangul": 1.83,
    "other": 3.4,
}
_HAN = r"\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = r"\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HANGUL = r"\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
CJK_CLASS = _HAN + _KANA + _HANGUL
_cjk = re.compile(f"[{CJK_CLASS}]")

# Kinds of characters, their pattern and their tokens each, near the least-squares fit that
# `python -m config.benches.tokens --fit` prints. "other", "combining" and "break" are set, our sentences lack them; the
# letters are a little above the fit, for prose with more names than ours. A later pattern wins; what fits none is a mark.
_KINDS: tuple[tuple[str, str, float], ...] = (
    ("mark", r"[^\w\s]|_", 1.20),
    ("space", r"\s", 0.60),
    ("break", r"\n", 0.30),
    ("digit", r"\d", 0.12),
    ("wide", r"[\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]", 1.15),
    ("other", r"[^\W\d_]", 0.22),
    ("indic", r"[\u0900-\u0dff\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff]", 0.24),
    ("semitic", r"[\u0590-\u08ff]", 0.23),
    ("east", r"[\u0370-\u058f]", 0.19),
    ("combining", r"[\u0300-\u036f\ufe00-\ufe0f\u200d]", 0.50),
    ("lower", r"[a-zà-öø-ÿ\u0100-\u024f\u1e00-\u1eff]", 0.135),
    ("upper", r"[A-ZÀ-ÖØ-Þ]", 0.28),
    ("han", f"[{_HAN}]", 0.70),
    ("kana", f"[{_KANA}]", 0.58),
    ("hangul", f"[{_HANGUL}]", 0.54),
)
KIND_NAMES = tuple(name for name, _pattern, _tokens in _KINDS)
_CHANGE = 1.15  # more where small letters, capitals and digits meet inside a word, as in codes
_LONG, _BEYOND = 12, 0.45  # more for each Latin letter or digit beyond the 12th of a run of one kind
_TABLE_SIZE = 0x20000  # beyond it, Han alone has letters
_LATIN_SCRIPTS = ("lower", "upper")
_OTHER_SCRIPTS = ("other", "indic", "semitic", "east")


def _table() -> NDArray[np.uint8]:
    every = "".join(map(chr, range(_TABLE_SIZE)))
    table = np.zeros(_TABLE_SIZE + 1, np.uint8)
    for kind, (_name, pattern, _tokens) in enumerate(_KINDS):
        for run in re.finditer(f"(?:{pattern})+", every):
            table[run.start() : run.end()] = kind
    table[_TABLE_SIZE] = KIND_NAMES.index("han")
    return table


_TABLE = _table()
_TOKENS = np.array([tokens for _name, _pattern, tokens in _KINDS], np.float32)
_SOLID = np.isin(np.arange(len(_KINDS)), [KIND_NAMES.index(name) for name in ("lower", "upper", "digit")])
_LOWER, _UPPER = KIND_NAMES.index("lower"), KIND_NAMES.index("upper")


def kinds(text: str) -> NDArray[np.uint8]:
    """The kind of each character, by its number in `KIND_NAMES`."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return _TABLE[np.minimum(codes, _TABLE_SIZE)]


def shares(text: str) -> dict[str, float]:
    """Share of the letters by script: han, kana, hangul, latin, other; all 0 without letters."""
    counted = dict(zip(KIND_NAMES, np.bincount(kinds(text), minlength=len(_KINDS)).tolist(), strict=True))
    counts = {name: counted[name] for name in ("han", "kana", "hangul")}
    counts["latin"] = sum(counted[name] for name in _LATIN_SCRIPTS)
    counts["other"] = sum(counted[name] for name in _OTHER_SCRIPTS)
    total = sum(counts.values())
    return {name: count / total if total else 0.0 for name, count in counts.items()}


def is_cjk(char: str) -> bool:
    return bool(_cjk.match(char))


def chars_per_token(text: str, ratios: Mapping[str, float] = CHARS_PER_TOKEN) -> float:
    """1 / (the sum of share / ratio over the scripts of its letters); the Latin ratio without letters."""
    per_char = sum(share / ratios[name] for name, share in shares(text).items())
    return 1 / per_char if per_char else ratios["latin"]


def features(text: str) -> tuple[NDArray[np.uint8], NDArray[np.bool_], NDArray[np.bool_]]:
    """The kind of each character, whether a word changes its kind there, and whether it is far into a run of one kind."""
    kind = kinds(text)
    solid = _SOLID[kind]
    changes = np.zeros(len(kind), bool)
    changes[1:] = solid[1:] & solid[:-1] & (kind[1:] != kind[:-1])
    changes[1:] &= ~((kind[1:] == _LOWER) & (kind[:-1] == _UPPER))  # "Word" is one
    places = np.arange(len(kind))
    began = np.maximum.accumulate(np.where(solid & ~changes, -1, places)) if len(kind) else places
    return kind, changes, solid & (places - began > _LONG)


def token_sums(text: str) -> NDArray[np.float64]:
    """Running sums: the tokens of text[a:b] are about sums[b] - sums[a]. One more number than there are characters."""
    kind, changes, far = features(text)
    weights = _TOKENS[kind]
    weights[changes] += np.float32(_CHANGE)
    weights[far] += np.float32(_BEYOND)
    sums = np.zeros(len(kind) + 1, np.float64)
    np.cumsum(weights, out=sums[1:])
    return sums


def estimate_tokens(text: str) -> int:
    """Tokens of a text by its characters; at least 1 for a text with content, 0 for white space."""
    return max(1, round(measure_tokens(text))) if text.strip() else 0


def measure_tokens(text: str) -> float:
    """`estimate_tokens` before rounding, to be added up."""
    return float(token_sums(text)[-1])
