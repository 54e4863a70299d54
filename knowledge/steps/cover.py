"""How much of what a question names stands in a text: the weighted share of its terms, kin words counted in part.

A question and its answer often use two forms of one word (gründen, Gründung; translated, translation; Ei, Rührei) that
no light stemmer brings together. Kinship is for judging a passage at hand, never for looking one up.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

_BEGINNING = 4  # letters that two kin words share at least
_LONGER = 3  # letters of a longer word's end that count against kinship, at most
_KIN = 0.6  # share of common letters from which two words are kin
_PART = 5  # letters of a word that may be a part of a compound
_COMPOUND = 0.8  # what being part of a compound counts
_WORD = "w:"


def cover(wanted: Mapping[str, float], held: Collection[str]) -> float:
    """Share in [0, 1] of the wanted terms' weight that `held` has (terms of knowledge.text.terms); 0 where nothing
    is wanted."""
    total = sum(wanted.values())
    if not total:
        return 0.0
    words = [term[len(_WORD) :] for term in held if term.startswith(_WORD)]
    found = sum(weight if term in held else weight * _nearest(term, words) for term, weight in wanted.items())
    return found / total


def _nearest(term: str, words: Sequence[str]) -> float:
    bare = term[len(_WORD) :]
    if not term.startswith(_WORD) or len(bare) < _BEGINNING or not bare.isalpha():
        return 0.0
    beginning = bare[:_BEGINNING]
    alike = (word for word in words if word.startswith(beginning) or bare in word)
    return max((kinship(bare, word) for word in alike), default=0.0)


def kinship(one: str, other: str) -> float:
    """How nearly two stems are one word, in [0, 1]: the share of letters they begin with in common; less than _KIN
    counts as nothing. A stem within a longer word (a compound) counts _COMPOUND."""
    if not other.isalpha():
        return 0.0
    common = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    share = common / max(len(one), min(len(other), len(one) + _LONGER)) if common >= _BEGINNING else 0.0
    if len(one) >= _PART and one in other and len(other) > len(one):
        share = max(share, _COMPOUND)
    return share if share >= _KIN else 0.0
