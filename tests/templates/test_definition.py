"""template.toml: what is read, and the sentence for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.model import STYLES
from memeloc.templates import (
    load_template,
)
from memeloc.templates.definition import check_definition
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
