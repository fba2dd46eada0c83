from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from memeloc.reports.fonts import families_for
from memeloc.reports.plots import draw
from memeloc.reports.sections import Bars, Histogram


def bars(label):
    return Bars("bars", "Title", pd.DataFrame({"share": [0.5]}, index=[label]), "share", "")


@pytest.mark.parametrize(
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
def test_no_label_has_a_missing_glyph(label, recwarn):
    draw(bars(label))
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
    svg, png = draw(bars("DE"))
    assert b"<dc:date>" not in svg
    picture = Image.open(BytesIO(png)).convert("RGB")
    assert picture.getpixel((0, 0)) == (255, 255, 255)
    assert picture.width == 1500


def test_marks_of_a_distribution_stay_in_view():
    plot = Histogram("groups", "Groups", [0.7, 0.71, 0.7], "share", "", {"DE–IN": 0.2, "x": np.nan})
    svg, _ = draw(plot)
    assert svg.count(b"<!-- \xe2\x81\xa8DE\xe2\x80\x93IN") == 1


def test_bars_of_uneven_values_are_wide_enough_to_see():
    values = [0.5, 0.5 + 1e-12, *np.linspace(0, 1, 30) ** 2]
    _, png = draw(Histogram("entropy", "Entropy", values, "bits", ""))
    pixels = np.asarray(Image.open(BytesIO(png)).convert("RGB"))
    assert (pixels == (0xB9, 0xC3, 0xD6)).all(axis=2).mean() > 0.05


def test_many_marks_close_together_stay_in_the_picture():
    marks = {f"culture {n}–culture {n + 1}": 0.5 + n / 1_000 for n in range(12)}
    values = np.random.default_rng(1).normal(0.5, 0.1, size=500).tolist()
    _, png = draw(Histogram("h", "", values, "share", "", marks))
    pixels = np.asarray(Image.open(BytesIO(png)).convert("L"))
    edges = (pixels[:6], pixels[-6:], pixels[:, :6], pixels[:, -6:])
    assert all((edge == 255).all() for edge in edges)
