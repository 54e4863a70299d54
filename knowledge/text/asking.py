"""What a question asks for, by its question word: the shape that an answer to it has (tables in shapes.py)."""

from __future__ import annotations

import re

from knowledge.text.shapes import ASKING, LOOKS, Shape, Table

__all__ = ["Shape", "asked_shape", "has_shape"]


def _joined(table: Table) -> dict[Shape, re.Pattern[str]]:
    return {
        shape: re.compile("|".join(f"(?:{of[shape]})" for of in table.values() if shape in of), re.IGNORECASE)
        for shape in Shape
    }


_ASKING, _LOOKS = _joined(ASKING), _joined(LOOKS)


def asked_shape(question: str) -> Shape | None:
    """The shape that an answer has; None where the question word tells nothing."""
    return next((shape for shape, pattern in _ASKING.items() if pattern.search(question)), None)


def has_shape(text: str, shape: Shape) -> bool:
    """Whether something in the text has the shape."""
    return _LOOKS[shape].search(text) is not None
