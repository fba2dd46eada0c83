"""The people of a survey built by a recipe, simulated: a named team, or whoever comes.

    simulated_people.py SURVEY INTO [--seed N] [--agreement SHARE] [--outlier PLACE] [--team TABLE]
        [--harmful SHARE]

Fills a survey of the workspace here, round after round, until nobody more is asked: writes into
INTO/SURVEY what the pages of its sheets save (`round-N.json`), and does in Python what `memeloc
survey import`, `check` and `settle --close` do. Beside it stands `votes.csv`, what these people
answered, for counting labels apart; nobody else reads it.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from memeloc.survey.design.tables import read_team
from memeloc.survey.model import Submission
from memeloc.workspace import Workspace
from memeloc.workspace.surveys import Survey

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from examples.simulated_team import Colleagues, simulate_team
from examples.simulation import saved_page, simulate, truths


def sent_by_people(survey: Survey, arguments: argparse.Namespace) -> list[Submission]:
    """What is sent for the sheets of the newest round, by whom quality control retains."""
    sheets = [sheet for sheet in survey.all_sheets if sheet.round == survey.rounds[-1]]
    codes = [culture.code for culture in survey.design.cultures]
    truth = truths(
        list(survey.memes),
        codes,
        survey.taxonomy,
        seed=arguments.seed,
        harmful=arguments.harmful,
    )
    if arguments.team is None:
        people = simulate(sheets, survey.taxonomy, truth, seed=arguments.seed)
        return [one.submission for one in people if one.good and one.submission]
    team = read_team(arguments.team)
    return simulate_team(
        sheets,
        survey.assigned,
        team.people,
        survey.taxonomy,
        truth,
        seed=arguments.seed,
        colleagues=Colleagues(
            agreement=arguments.agreement,
            others={arguments.outlier: 0.1} if arguments.outlier else {},
            skip=0.02,
            invalid=sorted(survey.memes)[::20],
        ),
    )


def write(survey: Survey, submissions: Sequence[Submission], into: Path) -> None:
    """The pages' JSON, and the votes as a table."""
    into.mkdir(parents=True, exist_ok=True)
    pages = [saved_page(survey.name, sent) for sent in submissions]
    (into / f"round-{survey.rounds[-1]}.json").write_text(json.dumps(pages), encoding="utf-8")
    table = into / "votes.csv"
    is_new = not table.exists()
    cultures = {sheet.id: sheet.culture.code for sheet in survey.all_sheets}
    with table.open("a", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        if is_new:
            writer.writerow(("item", "culture", "participant", "question", "answer"))
        for sent in submissions:
            for answer in sent.answers:
                if answer.entry in survey.memes:
                    for name in answer.values:
                        given = "|".join(answer.get(name))
                        key = (answer.entry, cultures[sent.sheet], sent.participant)
                        writer.writerow((*key, name, given))


def main() -> None:
    """Fill all rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("survey")
    parser.add_argument("into", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--agreement", type=float, default=0.8)
    parser.add_argument("--outlier", default="")
    parser.add_argument("--team", type=Path)
    parser.add_argument("--harmful", type=float, default=0.45, help="share of labels but the best")
    arguments = parser.parse_args()
    into = arguments.into / arguments.survey
    with Workspace.find() as workspace:
        survey = workspace.survey(arguments.survey)
        while True:
            number = survey.rounds[-1]
            submissions = sent_by_people(survey, arguments)
            write(survey, submissions, into)
            imported = survey.answers.import_files([into / f"round-{number}.json"])
            if imported.rejected:
                raise SystemExit(f"{survey.name}: {imported.rejected[0].message}")
            survey.answers.check()
            settled = survey.labels.settle(close=True, next_round=True)
            print(f"{survey.name}: {len(submissions)} sheets of round {number} filled")
            if not settled.next:
                break


if __name__ == "__main__":
    main()
