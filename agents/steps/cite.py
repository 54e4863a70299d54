"""Citation markers of a model, resolved by the platform: while streaming, one character at a time if need be.

A marker that was not offered is dropped and counted; one whose passage does not hold up the sentence is dropped too.
Literal brackets are words. A citation has an exact quote, or there is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.steps.markers import CUT_OFF, ONE_MARK, TOKEN, UNFINISHED, numbers
from agents.steps.support import supporting_span
from agents.types import Citation, Source
from knowledge.text.sentences import sentences
from knowledge.types import Passage


@dataclass(slots=True)
class MarkerReader:
    """Fed with what a model says; gives clean text and citations back. The same whole text gives the same result
    however it was cut.

    `sources[i]` is `passages[i]`, which was shown under the number i + 1. `dropped` counts markers without a citation.
    """

    passages: Sequence[Passage]
    sources: Sequence[Source]
    text: str = ""
    citations: list[Citation] = field(default_factory=list)
    dropped: int = 0
    is_refusal: bool = False  # the first thing said was that the material does not hold the answer
    is_partial: bool = False  # the same, after something was answered
    _waiting: str = ""
    _gap: bool = False  # white space stood before the last marker
    _marked: int = 0  # where in `text` the last marker stood
    _numbers: dict[int, int] = field(default_factory=dict)

    def feed(self, delta: str) -> tuple[str, list[Citation]]:
        """The text that is certain by now, and the citations that end in it."""
        self._waiting += delta
        held = UNFINISHED.search(self._waiting)
        at = held.start() if held else len(self._waiting)
        ready, self._waiting = self._waiting[:at], self._waiting[at:]
        return self._take(ready)

    def end(self) -> tuple[str, list[Citation]]:
        """What was still uncertain; `text` is whole then."""
        rest, self._waiting = self._waiting, ""
        cut_off = CUT_OFF.search(rest)
        if cut_off:
            self.dropped += 1
            rest = rest[: cut_off.start()]
        taken = self._take(rest)
        self.text = self.text.rstrip()
        return taken

    @property
    def is_not_found(self) -> bool:
        """Whether the model said that the material does not hold the answer, or said nothing."""
        return self.is_refusal or not self.text.strip()

    def _take(self, ready: str) -> tuple[str, list[Citation]]:
        before, found, at = len(self.text), len(self.citations), 0
        for token in TOKEN.finditer(ready):
            self._say(ready[at : token.start()])
            at = token.end()
            if token.lastgroup == "missing":
                self.is_refusal = self.is_refusal or not self.text
                self.is_partial = not self.is_refusal
            else:
                self._read(token[0])
        self._say(ready[at:])
        return self.text[before:], self.citations[found:]

    def _say(self, words: str) -> None:
        """After a refusal nothing more is said: whatever follows is not the material's."""
        if self.is_refusal or not words:
            return
        if not self.text:
            words = words.lstrip()
        elif self._gap and words[0].isalnum():
            words = f" {words}"
        self._gap = False
        self.text += words

    def _read(self, group: str) -> None:
        if self.is_refusal:
            return
        for mark in ONE_MARK.findall(group):
            named = numbers(mark)
            self.dropped += not named
            for number in named:
                self._cite(number)
        self._gap = self._gap or group[0].isspace()
        self._marked = len(self.text)

    def _cite(self, number: int) -> None:
        """Add the citation of one number, once a claim; or drop it, where nothing in its passage holds the claim."""
        if not 1 <= number <= len(self.passages):
            self.dropped += 1
            return
        passage, source = self.passages[number - 1], self.sources[number - 1]
        end = len(self.text.rstrip())
        if any(citation.end == end and citation.source == source.id for citation in self.citations):
            return
        for start in self._claims():
            span = supporting_span(self.text[start:end], passage.text)
            if span is not None:
                break
        else:
            self.dropped += 1
            return
        boxes = passage.boxes(span.start, span.end)
        self.citations.append(
            Citation(
                n=self._numbers.setdefault(number, len(self._numbers) + 1),
                start=start,
                end=end,
                source=source.id,
                quote=passage.text[span.start : span.end],
                quote_start=span.start,
                quote_end=span.end,
                page=boxes[0].page if boxes else source.page,
                boxes=boxes,
            )
        )

    def _claims(self) -> tuple[int, ...]:
        """Where the claim that was just made begins: at the marker before, if one stands in the same sentence, or
        else where the sentence does."""
        line = self.text.rfind("\n", 0, len(self.text.rstrip())) + 1
        spans = sentences(self.text[line:])
        start = line + spans[-1].start if spans else line
        if start < self._marked:
            part = re.compile(r"[\s,;:.，、；：]*").match(self.text, self._marked)
            if part is not None and part.end() < len(self.text):
                return part.end(), start
        return (start,)
