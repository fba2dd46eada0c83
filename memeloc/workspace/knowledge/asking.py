"""Asking a model about memes, dimension by dimension. In: settings, a model. Out: stored answers.

A pass asks one question of each meme, many at a time; a later one builds on the answers of those
before. Memes are taken some hundred at a time, all passes of each, so that a run that ends early
leaves whole memes, and a picture is encoded once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from memeloc.errors import InputError, MemelocError
from memeloc.knowledge.answers import KnowledgeAnswer, Step
from memeloc.knowledge.dimensions import Recipe, read_recipe
from memeloc.knowledge.extraction import NOT_ASKED, Extraction, read_answers
from memeloc.knowledge.questions import QuestionWriting, made_of
from memeloc.knowledge.statements import DimensionKnowledge, Statement
from memeloc.language_models import Answer, LanguageModel, Question, read_model_settings
from memeloc.language_models.job import Job, OnProgress
from memeloc.language_models.prompts import MemeInput
from memeloc.language_models.questions import content_hash
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.knowledge.stored import KnowledgeSettings, stored_knowledge
from memeloc.workspace.model_inputs import meme_inputs, of_which

TOGETHER = 200
"""Memes that go through all passes together; their pictures are kept as they are sent."""

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

    def found(self, recipe: Recipe) -> dict[str, DimensionKnowledge]:
        """Return what was found so far, by dimension."""
        extracted = {
            dimension: answer
            for (step, dimension), answer in self.answers.items()
            if step == "extract"
        }
        return read_answers(extracted, recipe, self.knowledge)

    def open(self, needs: Sequence[Key]) -> int:
        """Return how many answers there are not yet; it is asked only where there are none."""
        return sum(key not in self.answers for key in needs)


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
    recorded: Callable[[AskedMeme], Mapping[str, Any]] = lambda meme: {}

    @property
    def key(self) -> Key:
        """Return what its answers are stored of."""
        return self.step, self.dimension


class KnowledgeJob:
    """A job of passes over memes; `recipe` is the name of the recipe of dimensions, as stored.

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
        self.passes = passes
        self.model_settings = read_model_settings(
            workspace.settings.language_model, model=model
        ).model_copy(update={"temperature": settings.temperature, "seed": settings.seed})
        self.items = meme_inputs(workspace, self.settings)
        self.there = 0
        self._on_progress: OnProgress = lambda more, total: None
        self.job = Job(
            LanguageModel(self.model_settings, workspace.store.computed),
            self._batches,
            self._store,
            lambda mark: f"{mark[1].input.id}, {mark[0].dimension}",
            len(self.items) * len(passes),
        )

    def plan(self) -> dict[str, Any]:
        """Return what it would ask and cost; nothing is asked."""
        plan = self.job.plan()
        return {"recipe": self.recipe, "memes": len(self.items), "there": self.there, "model": plan}

    def run(self, budget: float | None, on_progress: OnProgress) -> dict[str, Any]:
        """Ask what is not answered yet."""
        self._on_progress = on_progress
        result = self.job.run(budget, on_progress)
        about = {"recipe": self.recipe, "model": self.model_settings.model}
        given = {"memes": len(self.items), "asked": result["asked"], "there": self.there}
        return {**about, **given, **result}

    def slices(self) -> Iterator[list[AskedMeme]]:
        """Give the memes, some at a time, with the answers that are stored."""
        prompts = {each.key: each.prompt for each in self.passes}
        for start in range(0, len(self.items), TOGETHER):
            items = self.items[start : start + TOGETHER]
            memes = [AskedMeme(item, self.settings.language_of(item)) for item in items]
            by_key = {(m.input.id, m.input.content, m.input.version, m.language): m for m in memes}
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

    def _batches(self, waiting: list[str] | None) -> Iterator[Iterator[Question[Any]]]:
        for memes in self.slices():
            stored = sum(len(meme.answers) for meme in memes)
            self.there += stored
            self._on_progress(stored, self.job.total)
            for each in self.passes:
                yield self._questions(each, memes, waiting)

    def _questions(
        self, asking: Pass, memes: Sequence[AskedMeme], waiting: list[str] | None
    ) -> Iterator[Question[Any]]:
        for meme in memes:
            if asking.key in meme.answers:
                continue
            if waiting is not None and meme.open(asking.needs):
                waiting.append(
                    f"{self.job.name((asking, meme))}: waits for an answer that is missing"
                )
                continue
            question = asking.question(meme)
            if question is not None:
                yield replace(question, mark=(asking, meme))

    def _store(self, answers: Sequence[tuple[Any, Answer[Any]]]) -> None:
        stored = [self._answer(mark[0], mark[1], answer) for mark, answer in answers]
        self.workspace.store.knowledge.add(stored)
        for ((asking, meme), _), answer in zip(answers, stored, strict=True):
            meme.answers[asking.key] = answer

    def _answer(self, asking: Pass, meme: AskedMeme, answer: Answer[Any]) -> KnowledgeAnswer:
        own = {"run": self.settings.model_dump(mode="json"), "input": meme.input.input}
        return KnowledgeAnswer(
            meme.input.id,
            meme.input.content,
            meme.input.version,
            asking.step,
            asking.dimension,
            self.recipe,
            meme.language,
            self.model_settings.model,
            asking.prompt,
            answer.status,
            {} if answer.value is None else answer.value.model_dump(mode="json"),
            answer.text,
            {**own, **asking.recorded(meme), **answer.settings},
            answer.cost,
            self.model_settings.currency,
        )


def extraction_job(
    workspace: WorkspaceFolder, settings: KnowledgeSettings, model: str
) -> KnowledgeJob:
    """Return a job that extracts all dimensions of a recipe in its order, and links at the end.

    Raises:
        InputError: there is no such recipe, prompt or model, or nothing to ask about.
    """
    settings = settings.with_full_paths()
    recipe = read_recipe(settings.recipe)
    extraction = Extraction(recipe, settings.prompt)
    languages = cache(lambda tag: language_name(workspace, tag))

    def ask(dimension: str) -> Callable[[AskedMeme], Question[Any]]:
        shown: list[Key] = [("extract", each) for each in recipe.contexts[dimension]]
        return lambda meme: extraction.question(
            dimension,
            meme.input,
            meme.found(recipe),
            languages(meme.language),
            open=meme.open(shown),
        )

    keys: list[Key] = [("extract", each.id) for each in recipe.dimensions]
    passes = [
        Pass(*key, extraction.sha256, ask(key[1]), tuple(keys[:place]))
        for place, key in enumerate(keys)
    ]
    if recipe.link:

        def link(meme: AskedMeme) -> Question[Any] | None:
            return extraction.link_question(meme.input, meme.found(recipe), open=meme.open(keys))

        passes.append(Pass("link", recipe.link, extraction.sha256, link, tuple(keys)))
    return KnowledgeJob(workspace, settings, model, recipe.name, passes)


def language_name(workspace: WorkspaceFolder, tag: str) -> str:
    """Return a language for a model, as `German (de)`; its tag alone where there is no locale."""
    try:
        return f"{workspace.locale(tag).name} ({tag})"
    except MemelocError:
        return f"the language {tag}"


@dataclass(frozen=True, slots=True)
class AskSettings:
    """Settings of questions: of which extraction they are asked for, and how.

    Attributes:
        recipe, of: of the extraction, and the model that made it; the newest one's where empty.
        lang: of the captions; that of the extraction where empty.
        none: the fourth option; empty for “None of the others” in the questions' language.
        seed: of the model's random numbers.
    """

    recipe: str = ""
    of: str = ""
    lang: str = ""
    none: str = ""
    seed: int = 0


def question_job(workspace: WorkspaceFolder, settings: AskSettings, model: str) -> KnowledgeJob:
    """Return a job that has a model write a question about each dimension of what was extracted.

    Raises:
        InputError: nothing was extracted yet, or there is no fourth option in a language.
    """
    stored = stored_knowledge(workspace, settings.recipe, settings.of)
    writing = QuestionWriting(stored.recipe, settings.none)
    knowledge = {(each.meme, each.version, each.language): each for each in stored.memes()}
    prompt = content_hash([writing.sha256, stored.model])

    def statements(meme: AskedMeme, dimension: str) -> tuple[Statement, ...] | None:
        """Return what a question is made of; None where the dimension was not extracted yet."""
        found = knowledge.get((meme.input.id, meme.input.version, meme.language))
        if found is None or found.content != meme.input.content:
            return None
        asked = [each.dimension for each in found.dimensions if each.reason != NOT_ASKED]
        return made_of(found, dimension) if dimension in asked else None

    def pass_of(dimension: str) -> Pass:
        def question(meme: AskedMeme) -> Question[Any] | None:
            made = statements(meme, dimension)
            if made is None:
                return None
            name = language_name(workspace, meme.language)
            about = stored.recipe.by_id[dimension]
            return writing.question(meme.input, about, made, meme.language, name)

        def recorded(meme: AskedMeme) -> Mapping[str, Any]:
            return {
                "statements": [each.id for each in statements(meme, dimension) or ()],
                "none": writing.fourth(meme.language),
                "of": stored.model,
            }

        return Pass("ask", dimension, prompt, question, recorded=recorded)

    own: dict[str, Any] = {"seed": settings.seed}
    if settings.lang:
        own["language"] = workspace.locale(settings.lang).tag
    passes = [pass_of(dimension.id) for dimension in stored.recipe.dimensions]
    of_stored = stored.settings.model_copy(update=own)
    job = KnowledgeJob(workspace, of_stored, model, stored.recipe.name, passes)
    extracted = {(each.meme, each.content) for each in knowledge.values()}
    if not any((item.id, item.content) in extracted for item in job.items):
        raise InputError(
            "None of the memes as they are now was extracted by these; run memeloc knowledge "
            "extract again."
        )
    for language in sorted({job.settings.language_of(item) for item in job.items}):
        writing.fourth(language)
    return job
