"""Asking a model about memes, pass by pass. In: memes, passes, a model. Out: stored answers.

A pass asks one question of each meme, many at a time; those of a later stage build on the answers
of earlier ones. Memes are taken some hundred at a time, all passes of each, so that a run that ends
early leaves whole memes, and a picture is encoded once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memeloc.language_models.client import LanguageModel
from memeloc.language_models.job import Job, OnProgress
from memeloc.language_models.prompts import MemeInput
from memeloc.language_models.questions import Answer, Question

TOGETHER = 200
"""Memes that go through all passes together; their pictures are kept as they are sent."""

Key = tuple[str, str | int]
"""A kind of question and its dimension or round."""


@dataclass(frozen=True, slots=True)
class AskedMeme:
    """A meme that is asked about: what the model is given of it, and its answers by pass.

    `language` is the tag of what is answered in; `read` is for what passes make of the answers, so
    that each is read once.
    """

    input: MemeInput
    language: str
    answers: dict[Key, Any] = field(default_factory=dict)
    read: dict[str, Any] = field(default_factory=dict)

    def open(self, keys: Iterable[Key]) -> int:
        return sum(key not in self.answers for key in keys)


@dataclass(frozen=True, slots=True)
class Pass:
    """A question about each meme.

    Attributes:
        prompt: SHA-256 of all that is the same for every meme.
        question: gives the question about a meme; None where there is nothing to ask. For an
            estimate it may be asked for its question before what it needs is there.
        needs: a meme waits until it has these answers, right or not.
        about: gives what is stored with the answer about a meme, such as what it was made of.
        name: what it is called beside the meme in sentences; may be empty.
    """

    key: Key
    prompt: str
    question: Callable[[AskedMeme], Question[Any] | None]
    needs: tuple[Key, ...] = ()
    about: Callable[[AskedMeme], Mapping[str, Any]] = lambda meme: {}
    name: str = ""


@dataclass
class MemeJob:
    """A job of passes over memes, in stages of those that are asked together.

    Attributes:
        run_settings: what is stored with each answer.
        about: what plans and results begin with.
        find: gives a model's stored answers about memes, by id, each with the key of its pass.
        record: makes an answer that is stored of the job, a pass, a meme, what came of it, and how.
        add: stores them.
        language_of: gives the language that is answered in about a meme.
        stored: how many answers were there before, once it was planned or run.
    """

    items: Sequence[MemeInput]
    asked: LanguageModel
    run_settings: Mapping[str, Any]
    about: Mapping[str, str]
    stages: Sequence[Sequence[Pass]]
    find: Callable[[str, Mapping[str, AskedMeme]], Iterable[tuple[Key, Any]]]
    record: Callable[[MemeJob, Pass, AskedMeme, Answer[Any], dict[str, Any]], Any]
    add: Callable[[Sequence[Any]], Any]
    language_of: Callable[[MemeInput], str] = lambda item: ""
    stored: int = 0

    def __post_init__(self) -> None:
        self.model, self.currency = self.asked.settings.model, self.asked.settings.currency
        self._on_progress: OnProgress = lambda more, total: None
        self.job = Job(
            self.asked,
            self._batches,
            self._store,
            lambda mark: ", ".join(filter(None, (mark[1].input.id, mark[0].name))),
            len(self.items) * sum(map(len, self.stages)),
        )

    def plan(self) -> dict[str, Any]:
        """Return what it would ask and cost, behind what it is about; nothing is asked."""
        plan = self.job.plan()
        return {**self.about, "memes": len(self.items), "there": self.stored, "model": plan}

    def run(self, budget: float | None, on_progress: OnProgress) -> dict[str, Any]:
        """Ask what is not answered yet; return what came of it, behind what it is about."""
        self._on_progress = on_progress
        result = self.job.run(budget, on_progress)
        counts = {"memes": len(self.items), "asked": result["asked"], "there": self.stored}
        return {**self.about, "model": self.model, **counts, **result}

    def slices(self) -> Iterator[list[AskedMeme]]:
        """Yield the memes, some at a time, with the answers that are stored."""
        prompts = {each.key: each.prompt for stage in self.stages for each in stage}
        for start in range(0, len(self.items), TOGETHER):
            items = self.items[start : start + TOGETHER]
            memes = {item.id: AskedMeme(item, self.language_of(item)) for item in items}
            for key, answer in self.find(self.model, memes):
                meme = memes[answer.item]
                if (meme.input.content, prompts.get(key)) == (answer.content, answer.prompt):
                    meme.answers[key] = answer
            yield list(memes.values())

    def _batches(self, waiting: list[str] | None) -> Iterator[Iterator[Question[Any]]]:
        for memes in self.slices():
            stored = sum(len(meme.answers) for meme in memes)
            self.stored += stored
            self._on_progress(stored, self.job.total)
            for stage in self.stages:
                yield self._questions(stage, memes, waiting)

    def _questions(
        self, stage: Sequence[Pass], memes: Sequence[AskedMeme], waiting: list[str] | None
    ) -> Iterator[Question[Any]]:
        for mark in ((asked, meme) for meme in memes for asked in stage):
            asked, meme = mark
            if asked.key in meme.answers:
                continue
            if waiting is not None and meme.open(asked.needs):
                waiting.append(f"{self.job.name(mark)}: waits for an answer that is missing")
            elif (question := asked.question(meme)) is not None:
                yield replace(question, mark=mark)

    def _store(self, answers: Sequence[tuple[Any, Answer[Any]]]) -> None:
        stored = []
        for (asked, meme), answer in answers:
            how = {
                "run": self.run_settings,
                "input": meme.input.input,
                **asked.about(meme),
                **answer.settings,
            }
            stored.append(self.record(self, asked, meme, answer, how))
        self.add(stored)
        for ((asked, meme), _), answer in zip(answers, stored, strict=True):
            meme.answers[asked.key] = answer
