"""A user's colour font, built here: its glyphs keep their colours, other letters the style's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fontTools.colorLib.builder import buildCOLR, buildCPAL
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib.tables._g_l_y_f import Glyph
from PIL import Image

from memeloc.fonts import FontLibrary
from memeloc.locales import default
from memeloc.model import Template, TextBox, TextStyle
from memeloc.render import Renderer, colour

BADGE = "\U0001f600"


def square(left: int, bottom: int, right: int, top: int) -> Glyph:
    pen = TTGlyphPen(None)
    pen.moveTo((left, bottom))
    for point in ((left, top), (right, top), (right, bottom)):
        pen.lineTo(point)
    pen.closePath()
    return pen.glyph()


@pytest.fixture(scope="module")
def font(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A font whose badge is a red square with a blue one in it, and whose X is a plain square."""
    order = [".notdef", "space", "badge", "red", "blue", "X"]
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(order)
    # Without an a it would count as an emoji font, which draws no letters.
    builder.setupCharacterMap({0x20: "space", 0x1F600: "badge", ord("X"): "X", ord("a"): "X"})
    builder.setupGlyf(
        {
            ".notdef": square(0, 0, 1, 1),
            "space": TTGlyphPen(None).glyph(),
            "badge": square(100, 0, 900, 800),
            "red": square(100, 0, 900, 800),
            "blue": square(300, 200, 700, 600),
            "X": square(100, 0, 900, 800),
        }
    )
    builder.setupHorizontalMetrics(dict.fromkeys(order, (1000, 0)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Badge", "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    builder.font["COLR"] = buildCOLR({"badge": [("red", 0), ("blue", 1)]}, version=0)
    builder.font["CPAL"] = buildCPAL([[(1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)]])
    path = tmp_path_factory.mktemp("font") / "Badge.ttf"
    builder.save(path)
    return path


@pytest.fixture
def background(tmp_path: Path) -> Path:
    path = tmp_path / "grey.png"
    Image.new("RGB", (200, 200), "#808080").save(path)
    return path


def test_a_colour_glyph_is_known_as_such(font: Path) -> None:
    face = FontLibrary([font]).stack(default().get("en"), "poster").primary
    assert face.colour
    nominal = face.font.get_nominal_glyph
    assert colour.has_colour(face, nominal(ord(BADGE)))
    assert not colour.has_colour(face, nominal(ord("X")))
    assert not FontLibrary().face("noto-emoji", "poster").colour


@pytest.mark.parametrize("angle", [0.0, 90.0])
def test_a_colour_glyph_keeps_its_colours_and_letters_take_the_styles(
    font: Path, background: Path, angle: float
) -> None:
    style = TextStyle(max_size=0.4, outline_width=0.0, fill="#00ff00")
    box = TextBox("box", 0, 0, 1, 1, angle=angle, style=style)
    rendered = Renderer(FontLibrary([font])).render(
        Template("grey", background, (box,)), f"X {BADGE}", "en"
    )
    pixels = np.asarray(rendered.image).reshape(-1, 3)
    size = rendered.proof.parts[0].font_size
    area = (0.8 * size) ** 2
    for rgb, share in (((255, 0, 0), 0.75), ((0, 0, 255), 0.25), ((0, 255, 0), 1.0)):
        pixels_of_it = (np.abs(pixels.astype(int) - rgb).max(1) <= 4).sum()
        assert pixels_of_it == pytest.approx(area * share, rel=0.1)
    assert rendered.proof.parts[0].fonts == ("Badge",)
    assert not rendered.proof.parts[0].missing


def test_a_colour_glyph_leaves_no_trace_in_the_next_picture(font: Path, background: Path) -> None:
    template = Template("grey", background, (TextBox("box", 0, 0, 1, 0.5, style=TextStyle()),))
    renderer = Renderer(FontLibrary([font]))
    renderer.render(template, BADGE, "en")
    after = renderer.render(template, "X", "en").image
    alone = Renderer(FontLibrary([font])).render(template, "X", "en").image
    assert after.tobytes() == alone.tobytes()
