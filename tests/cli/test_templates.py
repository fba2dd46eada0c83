"""`memeloc templates`: what its commands print, write and refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from memeloc.templates import load_template
from tests.conftest import Outcome

Command = Callable[..., Outcome]


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    Image.new("RGB", (80, 60), "#336699").save(folder / "beach.png")
    return folder


def test_list_names_templates_and_boxes(command: Command) -> None:
    done = command("templates", "list")
    assert (done.status, done.err) == (0, "")
    lines = [line.split("\t") for line in done.out.splitlines()]
    assert len(lines) == 18
    row = next(line for line in lines if line[0] == "tug-of-war")
    assert row[2] == "left team, rope, right team"


def test_list_takes_a_folder_of_pictures_and_says_what_is_wrong(
    command: Command, pictures: Path
) -> None:
    (pictures / "text.png").write_text("only called a picture")
    done = command("templates", "list", "--templates", pictures, "--json")
    assert done.status == 1
    answer = json.loads(done.out)
    assert len(answer["templates"]) == 18
    (problem,) = answer["problems"]
    assert "text.png" in problem
    assert problem in done.err


def test_show_has_all_that_the_file_says(command: Command) -> None:
    done = command("templates", "show", "protest-hamster")
    assert done.status == 0
    assert "determined hamster" in done.out
    assert "800 x 800 pixels" in done.out
    assert "1\tsign\t" in done.out
    answer = json.loads(command("templates", "show", "protest-hamster", "--json").out)
    assert (answer["width"], answer["boxes"][0]["angle"]) == (800, -7)


def test_show_names_near_ones(command: Command) -> None:
    done = command("templates", "show", "robo-chef")
    assert done.status == 1
    assert "did you mean robot-chef" in done.err


def test_show_says_why_a_template_of_that_name_is_missing(command: Command, pictures: Path) -> None:
    (pictures / "wrong.png").write_text("only called a picture")
    done = command("templates", "show", "wrong", "--templates", pictures)
    assert done.status == 1
    assert "is not a picture" in done.err


def test_preview_writes_a_png(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "new" / "boxes.png"
    done = command("templates", "preview", "summit-snail", "--out", out)
    assert (done.status, done.out.strip()) == (0, str(out))
    with Image.open(out) as picture:
        assert (picture.format, picture.size) == ("PNG", (512, 512))
    assert [path.name for path in out.parent.iterdir()] == ["boxes.png"]
    monkeypatch.chdir(tmp_path)
    assert command("templates", "preview", "summit-snail").out == "summit-snail-boxes.png\n"
    done = command("templates", "preview", "summit-snail", "--out", tmp_path)
    assert (done.status, "is a folder" in done.err) == (1, True)


def test_add_makes_a_template_once(command: Command, pictures: Path, tmp_path: Path) -> None:
    to = tmp_path / "mine"
    arguments = ["templates", "add", pictures / "beach.png", "--to", to]
    done = command(*arguments, "--boxes", "side-by-side")
    assert (done.status, done.out.strip()) == (0, str(to / "beach"))
    assert "memeloc templates preview beach --templates" in done.err
    assert [box.name for box in load_template(to / "beach").boxes] == ["left", "right"]
    again = command(*arguments)
    assert (again.status, "is there already" in again.err) == (1, True)
    other = command(*arguments, "--name", "sea", "--json")
    assert json.loads(other.out) == {"template": "sea", "folder": str(to / "sea")}


def test_add_refuses_unknown_boxes_as_wrong_usage(command: Command, pictures: Path) -> None:
    done = command("templates", "add", pictures / "beach.png", "--boxes", "five")
    assert done.status == 2
    assert "side-by-side" in done.err
