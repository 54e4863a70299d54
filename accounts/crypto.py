"""Authenticated encryption and keyed hashes: pure functions over bytes.

Sealed bytes are: format (1 byte, 1) | key version (2 bytes, big endian) | nonce (12) | AES-256-GCM ciphertext
and tag. The place that a value stands in is the associated data, so a ciphertext moved elsewhere does not open.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from accounts.errors import KeyUnavailable

KEY_BYTES = 32
_FORMAT = b"\x01"
_NONCE = 12
_HEAD = 3


def new_key() -> bytes:
    return os.urandom(KEY_BYTES)


def seal(key: bytes, data: bytes, place: str, *, version: int = 0) -> bytes:
    nonce = os.urandom(_NONCE)
    head = _FORMAT + version.to_bytes(2, "big")
    return head + nonce + AESGCM(key).encrypt(nonce, data, head + place.encode())


def sealed_version(sealed: bytes) -> int:
    """The version of the key that sealed these bytes. Raises KeyUnavailable where they are not sealed bytes."""
    if len(sealed) < _HEAD + _NONCE or sealed[:1] != _FORMAT:
        raise KeyUnavailable("not a sealed value")
    return int.from_bytes(sealed[1:_HEAD], "big")


def unseal(key: bytes, sealed: bytes, place: str) -> bytes:
    """Raises KeyUnavailable where key, place or bytes do not fit together."""
    sealed_version(sealed)
    nonce, body = sealed[_HEAD : _HEAD + _NONCE], sealed[_HEAD + _NONCE :]
    try:
        return AESGCM(key).decrypt(nonce, body, sealed[:_HEAD] + place.encode())
    except InvalidTag:
        raise KeyUnavailable("a sealed value does not fit its key or its place") from None


def keyed_hash(key: bytes, data: bytes, *, size: int = 32) -> bytes:
    """BLAKE2b keyed hash (RFC 7693) of `size` bytes, 1 to 64."""
    return hashlib.blake2b(data, key=key, digest_size=size).digest()


def keyed_int64(key: bytes, data: bytes) -> int:
    """A keyed hash as a signed 64-bit integer, the type of the blind term index."""
    return int.from_bytes(keyed_hash(key, data, size=8), "big", signed=True)


def secret_hash(secret: str) -> bytes:
    """Hash of a random secret of at least 128 bits (an API key, an invitation): no salt or stretching is needed."""
    return hashlib.sha256(secret.encode()).digest()


def same(a: bytes, b: bytes) -> bool:
    return hmac.compare_digest(a, b)


@dataclass(frozen=True, slots=True)
class ScopeKeys:
    """Unwrapped keys of one scope: `data` by version (the highest seals), `index` for keyed hashes."""

    data: dict[int, bytes]
    index: bytes

    def seal(self, data: bytes, place: str) -> bytes:
        version = max(self.data)
        return seal(self.data[version], data, place, version=version)

    def unseal(self, sealed: bytes, place: str) -> bytes:
        key = self.data.get(sealed_version(sealed))
        if key is None:
            raise KeyUnavailable("the key version of a sealed value is gone")
        return unseal(key, sealed, place)

    def hash(self, data: bytes, *, size: int = 32) -> bytes:
        return keyed_hash(self.index, data, size=size)

    def term(self, data: str) -> int:
        return keyed_int64(self.index, data.encode())
