"""The study of study.sh by the Python API: from captions of one's own to labels and a release.

    python examples/study.py [EMPTY_DIRECTORY]

The people are simulated, as there (study_people.py, simulation.py), and what became of their work
is checked in the same way.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from memeloc import Workspace
from memeloc.reports import write_report
from memeloc.workspace.surveys import Survey

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from examples.simulation import saved_page, simulate, truths
from examples.study_people import fill, report

OWN = Path(__file__).parent / "own"
LANGUAGES = ("de", "es", "hi", "zh")


def choose(workspace: Workspace) -> None:
    """Collect the captions, leave out duplicates and other languages, take 40 of the rest."""
    values = {
        "path": OWN / "captions.csv",
        "state": "machine",
        "by": "practice engine 1",
        "templates": (OWN / "templates",),
    }
    workspace.collecting.collect("captions", values)
    workspace.curating.deduplicate({})
    workspace.curating.filter(["language"], languages=["en"])
    workspace.curating.select({"take": 40, "balance": "template"})


def correct(
    workspace: Workspace, round_: int, people: Sequence[str], back: Path
) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """A round of correction by some people, who share each language; what they answered, and what
    they gave up, of which the machine's text is kept."""
    typed: list[dict[str, str]] = []
    for sheet in workspace.correcting.export_sheets(LANGUAGES, people, share=True, round_=round_):
        typed += fill(sheet["file"], back)
        workspace.correcting.import_sheet(back / sheet["file"].name)
    cases = workspace.correcting.cases.open()
    for case in cases:
        workspace.correcting.cases.decide(case.id, person="maria", comment="good enough")
    return typed, [{"meme_id": case.meme_id, "language": case.language} for case in cases]


def annotate(survey: Survey, folder: Path) -> list[dict[str, str]]:
    """Have people answer the newest round of sheets; what the careful ones answered."""
    sheets = [sheet for sheet in survey.all_sheets if sheet.round == survey.rounds[-1]]
    codes = [culture.code for culture in survey.design.cultures]
    truth = truths(list(survey.memes), codes, survey.taxonomy, seed=7)
    crowd = simulate(sheets, survey.taxonomy, truth, seed=7)
    file = folder / f"answers-{survey.rounds[-1]}.json"
    sent = [person.submission for person in crowd if person.submission is not None]
    file.write_text(json.dumps([saved_page(survey.name, each) for each in sent]), "utf-8")
    survey.answers.import_files([file])
    cultures = {sheet.id: sheet.culture.code for sheet in sheets}
    return [
        {
            "item": answer.entry,
            "culture": cultures[person.sheet],
            "participant": person.participant,
            "label": answer.label,
        }
        for person in crowd
        if person.good and person.submission is not None
        for answer in person.submission.answers
        if answer.entry in survey.memes
    ]


def main() -> None:
    """Make the study in an empty folder."""
    work = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()).resolve()
    with Workspace.create(work / "study", languages=LANGUAGES) as workspace:
        choose(workspace)
        typed, given_up = correct(workspace, 1, ("anna", "ben"), work / "back-1")
        again, _ = correct(workspace, 2, ("carla", "dev"), work / "back-2")
        workspace.render(work / "study" / "out", max_side=320)
        name = workspace.surveys.build("pilot", "US,DE", seed=7)["survey"]
        survey, retained = workspace.survey(name), []
        while True:
            survey.sheets.export(
                "csv",
                contact="lab@university.example",
                pictures=work / "study" / "out",
                out=work / "sheets",
            )
            retained += annotate(survey, work)
            survey.answers.check()
            settled = survey.labels.settle({"most": 9}, close=True, next_round=True)
            if not settled.next:
                break
        write_report(survey.analysis.analyze(pictures=work / "study" / "out"), work / "analysis")
        workspace.publishing.publish(work / "release", rendered=work / "study" / "out")
        for step in workspace.status()["path"]:
            print(f"{step.stage:10}{step.done:5}{step.open:5}  {step}")
        captions, history = (
            workspace.table(name).astype(object).to_dict("records")
            for name in ("captions", "history")
        )
        typed += again
        labels = settled.table.to_dict("records")
        print(report(typed, captions, history, given_up, labels, retained, work / "release"))


if __name__ == "__main__":
    main()
