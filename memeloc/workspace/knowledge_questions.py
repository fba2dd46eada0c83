"""`Questions`: what models ask about memes. In: a workspace. Out: a benchmark, judged."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.runs.asking import ANSWERS
from memeloc.knowledge import TEXTS
from memeloc.knowledge.benchmark import (
    COLUMNS,
    GIVEN,
    PLACES,
    QUESTIONS,
    SAMPLE,
    STATEMENTS,
    Judged,
    Judgement,
    benchmark_of,
    draw,
    funnel,
    others_stage,
    positive_memes,
    review,
    select,
    toxicity_stage,
    validity,
    write_benchmark,
)
from memeloc.knowledge.questions import MemeQuestion, question_of
from memeloc.knowledge.statements import KnowledgeAnswer, MemeKnowledge
from memeloc.language_models.job import OnProgress
from memeloc.language_models.prompts import MemeInput
from memeloc.reports import Report
from memeloc.tables.writing import write_table
from memeloc.workspace.evaluating import rendered_pictures
from memeloc.workspace.folder import Part, WorkspaceFolder
from memeloc.workspace.knowledge_asking import (
    KnowledgeSettings,
    StoredKnowledge,
    question_job,
    stored_knowledge,
)
from memeloc.workspace.model_inputs import meme_inputs
from memeloc.workspace.stored_survey import RENDERED, StoredSurvey
from memeloc.workspace.surveys import Survey, Surveys, cultures_of

if TYPE_CHECKING:
    import pandas as pd

Stage = Literal["toxicity", "others"]
RECIPE = "m-quest"
_SUBJECT, _KEY = "knowledge", "questions"
"""Under which subject and key a survey's state has which questions it is about."""


@dataclass
class People:
    """People's answers about the questions of a set.

    Attributes:
        judged: by stage and question's id what is settled.
        statements: by meme and statement what is settled: `yes`, `no`, `maybe`; empty for open.
        dimensions: by id of questions and statements.
        judgements: each person's.
        surveys: names; `changed`, questions that were written anew since they were judged.
        drawn: how the second stage was drawn: `sample` and `seed`; empty without one.
    """

    judged: dict[str, dict[str, Judged]] = field(
        default_factory=lambda: {"toxicity": {}, "others": {}}
    )
    statements: dict[str, str] = field(default_factory=dict)
    dimensions: dict[str, str] = field(default_factory=dict)
    judgements: list[Judgement] = field(default_factory=list)
    surveys: list[str] = field(default_factory=list)
    changed: int = 0
    drawn: dict[str, int] = field(default_factory=dict)

    def notes(self) -> list[str]:
        changed = counted(self.changed, "question was", "questions were")
        note = f"{changed} written anew after people judged; those judgements do not count."
        return [note] if self.changed else []

    def add(self, survey: Survey, state: Mapping[str, Any], current: Mapping[str, Any]) -> None:
        """Add what a survey's people answered; `current` has question and answer by id."""
        checked = survey.answers.checked(keep=False)
        table = survey.labels.settled(checked).table
        rows = {str(row["item"]): row for row in table.to_dict("records")}
        answers: dict[str, list[dict[Any, Any]]] = defaultdict(list)
        for row in checked.answers().to_dict("records"):
            answers[row["item"]].append(row)
        judged = self.judged[state["stage"]]
        for meme, asked in state["memes"].items():
            shown, row = survey.item_texts.get(meme, {}), rows.get(meme, {})
            about: dict[str, tuple[str, str, str]] = {}
            for (question, answer), dimension in zip(PLACES, asked["questions"], strict=False):
                id = f"{meme}/{dimension}"
                if current.get(id) != (shown.get(question, ""), shown.get(answer, "")):
                    self.changed += 1
                    continue
                now = Judged(str(row.get(question, "")), str(row.get(answer, "")))
                if id not in judged or not now.is_open:
                    judged[id] = now
                about |= {question: (id, dimension, "question"), answer: (id, dimension, "answer")}
            for column, statement in zip(STATEMENTS, asked["statements"], strict=False):
                id = f"{meme} {statement}"
                self.statements[id] = str(row.get(column, ""))
                about[column] = (id, statement.rpartition("-")[0], "statement")
            self.dimensions |= {id: dimension for id, dimension, _ in about.values()}
            self.judgements += [
                Judgement(*where, str(each["participant"]), each[column])
                for each in answers[meme]
                for column, where in about.items()
                if each.get(column) in GIVEN
            ]


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
        """Return those that are right, by meme, in the recipe's order of dimensions."""
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
    def people(self) -> People:
        """Return what people settled on about its questions, in all its surveys."""
        people = People()
        current = {each.id: (each.question, each.correct) for each in self.questions}
        store = self.workspace.store.surveys
        for name in store.names():
            state = store.state(name, _SUBJECT).get(_KEY, {})
            if self.about.items() <= state.items():
                people.surveys.append(name)
                people.drawn |= state["drawn"]
                people.add(Survey(self.workspace, name), state, current)
        return people

    @property
    def about(self) -> dict[str, Any]:
        """Return what says of a survey that it is about these questions."""
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
    several; the one that was written last is meant where they are empty. Its methods raise
    InputError where there is none.
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
        """Have a model write a question about each dimension of what was extracted.

        Args:
            model, budget, on_progress: as of `Knowledge.extract`, like what is returned.
            settings: `recipe`, `of`, `lang`, `none` and `seed`; see `question_job`.

        Raises:
            InputError: nothing was extracted yet.
            MissingError: urllib3 or a key is missing.
        """
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
        """Return whether questions give their answers away.

        Args:
            answers: folders of `memeloc evaluate` whose models were given the question alone.
            seed: by which options are shuffled.

        Raises:
            InputError: a folder has no answers to questions alone.
        """
        questions = self.set(**which)
        chosen = _without_picture([Path(each) for each in answers])
        figures = review(questions.questions, questions.captions, chosen, seed=seed)
        return questions.report("questions", "Questions about memes", figures)

    def build_surveys(
        self,
        name: str,
        cultures: str,
        *,
        stage: Stage,
        people: str | Path,
        sample: int = SAMPLE,
        seed: int = 0,
        recipe: str = "",
        model: str = "",
        lang: str = "",
        **options: Any,
    ) -> list[dict[str, Any]]:
        """Build the surveys in which people judge questions, by the recipe m-quest.

        Args:
            name: of the first; a further one, NAME-2, has a meme's third and fourth question.
            stage: `toxicity`, or `others` once that is settled: `sample` questions of each other
                dimension, drawn by the `seed` from memes whose toxicity was found right.
            people: a table of the judges; `cultures` and `options` are as of `Surveys.build`.

        Raises:
            InputError: there is nothing to judge, people would see captions in another language
                than that of the questions' memes; or as `Surveys.build`.
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
            surveys = [toxicity_stage(questions.questions, questions.knowledge)]
        else:
            problem = (
                "People have not found the toxicity of any meme right yet: settle the first stage, "
                "memeloc knowledge survey NAME --stage toxicity."
            )
            state["drawn"] = {"sample": sample, "seed": seed}
            judged = questions.people.judged["toxicity"]
            positive = positive_memes(questions.questions, judged)
            surveys = others_stage(draw(questions.questions, positive, judged, **state["drawn"]))
        if not any(surveys):
            raise InputError(problem)
        results = []
        for number, memes in enumerate(surveys, 1):
            survey = name if number == 1 else f"{name}-{number}"
            with TemporaryDirectory() as folder:
                table = Path(folder) / "items.jsonl"
                rows = [(each.meme, *each.cells().values()) for each in memes]
                write_table(table, ("meme_id", *COLUMNS), rows)
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
            StoredSurvey(self._workspace, survey).put_state(
                _SUBJECT, _KEY, {**state, "memes": asked}
            )
        return results

    def validity(self, **which: str) -> Report:
        """Return how much of what the model wrote people find right, by dimension."""
        questions = self.set(**which)
        people = questions.people
        figures = validity(people.dimensions, people.judged, people.statements, people.judgements)
        title = "Validity of questions about memes"
        return questions.report("validity", title, figures, people.notes())

    def select(self, out: str | Path, *, seed: int = 0, **which: str) -> dict[str, Any]:
        """Write the benchmark: what people found right, of memes whose toxicity they found right.

        Args:
            out: a folder; `memeloc evaluate m-quest --data OUT` examines models.
            seed: by which options are shuffled.

        Returns:
            `file` of the questions, beside which those left out and where it comes from stand;
            how many `questions`, `memes` and `left_out`; the `funnel`, by dimension and step how
            many fell out or are selected; `surveys` whose judgements count; and `notes`.

        Raises:
            InputError: nobody has judged a question yet, or a file cannot be written.
        """
        questions = self.set(**which)
        people, folder = questions.people, Path(out)
        rows = select(questions.questions, *people.judged.values())
        chosen = benchmark_of(rows)
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
        write_benchmark(rows, folder, pictures, captions, seed=seed, about=about)
        return {
            "file": folder / QUESTIONS,
            "questions": len(chosen),
            "memes": len(memes),
            "left_out": len(rows) - len(chosen),
            "funnel": funnel(rows),
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
