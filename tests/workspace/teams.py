"""Surveys by recipe, filled by simulated teams, and what is counted apart of their answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from statsmodels.stats.inter_rater import cohens_kappa

from examples.simulated_team import Colleagues, simulate_team
from examples.simulation import truths
from memeloc.survey.labels.settling import QuestionAgreement
from memeloc.survey.model import Submission
from memeloc.workspace import Workspace
from memeloc.workspace.settling import SettleResult
from memeloc.workspace.surveys import Survey
from tests.worlds import starter_rows, write_table


def workspace_of(folder: Path, languages: Sequence[str], memes: int = 60) -> Workspace:
    """A workspace with the first memes of the starter set in English and some languages."""
    for name, content in _workspace_files(tuple(languages), memes).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return Workspace.open(folder / "work")


@cache
def _workspace_files(languages: tuple[str, ...], memes: int) -> dict[str, bytes]:
    """The files of such a workspace by name; many tests begin with the same."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        _make_workspace(folder, languages, memes)
        paths = [path for path in folder.rglob("*") if path.is_file()]
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _make_workspace(folder: Path, languages: Sequence[str], memes: int) -> None:
    table = write_table(folder / "captions.csv", starter_rows(languages, memes))
    with Workspace.create(folder / "work", languages=list(languages)) as workspace:
        workspace.import_captions(table)


def team_table(folder: Path, groups: Mapping[str, int]) -> Path:
    """A table of people by group: `a-1@team.example` is the first of group a."""
    path = folder / "team.csv"
    rows = [f"{group}-{n}@team.example,{group}" for group in groups for n in _to(groups[group])]
    path.write_text("\n".join(("participant,group", *rows)) + "\n", encoding="utf-8")
    return path


@dataclass
class Filled:
    """A survey that a team has filled, and all that its people sent.

    `first` and `sent` are submissions of the first round, and of all rounds.
    """

    survey: Survey
    result: SettleResult
    sent: list[Submission] = field(default_factory=list)
    first: list[Submission] = field(default_factory=list)
    rounds: int = 1

    @property
    def labels(self) -> pd.DataFrame:
        """The settled labels by item."""
        return self.result.table.set_index("item")

    def discussed(self) -> set[tuple[str, str]]:
        """Items and questions that go to a discussion."""
        return {(row.item, row.question) for row in self.result.discuss}

    def agreement(self, question: str = "label") -> QuestionAgreement:
        """What the survey's check measures of a question."""
        (part,) = (
            part for part in self.survey.answers.check().agreement if part.question == question
        )
        return part


def fill(
    survey: Survey, folder: Path, *, seed: int, colleagues: Colleagues | None = None
) -> Filled:
    """Fill all rounds of a survey: people's pages are saved, imported, checked and settled."""
    sent: list[Submission] = []
    truth = truths(list(survey.memes), [c.code for c in survey.design.cultures],
                   survey.taxonomy, seed=seed)  # fmt: skip
    first: list[Submission] = []
    number = 1
    while True:
        team = survey.team
        assert team is not None
        names = {place: f"{place}@team.example" for place in team.places}
        sheets = [sheet for sheet in survey.all_sheets if sheet.round == number]
        submissions = simulate_team(
            sheets, survey.assigned, names, survey.taxonomy, truth,
            seed=seed, colleagues=colleagues,
        )  # fmt: skip
        path = folder / f"{survey.name}-{number}.json"
        path.write_text(json.dumps([_saved(survey.name, each) for each in submissions]))
        imported = survey.answers.import_files([path])
        assert not imported.rejected
        sent += submissions
        first = first or submissions
        survey.answers.check()
        result = survey.labels.settle(close=True, next_round=True)
        if not result.next:
            return Filled(survey, result, sent, first, number)
        number += 1


def answers(
    submissions: Sequence[Submission], question: str = "label"
) -> dict[str, dict[str, str]]:
    """By item and person what was answered to a question."""
    given: dict[str, dict[str, str]] = {}
    for submission in submissions:
        for answer in submission.answers:
            if chosen := answer.get(question):
                given.setdefault(answer.entry, {})[submission.participant] = "|".join(chosen)
    return given


def kappa_of(given: Mapping[str, Mapping[str, str]], first: str, second: str) -> float:
    """Cohen's kappa of two people over the items that both answered, by statsmodels."""
    both = [(row[first], row[second]) for row in given.values() if first in row and second in row]
    labels = sorted({label for pair in both for label in pair})
    square = pd.DataFrame(0, index=labels, columns=labels)
    for one, other in both:
        square.loc[one, other] += 1
    return float(cohens_kappa(square.to_numpy(), return_results=False))


def _saved(name: str, sent: Submission) -> dict[str, object]:
    """What the page of a sheet saves."""
    return {
        "memeloc": "survey-answers",
        "survey": name,
        "sheet": sent.sheet,
        "submission": sent.id,
        "participant": sent.participant,
        "status": "complete",
        "code": "",
        "started": sent.started and sent.started.isoformat(),
        "submitted": sent.submitted and sent.submitted.isoformat(),
        "answers": [
            {
                "entry": answer.entry,
                "label": answer.label,
                "further": {
                    name: list(values) for name, values in answer.values.items() if name != "label"
                },
            }
            for answer in sent.answers
        ],
    }


def _to(count: int) -> range:
    return range(1, count + 1)
