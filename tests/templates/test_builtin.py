"""Templates that come along, that are made of a picture, and that are written to folders."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from memeloc.errors import InputError
from memeloc.items import FoundTemplate, Origin
from memeloc.model import STYLES, Template, TextBox, TextStyle
from memeloc.templates import (
    add_template,
    load_template,
    load_templates,
    open_picture,
    picture_size,
    preview,
    write_template,
)
from memeloc.templates.definition import turned_corners
from tests.each import each
from tests.templates.conftest import BOX, Make, refusal, striped

# Part 1 of the agreement on the built-in templates: captions are written against these names.
BOXES = {
    "black-bar-llama": ["caption"],
    "bookmark": ["column"],
    "busy-market": ["top", "bottom"],
    "cat-and-plant": ["cat", "plant"],
    "chat-with-fridge": ["you", "fridge", "you again"],
    "cloud-monday": ["top", "bottom"],
    "four-steps": ["one", "two", "three", "four"],
    "long-train": ["top", "bottom"],
    "night-owl": ["top", "bottom"],
    "protest-hamster": ["sign"],
    "rainy-mug": ["caption"],
    "robot-chef": ["top", "bottom"],
    "summit-snail": ["top", "bottom"],
    "tall-giraffe": ["top", "bottom"],
    "then-and-now": ["left", "right"],
    "tug-of-war": ["left team", "rope", "right team"],
    "zebra-crossing": ["top", "bottom"],
}


@pytest.fixture(scope="module")
def templates() -> dict[str, Template]:
    """The built-in ones."""
    result, problems = load_templates()
    assert problems == []
    return result


class TestBuiltIn:
    def test_are_the_seventeen_with_their_boxes(self, templates: dict[str, Template]) -> None:
        assert {name: [box.name for box in one.boxes] for name, one in templates.items()} == BOXES

    @each("name", BOXES)
    def test_is_complete_and_within_its_limits(
        self, templates: dict[str, Template], name: str
    ) -> None:
        template = templates[name]
        assert template.title
        assert template.description.endswith(".")
        assert len(template.keywords) >= 3
        assert (template.source, template.licence) == ("drawn for memeloc", "CC0-1.0")
        assert template.image.stat().st_size <= 200_000
        drawing = template.image.with_name("picture.svg")
        assert drawing.stat().st_size <= 150_000
        tags = {element.tag.rpartition("}")[2] for element in ElementTree.parse(drawing).iter()}
        assert tags.isdisjoint({"text", "image", "script"})  # no language, all vectors

    @each("name", BOXES)
    def test_has_its_boxes_in_the_picture(self, templates: dict[str, Template], name: str) -> None:
        template = templates[name]
        picture = open_picture(template.image)
        assert picture.size == picture_size(template.image)
        for box in template.boxes:
            corners = turned_corners(box, picture.size)
            assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in corners), box.name
            assert box.width * picture.width >= 100
            assert box.height * picture.height >= 70


class TestAdd:
    def test_keeps_nothing_but_the_pixels(self, tmp_path: Path) -> None:
        exif = Image.Exif()
        exif[0x010F] = "a camera maker"
        exif[0x0112] = 6
        path = tmp_path / "photo.jpg"
        striped((80, 60)).save(path, exif=exif, comment=b"a remark")
        folder = add_template(path, tmp_path / "to")
        content = (folder / "picture.jpg").read_bytes()
        assert b"camera" not in content
        assert b"remark" not in content
        with Image.open(folder / "picture.jpg") as picture:
            assert picture.size == (60, 80)
            assert not picture.getexif()

    @given(title=st.text(max_size=40))
    def test_any_file_name_gives_a_toml_that_reads(
        self, title: str, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        root = tmp_path_factory.mktemp("add")
        safe = title.encode("utf-8", "ignore").decode().replace("/", "").replace("\0", "")[:40]
        path = root / f"{safe}z.png"
        Image.new("RGB", (4, 4)).save(path)
        assert load_template(add_template(path, root / "to")).image.exists()


def test_preview_draws_each_box_where_it_is(make: Make) -> None:
    folder = make(
        'image = "picture.png"\n' + BOX + BOX.replace("top", "low").replace("y = 0.1", "y = 0.6"),
        size=(400, 300),
    )
    template = load_template(folder)
    before, after = open_picture(template.image), preview(template)
    assert after.size == before.size
    changed = [after.getpixel((200, y)) != before.getpixel((200, y)) for y in (15, 75, 150, 225)]
    assert changed == [False, True, False, True]


STYLED = (
    TextBox("sign", 0.25, 0.3, 0.2, 0.15, angle=-12.5, align="left", style=STYLES["bubble"]),
    TextBox('a "quoted" name', 0.1, 0.6, 0.8, 0.3, 0.0, "end", "bottom", TextStyle(fill="#ffcc00")),
    TextBox("tiny", 1 / 3, 1e-7, 1e-4, 0.01, valign="top", style=TextStyle(max_size=0.0125)),
)


def encoded(form: str = "PNG", **options: object) -> bytes:
    stream = io.BytesIO()
    striped((120, 80)).save(stream, form, **options)
    return stream.getvalue()


def result(**changes: object) -> FoundTemplate:
    values: dict[str, object] = {
        "origin": Origin("a site", "key", "https://example.org/t", "CC0-1.0"),
        "name": "Late train",
        "picture": encoded(),
        "boxes": STYLED,
        "details": {"safe_name": "late-train"},
    }
    return FoundTemplate(**(values | changes))


def test_what_is_written_loads_again(tmp_path: Path) -> None:
    folder = write_template(
        result(description='A train\nof 5" and \\', keywords=("train", 'the "late"')), tmp_path
    )
    template = load_template(folder)
    assert template.name == "late-train"
    assert template.title == "Late train"
    assert template.description == 'A train of 5" and \\'
    assert template.keywords == ("train", 'the "late"')
    assert template.source == "https://example.org/t"
    assert template.licence == "CC0-1.0"
    assert [box.name for box in template.boxes] == [box.name for box in STYLED]
    for got, box in zip(template.boxes, STYLED, strict=True):
        assert got.style == box.style
        assert (got.align, got.valign) == (box.align, box.valign)
        for key in ("x", "y", "width", "height", "angle"):
            assert getattr(got, key) == pytest.approx(getattr(box, key), abs=1e-6)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["late-train"]


def test_nothing_but_pixels_gets_in(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x010F] = "A camera of mine"
    folder = write_template(result(picture=encoded("JPEG", exif=exif)), tmp_path)
    assert b"camera" not in (folder / "picture.jpg").read_bytes()


def test_another_of_that_name_is_never_written_over(tmp_path: Path) -> None:
    folder = write_template(result(), tmp_path)
    other = result(description="Something else.")
    assert "is there already" in refusal(lambda: write_template(other, tmp_path))
    assert load_template(folder).description == ""
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["late-train"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"picture": None}, "came without a picture"),
        ({"picture": b"<html>no picture</html>"}, "is not a picture"),
        ({"picture": encoded()[:200]}, "cannot be read as a picture"),
        ({"details": {"safe_name": "../out"}}, "must be 1 to 100 letters"),
        ({"boxes": (TextBox("a", 0.5, 0.5, 0.6, 0.1),)}, "lies outside the picture"),
        ({"boxes": (TextBox("a", 0.0, 0.0, 1.0, 1.0, angle=45),)}, "reaches outside"),
        ({"boxes": (STYLED[0], STYLED[0])}, "two boxes are called"),
    ],
)
def test_what_cannot_be_a_template_is_refused(
    tmp_path: Path, changes: dict[str, object], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        write_template(result(**changes), tmp_path)
    assert list(tmp_path.rglob("*")) == []
