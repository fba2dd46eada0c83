"""Finished memes on the command line: from a picture to a page, and a second run."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from PIL import Image, ImageDraw

from memeloc.files import locked
from memeloc.items import FoundPicture, Origin
from memeloc.ocr.protocol import Line
from memeloc.templates import load_template
from memeloc.workspace import Workspace
from tests.conftest import Outcome
from tests.localise.drawn import drawn, gradient

Run = Callable[..., Outcome]


@pytest.fixture
def pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a finished meme, `sky`."""
    monkeypatch.chdir(tmp_path)
    sky = drawn(gradient(), "two melons // no onion", folder=tmp_path, quality=90)
    Image.fromarray(sky.meme).save(tmp_path / "sky.png")
    return tmp_path


def captions(folder: Path) -> list[dict[str, str]]:
    with (folder / "captions.csv").open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def test_two_runs_do_not_work_in_one_folder(pictures: Path, command: Run) -> None:
    state = pictures / "o" / ".memeloc"
    state.mkdir(parents=True)
    with locked(state / "lock", state.parent):
        done = command("localise", "sky.png", "--out", "o")
    assert done.status == 1
    assert "o: Another run is at work in this folder" in done.err


@pytest.mark.slow
def test_a_filled_in_sheet_stays_and_the_next_is_read_too(pictures: Path, command: Run) -> None:
    command("localise", "sky.png", "--out", "o", "--exclude", "sky.2")
    answer(Path("o/review.xlsx"), "text")
    filled = Path("o/review.xlsx").read_bytes()
    done = command("localise", "sky.png", "--out", "o", "--json")
    assert json.loads(done.out)["sheet"] == "o/review-2.xlsx"
    assert "o/review.xlsx has been changed since memeloc wrote it" in done.err
    answer(Path("o/review-2.xlsx"), "keep")
    for _ in range(2):  # the older sheet's answer does not come back
        done = command("localise", "sky.png", "--out", "o", "--json")
        assert json.loads(done.out)["pictures"][0]["taken"] == 1
    assert Path("o/review.xlsx").read_bytes() == filled
    answers = Path("o/.memeloc/answers.jsonl").read_text().splitlines()
    assert [json.loads(line)["answer"] for line in answers] == ["keep", "text", "keep"]


def answer(sheet: Path, text: str) -> None:
    book: Any = openpyxl.load_workbook(sheet)
    page = book["Review"]
    headings = [cell.value for cell in page[1]]
    page.cell(2, headings.index("your answer") + 1).value = text
    book.save(sheet)


def test_the_folder_of_templates_is_there_for_the_next_commands(
    pictures: Path, command: Run
) -> None:
    Image.new("RGB", (64, 64), "teal").save("plain.png")  # of it no template is made
    command("localise", "plain.png", "--alone", "--out", "o")
    assert command("templates", "show", "--templates", "o/templates").status == 0


@pytest.mark.slow
def test_two_pictures_of_one_name_keep_apart_what_people_typed(
    pictures: Path, command: Run
) -> None:
    plate = drawn(gradient(), "a quiet // harbour", folder=pictures, quality=90)
    for file in ("other/Sky.png", "猫.png"):
        Path(file).parent.mkdir(exist_ok=True)
        Image.fromarray(plate.meme).save(file)
    command("localise", "sky.png", "--alone", "--out", "o")
    Path("o/captions.csv").write_text(
        "meme_id,template,en,de\nsky,sky,Two Melons! // No Onion,Zwei // Keine\n"
    )
    given = ("猫.png", "other/Sky.png", "sky.png")
    done = command("localise", *given, "--alone", "--out", "o", "--json")
    assert [(each["file"], each["picture"]) for each in json.loads(done.out)["pictures"]] == [
        ("猫.png", "meme"),
        (str(Path("other/Sky.png")), "Sky-2"),
        ("sky.png", "sky"),
    ]
    texts = {row["meme_id"]: (row["en"].casefold(), row["de"]) for row in captions(Path("o"))}
    assert texts == {
        "sky": ("two melons! // no onion", "Zwei // Keine"),
        "meme": ("a quiet // harbour", ""),
        "Sky-2": ("a quiet // harbour", ""),
    }


@pytest.mark.slow
def test_collected_memes_are_localised_with_their_terms(pictures: Path, command: Run) -> None:
    with Workspace.create(pictures / "ws", languages=["de"]) as workspace:
        origin = Origin("folder", "one", url="https://example.org/sky", terms="CC0-1.0")
        workspace.store.items.add(
            [FoundPicture(origin, (pictures / "sky.png").read_bytes(), "sky")]
        )
        result = workspace.localising.localise(pictures / "o", translator="pseudo")
    (made,) = result.pictures
    template = load_template(pictures / "o" / "templates" / made.template)
    assert template.licence == "CC0-1.0"
    assert template.source.startswith("https://example.org/sky; from a finished meme")
    assert result.rendered == 1


@pytest.mark.slow
def test_marks_stay_readings_are_kept_and_who_has_no_picture_is_named(
    pictures: Path, command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked = Image.open("sky.png").convert("RGB")
    pen = ImageDraw.Draw(marked)
    pen.text((8, marked.height - 6), "cats.example", "#ffffff", anchor="ls", font_size=15)
    marked.save("marked.png")
    Image.new("RGB", (200, 200), "teal").save("plain.png")
    options = ("localise", "marked.png", "plain.png", "--alone", "--langs", "de", "--out", "o")
    done = command(*options, "--json")
    assert captions(Path("o"))[0]["en"].casefold() == "two melons // no onion"
    result = json.loads(done.out)
    assert result["asked"] == 0
    assert result["left_out"] == [
        "marked, de: captions.csv has no text in the column de",
        "plain, de: no text was found in it",
    ]
    assert "Left out: plain, de: no text was found in it" in done.err

    def no_reading(*_: object) -> None:
        raise AssertionError("read again")

    with monkeypatch.context() as patch:
        patch.setattr("memeloc.ocr.rapid.find_text", no_reading)
        assert command(*options).status == 0
    clean = Path("o/templates/marked/picture.png")
    assert changed(clean, marked)[-24:, :110].sum() == 0
    assert command(*options, "--watermarks", "remove").status == 0
    assert changed(clean, marked)[-24:, :110].sum() > 50


def test_a_second_run_after_ctrl_c_reads_nothing_again(
    pictures: Path, command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        with Image.open("sky.png") as sky:
            sky.convert("RGB").resize((480 + number, 360)).save(f"{number}.png")
    read: list[int] = []

    def interrupted(image: Image.Image, *_: object) -> list[Line]:
        read.append(image.width)
        if len(read) == 3:
            raise KeyboardInterrupt
        return []

    monkeypatch.setattr("memeloc.workspace.localising.read_lines", interrupted)
    names = [f"{number}.png" for number in range(3)]
    assert command("localise", *names, "--alone", "--out", "o").status != 0
    assert command("localise", *names, "--alone", "--out", "o").status == 0
    assert read == [480, 481, 482, 482]


def changed(file: Path, meme: Image.Image) -> Any:
    with Image.open(file) as picture:
        difference = np.asarray(picture.convert("RGB"), int) - np.asarray(meme, int)
    return np.abs(difference).max(axis=2) > 16
