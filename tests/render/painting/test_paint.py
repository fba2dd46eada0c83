"""Painting a layout: alignment, outline, rotation, and nothing but its own pixels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from memeloc.model import Align, VAlign
from memeloc.render.background import Background, Canvas
from memeloc.render.painting.paint import Area, Painter
from memeloc.render.painting.pixels import Ink
from memeloc.render.typesetting.fit import Bounds
from tests.each import each
from tests.render.typesetting.laying import laid

AREA = Area(20, 30, 220, 130, 0.0, "center", "middle", 0.06)
BLACK_ON_WHITE = Ink("#000000", "#000000")


BOX = Bounds(200, 100, 30.0, 0.06, 1.0)


def white() -> Canvas:
    return Canvas(Background(np.full((160, 240), 0xFFFFFFFF, np.uint32)))


@each("tag", ["en", "ar"])
@each("align", ["start", "left", "center", "right", "end"])
@each("valign", ["top", "middle", "bottom"])
def test_alignment_is_of_the_ink(tag: str, align: Align, valign: VAlign) -> None:
    layout, canvas = laid("made it" if tag == "en" else "نجحنا", tag, BOX), white()
    Painter().paint(canvas, layout, replace(AREA, align=align, valign=valign), BLACK_ON_WHITE)
    ink = (canvas.pixels & 255) < 200
    rows, columns = np.flatnonzero(ink.any(1)), np.flatnonzero(ink.any(0))
    left, top, right, bottom = columns[0], rows[0], columns[-1] + 1, rows[-1] + 1
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
    layout, canvas = laid("far out", "en", BOX), white()
    outside = Area(-150, 30, 50, 130, 0.0, "left", "middle", 0.06)
    assert Painter().paint(canvas, layout, outside, BLACK_ON_WHITE).clipped
    far = Area(1000, 1000, 1200, 1100, 0.0, "left", "middle", 0.06)
    before = canvas.pixels.copy()
    assert Painter().paint(canvas, layout, far, BLACK_ON_WHITE).clipped
    assert (canvas.pixels == before).all()
    assert not Painter().paint(canvas, layout, AREA, BLACK_ON_WHITE).clipped
