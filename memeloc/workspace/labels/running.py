"""Running a labelling. In: settings, a model, a budget. Out: stored answers, what is still to ask.

Answers are stored some at a time, and each stands in the model's cache before: whatever ends a run,
the next one goes on from there and pays for nothing twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from memeloc.errors import MemelocError
from memeloc.label.asking import Wanted, ask, questions
from memeloc.label.prompts import LabelPrompt, label_prompt
from memeloc.label.rounds import RoundCounts, RoundLabel, count
from memeloc.label.topics import read_topics
from memeloc.language_models import Budget, LanguageModel, Plan, read_model_settings
from memeloc.language_models.recording import Failures
from memeloc.ocr.transcript import Transcript
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.labels.labelling import LabelSettings, labels_of, newest_labelling
from memeloc.workspace.model_inputs import meme_inputs, of_which
from memeloc.workspace.survey_memes import RENDERED

_STORED = 50
"""Answers that are stored at a time."""

OnProgress = Callable[[int, int], None]
"""Gets how many answers more are there, and how many are wanted."""


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """What a run would ask: of so many memes, with so many answers that are there already."""

    taxonomy: str
    memes: int
    there: int
    model: Plan


@dataclass(frozen=True, slots=True)
class LabelResult:
    """How a run went.

    Attributes:
        memes: that are to be labelled.
        asked: questions that the model was asked now; `there`, those it had answered before.
        counts: the memes by their state after all rounds.
        unanswered: questions that nobody answered, left for the next run; `problems` are the first.
        cost: a sentence; empty where nothing was asked.
        stopped: why the run ended before its end; empty where it did not.
    """

    taxonomy: str
    model: str
    memes: int
    asked: int
    there: int
    counts: RoundCounts
    unanswered: int
    problems: tuple[str, ...]
    cost: str
    stopped: str


class Run:
    """A run of a labelling, with what it needs."""

    def __init__(self, workspace: WorkspaceFolder, settings: LabelSettings, model: str) -> None:
        which = of_which(workspace, settings.collected)
        self.settings = settings.with_full_paths().model_copy(update={"collected": which})
        self.workspace = workspace
        own = {"temperature": settings.temperature, "seed": settings.seed}
        self.model_settings = read_model_settings(
            workspace.settings.language_model, model=model
        ).model_copy(update=own)
        topics = read_topics(settings.topics) if settings.topics else ()
        self.prompt: LabelPrompt = label_prompt(
            self.settings.prompt, labels_of(self.settings.taxonomy)[1], topics
        )
        self.items = meme_inputs(workspace, self.settings)
        known = workspace.store.model_labels.find(
            taxonomy=self.prompt.scheme.taxonomy, model=self.model_settings.model
        )
        self._known = {answer.key for answer in known}
        self._stored = 0

    def plan(self) -> LabelPlan:
        """What it would ask and cost; nothing is asked."""
        todo = self._todo()
        with self._model(None) as model:
            plan = model.plan(questions(self.prompt, todo))
        there = len(self._kinds) * len(self.items) - len(todo)
        return LabelPlan(self.prompt.scheme.taxonomy, len(self.items), there, plan)

    def ask(self, budget: float | None, on_progress: OnProgress) -> LabelResult:
        """Ask what is not answered yet, meme by meme."""
        failures, stopped = Failures(), ""
        todo = self._todo()
        with self._model(budget) as model:
            try:
                for stored in self._ask(model, todo, failures):
                    on_progress(stored, len(todo))
            except MemelocError as error:
                stopped = str(error)
            spent = model.spent
        return LabelResult(
            self.prompt.scheme.taxonomy,
            self.model_settings.model,
            len(self.items),
            self._stored,
            len(self._kinds) * len(self.items) - len(todo),
            self._counts(),
            failures.count,
            tuple(failures.sentences),
            spent.line() if todo else "",
            stopped,
        )

    def _counts(self) -> RoundCounts:
        scheme, model = self.prompt.scheme, self.model_settings.model
        store = self.workspace.store.model_labels
        if not any(each.prompt == self.prompt.sha256 for each in store.labellings()):
            return RoundCounts(len(self.items), 0, 0, 0, len(self.items), 0, 0)
        return count(newest_labelling(self.workspace, scheme.taxonomy, model).outcomes())

    def _ask(
        self, model: LanguageModel, todo: Sequence[Wanted], failures: Failures
    ) -> Iterator[int]:
        """Ask; how many answers were stored, each time some are."""
        recorded = {"run": self.settings.model_dump(mode="json")}
        waiting: list[RoundLabel] = []
        try:
            for answer in ask(model, self.prompt, todo, failures, recorded):
                waiting.append(answer)
                if len(waiting) >= _STORED:
                    yield self._store(waiting)
                    waiting = []
        finally:
            if waiting:
                self._store(waiting)
        if waiting:
            yield len(waiting)

    def _store(self, answers: Sequence[RoundLabel]) -> int:
        if self.settings.collected != RENDERED:
            self._store_transcripts(answers)
        self._stored += self.workspace.store.model_labels.add(answers)
        return len(answers)

    def _store_transcripts(self, answers: Sequence[RoundLabel]) -> None:
        """Keep what the model read in pictures as versions of their transcripts, a version each."""
        by_round: dict[int, list[Transcript]] = defaultdict(list)
        for answer in answers:
            if parts := _parts(answer.caption):
                language, picture = self._read_in[answer.item]
                reader = f"{answer.model}, round {answer.round}"
                by_round[answer.round].append(
                    Transcript(answer.item, parts, language, reader, 0.0, picture=picture)
                )
        for number in sorted(by_round):
            self.workspace.store.transcripts.add(by_round[number])

    @cached_property
    def _read_in(self) -> dict[str, tuple[str, str]]:
        """By item the language that its text is kept in, and the SHA-256 of its picture."""
        before = self.workspace.store.transcripts.all()
        ids = [item.id for item in self.items]
        source = self.workspace.source.tag
        return {
            item.id: (
                before[item.id].language if item.id in before else item.language or source,
                item.picture,
            )
            for item in self.workspace.store.items.find("picture", ids)
        }

    @cached_property
    def _kinds(self) -> tuple[tuple[Literal["label", "topics"], int], ...]:
        """What is asked of each meme: the question, and its round."""
        rounds: list[tuple[Literal["label", "topics"], int]] = [
            ("label", number) for number in range(1, self.settings.rounds + 1)
        ]
        return (*rounds, ("topics", 1)) if self.settings.topics else tuple(rounds)

    def _todo(self) -> list[Wanted]:
        """What is not answered yet; rounds of a meme come together, for its picture is the same."""
        prompts = {"label": self.prompt.sha256}
        if self.settings.topics:
            prompts["topics"] = self.prompt.topics_sha256
        return [
            Wanted(item, kind, number)
            for item in self.items
            for kind, number in self._kinds
            if (item.id, item.content, kind, prompts[kind], number) not in self._known
        ]

    @contextmanager
    def _model(self, budget: float | None) -> Iterator[LanguageModel]:
        cache: Any = self.workspace.store.computed
        with LanguageModel(self.model_settings, cache=cache, budget=Budget(budget)) as model:
            yield model


def _parts(caption: str) -> tuple[str, ...]:
    """A text that a model read, in parts: where it left a line empty, or wrote ` // `."""
    blocks = caption.replace(" // ", "\n\n").split("\n\n")
    return tuple(filter(None, (" ".join(block.split()) for block in blocks)))
