"""The bundled model in one process: text to a unit vector of 384 numbers."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from knowledge.e5.weights import BLOCK, BLOCK_BYTES, unpack, weight_file
from knowledge.text.normalise import clean

DIMENSION = 384
WINDOW = 510  # tokens beside the two marks; longer text is cut into windows whose vectors are averaged
MOST_WINDOWS = 64  # of one text: what is beyond is not looked at, so that one text cannot hold the process
PREFIXES = {"query": "query: ", "passage": "passage: "}
_SPACES = re.compile(" {2,}")


class E5:
    """Thread-safe: each thread runs the session with its own input. Always one text a run: dynamic quantisation
    scales by batch, so that a batched text would get another vector than the same text alone."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        table = json.loads((folder / "normaliser.json").read_text())
        self._normaliser = {int(char): instead for char, instead in table.items()}
        words = json.loads((folder / "words.json").read_text())
        rows, per_row = words["rows"], DIMENSION // BLOCK
        file = np.memmap(weight_file(), np.uint8, "r")
        self._words = file[words["offset"] : words["offset"] + rows * per_row * BLOCK_BYTES].reshape(
            rows, per_row, BLOCK_BYTES
        )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(folder / "encoder.onnx"), options, ["CPUExecutionProvider"]
        )
        self._lock = threading.Lock()

    def _ids(self, text: str) -> list[int]:
        folded = _SPACES.sub(" ", clean(text).replace("\n", " ").translate(self._normaliser))
        with self._lock:
            return list(self._tokenizer.encode(folded).ids)

    def count_tokens(self, text: str) -> int:
        """Tokens of the text alone, without marks and prefix."""
        return max(0, len(self._ids(text)) - 2)

    def embed(self, text: str, kind: str) -> tuple[NDArray[np.float32], int]:
        """The unit vector of a text as a `query` or a `passage`, and its number of tokens."""
        ids = self._ids(PREFIXES[kind] + text)
        begin, end, inner = ids[0], ids[-1], ids[1:-1]
        windows = [inner[at : at + WINDOW] for at in range(0, max(1, len(inner)), WINDOW)][:MOST_WINDOWS]
        vectors = np.stack([self._run([begin, *window, end]) for window in windows])
        mean = vectors.mean(axis=0)
        unit: NDArray[np.float32] = (mean / np.linalg.norm(mean)).astype(np.float32)
        return unit, len(ids)

    def _run(self, ids: list[int]) -> NDArray[np.float32]:
        count = len(ids)
        words = unpack(np.asarray(self._words[ids])).reshape(1, count, DIMENSION)
        inputs = {
            "words": words,
            "mask": np.ones((1, count), np.int64),
            "position_ids": np.arange(count, dtype=np.int64),
        }
        vector: NDArray[np.float32] = self._session.run(None, inputs)[0][0]
        return vector
