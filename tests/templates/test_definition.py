"""template.toml and folders of templates: what is read, and the sentence for each mistake."""

from __future__ import annotations

import os
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.model import STYLES, Bar, TextBox
from memeloc.templates import (
    load_template,
    load_templates,
)
from memeloc.templates.definition import check_definition
from memeloc.templates.names import name_from
from memeloc.templates.writing import boxes_toml
from tests.each import each
from tests.templates.conftest import BOX, MINIMAL, Make, refusal


class TestLoadTemplate:
    def test_reads_everything(self, make: Make) -> None:
        folder = make(
            'title = "T"\ndescription = "D."\nkeywords = ["a", "b"]\nimage = "picture.png"\n'
            'source = "s"\nlicence = "CC0-1.0"\nsubject = [0, 0.5, 1.0, 0.5]\n'
            '[[box]]\nname = "links"\nx = 0.2\ny = 0.3\n'
            'width = 0.5\nheight = 0.25\nangle = -5\nalign = "end"\nvalign = "top"\n'
            'style = "plain"\nfill = "#ABCDEF"\noutline = "#000001"\noutline_width = 0.1\n'
            'uppercase = true\nmax_size = 0.2\nline_spacing = 1.5\nface = "poster"\n'
        )
        template = load_template(folder)
        assert (template.name, template.title, template.description) == ("mine", "T", "D.")
        assert (template.keywords, template.source) == (("a", "b"), "s")
        assert template.subject == (0, 0.5, 1, 0.5)
        assert template.image == folder / "picture.png"
        (box,) = template.boxes
        assert (box.name, box.x, box.y, box.width, box.height) == ("links", 0.2, 0.3, 0.5, 0.25)
        assert (box.angle, box.align, box.valign) == (-5.0, "end", "top")
        style = box.style
        assert (style.name, style.face, style.fill) == ("plain", "poster", "#abcdef")
        assert (style.outline, style.outline_width, style.uppercase) == ("#000001", 0.1, True)
        assert (style.max_size, style.line_spacing) == (0.2, 1.5)

    def test_leaves_out_what_may_be_left_out(self, make: Make) -> None:
        template = load_template(make(name="grumpy-cat_2"))
        assert template.title == "Grumpy cat 2"
        assert template.keywords == ()
        (box,) = template.boxes
        assert (box.angle, box.align, box.valign) == (0.0, "center", "middle")
        assert box.style == STYLES["poster"]

    @pytest.mark.parametrize(
        ("toml", "words"),
        [
            ("\ntittle = 'x'\n" + MINIMAL, ["'tittle'", "did you mean 'title'?", "(at line 2)"]),
            ("license = 'x'\n" + MINIMAL, ["'license'", "did you mean 'licence'?"]),
            (
                "subject = [0.5, 0, 0.6, 1]\n" + MINIMAL,
                ["subject", "outside", "0.5 to 1.1"],
            ),
            ("subject = [0.5]\n" + MINIMAL, ["setting subject", "at least 4 items"]),
            ("zzz = 1\n" + MINIMAL, ["'zzz'", "it has image, title"]),
            (BOX, ["needs the setting image", "picture.png"]),
            ("image = 'picture.png'\n\n", ["below line 2 write [[box]]"]),
            ("image = 'picture.png'\n[box]\nname = 'a'", ["setting box", "[[box]]", "at line 2"]),
            ("image = 'picture.png'\n[[boxes]]\n", ["'boxes'", "did you mean 'box'", "at line 2"]),
            ("keywords = 'cat'\n" + MINIMAL, ["setting keywords", '["cat", "work"]']),
            (MINIMAL.replace("x = 0.1\n", ""), ["box 'top' needs the setting x", "(at line 2)"]),
            (MINIMAL + BOX.replace("y =", "yy ="), ["no setting 'yy'", "(at line 11)"]),
            (MINIMAL.replace('name = "top"\n', ""), ["box '1'", "needs the setting name"]),
            (MINIMAL.replace("x = 0.1", "x = 'left'"), ["setting x of box 'top'", "valid number"]),
            (MINIMAL.replace("x = 0.1", "x = nan"), ["setting x", "finite number"]),
            (MINIMAL.replace("width = 0.8", "width = 0"), ["setting width", "greater than 0"]),
            (MINIMAL.replace('"top"', '"a\\nb"'), ["setting name", "1 to 100 visible"]),
            (MINIMAL + "angle = 181", ["setting angle", "less than or equal to 180"]),
            (MINIMAL + "align = 'centre'", ["setting align", "'left', 'center'"]),
            (MINIMAL + "style = 'postr'", ["setting style", "'poster'"]),
            (MINIMAL + "fill = 'red'", ["setting fill", "'#ffcc00'"]),
            (MINIMAL + "max_size = 2", ["setting max_size", "less than or equal to 1"]),
            ("image = \n" + BOX, ["is not TOML", "line 1"]),
            ("x = " + "9" * 5000, ["is not TOML"]),
            ("x = " + "[" * 100_000, ["is not TOML"]),
            (b"title = '\xff'", ["is not UTF-8"]),
            ("#" * 1_100_000, ["too large"]),
        ],
    )
    def test_says_in_which_file_and_key_the_mistake_is(
        self, make: Make, toml: str | bytes, words: list[str]
    ) -> None:
        folder = make(toml)
        sentence = refusal(lambda: load_template(folder))
        assert sentence.startswith(str(folder / "template.toml"))
        assert all(word in sentence for word in words), sentence
        assert len(sentence) < 600

    def test_a_turned_box_must_lie_in_the_picture_with_all_corners(self, make: Make) -> None:
        flat = MINIMAL.replace("y = 0.1", "y = 0.0")
        assert load_template(make(flat, name="flat"))
        sentence = refusal(lambda: load_template(make(flat + "angle = 10", name="turned")))
        assert "box 'top'" in sentence
        assert "10 degrees" in sentence

    @pytest.mark.parametrize(
        "image",
        [
            "../other.png",
            "/etc/passwd",
            "a/../../b.png",
        ],
    )
    def test_a_picture_outside_the_folder_is_refused_by_its_name(
        self, make: Make, image: str
    ) -> None:
        folder = make(f'image = "{image}"\n{BOX}')
        assert "leads out of" in refusal(lambda: load_template(folder))

    @given(
        x=st.floats(-0.2, 1.2), y=st.floats(-0.2, 1.2), w=st.floats(-0.2, 1.4), h=st.floats(0, 1.4)
    )
    def test_a_box_is_taken_exactly_when_it_lies_in_the_picture(
        self, x: float, y: float, w: float, h: float
    ) -> None:
        table = {
            "image": "picture.png",
            "box": [{"name": "a", "x": x, "y": y, "width": w, "height": h}],
        }
        slack = 0.001 + 1e-9
        inside = w > 0 and h > 0 and x >= -slack and y >= -slack
        inside = inside and x + w <= 1 + slack and y + h <= 1 + slack
        try:
            _, (box,) = check_definition(table, Path("template.toml"))
        except InputError:
            assert not inside
        else:
            assert inside
            assert (box.x, box.y, box.width, box.height) == (x, y, w, h)

    @given(
        st.dictionaries(
            st.sampled_from(["image", "box", "title", "keywords", "fill", "zz"]),
            st.recursive(
                st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
                lambda inner: (
                    st.lists(inner, max_size=3)
                    | st.dictionaries(
                        st.sampled_from(["name", "x", "y", "width", "height", "angle", "style"]),
                        inner,
                    )
                ),
                max_leaves=12,
            ),
        )
    )
    def test_nonsense_is_refused_and_never_crashes(self, table: dict[str, object]) -> None:
        try:
            _, boxes = check_definition(table, Path("template.toml"))
        except InputError as error:
            assert str(error).startswith("template.toml: ")  # noqa: PT017
        else:
            assert boxes


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


BUILT_IN = load_templates()[0]


class TestLoadTemplates:
    def test_the_user_replaces_a_built_in_template_silently(self, make: Make) -> None:
        folder = make(name="night-owl")
        result, problems = load_templates([folder.parent])
        assert problems == []
        assert result["night-owl"].image == folder / "picture.png"
        assert len(result) == len(BUILT_IN)

    def test_two_of_one_name_are_a_problem_that_names_both(self, make: Make) -> None:
        first, second = make(under="one"), make(under="two")
        result, problems = load_templates([first.parent, second.parent])
        assert result["mine"].image == first / "picture.png"
        (problem,) = problems
        assert str(first) in str(problem)
        assert str(second) in str(problem)

    def test_folders_are_texts_paths_lists_of_them_or_templates(self, make: Make) -> None:
        folder = make().parent
        result, problems = load_templates(str(folder))
        assert problems == []
        assert result == load_templates([folder])[0] == load_templates(result)[0]


class TestPlainPictures:
    def test_each_becomes_a_template_with_top_and_bottom(self, tmp_path: Path) -> None:
        for name in ("a.jpg", "b.jpeg", "c.png", "d.webp", "e.gif", "f.bmp", "g.tif", "H.TIFF"):
            Image.new("RGB", (8, 6)).save(tmp_path / name)
        (tmp_path / "notes.txt").write_text("not a picture, and not taken for one")
        (tmp_path / ".hidden.png").write_text("nor is this")
        result, problems = load_templates([tmp_path])
        assert problems == []
        assert {"a", "b", "c", "d", "e", "f", "g", "H"} <= set(result)
        top, bottom = result["a"].boxes
        assert (top.name, top.x, top.y, top.width, top.height) == ("top", 0.03, 0.02, 0.94, 0.25)
        assert (bottom.name, bottom.y, bottom.valign) == ("bottom", 0.73, "bottom")
        assert top.style == STYLES["poster"]

    def test_two_of_the_same_stem_are_a_problem_that_names_both(self, tmp_path: Path) -> None:
        for name in ("cat.jpg", "cat.png"):
            Image.new("RGB", (8, 6)).save(tmp_path / name)
        result, (problem,) = load_templates([tmp_path])
        assert "cat" in result
        assert "cat.jpg" in str(problem)
        assert "cat.png" in str(problem)

    @each(
        ("file", "name"),
        [
            ("Café am See (2).jpeg", "Cafe-am-See-2"),
            ("a.b.png", "a.b"),
            ("-x-.png", "x"),
            ("ＩＭＧ＿１.png", "IMG_1"),
            ("x" * 200 + ".png", "x" * 100),
        ],
    )
    def test_names_are_made_safe(self, file: str, name: str) -> None:
        assert name_from(Path(file)) == name
