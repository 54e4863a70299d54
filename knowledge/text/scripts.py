"""Scripts of a text, and how many tokens it is likely to make.

Size is set in tokens, text is cut in characters. One ratio for all scripts makes CJK chunks several times too big,
so tokens per character are interpolated by the share of CJK letters: they add up, characters per token do not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# Characters per token of the bundled model's tokeniser (XLM-RoBERTa unigram). `manage.py bench tokens` measures them.
CHARS_PER_TOKEN: Mapping[str, float] = {
    "latin": 4.0,
    "han": 1.40,
    "kana": 1.6,
    "hangul": 1.73,
    "other": 3.0,
}
_HAN = r"\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = r"\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HANGUL = r"\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
CJK_CLASS = _HAN + _KANA + _HANGUL
_han, _kana, _hangul = (re.compile(f"[{part}]") for part in (_HAN, _KANA, _HANGUL))
_letter = re.compile(r"[^\W\d_]")
_latin = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_dense = re.compile(r"[\d\W_]")
_DENSE_PER_TOKEN = 1.7  # digits, punctuation and code: measured on tables and code


def shares(text: str) -> dict[str, float]:
    """Share of the letters by script: han, kana, hangul, latin, other; all 0 without letters."""
    letters = len(_letter.findall(text))
    if not letters:
        return {"han": 0.0, "kana": 0.0, "hangul": 0.0, "latin": 0.0, "other": 0.0}
    counts = {
        "han": len(_han.findall(text)),
        "kana": len(_kana.findall(text)),
        "hangul": len(_hangul.findall(text)),
        "latin": len(_latin.findall(text)),
    }
    counts["other"] = max(0, letters - sum(counts.values()))
    total = sum(counts.values())
    return {name: count / total for name, count in counts.items()}


def is_cjk(char: str) -> bool:
    return bool(_han.match(char) or _kana.match(char) or _hangul.match(char))


def estimate_tokens(text: str) -> int:
    """Tokens of a text by its scripts, paragraph by paragraph; at least 1 for a text with content."""
    return sum(_paragraph_tokens(part) for part in text.split("\n") if part.strip())


def _paragraph_tokens(text: str) -> int:
    by_script = shares(text)
    dense = len(_dense.findall(text)) - text.count(" ")
    worded = max(0, len(text) - dense)
    per_char = sum(share / CHARS_PER_TOKEN[name] for name, share in by_script.items())
    return max(1, round(worded * per_char + dense / _DENSE_PER_TOKEN))
