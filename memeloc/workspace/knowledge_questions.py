"""What models say and ask about memes. In: a workspace, settings. Out: jobs, answers, a benchmark.

What was chosen for a run is stored with each answer, so that everything after it goes on from
there. People judge the questions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import field_validator

from memeloc.errors import InputError, MemelocError
from memeloc.evaluate.runs.asking import ANSWERS
from memeloc.knowledge import TEXTS, benchmark
from memeloc.knowledge.dimensions import Recipe, read_recipe
from memeloc.knowledge.extraction import Extraction, knowledge_answer, knowledge_of
from memeloc.knowledge.questions import MemeQuestion, QuestionWriting, question_of
from memeloc.knowledge.statements import (
    KnowledgeAnswer,
    MemeKnowledge,
)
from memeloc.language_models.job import OnProgress
from memeloc.language_models.passes import AskedMeme, Key, MemeJob, Pass
from memeloc.language_models.prompts import Input, MemeInput
from memeloc.locales.tags import canonical, is_well_formed
from memeloc.reports import Report
from memeloc.tables.writing import write_table
from memeloc.workspace.asking import AskingSettings, meme_inputs, meme_job
from memeloc.workspace.evaluating import rendered_pictures
from memeloc.workspace.folder import Part, WorkspaceFolder
from memeloc.workspace.stored_survey import RENDERED, StoredSurvey
from memeloc.workspace.surveys import Survey, Surveys, cultures_of

if TYPE_CHECKING:
    import pandas as pd

Stage = Literal["toxicity", "others"]
RECIPE = "m-quest"
_SUBJECT, _KEY = "knowledge", "questions"
"""Under which subject and key a survey's state has which questions it is about."""


class KnowledgeSettings(AskingSettings):
    """Settings of asking a model what memes mean; their defaults are M-QUEST's, where the paper
    states them.

    Attributes:
        input: what the model is given; the picture alone by default, as there.
        recipe: dimensions and their order, one that ships or a TOML file.
        prompt: a TOML file; empty for the shipped texts.
        statements_language: of labels, statements and questions, a tag; empty for the meme's own,
            or English where that is not known.
    """

    input: Input | Literal[""] = "picture"
    recipe: str = "m-quest"
    prompt: str = ""
    statements_language: str = ""

    paths: ClassVar[tuple[str, ...]] = ("pictures", "recipe", "prompt")

    def language_of(self, item: MemeInput) -> str:
        """Return the language of statements and questions about a meme, a tag; else English."""
        return self.statements_language or item.version or "en"

    @field_validator("statements_language")
    @classmethod
    def _tag(cls, tag: str) -> str:
        if tag and not is_well_formed(canonical(tag)):
            raise ValueError(f"{tag[:40]!r} is no language tag; write one such as de or pt-BR")
        return canonical(tag)


@dataclass(frozen=True)
class StoredKnowledge:
    """The knowledge that a model found by a recipe; `settings` are of its newest run."""

    workspace: WorkspaceFolder
    recipe: Recipe
    model: str
    settings: KnowledgeSettings

    def memes(
        self, *, version: str | None = None, language: str | None = None
    ) -> Iterator[MemeKnowledge]:
        """Return what was found in each meme, sorted by meme, version and statements' language;
        only those of a version or language (tags), where one is named."""
        wanted = {"recipe": self.recipe.name, "model": self.model, "language": language}
        found = knowledge_of(self.workspace.store.knowledge.find(**wanted), self.recipe)
        return (each for each in found if version in (None, each.version))


def stored_knowledge(
    workspace: WorkspaceFolder, recipe: str = "", model: str = ""
) -> StoredKnowledge:
    """Return what a model found by a recipe (name or file); of the newest answer where empty. Raise
    InputError if nothing was extracted yet, or not by these."""
    is_file = recipe.endswith(".toml")
    name = read_recipe(recipe).name if is_file else recipe
    newest = workspace.store.knowledge.newest(
        step="extract", recipe=name or None, model=model or None
    )
    if newest is None:
        by = " and ".join(each[:60] for each in (recipe, model) if each)
        raise InputError(
            f"Nothing was extracted{f' by {by}' if by else ''} yet; memeloc knowledge extract "
            "--model NAME asks a model."
        )
    settings = KnowledgeSettings.model_validate(newest.settings.get("run", {}))
    read = read_recipe(recipe if is_file else settings.recipe)
    return StoredKnowledge(workspace, read, newest.model, settings)


def _job(
    workspace: WorkspaceFolder,
    settings: KnowledgeSettings,
    model: str,
    recipe: str,
    passes: Sequence[Pass],
) -> MemeJob:
    """Return a job of passes, each of which builds on those before; `recipe` is its name."""
    store = workspace.store.knowledge

    def find(model: str, memes: Mapping[str, AskedMeme]) -> Iterator[tuple[Key, KnowledgeAnswer]]:
        for answer in store.find(recipe=recipe, model=model, items=list(memes)):
            meme = memes[answer.item]
            if (answer.version, answer.language) == (meme.input.version, meme.language):
                yield (answer.step, answer.dimension), answer

    return meme_job(
        workspace,
        settings,
        model,
        about={"recipe": recipe},
        stages=[[each] for each in passes],
        find=find,
        record=knowledge_answer,
        add=store.add,
        language_of=settings.language_of,
    )


def extraction_job(workspace: WorkspaceFolder, settings: KnowledgeSettings, model: str) -> MemeJob:
    """Return a job that extracts all dimensions of a recipe in its order, and links at the end."""
    settings = settings.with_full_paths()
    recipe = read_recipe(settings.recipe)
    names = cache(partial(_language_name, workspace))
    passes = Extraction(recipe, settings.prompt).passes(names)
    return _job(workspace, settings, model, recipe.name, passes)


def question_job(
    workspace: WorkspaceFolder,
    model: str,
    *,
    recipe: str = "",
    of: str = "",
    lang: str = "",
    none: str = "",
    seed: int = 0,
) -> MemeJob:
    """Return a job that has a model write a question about each dimension of what was extracted.

    Args:
        recipe, of: of the extraction, and the model that made it; the newest one's where empty.
        lang: of the captions; that of the extraction where empty.
        none: the fourth option; empty for “None of the others” in the questions' language.
        seed: of the model's random numbers.
    """
    stored = stored_knowledge(workspace, recipe, of)
    writing, knowledge = QuestionWriting(stored.recipe, none), list(stored.memes())
    update: dict[str, Any] = {"seed": seed}
    if lang:
        update["language"] = workspace.locale(lang).tag
    settings = stored.settings.model_copy(update=update)
    passes = writing.passes(knowledge, stored.model, partial(_language_name, workspace))
    job = _job(workspace, settings, model, stored.recipe.name, passes)
    extracted = {(each.meme, each.content) for each in knowledge}
    if not any((item.id, item.content) in extracted for item in job.items):
        raise InputError(
            "None of the memes as they are now was extracted by these; run memeloc knowledge "
            "extract again."
        )
    for language in sorted(set(map(settings.language_of, job.items))):
        writing.fourth(language)
    return job


def _language_name(workspace: WorkspaceFolder, tag: str) -> str:
    """Return a language for a model, as `German (de)`; its tag alone where there is no locale."""
    try:
        return f"{workspace.locale(tag).name} ({tag})"
    except MemelocError:
        return f"the language {tag}"


@dataclass(frozen=True)
class QuestionSet:
    """The questions that a model wrote about memes as they are now.

    Attributes:
        prompt: SHA-256 of what it was asked, and of which extraction.
        settings: of the newest run; `of`, the model that extracted.
        answers: of the step `ask`, right or not.
    """

    workspace: WorkspaceFolder
    recipe: str
    model: str
    prompt: str
    of: str
    settings: KnowledgeSettings
    answers: tuple[KnowledgeAnswer, ...]

    @cached_property
    def questions(self) -> list[MemeQuestion]:
        """Return the right ones, by meme, in the recipe's order of dimensions."""
        order = {item.id: place for place, item in enumerate(self._items)}
        dimensions = list(self._stored.recipe.by_id)
        right = [question_of(each) for each in self._current if each.status == "answered"]
        return sorted(right, key=lambda q: (order[q.meme], dimensions.index(q.dimension)))

    @property
    def versions(self) -> list[str]:
        return sorted({each.version for each in self.questions})

    @cached_property
    def knowledge(self) -> dict[str, MemeKnowledge]:
        asked = {(each.meme, each.version, each.language) for each in self.questions}
        memes = self._stored.memes()
        return {m.meme: m for m in memes if (m.meme, m.version, m.language) in asked}

    @cached_property
    def captions(self) -> dict[str, str]:
        """Return by meme its text, where it has one, whatever the model was given."""
        with_text = "text" if self.settings.collected == RENDERED else "both"
        inputs = meme_inputs(self.workspace, self.settings.model_copy(update={"input": with_text}))
        return {item.id: item.text for item in inputs if item.text}

    @cached_property
    def pictures(self) -> dict[str, Path]:
        """Return by meme its picture, where it has one."""
        ids = {each.meme: each.version for each in self.questions}
        if self.settings.collected == RENDERED:
            rendered = rendered_pictures(Path(self.settings.pictures or ""), {*ids.values()})
            return {meme: path for (meme, tag), path in rendered.items() if ids.get(meme) == tag}
        items = self.workspace.store.items.find("picture", list(ids))
        return {item.id: item.path for item in items if item.path is not None}

    @cached_property
    def people(self) -> benchmark.PeopleAnswers:
        """People's settled answers about its questions, in all its surveys."""
        people = benchmark.PeopleAnswers()
        current = {each.id: (each.question, each.correct) for each in self.questions}
        store = self.workspace.store.surveys
        for name in store.names():
            state = store.state(name, _SUBJECT).get(_KEY, {})
            if self.about.items() <= state.items():
                people.surveys.append(name)
                people.drawn |= state["drawn"]
                survey = Survey(self.workspace, name)
                checked = survey.answers.checked(keep=False)
                settled = survey.labels.settled(checked).table
                people.add(state, survey.item_texts, settled, checked.answers(), current)
        return people

    @property
    def about(self) -> dict[str, Any]:
        """State of a survey that is about these questions."""
        names = ("recipe", "model", "prompt", "versions")
        return {name: getattr(self, name) for name in names}

    def missing(self) -> dict[str, int]:
        """Return how many questions there are not, by the reason."""
        counts = Counter(str(each.status) for each in self._current if each.status != "answered")
        left = len(self._items) * len(self._stored.recipe.dimensions) - len(self._current)
        return {**counts, **({"not asked": left} if left else {})}

    def report(
        self, name: str, title: str, figures: pd.DataFrame, notes: Sequence[str] = ()
    ) -> Report:
        count = f"{len(self.questions):,}"
        facts = {"Recipe": self.recipe, "Model": self.model, "Questions": count}
        facts |= {f"Questions {why}": f"{count:,}" for why, count in self.missing().items()}
        return Report(name, title, figures, TEXTS, facts=facts, notes=tuple(notes))

    @cached_property
    def _current(self) -> list[KnowledgeAnswer]:
        asked = {
            (item.id, item.content, item.version, self.settings.language_of(item))
            for item in self._items
        }
        return [a for a in self.answers if (a.item, a.content, a.version, a.language) in asked]

    @cached_property
    def _stored(self) -> StoredKnowledge:
        return stored_knowledge(self.workspace, self.settings.recipe, self.of)

    @cached_property
    def _items(self) -> list[MemeInput]:
        return meme_inputs(self.workspace, self.settings)


class Questions(Part):
    """Questions that models write about memes, and people judge.

    A `recipe`, a `model` (which wrote them) and a `lang` of memes choose a set where there are
    several (`which`); the one that was written last is meant where they are empty.
    """

    def plan(self, *, model: str = "", **settings: Any) -> dict[str, Any]:
        """Return what `ask` would ask and cost; nothing is asked or stored."""
        return question_job(self._workspace, model, **settings).plan()

    def ask(
        self,
        *,
        model: str = "",
        budget: float | None = None,
        on_progress: OnProgress = lambda more, total: None,
        **settings: Any,
    ) -> dict[str, Any]:
        """Have a model write a question about each dimension of what was extracted; see
        `Knowledge.extract`, and `question_job` for `settings`."""
        return question_job(self._workspace, model, **settings).run(budget, on_progress)

    def set(self, *, recipe: str = "", model: str = "", lang: str = "") -> QuestionSet:
        """Return the questions, with the knowledge, captions and pictures of their memes."""
        found = self._store.knowledge.find(step="ask", recipe=recipe or None, model=model or None)
        answers = [each for each in found if lang in ("", each.version)]
        if not answers:
            raise InputError(
                "There are no such questions yet; memeloc knowledge ask --model NAME has a model "
                "write them."
            )
        newest = answers[-1]
        key = (newest.recipe, newest.model, newest.prompt)
        settings = KnowledgeSettings.model_validate(newest.settings["run"])
        of_run = tuple(e for e in answers if (e.recipe, e.model, e.prompt) == key)
        return QuestionSet(self._workspace, *key, newest.settings["of"], settings, of_run)

    def review(self, *, answers: Sequence[str | Path] = (), seed: int = 0, **which: str) -> Report:
        """Return whether questions give their answers away: `answers` are folders of `memeloc
        evaluate` whose models were given the question alone; options are shuffled by the `seed`."""
        questions = self.set(**which)
        chosen = _without_picture([Path(each) for each in answers])
        figures = benchmark.review(questions.questions, questions.captions, chosen, seed=seed)
        return questions.report("questions", "Questions about memes", figures)

    def build_surveys(
        self,
        name: str,
        cultures: str,
        *,
        stage: Stage,
        people: str | Path,
        sample: int = benchmark.SAMPLE,
        seed: int = 0,
        recipe: str = "",
        model: str = "",
        lang: str = "",
        **options: Any,
    ) -> list[dict[str, Any]]:
        """Build the surveys in which people judge questions, by the recipe m-quest.

        Args:
            name: of the first; another one, NAME-2, has a meme's third and fourth question.
            stage: `toxicity`, or `others` once that is settled: `sample` questions of each other
                dimension, drawn by the `seed` from memes whose toxicity was found right.
            people: a table of the judges; `cultures` and `options` are as of `Surveys.build`.
        """
        questions = self.set(recipe=recipe, model=model, lang=lang)
        seen = {each.locale.tag for each in cultures_of(self._workspace, cultures)}
        if questions.settings.collected == RENDERED and not seen <= set(questions.versions):
            raise InputError(
                f"The questions are about captions in {', '.join(questions.versions)}; ask people "
                f"who see these, such as --cultures US={questions.versions[0]}."
            )
        state: dict[str, Any] = {"stage": stage, **questions.about, "drawn": {}}
        if stage == "toxicity":
            problem = "There is no question about toxicity to judge."
            surveys = [benchmark.toxicity_stage(questions.questions, questions.knowledge)]
        else:
            problem = (
                "People have not found the toxicity of any meme right yet: settle the first stage, "
                "memeloc knowledge survey NAME --stage toxicity."
            )
            state["drawn"] = {"sample": sample, "seed": seed}
            judged = questions.people.judged["toxicity"]
            positive = benchmark.positive_memes(questions.questions, judged)
            surveys = benchmark.others_stage(
                benchmark.draw(questions.questions, positive, judged, **state["drawn"])
            )
        if not any(surveys):
            raise InputError(problem)
        results = []
        for number, memes in enumerate(surveys, 1):
            survey = name if number == 1 else f"{name}-{number}"
            with TemporaryDirectory() as folder:
                table = Path(folder) / "items.jsonl"
                rows = [(each.meme, *each.cells().values()) for each in memes]
                write_table(table, ("meme_id", *benchmark.COLUMNS), rows)
                result = Surveys(self._workspace).build(
                    survey,
                    cultures,
                    recipe=RECIPE,
                    people=Path(people),
                    items=table,
                    memes=[each.meme for each in memes],
                    collected=questions.settings.collected,
                    seed=seed,
                    **options,
                )
            results.append(result)
            asked = {
                each.meme: {
                    "questions": [question.dimension for question in each.questions],
                    "statements": [statement.id for statement in each.statements],
                }
                for each in memes
            }
            about = {**state, "memes": asked}
            StoredSurvey(self._workspace, survey).put_state(_SUBJECT, _KEY, about)
        return results

    def validity(self, **which: str) -> Report:
        """Return how much of what the model wrote people find right, by dimension."""
        questions = self.set(**which)
        people = questions.people
        figures = benchmark.validity(
            people.dimensions, people.judged, people.statements, people.judgements
        )
        title = "Validity of questions about memes"
        return questions.report("validity", title, figures, people.notes())

    def select(self, out: str | Path, *, seed: int = 0, **which: str) -> dict[str, Any]:
        """Write the benchmark into a folder: what people found right, of memes whose toxicity they
        found right; `memeloc evaluate m-quest --data OUT` examines models. Options are shuffled by
        the `seed`.

        Return the `file` of the questions, beside which those left out and where it comes from
        stand; how many `questions`, `memes` and `left_out`; the `funnel`, by dimension and step how
        many fell out or are selected; `surveys` whose judgements count; and `notes`.
        """
        questions = self.set(**which)
        people, folder = questions.people, Path(out)
        rows = benchmark.select(questions.questions, *people.judged.values())
        chosen = benchmark.benchmark_of(rows)
        if not chosen:
            raise InputError(
                "People have not found any question about toxicity right yet: memeloc knowledge "
                "survey NAME --stage toxicity asks them, and memeloc survey settle settles it."
            )
        notes, memes = people.notes(), {each.meme for each in chosen}
        if without := memes - questions.pictures.keys():
            notes.append(f"{len(without):,} memes have no picture; models get their captions.")
        if not people.judged["others"]:
            notes.append(
                "No question of the second stage is judged; the other dimensions lack them."
            )
        about = {
            "recipe": questions.recipe,
            "model": questions.model,
            "extracted_by": questions.of,
            "prompt": questions.prompt,
            "surveys": people.surveys,
            "second_stage": people.drawn,
            "missing": questions.missing(),
        }
        pictures, captions = questions.pictures, questions.captions
        benchmark.write_benchmark(rows, folder, pictures, captions, seed=seed, about=about)
        return {
            "file": folder / benchmark.QUESTIONS,
            "questions": len(chosen),
            "memes": len(memes),
            "left_out": len(rows) - len(chosen),
            "funnel": benchmark.funnel(rows),
            "surveys": people.surveys,
            "notes": notes,
        }


def _without_picture(folders: Sequence[Path]) -> dict[str, dict[str, str]]:
    """Return by model and item the option that it chose, given the question alone."""
    import pandas as pd

    chosen: dict[str, dict[str, str]] = defaultdict(dict)
    for folder in folders:
        file = folder / ANSWERS
        if not file.is_file():
            raise InputError("has no answers of memeloc evaluate", file=folder)
        table = pd.read_parquet(file, columns=["model", "item", "choice", "input"])
        alone = table[table["input"] == "none"].drop(columns="input")
        if alone.empty:
            raise InputError(
                "no model was given the question alone there: memeloc evaluate m-quest "
                "--only question-alone",
                file=file,
            )
        for model, item, choice in alone.astype(str).itertuples(index=False):
            chosen[model][item] = choice
    return chosen
