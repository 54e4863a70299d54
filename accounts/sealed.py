"""Sealed attributes of models: read and written as text or JSON, stored encrypted.

    title_sealed = models.BinaryField()
    title = SealedText("title_sealed")

The model says whose key seals it (`seal_scope()` -> kind, id) and where the row stands (`seal_place()`), which is
bound into the ciphertext: moved to another row, it does not open.
"""

from __future__ import annotations

import json
import zlib
from typing import Any, Protocol, cast

from django.db import models

from accounts.keys import scope_keys


class SealedModel(Protocol):
    tenant_id: int

    def seal_scope(self) -> tuple[str, int]: ...
    def seal_place(self) -> str: ...


def _place(row: SealedModel, column: str) -> str:
    table = cast(models.Model, row)._meta.db_table
    return f"{table}.{column}:{row.tenant_id}:{row.seal_place()}"


class SealedText(property):
    """Text, sealed in the binary column `column`. An empty column reads as the empty string.

    A `property`, so that Django accepts it as a keyword of the model's constructor.
    """

    def __init__(self, column: str) -> None:
        self.column = column
        super().__init__(self._get, self._set)

    def encode(self, value: Any) -> bytes:
        return cast(str, value).encode()

    def decode(self, data: bytes) -> Any:
        return data.decode()

    def empty(self) -> Any:
        return ""

    def _get(self, row: SealedModel) -> Any:
        sealed = bytes(getattr(row, self.column) or b"")
        if not sealed:
            return self.empty()
        keys = scope_keys(*row.seal_scope(), create=False)
        return self.decode(keys.unseal(sealed, _place(row, self.column)))

    def _set(self, row: SealedModel, value: Any) -> None:
        if value == self.empty():
            setattr(row, self.column, b"")
            return
        keys = scope_keys(*row.seal_scope())
        setattr(row, self.column, keys.seal(self.encode(value), _place(row, self.column)))


class SealedJson(SealedText):
    """A JSON value, compressed and sealed. An empty column reads as None."""

    def encode(self, value: Any) -> bytes:
        return zlib.compress(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), 3)

    def decode(self, data: bytes) -> Any:
        return json.loads(zlib.decompress(data))

    def empty(self) -> Any:
        return None
