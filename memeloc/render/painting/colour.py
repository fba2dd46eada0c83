"""Glyphs that bring their own colours. In: a face, a size, a glyph. Out: a sprite of it.

Colour glyphs (COLR, SVG, CBDT, sbix) have no single outline to stroke and take no colour, so Skia
draws each once a size. Its outline, for styles that have one, is its shape drawn around itself.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import skia

from memeloc.errors import InputError
from memeloc.fonts import Face
from memeloc.render.painting.pixels import image_info

_LEAST, _MOST = 16, 96
"""Positions around itself at which a glyph's shape is drawn to make its outline: some two pixels
apart."""

SMOOTH = skia.SamplingOptions(skia.FilterMode.kLinear, skia.MipmapMode.kLinear)


class Sprite(NamedTuple):
    """A glyph, or its outline, at one size.

    Attributes:
        image: its pixels.
        left, top: of the image from the glyph's origin, in pixels, y down.
    """

    image: skia.Image
    left: int
    top: int


@cache
def has_colour(face: Face, glyph: int) -> bool:
    """Return whether a glyph of a colour font is itself coloured."""
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
    # On Linux without fontconfig, whose warnings would be the user's.
    fonts = getattr(skia.FontMgr, "New_Custom_Empty", skia.FontMgr)()
    typeface = fonts.makeFromFile(str(family.path), family.index)
    if typeface is None:
        raise InputError("this colour font cannot be drawn by Skia", file=family.path)
    return typeface


def colour_sprite(face: Face, glyph: int, size: float) -> Sprite:
    """Draw a colour glyph at a font size in pixels."""
    font = skia.Font(_typeface(face), size)
    font.setEdging(skia.Font.Edging.kAntiAlias)
    font.setHinting(skia.FontHinting.kNone)
    bounds = font.getBounds([glyph])[0].makeOutset(1, 1).roundOut()
    pixels = np.zeros((bounds.height(), bounds.width()), np.uint32)
    info = image_info(bounds.width(), bounds.height())
    canvas = skia.Surface.MakeRasterDirect(  # the pixels' true order, for it has colours of its own
        info.makeColorType(skia.kRGBA_8888_ColorType), pixels, pixels.strides[0]
    ).getCanvas()
    builder = skia.TextBlobBuilder()
    builder.allocRunPos(font, [glyph], [skia.Point(-bounds.left(), -bounds.top())])
    canvas.drawTextBlob(builder.make(), 0, 0, skia.Paint(AntiAlias=True))
    inked = np.argwhere(pixels) if pixels.any() else np.zeros((1, 2), int)
    (top, left), (last, end) = inked.min(0), inked.max(0)
    pixels = pixels[top : last + 1, left : end + 1].copy()
    info = image_info(pixels.shape[1], pixels.shape[0])
    image = skia.Image.MakeRasterCopy(skia.Pixmap(info, pixels, pixels.strides[0]))
    return Sprite(image, bounds.left() + int(left), bounds.top() + int(top))


def trace(canvas: skia.Canvas, drawn: Sprite, width: float, colour: int) -> None:
    """Draw the shape of a glyph, with an outline of `width` pixels, at a canvas's origin."""
    image, left, top = drawn
    canvas.saveLayer()
    canvas.drawImage(image, left, top, SMOOTH)
    steps = min(max(_LEAST, math.ceil(math.pi * width)), _MOST)
    for step in range(steps):
        turn = 2 * math.pi * step / steps
        for reach in (width, width / 2):  # twice: an outline wider than the glyph has no hole
            across, down = reach * math.cos(turn), reach * math.sin(turn)
            canvas.drawImage(image, left + across, top + down, SMOOTH)
    canvas.drawColor(colour, skia.BlendMode.kSrcIn)
    canvas.restore()
