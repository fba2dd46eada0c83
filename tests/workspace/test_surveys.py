"""Surveys from Python: the steps of `memeloc survey` without a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.cli.show import as_plain
from memeloc.errors import InputError
from memeloc.workspace import Workspace
from tests.cli.survey.test_survey import everybody, folder, rendered, write

__all__ = ["folder", "rendered"]  # fixtures, used by name


def test_a_survey_from_memes_to_labels(folder: Path) -> None:
    with Workspace.find() as workspace:
        built = workspace.surveys.build("pilot", "US,DE,MX=es", size=7)
        assert (built.memes, built.sheets, built.new) == (14, 6, 2)
        survey = workspace.survey("pilot")
        exported = survey.export("csv", contact="lab@university.example")
        assert len(exported.sheets) == 6
        assert exported.files[0].exists()
        answers = write(folder / "back.json", everybody())
        imported = survey.import_files([answers])
        assert [file.new for file in imported.files] == [30]
        checked = survey.check(without=["speed"])
        assert (checked.submissions, checked.retained) == (30, 30)
        result = survey.settle()
    labels = result.table
    assert set(labels["state"]) == {"settled"}
    assert len(labels) == 14 * 3
    assert set(result.answers.columns) >= {"item", "culture", "participant", "label"}
    assert set(as_plain(result)).isdisjoint({"table", "answers"})


def test_batches_of_a_settling_are_there_at_once(folder: Path) -> None:
    with Workspace.find() as workspace:
        workspace.surveys.build("pilot", "US,DE,MX=es", size=7)
        survey = workspace.survey("pilot")
        survey.import_files([write(folder / "back.json", everybody(3))])
        assert survey.rounds == (1,)
        assert survey.settle(close=True, next_round=True).next
        assert survey.rounds == (1, 2)
        assert workspace.surveys.summaries().surveys[0].rounds == 2


def test_a_survey_that_is_not_there_is_a_sentence(folder: Path) -> None:
    with Workspace.find() as workspace, pytest.raises(InputError, match="no survey 'pilot'"):
        workspace.survey("pilot")
