"""Glyphs that bring their own colours. In: a face, a size, a glyph. Out: small pictures of them.

Colour glyphs (COLR, SVG, CBDT, sbix) have no single outline to stroke and no coverage to tint, so
Skia draws each once a size as a picture, which is then laid over the blended letters. Its outline,
for styles that have one, is the picture's shape drawn around itself; a mask as those of letters.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import skia
from numpy.typing import NDArray

from memeloc.errors import InputError
from memeloc.fonts import Face
from memeloc.render.painting.compose import Pixels

_LEAST, _MOST = 16, 96
"""Positions around itself at which a glyph's shape is drawn to make its outline: some two pixels
apart."""

_SMOOTH = skia.SamplingOptions(skia.FilterMode.kLinear, skia.MipmapMode.kLinear)


class Picture(NamedTuple):
    """A glyph in its colours at one size.

    Attributes:
        image: its pixels.
        left, top: of the image from the glyph's origin, in pixels, y down.
    """

    image: skia.Image
    left: int
    top: int


@cache
def has_colour(face: Face, glyph: int) -> bool:
    """Whether a glyph of a colour font is itself coloured."""
    hb_face = face.hb_face
    return bool(
        hb_face.get_glyph_color_layers(glyph)
        or hb_face.glyph_has_color_paint(glyph)
        or hb_face.get_glyph_color_svg(glyph)
        or face.font.get_glyph_color_png(glyph)
    )


@cache
def _typeface(face: Face) -> skia.Typeface:
    family = face.source
    typeface = _fonts().makeFromFile(str(family.path), family.index)
    if typeface is None:
        raise InputError("this colour font cannot be drawn by Skia", file=family.path)
    return typeface


@cache
def _fonts() -> skia.FontMgr:
    """What opens font files; on Linux without fontconfig, whose warnings would be the user's."""
    empty = getattr(skia.FontMgr, "New_Custom_Empty", skia.FontMgr)
    return empty()


def picture(face: Face, glyph: int, size: float) -> Picture:
    """Draw a colour glyph at a font size in pixels."""
    font = skia.Font(_typeface(face), size)
    font.setEdging(skia.Font.Edging.kAntiAlias)
    font.setHinting(skia.FontHinting.kNone)
    bounds = font.getBounds([glyph])[0]
    left, top = math.floor(bounds.left()) - 1, math.floor(bounds.top()) - 1
    width = max(1, math.ceil(bounds.right()) + 1 - left)
    height = max(1, math.ceil(bounds.bottom()) + 1 - top)
    surface = skia.Surface.MakeRasterN32Premul(width, height)
    builder = skia.TextBlobBuilder()
    builder.allocRunPos(font, [glyph], [skia.Point(-left, -top)])
    surface.getCanvas().drawTextBlob(builder.make(), 0, 0, skia.Paint(AntiAlias=True))
    return Picture(surface.makeImageSnapshot(), left, top)


def outline(
    drawn: Picture, width: float, box: tuple[int, int, int, int]
) -> tuple[NDArray[np.uint8], int, int]:
    """The coverage of a glyph and of an outline around it.

    Args:
        drawn: the glyph.
        width: of the outline, in pixels.
        box: left, top, right, bottom that the mask may have, in pixels from the glyph's origin.

    Returns:
        A mask of shape (height, width), and its left and top from the glyph's origin.
    """
    left, top, right, bottom = box
    mask = np.zeros((max(1, bottom - top), max(1, right - left)), np.uint8)
    info = skia.ImageInfo.MakeA8(mask.shape[1], mask.shape[0])
    canvas = skia.Surface.MakeRasterDirect(info, mask, mask.strides[0]).getCanvas()
    canvas.translate(-left, -top)
    trace(canvas, drawn, width)
    return mask, left, top


def trace(canvas: skia.Canvas, drawn: Picture, width: float) -> None:
    """Draw the shape of a glyph, with an outline of `width` pixels, at a canvas's origin."""
    image, left, top = drawn
    canvas.drawImage(image, left, top, _SMOOTH, skia.Paint())
    steps = min(max(_LEAST, math.ceil(math.pi * width)), _MOST) if width else 0
    for step in range(steps):
        turn = 2 * math.pi * step / steps
        for reach in (width, width / 2):  # twice: an outline wider than the glyph has no hole
            across, down = reach * math.cos(turn), reach * math.sin(turn)
            canvas.drawImage(image, left + across, top + down, _SMOOTH, skia.Paint())


class Layer:
    """Pixels of a picture that colour glyphs are laid on.

    Args:
        pixels: shape (height, width), changed in place.
        top: which row of the picture they begin with.
    """

    def __init__(self, pixels: Pixels, top: int) -> None:
        height, width = pixels.shape
        info = skia.ImageInfo.Make(width, height, skia.kRGBA_8888_ColorType, skia.kOpaque_AlphaType)
        self._canvas = skia.Surface.MakeRasterDirect(info, pixels, pixels.strides[0]).getCanvas()
        self._canvas.translate(0, -top)

    def add(self, drawn: Picture, x: float, y: float) -> None:
        """Lay a glyph whose origin is at x and y, in pixels of the picture, over what is there."""
        self._canvas.drawImage(drawn.image, x + drawn.left, y + drawn.top, _SMOOTH, skia.Paint())

    def turn(self, angle: float, x: float, y: float) -> None:
        """Turn what is added from now on clockwise around a point, in degrees."""
        self._canvas.rotate(angle, x, y)
