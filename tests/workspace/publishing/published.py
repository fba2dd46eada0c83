"""A workspace with pictures and a survey that people have answered, to be published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from examples.simulation import Crowd, simulate, truths
from memeloc.publish.release import ReleaseSettings
from memeloc.workspace import Workspace
from memeloc.workspace.surveys import Survey
from tests.workspace.teams import _saved, workspace_of

PERSON = "5f8d0c2b9e7a4d3c1b0a9f"
"""As a recruitment service's names of people begin here; two digits follow."""
MEMES = 8


def with_settings(workspace: Workspace, **values: Any) -> Workspace:
    """The workspace with a section [release] of these values."""
    release = ReleaseSettings(**values)
    workspace.settings = workspace.settings.model_copy(update={"release": release})
    return workspace


def answered(folder: Path) -> Workspace:
    """Memes in three languages, rendered into `out`, and answered by 24 diligent people."""
    workspace = workspace_of(folder, ["de", "hi"], memes=MEMES)
    workspace.render(folder / "out")
    design = {"size": 4, "answers": 6, "explicit": 0, "implicit": 0}
    workspace.surveys.build(
        "pilot", "US,DE", **design, captions="any", demographics=["gender", "age"]
    )
    fill(workspace.survey("pilot"), folder)
    return workspace


def fill(survey: Survey, folder: Path) -> None:
    """Fill every sheet of a survey, all by diligent people."""
    cultures = [culture.code for culture in survey.design.cultures]
    truth = truths(list(survey.memes), cultures, survey.taxonomy, seed=1)
    crowd = Crowd(1, 0, 0, 0, 0, 0, 0, 0)
    simulated = simulate(survey.all_sheets, survey.taxonomy, truth, seed=1, crowd=crowd)
    sent = [_saved(survey.name, each.submission) for each in simulated if each.submission]
    for number, submission in enumerate(sent):
        submission["participant"] = f"{PERSON}{number:02}"
    (folder / "answers.json").write_text(json.dumps(sent))
    assert not survey.answers.import_files([folder / "answers.json"]).rejected
