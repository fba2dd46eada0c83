"""What a survey is made of: batches that a team gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.workspace import Workspace
from tests.cli.survey.test_survey import folder, rendered
from tests.conftest import Outcome

__all__ = ["folder", "rendered"]  # fixtures, used by name

Run = Callable[..., Outcome]


def memes() -> list[str]:
    with Workspace.find() as workspace:
        return list(workspace.store.captions.templates())


def batches(folder: Path, *rows: str, heading: str = "batch,meme_id") -> Path:
    path = folder / "batches.csv"
    path.write_text("\n".join((heading, *rows)) + "\n", encoding="utf-8")
    return path


def test_an_unknown_meme_of_a_table_has_its_row(folder: Path) -> None:
    table = batches(folder, f"a,{memes()[0]}", "a,nobody-knows-it")
    with Workspace.find() as workspace, pytest.raises(InputError, match="nobody-knows") as caught:
        workspace.surveys.build("fixed", "US", batches=table)
    assert (caught.value.row, caught.value.column) == (3, "meme_id")


def test_a_given_meme_needs_captions_in_its_own_cultures(folder: Path) -> None:
    lonely = "lonely"
    captions = folder / "more.csv"
    captions.write_text(f"meme_id,template,en\n{lonely},cloud-monday,a // b\n", encoding="utf-8")
    rows = [f"a,{memes()[0]},", f"b,{lonely},US"]
    with Workspace.find() as workspace:
        workspace.import_captions(captions)
        table = batches(folder, *rows, heading="batch,meme_id,culture")
        assert workspace.surveys.build("fixed", "US,DE", batches=table)["memes"] == 2
        table = batches(folder, f"b,{lonely},DE", heading="batch,meme_id,culture")
        with pytest.raises(InputError, match="no caption in de") as caught:
            workspace.surveys.build("other", "US,DE", batches=table)
    assert caught.value.row == 2


def test_given_batches_go_without_other_choices(folder: Path, command: Run) -> None:
    table = batches(folder, f"a,{memes()[0]}")
    build = ("survey", "build", "fixed", "--cultures", "US", "--batches", table)
    assert "leave out --memes" in command(*build, "--preannotate").err
    done = command(*build, "--json")
    assert json.loads(done.out)["batches"][0]["id"] == "r1-a", done.err
