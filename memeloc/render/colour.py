"""Glyphs that bring their own colours. In: a user's colour font. Out: painted pixels.

Colour glyphs (COLR, SVG, CBDT, sbix) have no single outline to stroke, so Skia draws them as they
are, after the letters. memeloc's own fonts have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import skia

from memeloc.errors import InputError
from memeloc.fonts import Face
from memeloc.render.compose import Pixels


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
    typeface = skia.Typeface.MakeFromFile(str(family.path), family.index)
    if typeface is None:
        raise InputError("this colour font cannot be drawn by Skia", file=family.path)
    return typeface


def draw(
    pixels: Pixels,
    face: Face,
    size: float,
    glyphs: Sequence[tuple[int, float, float]],
    turn: tuple[float, float, float],
) -> None:
    """Draw colour glyphs onto a picture.

    Args:
        pixels: shape (height, width), changed in place.
        face: of a colour font.
        size: font size in pixels.
        glyphs: (glyph, x, baseline) in pixels, before rotation.
        turn: clockwise angle in degrees, and the point to turn around.
    """
    height, width = pixels.shape
    info = skia.ImageInfo.Make(width, height, skia.kRGBA_8888_ColorType, skia.kOpaque_AlphaType)
    canvas = skia.Surface.MakeRasterDirect(info, pixels, pixels.strides[0]).getCanvas()
    canvas.rotate(*turn)
    font = skia.Font(_typeface(face), size)
    font.setEdging(skia.Font.Edging.kAntiAlias)
    font.setHinting(skia.FontHinting.kNone)
    builder = skia.TextBlobBuilder()
    builder.allocRunPos(
        font, [glyph for glyph, _, _ in glyphs], [skia.Point(x, y) for _, x, y in glyphs]
    )
    canvas.drawTextBlob(builder.make(), 0, 0, skia.Paint(AntiAlias=True))
