"""The steps alone, in memory, on the evaluation data: what retrieval, floor, judging and quoting do without a database.

    python -m config.benches.steps --data DATA/multilingual_qa --models var/models/e5 [--cache FOLDER] [part ...]

Prints JSON. Parts: retrieval, pooled, across, judging, quoting, unanswerable. `--cache` keeps the vectors.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from hashlib import blake2b
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from agents.extractive import extract
from knowledge.e5.model import E5
from knowledge.measure import MemoryHit, MemorySpace, Text
from knowledge.steps.centre import Vectors, centre, mean_vector
from knowledge.steps.floor import passes
from knowledge.steps.fuse import fuse_ranks
from knowledge.steps.head import head, with_head
from knowledge.text.neutral import QUESTIONS_BY_LANGUAGE, STATEMENTS
from knowledge.text.normalise import match_key
from knowledge.text.scripts import estimate_tokens
from knowledge.text.sentences import sentences
from knowledge.types import Found

LANGUAGES = ("en", "ko", "zh", "ja", "de", "es", "fr")
DISTRACTED = ("en", "ko", "ja", "fr")
PARALLEL = ("en", "zh", "de", "es")
THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
Rows = list[dict[str, Any]]


def rows(path: Path) -> Rows:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@dataclass(frozen=True, slots=True)
class Question:
    """`gold` is the number of its passage in the space."""

    text: str
    vector: Vectors
    gold: int
    answers: tuple[str, ...]


@dataclass
class Bench:
    """A set of data with its vectors: a folder a language, with passages.jsonl and questions.jsonl. Each text is embedded
    once, and once for all where `cache` is a folder."""

    data: Path
    model: E5
    cache: Path | None = None
    _each: dict[str, Vectors] = field(default_factory=dict)

    def embed(self, texts: Sequence[str], kind: str) -> Vectors:
        name = blake2b("\0".join((kind, *texts)).encode(), digest_size=12).hexdigest()
        kept = self.cache / f"{name}.npy" if self.cache else None
        if kept and kept.exists():
            loaded: Vectors = np.load(kept)
            return loaded
        vectors = np.stack([self.model.embed(text, kind)[0] for text in texts])
        if kept:
            np.save(kept, vectors)
        return vectors

    @cached_property
    def passage_centre(self) -> Vectors:
        return mean_vector(self.embed(STATEMENTS, "passage"))

    @cached_property
    def query_centre(self) -> Vectors:
        every = [text for texts in QUESTIONS_BY_LANGUAGE.values() for text in texts]
        return mean_vector(self.embed(every, "query"))

    @cached_property
    def neutral(self) -> dict[str, Vectors]:
        return {language: self.asked(texts) for language, texts in QUESTIONS_BY_LANGUAGE.items()}

    def asked(self, texts: Sequence[str]) -> Vectors:
        return centre(self.embed(texts, "query"), self.query_centre)

    def each(self, texts: Sequence[str]) -> Vectors:
        """The centred vectors of sentences, each embedded once in the life of this bench."""
        new = [text for text in dict.fromkeys(texts) if text not in self._each]
        if new:
            self._each.update(zip(new, centre(self.embed(new, "passage"), self.passage_centre), strict=True))
        return np.stack([self._each[text] for text in texts])

    def space(self, passages: Rows) -> MemorySpace:
        texts = [Text(row["id"], row["title"], row["text"]) for row in passages]
        headed = [with_head(head(t.title, (), estimate_tokens(t.text)), t.text) for t in texts]
        return MemorySpace(texts, centre(self.embed(headed, "passage"), self.passage_centre), self.neutral)

    def passages(self, language: str, file: str = "passages") -> Rows:
        return rows(self.data / language / f"{file}.jsonl")

    def questions(self, language: str, numbers: Mapping[str, int]) -> list[Question]:
        found = rows(self.data / language / "questions.jsonl")
        vectors = self.asked([row["question"] for row in found])
        return [
            Question(row["question"], vector, numbers[row["passage_id"]], tuple(row["answers"]))
            for row, vector in zip(found, vectors, strict=True)
        ]


def numbers(space: MemorySpace) -> dict[str, int]:
    return {text.key: number for number, text in enumerate(space.texts)}


def share(values: Iterable[bool]) -> float:
    counted = list(values)
    return round(sum(counted) / max(1, len(counted)), 4)


def orders(hits: Sequence[MemoryHit]) -> dict[str, list[int]]:
    """The pool in the order of each ranking."""
    dense = [hit.number for hit in sorted(hits, key=lambda hit: hit.distance)]
    words = [hit.number for hit in sorted(hits, key=lambda hit: -hit.lexical)]
    ranks = [number for number, _score in fuse_ranks([dense, words])]
    return {"fused": [hit.number for hit in hits], "dense": dense, "lexical": words, "rank_fusion": ranks}


def ranking(space: MemorySpace, questions: Sequence[Question]) -> dict[str, Any]:
    """R@1 and R@5 of each ranking before the floor, and the share whose passage in the first five the floor cuts."""
    first: dict[str, list[bool]] = {}
    five: dict[str, list[bool]] = {}
    cut: list[bool] = []
    for question in questions:
        hits = space.hits(question.text, question.vector)
        for name, order in orders(hits).items():
            first.setdefault(name, []).append(order[:1] == [question.gold])
            five.setdefault(name, []).append(question.gold in order[:5])
        baseline = space.baseline(question.text)
        gold = [hit for hit in hits[:5] if hit.number == question.gold]
        cut.append(any(not passes(hit.distance, baseline, is_literal=hit.is_literal) for hit in gold))
    figures = {name: {"R@1": share(first[name]), "R@5": share(five[name])} for name in first}
    return {**figures, "lost_to_the_floor": share(cut)}


def retrieval(bench: Bench) -> dict[str, Any]:
    """Each language's questions in its own space of 240 passages."""
    return _each(bench, ranking)


def pooled(bench: Bench) -> dict[str, Any]:
    """All languages and their distractors in one space."""
    every = [row for language in LANGUAGES for row in bench.passages(language)]
    every += [row for language in DISTRACTED for row in bench.passages(language, "distractors")]
    space = bench.space(every)
    return {language: ranking(space, bench.questions(language, numbers(space))) for language in LANGUAGES}


def across(bench: Bench) -> dict[str, Any]:
    """Questions of one language in the space of another; the passage is the parallel one."""
    found: dict[str, Any] = {}
    for asked in PARALLEL:
        own = {row["id"]: row["parallel_id"] for row in bench.passages(asked)}
        for language in PARALLEL:
            if language != asked:
                theirs = {row["parallel_id"]: row["id"] for row in bench.passages(language)}
                space = bench.space(bench.passages(language))
                at = numbers(space)
                of = {key: at[theirs[parallel]] for key, parallel in own.items()}
                found[f"{asked} in {language}"] = ranking(space, bench.questions(asked, of))
    return found


def judging(bench: Bench) -> dict[str, Any]:
    """`not_found`: each question against its space whole, without its passage, without every passage of its title."""
    return _each(bench, lambda space, questions: judged(bench, space, questions))


def judged(bench: Bench, space: MemorySpace, questions: Sequence[Question]) -> dict[str, Any]:
    by_title: dict[str, set[int]] = {}
    for number, text in enumerate(space.texts):
        by_title.setdefault(text.title, set()).add(number)
    scores: dict[str, list[float]] = {"whole": [], "passage_removed": [], "article_removed": []}
    for question in questions:
        title = by_title[space.texts[question.gold].title]
        for name, without in (
            ("whole", set()),
            ("passage_removed", {question.gold}),
            ("article_removed", title),
        ):
            scores[name].append(
                score(bench, question, space.find(question.text, question.vector, without=without))
            )
    return balance(scores)


def score(bench: Bench, question: Question, found: Found) -> float:
    """How surely the passages answer, as it is judged without a model."""
    assert found.baseline is not None
    nearness = partial(near, bench, question)
    return extract(question.text, found.passages, found.baseline, found.rarities, nearness=nearness).score


def near(bench: Bench, question: Question, texts: Sequence[str]) -> list[float]:
    """The cosine similarity of sentences to a question."""
    return [float(similarity) for similarity in bench.each(texts) @ question.vector]


def balance(scores: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    whole = np.asarray(scores["whole"])
    curve = [
        {"threshold": threshold, "answered": share(whole >= threshold)}
        | {f"silent_{name}": share(np.asarray(gone) < threshold) for name, gone in list(scores.items())[1:]}
        for threshold in THRESHOLDS
    ]
    at = next(point for point in curve if point["threshold"] == 0.5)
    balanced = {name: round((at["answered"] + at[f"silent_{name}"]) / 2, 4) for name in list(scores)[1:]}
    return {"balanced_accuracy": balanced, "curve": curve}


def quoting(bench: Bench) -> dict[str, Any]:
    """The share of questions whose quotes hold a gold answer, by words alone and with measured nearness, beside the
    first two sentences of the first passage."""
    return _each(bench, lambda space, questions: quoted(bench, space, questions))


def quoted(bench: Bench, space: MemorySpace, questions: Sequence[Question]) -> dict[str, Any]:
    texts: dict[str, list[list[str]]] = {"words": [], "words_and_nearness": [], "first_two_sentences": []}
    strangers = 0
    for question in questions:
        found = space.find(question.text, question.vector)
        assert found.baseline is not None
        for name, measured in (("words", None), ("words_and_nearness", partial(near, bench, question))):
            made = extract(question.text, found.passages, found.baseline, found.rarities, nearness=measured)
            quotes = [found.passages[q.passage].text[q.start : q.end] for q in made.quotes]
            strangers += sum(not any(quote in p.text for p in found.passages) for quote in quotes)
            texts[name].append(quotes)
        first = found.passages[0].text if found.passages else ""
        texts["first_two_sentences"].append([first[s.start : s.end] for s in sentences(first)[:2]])
    return {
        "quotes_not_in_source": strangers,
        **{
            name: {
                "hold_the_answer": share(
                    holds(quotes, q.answers) for quotes, q in zip(said, questions, strict=True)
                ),
                "median_characters": median(sum(map(len, quotes)) for quotes in said),
            }
            for name, said in texts.items()
        },
    }


def holds(quotes: Sequence[str], answers: Sequence[str]) -> bool:
    text = match_key(" ".join(quotes)).replace(" ", "")
    return any(match_key(answer).replace(" ", "") in text for answer in answers)


def unanswerable(bench: Bench) -> dict[str, Any]:
    """SQuAD 2.0 questions written to look answerable, in a space of their paragraphs; and pairs of four passages
    with and without the right one."""
    folder = bench.data.parent / "unanswerable"
    space = bench.space(rows(folder / "squad2_passages.jsonl"))
    asked = rows(folder / "squad2_questions.jsonl")
    vectors = bench.asked([row["question"] for row in asked])
    scores: dict[str, list[float]] = {"whole": [], "unanswerable": []}
    for row, vector in zip(asked, vectors, strict=True):
        question = Question(row["question"], vector, 0, ())
        name = "whole" if row["answerable"] else "unanswerable"
        scores[name].append(score(bench, question, space.find(question.text, vector)))
    return {"squad2": balance(scores), "pairs": _pairs(bench, rows(folder / "passage_removed.jsonl"))}


def _pairs(bench: Bench, asked: Rows) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for language in LANGUAGES:
        space = bench.space(bench.passages(language))
        at = numbers(space)
        scores: dict[str, list[float]] = {"whole": [], "removed": []}
        mine = [row for row in asked if row["lang"] == language]
        for row, vector in zip(mine, bench.asked([row["question"] for row in mine]), strict=True):
            shown = {at[key] for key in row["passage_ids"]}
            others = set(range(len(space.texts))) - shown
            found_here = space.find(row["question"], vector, without=others)
            name = "whole" if row["answerable"] else "removed"
            scores[name].append(score(bench, Question(row["question"], vector, 0, ()), found_here))
        found[language] = balance(scores)["balanced_accuracy"]
    return found


def _each(bench: Bench, measure: Callable[[MemorySpace, Sequence[Question]], Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for language in LANGUAGES:
        space = bench.space(bench.passages(language))
        found[language] = measure(space, bench.questions(language, numbers(space)))
    return found


PARTS: dict[str, Callable[[Bench], dict[str, Any]]] = {
    part.__name__: part for part in (retrieval, pooled, across, judging, quoting, unanswerable)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    if options.cache:
        options.cache.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.data, E5(options.models), options.cache)
    result = {part: PARTS[part](bench) for part in options.parts or PARTS}
    json.dump(result, sys.stdout, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    main()
