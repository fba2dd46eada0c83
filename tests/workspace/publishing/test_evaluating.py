"""A workspace's memes and a release's as the dataset of a run, with the labels of a survey."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.evaluate.runs.dataset import RunData
from memeloc.evaluate.runs.run import DatasetSettings, GoldSettings, Run, read_run
from memeloc.workspace import Workspace
from memeloc.workspace.evaluating import own_memes, published_memes


def _run(**dataset: object) -> Run:
    return read_run("multi3hate", {"dataset": dataset})[0]


def _checked(data: RunData) -> None:
    assert {item.language for item in data.items} == {"en", "de"}
    assert all(item.text for item in data.items)
    assert data.gold is not None
    assert set(data.gold.cultures) == {"US", "DE"}
    assert set(data.gold.table.stack()) <= {"Hate", "Non-hate"}
    assert set(data.gold.table.index) <= {item.id for item in data.items}


@pytest.mark.parametrize("survey", ["", "pilot"])
def test_the_workspaces_memes_have_its_surveys_labels(
    workspace: Workspace, folder: Path, survey: str
) -> None:
    run = _run(languages=["en", "de"], survey=survey)
    data = own_memes(workspace, run, rendered=folder / "out")
    _checked(data)
    assert all(item.picture is not None and item.picture.is_file() for item in data.items)


def test_an_unknown_survey_is_a_sentence(workspace: Workspace) -> None:
    with pytest.raises(InputError, match="no survey"):
        own_memes(workspace, _run(languages=["en"], survey="tea"))


@pytest.mark.parametrize("layout", ["hf", "csv", "webdataset"])
def test_a_release_is_read_in_every_layout(
    workspace: Workspace, folder: Path, tmp_path: Path, layout: str
) -> None:
    workspace.publishing.publish(tmp_path / "release", layout, rendered=folder / "out")
    data = published_memes(_run(languages=["en", "de"]), tmp_path / "release", tmp_path / "shown")
    _checked(data)
    assert all(item.picture is not None and item.picture.is_file() for item in data.items)
    assert data.about["layout"] == layout


def test_a_release_without_pictures_has_its_texts(
    workspace: Workspace, folder: Path, tmp_path: Path
) -> None:
    workspace.publishing.publish(
        tmp_path / "release", "csv", rendered=folder / "out", with_pictures=False
    )
    data = published_memes(_run(languages=["en", "de"]), tmp_path / "release", tmp_path / "shown")
    _checked(data)
    assert not any(item.picture for item in data.items)


def test_only_a_split_of_a_release(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    workspace.publishing.publish(tmp_path / "release", "csv", rendered=folder / "out")
    everything = published_memes(_run(languages=[]), tmp_path / "release", tmp_path / "shown")
    part = published_memes(
        _run(languages=[], split="train"), tmp_path / "release", tmp_path / "shown"
    )
    assert 0 < len(part.items) < len(everything.items)
    assert part.about["split"] == "train"


def test_a_survey_is_learned_from(workspace: Workspace, folder: Path) -> None:
    data = DatasetSettings(survey="pilot", pictures=str(folder / "out"))
    dataset = workspace.evaluating.labelled(data, GoldSettings())
    cultures = {example.item.rpartition("/")[2]: example.language for example in dataset.examples}
    assert cultures == {"US": "en", "DE": "de"}
    assert set(dataset.labels) == {"hate", "no-hate"}
    assert all(example.text and example.group for example in dataset.examples)
    assert all(example.picture and example.picture.is_file() for example in dataset.examples)
    us = data.model_copy(update={"where": {"culture": "US"}})
    own = workspace.evaluating.labelled(us, GoldSettings())
    assert {example.language for example in own.examples} == {"en"}


def test_a_run_opens_on_a_workspace(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    run = workspace.evaluating.open(
        "multi3hate", tmp_path, pictures=folder / "out", models=["tiny"], only=["english"], limit=4
    )
    plan = run.plan()
    assert (plan["items"], plan["models"][0].questions) == (4, 4 * 2 * 6)
    with pytest.raises(InputError, match=r"no condition 'tea'; it has english"):
        workspace.evaluating.open("multi3hate", tmp_path, only=["tea"])
    with pytest.raises(InputError, match="picture, text, both or none"):
        workspace.evaluating.open("multi3hate", tmp_path, inputs=["sound"])
