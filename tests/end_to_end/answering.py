"""People who answer surveys in the studies: simulated ones, in the files of the real programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from examples.simulated_annotators import WRITERS, html, prolific
from examples.simulated_team import Colleagues, simulate_team
from examples.simulation import Crowd, simulate, truths
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.workspace import Workspace
from tests.worlds import answers_of

CONTACT = ("--contact", "lab@university.example")
CROWD = Crowd(5, 1, 1, 1, 1, 1, 1, 1)
"""Of twelve people, seven whom quality control is to exclude."""


def sent(name: str) -> SheetsToSend:
    """Return a survey as it went out, with the sheets of its newest round."""
    with Workspace.find() as workspace:
        survey = workspace.survey(name)
        (pack, *_) = survey.as_sent()
    newest = [sheet for sheet in pack.sheets if sheet.round == survey.rounds[-1]]
    return replace(pack, sheets=tuple(newest))


def answer(
    folder: Path, name: str, targets: Sequence[str], into: str = "answers", *, seed: int = 3
) -> None:
    """Fill the newest round's sheets, each exported to one of the targets in turn."""
    pack = sent(name)
    cultures = [sheet.culture.code for sheet in pack.sheets]
    memes = [meme for sheet in pack.sheets for meme in sheet.memes]
    truth = truths(memes, cultures, pack.taxonomy, seed=seed)
    people = simulate(pack.sheets, pack.taxonomy, truth, seed=seed, crowd=CROWD, codes=pack.codes)
    for number, sheet in enumerate(pack.sheets):
        came = [person for person in people if person.sheet == sheet.id]
        submissions = [person.submission for person in came if person.submission]
        target = targets[number % len(targets)]
        for kind in (target, "prolific"):
            (folder / into / kind).mkdir(parents=True, exist_ok=True)
        WRITERS[target](pack, sheet, submissions, folder / "surveys" / name, folder / into / target)
        prolific(sheet, came, folder / into / "prolific")


def answer_as(
    folder: Path, name: str, label: Callable[[str, str, int], str], *, people: int, file: str
) -> None:
    """Write what people answer on the pages of the newest round; see `tests.worlds.answers_of`."""
    answers = list(answers_of(sent(name).sheets, people, label))
    (folder / file).write_text(json.dumps(answers), encoding="utf-8")


def answer_as_team(
    folder: Path, name: str, into: str, *, seed: int, colleagues: Colleagues | None = None
) -> None:
    """Fill the newest round of a survey for a named team, on its pages."""
    pack = sent(name)
    with Workspace.find() as workspace:
        survey = workspace.survey(name)
        team, assigned = survey.team, survey.assigned
    assert team is not None
    truth = truths(list(survey.memes), [pack.sheets[0].culture.code], pack.taxonomy, seed=seed)
    names = {place: f"{place}@team.example" for place in team.places}
    filled = simulate_team(
        pack.sheets, assigned, names, pack.taxonomy, truth, seed=seed, colleagues=colleagues
    )
    (folder / into).mkdir(exist_ok=True)
    for sheet in pack.sheets:
        html(
            pack,
            sheet,
            [submission for submission in filled if submission.sheet == sheet.id],
            folder / "surveys" / name,
            folder / into,
        )


def set_model(folder: Path, **settings: object) -> None:
    """Set how a workspace asks its model: one request at a time, so that they have an order."""
    path = folder / "memeloc.toml"
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    table = "\n".join(["[language_model]", "at_once = 1", *lines, ""])
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("[language_model]\n", table, 1), encoding="utf-8")
