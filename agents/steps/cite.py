"""Citation markers of a model, resolved by the platform: while streaming, one character at a time if need be.

A marker that was not offered is dropped and counted; one whose passage does not hold up the sentence is dropped too.
Literal brackets are words. A citation has an exact quote, or there is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.steps.compose import CLOSE, NOT_FOUND, OPEN
from agents.steps.support import supporting_span
from agents.types import Citation, Source
from knowledge.text.sentences import sentences
from knowledge.types import Passage

_MARKER = re.compile(rf"\s*{OPEN}\s*(\d{{1,3}}(?:\s*[,、，]\s*\d{{1,3}})*)\s*{CLOSE}")
_LONGEST_MARKER = 24
_STANDING = re.compile(
    rf"\s*{OPEN}[^{CLOSE}]{{0,{_LONGEST_MARKER}}}{CLOSE}|\s*{OPEN}[^{CLOSE}]{{0,{_LONGEST_MARKER}}}$"
)
_UNFINISHED = re.compile(rf"\s*(?:{OPEN}[^{CLOSE}]{{0,{_LONGEST_MARKER}}})?$")


@dataclass(slots=True)
class MarkerReader:
    """Fed with what a model says; gives clean text and citations back. The same whole text gives the same result
    however it was cut."""

    passages: Sequence[Passage]
    sources: Sequence[Source]
    text: str = ""
    citations: list[Citation] = field(default_factory=list)
    dropped: int = 0
    is_refusal: bool = False
    _waiting: str = ""
    _numbers: dict[int, int] = field(default_factory=dict)

    def feed(self, delta: str) -> tuple[str, list[Citation]]:
        """The text that is certain by now, and the citations that end in it."""
        self._waiting += delta
        held = _UNFINISHED.search(self._waiting)
        ready = self._waiting[: held.start()] if held else self._waiting
        if self._may_be_refusal():
            return "", []
        self._waiting = self._waiting[len(ready) :]
        return self._take(ready)

    def end(self) -> tuple[str, list[Citation]]:
        rest, self._waiting = self._waiting, ""
        if not self.text and rest.strip().startswith(NOT_FOUND):
            self.is_refusal = True
            return "", []
        taken = self._take(rest)
        self.text = self.text.rstrip()
        return taken

    @property
    def is_not_found(self) -> bool:
        """Whether the model said that the material does not hold the answer, or said nothing."""
        return self.is_refusal or not self.text.strip()

    def _may_be_refusal(self) -> bool:
        """Whether nothing was said yet but what is, or begins, the word for "not in the material"."""
        bare = self._waiting.strip()
        return not self.text and (NOT_FOUND.startswith(bare) or bare.startswith(NOT_FOUND))

    def _take(self, ready: str) -> tuple[str, list[Citation]]:
        before, found = len(self.text), []
        at = 0
        for marker in _STANDING.finditer(ready):
            self._say(ready[at : marker.start()])
            at = marker.end()
            known = _MARKER.fullmatch(marker[0])
            if known is None:
                self.dropped += 1
                continue
            for number in re.findall(r"\d+", known[1]):
                citation = self._cite(int(number))
                if citation is not None:
                    found.append(citation)
        self._say(ready[at:])
        return self.text[before:], found

    def _say(self, words: str) -> None:
        self.text += words if self.text else words.lstrip()

    def _cite(self, number: int) -> Citation | None:
        if not 1 <= number <= len(self.passages):
            self.dropped += 1
            return None
        start, end = _last_sentence(self.text)
        passage, source = self.passages[number - 1], self.sources[number - 1]
        span = supporting_span(self.text[start:end], passage.text)
        if span is None or any(c.end == end and c.source == source.id for c in self.citations):
            self.dropped += span is None
            return None
        boxes = passage.boxes(span.start, span.end)
        citation = Citation(
            n=self._numbers.setdefault(number, len(self._numbers) + 1),
            start=start,
            end=end,
            source=source.id,
            quote=passage.text[span.start : span.end],
            quote_start=span.start,
            quote_end=span.end,
            page=boxes[0].page if boxes else None,
            boxes=boxes,
        )
        self.citations.append(citation)
        return citation


def _last_sentence(text: str) -> tuple[int, int]:
    """Where the last sentence of what was said stands."""
    spans = sentences(text)
    return spans[-1] if spans else (0, len(text))
