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
from memeloc.templates import load_template, load_templates, preview
from memeloc.templates.definition import check_definition
from memeloc.templates.writing import boxes_toml
from tests.templates.conftest import BOX, MINIMAL, Make, refusal

BAR = '[[box]]\nname = "caption"\nbar = "top"\n'
IMAGE = 'image = "picture.png"\n'


class TestBars:
    def test_black_on_white_unless_it_says_otherwise(self, make: Make) -> None:
        (box,) = load_template(make(IMAGE + BAR)).boxes
        assert box.bar == Bar("top", "#ffffff", 0.0, 0.5)
        assert box.style == STYLES["plain"]
        assert (box.x, box.width, box.height) == (0.04, 0.92, 0.5)

    def test_colours_and_limits(self, make: Make) -> None:
        more = 'bar_colour = "#FFCC00"\nbar_least = 0.1\nbar_most = 0.3\nfill = "#ff0000"\n'
        (box,) = load_template(make(IMAGE + BAR + more)).boxes
        assert box.bar == Bar("top", "#ffcc00", 0.1, 0.3)
        assert box.style.fill == "#ff0000"

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

    def test_a_preview_shows_it(self, make: Make) -> None:
        folder = make(IMAGE + BAR + BOX, size=(400, 300))
        shown = preview(load_template(folder))
        assert shown.size == (400, 360)
        assert shown.getpixel((2, 2)) == (255, 255, 255)


class TestMirroring:
    def test_a_template_mirrors_all_its_boxes(self, make: Make) -> None:
        toml = "mirror = true\n" + MINIMAL + '[[box]]\nname = "fixed"\nmirror = false\n'
        toml += "x = 0.0\ny = 0.5\nwidth = 0.2\nheight = 0.3\n"
        mirrored, fixed = load_template(make(toml)).boxes
        assert (mirrored.mirror, fixed.mirror) == (True, False)

    def test_place_angle_and_side_turn_round(self) -> None:
        box = TextBox("a", 0.1, 0.2, 0.3, 0.4, angle=10, align="left", mirror=True)
        assert box.facing("ltr") is box
        turned = box.facing("rtl")
        assert (turned.x, turned.y, turned.angle, turned.align) == (0.6, 0.2, -10, "right")
        assert replace(box, align="start").facing("rtl").align == "start"
        assert replace(box, mirror=False).facing("rtl").x == 0.1


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

    def test_the_language_comes_before_the_direction(self, make: Make) -> None:
        template = load_template(self.write(make, 'rtl = "other.png"\nhe = "picture.png"'))
        assert template.image_for(default().get("he")).name == "picture.png"
        assert template.image_for(default().get("ar")).name == "other.png"

    def test_have_the_size_of_the_usual_one(self, make: Make) -> None:
        folder = self.write(make, 'rtl = "other.png"', (41, 30))
        assert "41 x 30 pixels and 'image' 40 x 30" in refusal(lambda: load_template(folder))

    @pytest.mark.parametrize(
        ("keys", "sentence"),
        [
            ('rtl = "none.png"', "'pictures.rtl' names 'none.png', and there is no such file"),
            ('rtl = "../other.png"', "must lie in the template's own folder"),
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
    assert check_definition(table, Path("template.toml")).boxes == (box,)
