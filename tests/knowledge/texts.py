"""Texts of a known number of chunks."""

from __future__ import annotations


def paragraphs(*words: str) -> str:
    """Text of one section a word, each long enough to be a chunk of its own."""
    return "\n\n".join(
        f"# {word}\n\n" + " ".join(f"{word.title()}{n} stands here." for n in range(120)) for word in words
    )


def large(word: str = "word") -> str:
    """A text whose every step takes long enough to be killed in."""
    return paragraphs(*(f"{word}{chr(97 + n // 26)}{chr(97 + n % 26)}x" for n in range(120)))
