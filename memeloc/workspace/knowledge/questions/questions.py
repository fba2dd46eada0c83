"""`Questions`: what models ask about memes. In: a workspace. Out: a benchmark, and its reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.evaluate.runs.evaluating import ANSWERS
from memeloc.knowledge import TEXTS
from memeloc.knowledge.questions.review import review
from memeloc.knowledge.questions.selecting import SAMPLE, select
from memeloc.knowledge.questions.validity import validity
from memeloc.knowledge.questions.writing import QUESTIONS, write_benchmark
from memeloc.reports import Report
from memeloc.workspace.knowledge.questions.asking import AskSettings, question_run
from memeloc.workspace.knowledge.questions.people import Stage, build_surveys, judged_by_people
from memeloc.workspace.knowledge.questions.stored import QuestionSet, question_set
from memeloc.workspace.knowledge.running import KnowledgePlan, KnowledgeResult, OnProgress
from memeloc.workspace.part import Part
from memeloc.workspace.stored_survey import BuildResult

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class SelectResult:
    """The benchmark that was written.

    Attributes:
        file: its questions; beside it stand those left out, and where it comes from.
        funnel: by dimension and step, how many questions fell out, or are selected.
        surveys: whose judgements count.
        notes: what was noticed, a sentence each.
    """

    file: Path
    questions: int
    memes: int
    left_out: int
    funnel: Mapping[str, Mapping[str, int]]
    surveys: tuple[str, ...]
    notes: tuple[str, ...]


class Questions(Part):
    """Questions that models write about memes, and people judge.

    A `recipe`, a `model` (which wrote them) and a `lang` of memes choose a set where there are
    several; the one that was written last is meant where they are empty. Its methods raise
    InputError where there is none.
    """

    def plan(self, settings: AskSettings | None = None, *, model: str = "") -> KnowledgePlan:
        """What `ask` would ask and cost; nothing is asked or stored."""
        return question_run(self._workspace, settings or AskSettings(), model).plan()

    def ask(
        self,
        settings: AskSettings | None = None,
        *,
        model: str = "",
        budget: float | None = None,
        on_progress: OnProgress = lambda more, total: None,
    ) -> KnowledgeResult:
        """Have a model write a question about each dimension of what was extracted.

        Args:
            settings: of which extraction; the newest by default.
            model, budget, on_progress: as of `Knowledge.extract`.

        Raises:
            InputError: nothing was extracted yet.
            MissingError: urllib3 or a key is missing.
        """
        run = question_run(self._workspace, settings or AskSettings(), model)
        return run.ask(budget, on_progress)

    def set(self, *, recipe: str = "", model: str = "", lang: str = "") -> QuestionSet:
        """The questions themselves, with the knowledge, captions and pictures of their memes."""
        return question_set(self._workspace, recipe=recipe, model=model, lang=lang)

    def review(self, *, answers: Sequence[str | Path] = (), seed: int = 0, **which: str) -> Report:
        """Whether questions give their answers away.

        Args:
            answers: folders of `memeloc evaluate` whose models were given the question alone.
            seed: by which options are shuffled.

        Raises:
            InputError: a folder has no answers to questions alone.
        """
        questions = self.set(**which)
        chosen = _without_picture([Path(each) for each in answers])
        figures = review(questions.questions, questions.captions, chosen, seed=seed)
        return _report(questions, "questions", "Questions about memes", figures)

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
    ) -> list[BuildResult]:
        """Build the surveys in which people judge questions, by the recipe m-quest.

        Args:
            name: of the first; a further one, NAME-2, has a meme's third and fourth question.
            stage: `toxicity`, or `others` once that is settled: `sample` questions of each other
                dimension, drawn by the `seed` from memes whose toxicity was found right.
            people: a table of the judges; `cultures` and `options` are as of `Surveys.build`.

        Raises:
            InputError: there is nothing to judge; or as `Surveys.build`.
        """
        return build_surveys(
            self.set(recipe=recipe, model=model, lang=lang),
            name,
            cultures,
            stage=stage,
            people=Path(people),
            sample=sample,
            seed=seed,
            options=options,
        )

    def validity(self, **which: str) -> Report:
        """How much of what the model wrote people find right, by dimension."""
        questions = self.set(**which)
        people = judged_by_people(questions)
        stages = {"toxicity": people.toxicity, "others": people.others}
        figures = validity(people.dimensions, stages, people.statements, people.judgements)
        title = "Validity of questions about memes"
        return _report(questions, "validity", title, figures, people.notes())

    def select(self, out: str | Path, *, seed: int = 0, **which: str) -> SelectResult:
        """Write the benchmark: what people found right, of memes whose toxicity they found right.

        Args:
            out: a folder; `memeloc evaluate m-quest --data OUT` examines models.
            seed: by which options are shuffled.

        Raises:
            InputError: nobody has judged a question yet, or a file cannot be written.
        """
        questions = self.set(**which)
        people = judged_by_people(questions)
        chosen = select(questions.questions, people.toxicity, people.others)
        if not chosen.questions:
            raise InputError(
                "People have not found any question about toxicity right yet: memeloc knowledge "
                "survey NAME --stage toxicity asks them, and memeloc survey settle settles it."
            )
        notes = people.notes()
        without = {each.meme for each in chosen.questions} - questions.pictures.keys()
        if without:
            notes += (f"{len(without):,} memes have no picture; models get their captions.",)
        if not people.others:
            notes += ("No question of the second stage is judged; the other dimensions lack them.",)
        about = {
            "recipe": questions.recipe,
            "model": questions.model,
            "extracted_by": questions.of,
            "prompt": questions.prompt,
            "surveys": people.surveys,
            "second_stage": people.drawn,
            "missing": questions.missing(),
        }
        folder = Path(out)
        write_benchmark(
            chosen, folder, questions.pictures, questions.captions, seed=seed, about=about
        )
        return SelectResult(
            folder / QUESTIONS,
            len(chosen.questions),
            len({each.meme for each in chosen.questions}),
            len(chosen.outcomes) - len(chosen.questions),
            chosen.funnel(),
            tuple(people.surveys),
            notes,
        )


def _report(
    questions: QuestionSet, name: str, title: str, figures: pd.DataFrame, notes: Sequence[str] = ()
) -> Report:
    facts = {
        "Recipe": questions.recipe,
        "Model": questions.model,
        "Questions": f"{len(questions.questions):,}",
        **{f"Questions {why}": f"{count:,}" for why, count in questions.missing().items()},
    }
    return Report(name, title, figures, TEXTS, facts=facts, notes=tuple(notes))


def _without_picture(folders: Sequence[Path]) -> dict[str, dict[str, str]]:
    """By model and item the option that it chose, given the question alone."""
    import pandas as pd

    chosen: dict[str, dict[str, str]] = {}
    for folder in folders:
        file = folder / ANSWERS
        if not file.is_file():
            raise InputError("has no answers of memeloc evaluate", file=folder)
        table = pd.read_parquet(file, columns=["model", "item", "input", "choice"])
        alone = table[table["input"] == "none"]
        if alone.empty:
            raise InputError(
                "no model was given the question alone there: memeloc evaluate m-quest "
                "--only question-alone",
                file=file,
            )
        for model, item, choice in zip(alone["model"], alone["item"], alone["choice"], strict=True):
            chosen.setdefault(str(model), {})[str(item)] = str(choice)
    return chosen
