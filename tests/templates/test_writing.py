"""Folders made of what was collected load again with every box, and nothing half-done is left."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from memeloc.errors import InputError
from memeloc.items import FoundTemplate, Origin
from memeloc.model import STYLES, TextBox, TextStyle
from memeloc.templates import load_template, write_template
from tests.templates.conftest import refusal, striped

BOXES = (
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
        "boxes": BOXES,
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
    assert [box.name for box in template.boxes] == [box.name for box in BOXES]
    for got, given in zip(template.boxes, BOXES, strict=True):
        assert got.style == given.style
        assert (got.align, got.valign) == (given.align, given.valign)
        for key in ("x", "y", "width", "height", "angle"):
            assert getattr(got, key) == pytest.approx(getattr(given, key), abs=1e-6)
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
        ({"boxes": (BOXES[0], BOXES[0])}, "two boxes are called"),
    ],
)
def test_what_cannot_be_a_template_is_refused(
    tmp_path: Path, changes: dict[str, object], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        write_template(result(**changes), tmp_path)
    assert list(tmp_path.rglob("*")) == []
