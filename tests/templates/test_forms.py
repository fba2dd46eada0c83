"""Bars, boxes that mirror, and pictures of a language's own: what a template.toml says of them."""

from __future__ import annotations

import os
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from memeloc.locales import default
from memeloc.model import STYLES, Bar, TextBox
from memeloc.templates import load_template, load_templates
from memeloc.templates.definition import check_definition
from memeloc.templates.writing import boxes_toml
from tests.templates.conftest import BOX, Make, refusal

BAR = '[[box]]\nname = "caption"\nbar = "top"\n'
IMAGE = 'image = "picture.png"\n'


class TestBars:
    @pytest.mark.parametrize(
        ("toml", "sentence"),
        [
            (BAR + "y = 0.1\n", "has no setting 'y'"),
            (BAR + 'bar_colour = "yellow"\n', "bar_colour"),
            (BAR + "bar_least = 0.4\nbar_most = 0.2\n", "give the greater one as bar_most"),
            (BAR + "x = 0.5\nwidth = 0.6\n", "lies outside the picture"),
            (BAR.replace("top", "left"), "bar"),
            (BAR + BAR.replace("caption", "other"), "both a bar at the top"),
        ],
    )
    def test_what_cannot_be_is_refused(self, make: Make, toml: str, sentence: str) -> None:
        folder = make(IMAGE + toml)
        assert sentence in refusal(lambda: load_template(folder))


class TestPicturesOfTheirOwn:
    def write(self, make: Make, keys: str, size: tuple[int, int] = (40, 30)) -> Path:
        folder = make(f"{IMAGE}[pictures]\n{keys}\n{BOX}")
        Image.new("RGB", size, "#993366").save(folder / "other.png")
        return folder

    @pytest.mark.parametrize(
        ("key", "tags"),
        [
            ("rtl", {"ar", "he", "ur"}),
            ("de", {"de"}),
            ("zh", {"zh-Hans", "zh-Hant"}),
            ("ZH-hant", {"zh-Hant"}),
        ],
    )
    def test_are_for_a_language_or_direction(self, make: Make, key: str, tags: set[str]) -> None:
        template = load_template(self.write(make, f'{key} = "other.png"'))
        chosen = {
            tag
            for tag in ("ar", "he", "ur", "de", "en", "zh-Hans", "zh-Hant")
            if template.image_for(default().get(tag)).name == "other.png"
        }
        assert chosen == tags

    @pytest.mark.parametrize(
        ("keys", "sentence"),
        [
            ('rtl = "none.png"', "'pictures.rtl' names 'none.png': there is no such picture"),
            ('rtl = "../other.png"', "leads out of the template's own folder"),
            ('"a language" = "other.png"', "pictures"),
        ],
    )
    def test_what_cannot_be_is_refused(self, make: Make, keys: str, sentence: str) -> None:
        folder = self.write(make, keys)
        assert sentence in refusal(lambda: load_template(folder))


class TestOddTemplates:
    @pytest.mark.parametrize(
        "value", ["1" * 400, "-" + "1" * 400, "1" * 400 + ".0", "0x" + "f" * 5000, "[]", "inf"]
    )
    @pytest.mark.parametrize("setting", ["x", "name", "max_size", "bar", "mirror"])
    def test_a_silly_number_is_that_templates_problem(
        self, make: Make, setting: str, value: str
    ) -> None:
        place = {"name": '"a"', "x": "0", "y": "0", "width": "1", "height": "1", setting: value}
        box = "".join(f"{key} = {text}\n" for key, text in place.items())
        make(f"{IMAGE}[[box]]\n{box}", name="odd")
        good = make(name="good")
        templates, problems = load_templates([good.parent])
        assert "good" in templates
        assert len(problems) == 1
        assert "odd" in str(problems[0])

    @pytest.mark.parametrize("image", ["1" * 400 + ".png", "itself.png", "folder", "pipe.png"])
    def test_a_picture_that_is_no_file_is_that_templates_problem(
        self, make: Make, image: str
    ) -> None:
        odd = make(f'image = "{image}"\n{BOX}', name="odd")
        (odd / "itself.png").symlink_to("itself.png")
        (odd / "folder").mkdir()
        os.mkfifo(odd / "pipe.png")
        good = make(name="good")
        templates, problems = load_templates([good.parent])
        assert "good" in templates
        assert len(problems) == 1
        assert "odd" in str(problems[0])

    def test_a_drawing_among_pictures_is_named(self, tmp_path: Path) -> None:
        for name in ("cat.avif", "dog.svg", "dog.heic", "fox.svg", "fox.png", "notes.txt"):
            Image.new("RGB", (20, 20)).save(tmp_path / name, "AVIF" if "avif" in name else "PNG")
        templates, problems = load_templates([tmp_path])
        assert {"cat", "fox"} <= templates.keys()
        assert [Path(problem.file or "").name for problem in problems] == ["dog.heic", "dog.svg"]
        assert "rsvg-convert" in str(problems[1])


sides = st.sampled_from(["top", "bottom"])
shares = st.floats(0.05, 0.4).map(lambda value: round(value, 6))
styles = st.sampled_from(list(STYLES.values()))
aligns = st.sampled_from(["start", "left", "center", "right", "end"])


@st.composite
def any_box(draw: st.DrawFn) -> TextBox:
    """A box as a template can have it, on the picture or a bar."""
    x, width, align, mirror = draw(shares), draw(shares), draw(aligns), draw(st.booleans())
    style = replace(draw(styles), fill="#123456", max_size=draw(shares))
    if draw(st.booleans()):
        bar = Bar(draw(sides), "#00ff00", draw(st.sampled_from([0.0, 0.04])), draw(shares))
        return TextBox(
            "bar", x, 0.0, width, bar.most, align=align, style=style, bar=bar, mirror=mirror
        )
    y, height, angle = draw(shares), draw(shares), draw(st.sampled_from([0.0, -12.5]))
    return TextBox("box", x, y, width, height, angle, align, "bottom", style, mirror=mirror)


@given(any_box())
def test_what_is_written_is_read_again(box: TextBox) -> None:
    table = tomllib.loads(f"{IMAGE}\n{boxes_toml([box])}")
    assert check_definition(table, Path("template.toml"))[1] == (box,)
