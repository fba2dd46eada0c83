"""People who judge questions. In: a `QuestionSet`, surveys. Out: surveys; what they settled on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.knowledge.questions.judging import (
    COLUMNS,
    PLACES,
    STATEMENTS,
    Judged,
    JudgedMeme,
    others_stage,
    toxicity_stage,
)
from memeloc.knowledge.questions.selecting import draw, positive_memes
from memeloc.knowledge.questions.validity import GIVEN, Judgement, What
from memeloc.tables.writing import write_table
from memeloc.workspace.knowledge.questions.stored import QuestionSet
from memeloc.workspace.stored_survey import BuildResult, StoredSurvey
from memeloc.workspace.survey import Survey
from memeloc.workspace.survey_memes import RENDERED
from memeloc.workspace.surveys import Surveys, read_cultures

Stage = Literal["toxicity", "others"]
RECIPE = "m-quest"
_Texts = tuple[str, str]
_SUBJECT, _KEY = "knowledge", "questions"
"""Under which subject and key a survey's state has which questions it is about."""


@dataclass(slots=True)
class People:
    """What people answered about the questions of a set.

    Attributes:
        toxicity, others: by question's id what is settled, of the surveys of each stage.
        statements: by meme and statement what is settled: `yes`, `no`, `maybe`; empty for open.
        dimensions: by id of questions and statements.
        judgements: each person's.
        surveys: names; `changed`, questions that were written anew since they were judged.
        drawn: how the second stage was drawn: `sample` and `seed`; empty without one.
    """

    toxicity: dict[str, Judged] = field(default_factory=dict)
    others: dict[str, Judged] = field(default_factory=dict)
    statements: dict[str, str] = field(default_factory=dict)
    dimensions: dict[str, str] = field(default_factory=dict)
    judgements: list[Judgement] = field(default_factory=list)
    surveys: list[str] = field(default_factory=list)
    changed: int = 0
    drawn: dict[str, int] = field(default_factory=dict)

    def notes(self) -> tuple[str, ...]:
        """What was noticed, a sentence each."""
        if not self.changed:
            return ()
        changed = counted(self.changed, "question was", "questions were")
        return (f"{changed} written anew after people judged; those judgements do not count.",)


def build_surveys(
    questions: QuestionSet,
    name: str,
    cultures: str,
    *,
    stage: Stage,
    people: Path,
    sample: int,
    seed: int,
    options: Mapping[str, Any],
) -> list[BuildResult]:
    """The surveys of a stage by the recipe m-quest: one, or as many as a meme's questions need.

    Raises:
        InputError: there is nothing to judge, people would see captions in another language than
            that of the questions' memes, or as `Surveys.build`.
    """
    seen = {each.locale.tag for each in read_cultures(questions.workspace, cultures)}
    if questions.settings.collected == RENDERED and not seen <= set(questions.versions):
        tags = ", ".join(questions.versions)
        raise InputError(
            f"The questions are about captions in {tags}; ask people who see these, such as "
            f"--cultures US={questions.versions[0]}."
        )
    if stage == "toxicity":
        surveys = [toxicity_stage(questions.questions, questions.knowledge)]
    else:
        judged = judged_by_people(questions).toxicity
        positive = positive_memes(questions.questions, judged)
        surveys = others_stage(
            draw(questions.questions, positive, judged, sample=sample, seed=seed)
        )
    if not any(surveys):
        raise InputError(
            "There is no question about toxicity to judge."
            if stage == "toxicity"
            else "People have not found the toxicity of any meme right yet: settle the first "
            "stage, memeloc knowledge survey NAME --stage toxicity."
        )
    state = {
        "stage": stage,
        "recipe": questions.recipe,
        "model": questions.model,
        "prompt": questions.prompt,
        "versions": questions.versions,
        "drawn": {} if stage == "toxicity" else {"sample": sample, "seed": seed},
    }
    results = []
    for number, memes in enumerate(surveys, 1):
        own = name if number == 1 else f"{name}-{number}"
        results.append(_build(questions, own, cultures, memes, people, seed, options))
        asked = {each.meme: _asked(each) for each in memes}
        StoredSurvey(questions.workspace, own).put_state(_SUBJECT, _KEY, {**state, "memes": asked})
    return results


def _build(
    questions: QuestionSet,
    name: str,
    cultures: str,
    memes: Sequence[JudgedMeme],
    people: Path,
    seed: int,
    options: Mapping[str, Any],
) -> BuildResult:
    with TemporaryDirectory() as folder:
        table = Path(folder) / "items.jsonl"
        rows = [(each.meme, *each.cells().values()) for each in memes]
        write_table(table, ("meme_id", *COLUMNS), rows)
        return Surveys(questions.workspace).build(
            name,
            cultures,
            recipe=RECIPE,
            people=people,
            items=table,
            memes=[each.meme for each in memes],
            collected=questions.settings.collected,
            seed=seed,
            **options,
        )


def _asked(meme: JudgedMeme) -> dict[str, list[str]]:
    return {
        "questions": [each.dimension for each in meme.questions],
        "statements": [each.id for each in meme.statements],
    }


def judged_by_people(questions: QuestionSet) -> People:
    """What people settled on about a set's questions and statements, over all its surveys."""
    people = People()
    current = {each.id: (each.question, each.correct) for each in questions.questions}
    of_set = (questions.recipe, questions.model, questions.prompt, questions.versions)
    store = questions.workspace.store.surveys
    for name in store.names():
        state = store.state(name, _SUBJECT).get(_KEY, {})
        names = ("recipe", "model", "prompt", "versions")
        if tuple(state.get(name) for name in names) == of_set:
            people.surveys.append(name)
            people.drawn |= state["drawn"]
            _read(Survey(questions.workspace, name), state, current, people)
    return people


def _read(
    survey: Survey, state: Mapping[str, Any], current: Mapping[str, _Texts], people: People
) -> None:
    """Add what a survey's people answered."""
    checked = survey.answers.checked(keep=False)
    table = survey.labels.settled(checked).table
    rows = {str(row["item"]): row for row in table.to_dict("records")}
    given: dict[str, list[dict[Any, Any]]] = defaultdict(list)
    for row in checked.answers().to_dict("records"):
        given[row["item"]].append(row)
    judged = people.toxicity if state["stage"] == "toxicity" else people.others
    for meme, asked in state["memes"].items():
        shown, row = survey.item_texts.get(meme, {}), rows.get(meme, {})
        about: dict[str, tuple[str, str, What]] = {}
        for (question, answer), dimension in zip(PLACES, asked["questions"], strict=False):
            id = f"{meme}/{dimension}"
            if current.get(id) != (shown.get(question, ""), shown.get(answer, "")):
                people.changed += 1
                continue
            now = Judged(str(row.get(question, "")), str(row.get(answer, "")))
            if id not in judged or not now.is_open:
                judged[id] = now
            about |= {question: (id, dimension, "question"), answer: (id, dimension, "answer")}
        for column, statement in zip(STATEMENTS, asked["statements"], strict=False):
            id, dimension = f"{meme} {statement}", statement.rpartition("-")[0]
            people.statements[id] = str(row.get(column, ""))
            about[column] = (id, dimension, "statement")
        people.dimensions |= {id: dimension for id, dimension, _ in about.values()}
        people.judgements += [
            Judgement(*where, str(each["participant"]), each[column])
            for each in given[meme]
            for column, where in about.items()
            if each.get(column) in GIVEN
        ]
