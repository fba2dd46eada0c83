"""Painting a layout: alignment, outline, rotation, and nothing but its own pixels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from memeloc.fonts import FontLibrary
from memeloc.locales import default
from memeloc.model import Align, VAlign
from memeloc.render.background import Background, Canvas
from memeloc.render.painting.paint import Area, Painter
from memeloc.render.painting.pixels import Ink
from memeloc.render.typesetting.fit import Bounds
from memeloc.render.typesetting.itemize import Itemizer
from memeloc.render.typesetting.layout import PartLayout, lay_out
from tests.each import each

FONTS = FontLibrary()
AREA = Area(20, 30, 220, 130, 0.0, "center", "middle", 0.06)
BLACK_ON_WHITE = Ink("#000000", "#000000")


def laid(text: str, tag: str = "en", largest: float = 30.0, margin: float = 0.06) -> PartLayout:
    locale = default().get(tag)
    itemizer = Itemizer(FONTS.stack(locale, "poster"))
    return lay_out(text, locale, itemizer, Bounds(200, 100, largest, margin, 1.0))


def plain(colour: int = 0xFFFFFFFF) -> Canvas:
    """A canvas of one colour."""
    return Canvas(Background(np.full((160, 240), colour, np.uint32)))


def painted(layout: PartLayout, area: Area, ink: Ink = BLACK_ON_WHITE) -> NDArray[np.uint8]:
    """The red channel of a white picture after painting, 0 to 255."""
    canvas = plain()
    Painter().paint(canvas, layout, area, ink)
    return (canvas.pixels & 255).astype(np.uint8)


def box_of(ink: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    rows, columns = np.flatnonzero(ink.any(1)), np.flatnonzero(ink.any(0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


@each("tag", ["en", "ar"])
@each("align", ["start", "left", "center", "right", "end"])
@each("valign", ["top", "middle", "bottom"])
def test_alignment_is_of_the_ink(tag: str, align: Align, valign: VAlign) -> None:
    layout = laid("made it" if tag == "en" else "نجحنا", tag)
    left, top, right, bottom = box_of(
        painted(layout, replace(AREA, align=align, valign=valign)) < 200
    )
    side = {"start": "left", "end": "right"}.get(align, align)
    if tag == "ar" and align in ("start", "end"):
        side = {"left": "right", "right": "left"}[side]
    if side == "left":
        assert 20 <= left <= 23
    elif side == "right":
        assert 217 <= right <= 220
    else:
        assert abs((left + right) / 2 - 120) <= 1
    if valign == "top":
        assert 30 <= top <= 33
    elif valign == "bottom":
        assert 127 <= bottom <= 130
    else:
        assert abs((top + bottom) / 2 - 80) <= 1.5


def test_what_lies_outside_the_picture_is_clipped_and_reported() -> None:
    layout = laid("far out")
    canvas = plain()
    outside = Area(-150, 30, 50, 130, 0.0, "left", "middle", 0.06)
    assert Painter().paint(canvas, layout, outside, BLACK_ON_WHITE).clipped
    far = Area(1000, 1000, 1200, 1100, 0.0, "left", "middle", 0.06)
    before = canvas.pixels.copy()
    assert Painter().paint(canvas, layout, far, BLACK_ON_WHITE).clipped
    assert (canvas.pixels == before).all()
    assert not Painter().paint(canvas, layout, AREA, BLACK_ON_WHITE).clipped
