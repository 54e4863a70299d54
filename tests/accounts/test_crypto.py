from __future__ import annotations

import pytest

from accounts import crypto
from accounts.errors import KeyUnavailable

KEY = crypto.new_key()
WORDS = ["a handbook", "편람", "手册", "ハンドブック", "Übergröße", "señal", "déjà vu", ""]


@pytest.mark.parametrize("words", WORDS)
def test_what_is_sealed_opens_again_and_shows_nothing(words: str) -> None:
    sealed = crypto.seal(KEY, words.encode(), "here")
    assert crypto.unseal(KEY, sealed, "here").decode() == words
    assert not words or words.encode() not in sealed


def test_the_same_words_are_never_sealed_alike() -> None:
    assert crypto.seal(KEY, b"x", "here") != crypto.seal(KEY, b"x", "here")


@pytest.mark.parametrize("place", ["there", "", "her"])
def test_a_sealed_value_moved_elsewhere_does_not_open(place: str) -> None:
    with pytest.raises(KeyUnavailable):
        crypto.unseal(KEY, crypto.seal(KEY, b"x", "here"), place)


@pytest.mark.parametrize("at", range(0, 32))
def test_a_flipped_bit_anywhere_is_noticed(at: int) -> None:
    sealed = bytearray(crypto.seal(KEY, b"x", "here"))
    sealed[at] ^= 1
    with pytest.raises(KeyUnavailable):
        crypto.unseal(KEY, bytes(sealed), "here")


@pytest.mark.parametrize("rubbish", [b"", b"\x01", b"plain text", b"\x02" * 40])
def test_what_was_never_sealed_is_refused(rubbish: bytes) -> None:
    with pytest.raises(KeyUnavailable):
        crypto.unseal(KEY, rubbish, "here")


def test_keyed_hashes_differ_by_key() -> None:
    assert crypto.keyed_hash(KEY, b"term") != crypto.keyed_hash(crypto.new_key(), b"term")
    assert -(2**63) <= crypto.keyed_int64(KEY, b"term") < 2**63


def test_an_older_data_key_still_opens_what_it_sealed() -> None:
    first = crypto.ScopeKeys({1: KEY}, crypto.new_key())
    second = crypto.ScopeKeys({1: KEY, 2: crypto.new_key()}, first.index)
    sealed = first.seal(b"x", "here")
    assert second.unseal(sealed, "here") == b"x"
    assert crypto.sealed_version(second.seal(b"y", "here")) == 2
    with pytest.raises(KeyUnavailable):
        first.unseal(second.seal(b"y", "here"), "here")
