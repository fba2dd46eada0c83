"""Asking a model about memes, in passes. In: settings, a model, `Pass`es. Out: stored answers.

A pass asks one question of each meme, many at a time; a later one builds on the answers of those
before. Memes are taken some hundred at a time, all passes of each, so that a run that ends early
leaves whole memes, and a picture is encoded once. Answers are stored some at a time, and each
stands in the model's cache before: whatever ends a run, the next one goes on from there and pays
for nothing twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from memeloc.errors import MemelocError
from memeloc.knowledge.answers import KnowledgeAnswer, Step
from memeloc.knowledge.statements import DimensionKnowledge
from memeloc.language_models import (
    Answer,
    Budget,
    LanguageModel,
    Plan,
    Question,
    read_model_settings,
)
from memeloc.language_models.meme_inputs import MemeInput
from memeloc.language_models.recording import Failures, for_later, record
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.knowledge.settings import KnowledgeSettings
from memeloc.workspace.model_inputs import meme_inputs, of_which

TOGETHER = 200
"""Memes that go through all passes together; their pictures are kept as they are sent."""
_STORED = 50
"""Answers that are stored at a time."""

OnProgress = Callable[[int, int], None]
"""Gets how many answers more are there, and how many are wanted at the most."""
Key = tuple[Step, str]
"""A step and a dimension."""


@dataclass(frozen=True, slots=True)
class AskedMeme:
    """A meme that is asked about.

    Attributes:
        input: what the model is given of it.
        language: of statements and questions, a tag.
        answers: its answers so far, of all passes. For an estimate, a pass may be asked for its
            question before what it needs is there.
        knowledge: what extraction made of the answers, by dimension, so that each is read once.
    """

    input: MemeInput
    language: str
    answers: dict[Key, KnowledgeAnswer] = field(default_factory=dict)
    knowledge: dict[str, DimensionKnowledge] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pass:
    """A question about each meme.

    Attributes:
        prompt: SHA-256 of all that is the same for every meme.
        question: gives the question about a meme; None where there is nothing to ask.
        needs: a meme waits until it has these answers, right or not.
        recorded: gives what is stored with the answer about a meme, such as what it was made of.
    """

    step: Step
    dimension: str
    prompt: str
    question: Callable[[AskedMeme], Question[Any] | None]
    needs: tuple[Key, ...] = ()
    recorded: Callable[[AskedMeme], Mapping[str, Any]] | None = None

    @property
    def key(self) -> Key:
        """What its answers are stored of."""
        return self.step, self.dimension


@dataclass(frozen=True, slots=True)
class KnowledgePlan:
    """What a run would ask: of so many memes, with so many answers that are there already."""

    recipe: str
    memes: int
    there: int
    model: Plan


@dataclass(frozen=True, slots=True)
class KnowledgeResult:
    """How a run went.

    Attributes:
        asked: answers that the model gave now; `there`, those it had given before.
        refused, wrong: of those given now: the model would not answer, or never as it should.
        missing: sentences of the first of these.
        unanswered: questions that nobody answered, left for the next run; `problems` are the first.
        cost: a sentence; empty where nothing was asked.
        stopped: why the run ended before its end; empty where it did not.
    """

    recipe: str
    model: str
    memes: int
    asked: int
    there: int
    refused: int
    wrong: int
    missing: tuple[str, ...]
    unanswered: int
    problems: tuple[str, ...]
    cost: str
    stopped: str


class Run:
    """A run of passes over memes.

    Args:
        recipe: name of the recipe of dimensions, as it is stored.

    Raises:
        InputError: there is nothing to ask about, or no such model.
    """

    def __init__(
        self,
        workspace: WorkspaceFolder,
        settings: KnowledgeSettings,
        model: str,
        recipe: str,
        passes: Sequence[Pass],
    ) -> None:
        which = of_which(workspace, settings.collected)
        self.settings = settings.with_full_paths().model_copy(update={"collected": which})
        self.workspace = workspace
        self.recipe = recipe
        self.passes = tuple(passes)
        own = {"temperature": settings.temperature, "seed": settings.seed}
        self.model_settings = read_model_settings(
            workspace.settings.language_model, model=model
        ).model_copy(update=own)
        self.items = meme_inputs(workspace, self.settings)
        self._recorded = {"run": self.settings.model_dump(mode="json")}
        self._failures = Failures()
        self._missing = Failures()
        self._counts: Counter[str] = Counter()

    def plan(self) -> KnowledgePlan:
        """What it would ask and cost; nothing is asked."""
        there = 0

        def questions() -> Iterator[Question[Any]]:
            nonlocal there
            for memes in self.slices():
                there += sum(len(meme.answers) for meme in memes)
                for each in self.passes:
                    for meme in memes:
                        question = None if each.key in meme.answers else each.question(meme)
                        if question is not None:
                            yield question

        with self._model(None) as model:
            plan = model.plan(questions())
        return KnowledgePlan(self.recipe, len(self.items), there, plan)

    def ask(self, budget: float | None, on_progress: OnProgress) -> KnowledgeResult:
        """Ask what is not answered yet."""
        stopped = ""
        total = len(self.items) * len(self.passes)
        with self._model(budget) as model:
            try:
                for more in self._ask_all(model):
                    on_progress(more, total)
            except MemelocError as error:
                stopped = str(error)
            spent = model.spent
        return KnowledgeResult(
            self.recipe,
            self.model_settings.model,
            len(self.items),
            self._counts["asked"],
            self._counts["there"],
            self._counts["refused"],
            self._counts["wrong"],
            tuple(self._missing.sentences),
            self._failures.count,
            tuple(self._failures.sentences),
            spent.line() if spent.answered or spent.requests or spent.failed else "",
            stopped,
        )

    def slices(self) -> Iterator[list[AskedMeme]]:
        """The memes, some at a time, with the answers that are stored."""
        for start in range(0, len(self.items), TOGETHER):
            items = self.items[start : start + TOGETHER]
            memes = [AskedMeme(item, self.settings.language_of(item)) for item in items]
            by_key = {(m.input.id, m.input.content, m.input.version, m.language): m for m in memes}
            prompts = {each.key: each.prompt for each in self.passes}
            for answer in self.workspace.store.knowledge.find(
                recipe=self.recipe,
                model=self.model_settings.model,
                items=[item.id for item in items],
            ):
                key: Key = (answer.step, answer.dimension)
                meme = by_key.get((answer.item, answer.content, answer.version, answer.language))
                if meme is not None and prompts.get(key) == answer.prompt:
                    meme.answers[key] = answer
            yield memes

    def _ask_all(self, model: LanguageModel) -> Iterator[int]:
        """Ask; how many answers more are there, each time some are."""
        for memes in self.slices():
            there = sum(len(meme.answers) for meme in memes)
            self._counts["there"] += there
            yield there
            for each in self.passes:
                yield from self._ask_pass(model, each, memes)

    def _ask_pass(
        self, model: LanguageModel, question_pass: Pass, memes: Sequence[AskedMeme]
    ) -> Iterator[int]:
        waiting: list[KnowledgeAnswer] = []
        try:
            for question, answer in model.ask_all(self._questions(question_pass, memes)):
                meme: AskedMeme = question.mark
                if isinstance(answer, MemelocError) and for_later(answer):
                    self._failures.add(f"{meme.input.id}, {question_pass.dimension}", answer)
                    continue
                waiting.append(self._answer(question_pass, meme, answer))
                if len(waiting) >= _STORED:
                    yield self._store(waiting)
                    waiting = []
        finally:
            if waiting:
                self._store(waiting)
        if waiting:
            yield len(waiting)

    def _questions(
        self, question_pass: Pass, memes: Sequence[AskedMeme]
    ) -> Iterator[Question[Any]]:
        for meme in memes:
            if question_pass.key in meme.answers:
                continue
            if any(key not in meme.answers for key in question_pass.needs):
                name = f"{meme.input.id}, {question_pass.dimension}"
                self._failures.add(name, "waits for an answer that is missing")
                continue
            question = question_pass.question(meme)
            if question is not None:
                yield replace(question, mark=meme)

    def _answer(
        self, question_pass: Pass, meme: AskedMeme, answer: Answer[Any] | MemelocError
    ) -> KnowledgeAnswer:
        """What is stored of an answer; the meme has it from now on."""
        recorded = record(answer)
        own = question_pass.recorded(meme) if question_pass.recorded else {}
        self._counts[recorded.status] += 1
        if recorded.status != "answered":
            name = f"{meme.input.id}, {question_pass.dimension}"
            self._missing.add(name, answer if isinstance(answer, MemelocError) else "")
        stored = KnowledgeAnswer(
            meme.input.id,
            meme.input.content,
            meme.input.version,
            question_pass.step,
            question_pass.dimension,
            self.recipe,
            meme.language,
            self.model_settings.model,
            question_pass.prompt,
            recorded.status,
            {} if recorded.value is None else recorded.value.model_dump(mode="json"),
            recorded.answer,
            {**self._recorded, "input": meme.input.input, **own, **recorded.settings},
            recorded.cost,
            self.model_settings.currency,
        )
        meme.answers[question_pass.key] = stored
        return stored

    def _store(self, answers: Sequence[KnowledgeAnswer]) -> int:
        self.workspace.store.knowledge.add(answers)
        self._counts["asked"] += len(answers)
        return len(answers)

    @contextmanager
    def _model(self, budget: float | None) -> Iterator[LanguageModel]:
        cache: Any = self.workspace.store.computed
        with LanguageModel(self.model_settings, cache=cache, budget=Budget(budget)) as model:
            yield model
