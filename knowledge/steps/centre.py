"""Centring: subtract what all vectors of a model share, and bring them to unit length again.

Vectors of one model point much the same way (unrelated pairs of the bundled model lie at a cosine distance near 0.24).
Centred, the best cut between related and unrelated is nearly the same in every language, so that one floor serves
a space of mixed languages.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


def mean_vector(vectors: Vectors) -> Vectors:
    """The mean of (n, dimension) unit vectors, to be subtracted."""
    mean: Vectors = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    return mean


def centre(vectors: Vectors, mean: Vectors) -> Vectors:
    """(n, dimension) or (dimension,) vectors less the mean, at unit length; a zero vector stays zero."""
    shifted = vectors - mean
    norms = np.linalg.norm(shifted, axis=-1, keepdims=True)
    centred: Vectors = np.divide(shifted, norms, out=np.zeros_like(shifted), where=norms > 0)
    return centred
