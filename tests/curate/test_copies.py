"""Copies that were changed, and memes on one template, laid on each other."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont, ImageOps

from memeloc.items import FoundPicture, Origin, item_id
from memeloc.registration import find_features, pack, unpack
from memeloc.workspace import Workspace
from tests.conftest import Outcome
from tests.curate.drawn import as_jpeg, draw_picture

Run = Callable[..., Outcome]


def meme(text: str, ground: int = 1) -> Image.Image:
    """A text in white letters with an outline, on shapes."""
    picture = draw_picture(ground)
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(36)
    draw.text((30, 20), text, font=font, fill="white", stroke_width=3, stroke_fill="black")
    return picture


def name(key: str) -> str:
    return item_id("test", "picture", key, key)


CAT = meme("My cat can explain\nthe plan of 2019")
MARK = ImageFont.load_default(17)


def marked() -> Image.Image:
    picture = CAT.copy()
    ImageDraw.Draw(picture).text((390, 375), "cats.example", font=MARK, fill="white")
    return picture


PICTURES: dict[str, tuple[Image.Image, str]] = {
    "a-meme": (CAT, ""),
    "cropped": (CAT.crop((15, 8, 480, 390)), ""),
    "framed": (ImageOps.expand(CAT, 40, "navy"), ""),
    "bars": (ImageOps.expand(CAT, (0, 90, 0, 60), "black"), ""),
    "mirrored": (ImageOps.mirror(CAT), ""),
    "smaller": (CAT.resize((300, 240)), ""),
    "marked": (marked(), ""),
    "negated": (meme("My cat can't explain\nthe plan of 2019"), ""),
    "year": (meme("My cat can explain\nthe plan of 2018"), ""),
    "sibling": (meme("Nobody waters my plant\non a rainy weekend"), ""),
    "stranger": (meme("My cat can explain\nthe plan of 2019", 2), ""),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copies") / "work"
    things = [
        FoundPicture(Origin("test", key), as_jpeg(picture), name=key, parts=(text,) if text else ())
        for key, (picture, text) in PICTURES.items()
    ]
    with Workspace.create(folder) as workspace:
        workspace.store.items.add(things)
        workspace.curating.deduplicate({"copies": True, "keep": "first"})
    return folder


def verdicts(folder: Path) -> dict[str, tuple[str, object]]:
    with Workspace.open(folder) as workspace:
        stored = workspace.store.curation.verdicts("dedup")
    names = {name(key): key for key in PICTURES}
    return {
        names[item]: (by["dedup"].verdict, names.get(str(by["dedup"].evidence.get("kept"))))
        for item, by in stored.items()
    }


@pytest.mark.parametrize("kind", ["cropped", "framed", "bars", "mirrored", "smaller"])
def test_a_changed_copy_is_a_duplicate(folder: Path, kind: str) -> None:
    assert verdicts(folder)[kind] == ("drop", "a-meme")


@pytest.mark.parametrize("kind", ["marked", "negated", "year"])
def test_a_small_difference_is_asked_about(folder: Path, kind: str) -> None:
    assert verdicts(folder)[kind] == ("ask", "a-meme")


@pytest.mark.parametrize("kind", ["a-meme", "sibling", "stranger"])
def test_another_meme_stays_without_a_question(folder: Path, kind: str) -> None:
    assert verdicts(folder)[kind] == ("keep", None)


def two_lines(below: str) -> Image.Image:
    picture = meme("Nobody at the office")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(36)
    draw.text((60, 345), below, font=font, fill="white", stroke_width=3, stroke_fill="black")
    return picture


@pytest.mark.parametrize("first", ["cut", "tea"])
def test_a_crop_without_the_caption_never_joins_two_memes(tmp_path: Path, first: str) -> None:
    tea, cat = two_lines("likes cold tea"), two_lines("fed the cat")
    pictures = {"tea": tea, "cat": cat, "cut": cat.crop((0, 0, 500, 335))}
    names = sorted(pictures, key=lambda key: key != first)
    with Workspace.create(tmp_path / "work") as workspace:
        workspace.store.items.add(
            [FoundPicture(Origin("test", key), as_jpeg(pictures[key]), name=key) for key in names]
        )
        workspace.curating.deduplicate({"copies": True, "keep": "first"})
        stored = workspace.store.curation.verdicts("dedup")
    kept = {item: by["dedup"].evidence.get("kept") for item, by in stored.items()
            if by["dedup"].verdict == "drop"}  # fmt: skip
    assert len(kept) <= 1, "the crop may be one of them, and they stay two"
    assert {kept.get(name("tea"), name("tea"))} != {kept.get(name("cat"), name("cat"))}


def test_a_bar_with_a_text_is_no_frame(tmp_path: Path) -> None:
    ground = draw_picture(4)
    barred = ImageOps.expand(ground, (0, 60, 0, 0), "white")
    ImageDraw.Draw(barred).text(
        (20, 10), "Tea first", font=ImageFont.load_default(30), fill="black"
    )
    with Workspace.create(tmp_path / "work") as workspace:
        workspace.store.items.add(
            [
                FoundPicture(Origin("test", key), as_jpeg(picture), name=key)
                for key, picture in (("bar", barred), ("ground", ground))
            ]
        )
        result = workspace.curating.deduplicate({"copies": True})
    assert not result["duplicates"]
    assert [pair["stage"] for pair in result["to_a_person"]] == ["copy"]


def test_features_are_kept_as_they_are() -> None:
    found = find_features(np.asarray(CAT.convert("L")))
    again = unpack(pack(found))
    assert again.size == (500, 400)
    assert len(again.points) > 50
    assert np.abs(again.points - found.points).max() <= 1 / 32
    assert np.array_equal(again.descriptors, found.descriptors)
    assert np.array_equal(again.mirrored, found.mirrored)


def test_without_opencv_the_extra_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: Run
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setitem(sys.modules, "cv2", None)
    done = command("dedup", "--copies")
    assert done.status == 1
    assert "pip install 'memeloc[copies]'" in done.err
