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


def test_a_plot_for_each_group_is_named_and_titled():
    plots = drawn(CATEGORIES, rows="group 2", each="group 1")
    assert [plot.name for plot in plots] == ["plot-1", "plot-2"]
    assert [plot.title for plot in plots] == ["Title: category: tea", "Title: category: work"]


def test_most_limits_the_plots_of_each_group_not_their_rows():
    (plot,) = drawn(CATEGORIES, rows="group 2", each="group 1", most=1)
    assert list(plot.table().index) == ["US", "EG"]


def test_nothing_is_drawn_of_undefined_figures():
    assert drawn({"group": ["DE"], "share": [float("nan")]}) == []


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ({"group": ["DE", "US"], "share": [0.5, 0.6]}, {"kind": "heatmap"}),
        ({"item": ["a", "b"], "share": [3, 4]}, {"kind": "histogram", "counted": True}),
    ],
)
def test_nothing_is_drawn_of_rows_without_a_place(rows, text):
    assert drawn(rows, **text) == []


def test_lines_along_numbers_are_in_their_order():
    from xml.etree import ElementTree

    rows = {"item": ["10", "-1", "2"], "share": [0.1, 0.2, 0.3]}
    svg = ElementTree.fromstring(draw(drawn(rows, kind="lines", rows="item")[0])[0])
    paths = (each.get("d", "") for each in svg.iter("{http://www.w3.org/2000/svg}path"))
    (line,) = (path for path in paths if path.count("L") == 2 and "z" not in path)
    across = [float(point.split()[0]) for point in line.removeprefix("M").split("L")]
    assert across == sorted(across)


def test_a_name_has_one_colour_in_every_plot():
    colours = {"DE": "#009e73"}
    rows = {"group": ["DE", "US"], "item": ["m", "m"], "share": [0.1, 0.2]}
    first, second = drawn(rows, colours, series="group") + drawn(rows, colours, rows="group")
    assert first.colours["DE"] == second.colours["DE"] == "#009e73"
    assert first.colours["US"] == second.colours["US"] != "#009e73"
    ink = (pixels(second) == (0x00, 0x9E, 0x73)).all(axis=2)
    assert ink.sum() > 1000


def test_a_counted_histogram_takes_the_item_for_the_value():
    rows = {"item": ["0.5", "0.6"], "times": [30, 10]}
    (plot,) = drawn(rows, kind="histogram", figures=["times"], counted=True)
    frame = plot.frame[["value", "times"]]
    assert frame.to_numpy().tolist() == [[0.5, 30], [0.6, 10]]
    draw(plot)


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


def test_latin_needs_one_family_only():
    assert families_for("US–DE, 0.5 é") == ["Noto Sans"]


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


def test_marks_of_a_distribution_stay_in_view():
    rows = {"group": ["", "DE–IN"], "item": ["", ""], "share": [0.7, float("nan")]}
    rows["agreement"] = [float("nan"), 0.2]
    (plot,) = drawn(rows, kind="histogram", marks=["agreement"])
    assert plot.marks == {"DE–IN": 0.2}
    assert b"DE\xe2\x80\x93IN 0.200" in draw(plot)[0]


def test_bars_of_uneven_values_are_wide_enough_to_see():
    values = [0.5, 0.5 + 1e-12, *np.linspace(0, 1, 30) ** 2]
    rows = {"item": [str(number) for number in range(32)], "share": values}
    picture = pixels(drawn(rows, kind="histogram")[0])
    assert (picture == (0xB9, 0xC3, 0xD6)).all(axis=2).mean() > 0.05


def test_many_marks_close_together_stay_in_the_picture():
    names = [f"culture {n}–culture {n + 1}" for n in range(12)]
    rows = {
        "group": [*names, *[""] * 500],
        "item": [*[""] * 12, *map(str, range(500))],
        "share": [*[np.nan] * 12, *np.random.default_rng(1).normal(0.5, 0.1, size=500)],
        "mark": [*(0.5 + n / 1_000 for n in range(12)), *[np.nan] * 500],
    }
    picture = pixels(drawn(rows, kind="histogram", marks=["mark"])[0], "L")
    edges = (picture[:6], picture[-6:], picture[:, :6], picture[:, -6:])
    assert all((edge == 255).all() for edge in edges)
