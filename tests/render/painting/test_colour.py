"""Colour glyphs keep their colours: of fonts built here (COLR 0 and 1), and of the system's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fontTools.colorLib.builder import buildCOLR, buildCPAL
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib.tables import otTables
from fontTools.ttLib.tables._g_l_y_f import Glyph
from PIL import Image

from memeloc.fonts import FontLibrary
from memeloc.model import Template, TextBox, TextStyle
from memeloc.render import Renderer

BADGE = "\U0001f600"


def square(left: int, bottom: int, right: int, top: int) -> Glyph:
    pen = TTGlyphPen(None)
    pen.moveTo((left, bottom))
    for point in ((left, top), (right, top), (right, bottom)):
        pen.lineTo(point)
    pen.closePath()
    return pen.glyph()


LAYERS: list[tuple[str, int]] = [("red", 0), ("blue", 1)]
PAINTS = {
    "Format": otTables.PaintFormat.PaintColrLayers,
    "Layers": [
        {
            "Format": otTables.PaintFormat.PaintGlyph,
            "Glyph": glyph,
            "Paint": {
                "Format": otTables.PaintFormat.PaintSolid,
                "PaletteIndex": colour,
                "Alpha": 1.0,
            },
        }
        for glyph, colour in LAYERS
    ],
}


@pytest.fixture(scope="module", params=[0, 1])
def font(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A font whose badge is a red square with a blue one in it, and whose X is a plain square.

    Of COLR version 1 the badge has no outline of its own.
    """
    version: int = request.param
    order = [".notdef", "space", "badge", "red", "blue", "X"]
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(order)
    # Without an a it would count as an emoji font, which draws no letters.
    builder.setupCharacterMap({0x20: "space", 0x1F600: "badge", ord("X"): "X", ord("a"): "X"})
    builder.setupGlyf(
        {
            ".notdef": square(0, 0, 1, 1),
            "space": TTGlyphPen(None).glyph(),
            "badge": TTGlyphPen(None).glyph() if version else square(100, 0, 900, 800),
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
    builder.font["COLR"] = buildCOLR({"badge": PAINTS if version else LAYERS}, version=version)
    builder.font["CPAL"] = buildCPAL([[(1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)]])
    path = tmp_path_factory.mktemp("font") / "Badge.ttf"
    builder.save(path)
    return path


@pytest.fixture
def background(tmp_path: Path) -> Path:
    path = tmp_path / "grey.png"
    Image.new("RGB", (200, 200), "#808080").save(path)
    return path


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
    assert "missing glyph" not in rendered.proof.problems


@pytest.mark.parametrize("angle", [0.0, 90.0])
def test_an_outline_goes_around_a_colour_glyph(font: Path, background: Path, angle: float) -> None:
    style = TextStyle(max_size=0.4, outline_width=0.1, outline="#00ff00")
    box = TextBox("box", 0, 0, 1, 1, angle=angle, style=style)
    rendered = Renderer(FontLibrary([font])).render(
        Template("grey", background, (box,)), BADGE, "en"
    )
    size = rendered.proof.parts[0].font_size
    pixels = np.asarray(rendered.image).astype(int)
    green = np.abs(pixels - (0, 255, 0)).max(2) <= 8
    ring = size**2 * (4 * 0.8 * 0.1 + np.pi * 0.1**2)
    assert green.sum() == pytest.approx(ring, rel=0.1)
    rows, columns = np.flatnonzero(green.any(1)), np.flatnonzero(green.any(0))
    left, top, right, bottom = rendered.proof.parts[0].ink or (0, 0, 0, 0)
    assert (columns[0], rows[0]) == pytest.approx((left, top), abs=2)
    assert (columns[-1], rows[-1]) == pytest.approx((right, bottom), abs=3)


@pytest.mark.skipif(
    not FontLibrary().families["colour-emoji"].found, reason="no colour emoji font on this system"
)
@pytest.mark.parametrize("size", [0.1, 0.9])
def test_the_systems_emoji_are_in_colour(background: Path, size: float) -> None:
    style = TextStyle(max_size=size)
    template = Template("grey", background, (TextBox("box", 0, 0, 1, 1, style=style),))
    rendered = Renderer().render(template, "❤\ufe0f", "en")
    red, green, blue = np.asarray(rendered.image).astype(int).reshape(-1, 3).T
    share = ((red > 180) & (green < 100) & (blue < 100)).mean()
    font_size = rendered.proof.parts[0].font_size
    assert share == pytest.approx(0.8 * (font_size / 200) ** 2, rel=0.5)
    assert rendered.proof.parts[0].fonts == ("colour-emoji",)
    assert not rendered.proof.findings
    assert len(rendered.proof.fonts["colour-emoji"]) == 64
