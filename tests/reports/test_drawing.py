from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from memeloc.reports.drawing import draw, drawings, families_for
from memeloc.reports.figures import tidy
from memeloc.reports.texts import PlotText
from tests.each import each


def drawn(wide, colours=None, **text):
    """Return the drawings of wide rows."""
    text = {"name": "plot", "kind": "bars", "figures": ["share"], "title": "Title", **text}
    colours = {} if colours is None else colours
    return list(drawings(PlotText(**text), tidy("shares", pd.DataFrame(wide)), colours, str))


def points(drawing):
    frame = drawing.frame[["row", "series", "value"]]
    return list(frame.itertuples(index=False, name=None))


def pixels(drawing, mode="RGB"):
    return np.asarray(Image.open(BytesIO(draw(drawing)[1])).convert(mode))


CATEGORIES = {
    "group": ["category: tea · US", "category: tea · EG", "category: work · DE"],
    "share": [0.3, 0.1, 0.2],
}


@each(
    ("rows", "text", "expected"),
    [
        ({"group": ["DE", "US"], "share": [0.1, 0.2]}, {}, [("DE", "", 0.1), ("US", "", 0.2)]),
        (
            {"group": ["DE", "DE"], "item": ["hate", "fine"], "share": [0.1, 0.9]},
            {"series": "item"},
            [("DE", "hate", 0.1), ("DE", "fine", 0.9)],
        ),
        (
            {"item": ["m-1", "m-2"], "votes: hate": [1, 2], "votes: a_b": [3, 4]},
            {"figures": ["votes: *"], "series": "figure", "item": "m-2"},
            [("m-2", "hate", 2), ("m-2", "a_b", 4)],
        ),
        (
            CATEGORIES,
            {"rows": "group 1", "series": "group 2", "order": "falling", "group": "*[SE]"},
            [("category: tea", "US", 0.3), ("category: work", "DE", 0.2)],
        ),
        (
            {"group": ["DE–US"], "share": [0.5]},
            {"kind": "heatmap"},
            [("DE", "US", 0.5), ("US", "DE", 0.5)],
        ),
        (
            {"group": ["", "DE"], "share": [0.5, float("nan")]},
            {},
            [("share", "", 0.5)],
        ),
    ],
)  # fmt: skip
def test_a_plot_shows_the_rows_that_its_text_names(rows, text, expected):
    assert points(drawn(rows, **text)[0]) == expected


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ({"group": ["DE", "US"], "share": [0.5, 0.6]}, {"kind": "heatmap"}),
        ({"item": ["a", "b"], "share": [3, 4]}, {"kind": "histogram", "counted": True}),
    ],
)
def test_nothing_is_drawn_of_rows_without_a_place(rows, text):
    assert drawn(rows, **text) == []


def test_a_name_has_one_colour_in_every_plot():
    colours = {"DE": "#009e73"}
    rows = {"group": ["DE", "US"], "item": ["m", "m"], "share": [0.1, 0.2]}
    first, second = drawn(rows, colours, series="group") + drawn(rows, colours, rows="group")
    assert first.colours["DE"] == second.colours["DE"] == "#009e73"
    assert first.colours["US"] == second.colours["US"] != "#009e73"
    ink = (pixels(second) == (0x00, 0x9E, 0x73)).all(axis=2)
    assert ink.sum() > 1000


@each(
    ("letters", "family"),
    [
        ("বাংলা", "Noto Sans Bengali"),
        ("كراهية", "Noto Sans Arabic"),
        ("ישראל", "Noto Sans Hebrew"),
        ("ภาษาไทย", "Noto Sans Thai"),
        ("中文", "Noto Sans CJK SC"),
    ],
)
def test_letters_are_drawn_by_the_projects_fonts(letters, family):
    assert families_for(letters) == ["Noto Sans", family]


@pytest.mark.parametrize("label", ["क्षत्रिय", "كراهية", "น้ำใจ", "中文", "US $x$ _y_"])
@pytest.mark.parametrize("kind", ["bars", "lines"])
def test_no_label_has_a_missing_glyph(label, kind, recwarn):
    rows = {"group": [label, "b"], "item": "x", "share": [0.5, 0.6]}
    draw(drawn(rows, kind=kind, title=label, axis=label, series="group")[0])
    assert not [each for each in recwarn if "missing from font" in str(each.message)]


def test_devanagari_is_shaped():
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.font_manager import FontProperties

    properties = FontProperties(family=families_for("क्ष"), size=40)
    renderer = RendererAgg(400, 100, 72)
    conjunct, apart = (
        renderer.get_text_width_height_descent(text, properties, False)[0]
        for text in ("क्ष", "क\u094d\u200cष")
    )
    assert conjunct < 0.9 * apart  # the conjunct is one letter, not two beside each other


def test_a_png_is_white_paper_and_an_svg_has_no_date():
    svg, png = draw(drawn({"group": ["DE"], "share": [0.5]})[0])
    assert b"<dc:date>" not in svg
    picture = Image.open(BytesIO(png)).convert("RGB")
    assert picture.getpixel((0, 0)) == (255, 255, 255)
    assert picture.width == 1280
