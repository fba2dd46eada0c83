"""Glyphs as small pictures, made once and kept. In: a face, a size, colours, a glyph. Out: sprites.

HarfBuzz gives the outlines (at the same variation as it shaped with), Skia strokes and rasterises
them. Skia's own glyph cache holds two megabytes, which a set in Chinese overruns within a few
captions; this one is bounded by `BUDGET`.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

import numpy as np
import skia
import uharfbuzz as hb

from memeloc.fonts import Face
from memeloc.render.painting import kept
from memeloc.render.painting.colour import SMOOTH, Sprite, colour_sprite, has_colour, trace
from memeloc.render.painting.pixels import Ink, brush, image_info, tints
from memeloc.version import __version__

BUDGET = 96 * 1024 * 1024
"""Bytes of sprites kept in one process: some 15,000 glyphs of the usual sizes."""

PHASES = 2
"""Horizontal positions within a pixel that a glyph is rasterised at, below WHOLE_PIXELS."""

WHOLE_PIXELS = 48.0
"""Font size in pixels from which glyphs stand on whole pixels."""

_STROKE_PRECISION = 0.06


class _Pen:
    """Draws a glyph's outline, which comes in the font's units with y up, into a Skia path."""

    def __init__(self, path: skia.Path) -> None:
        self._path = path

    def moveTo(self, point: tuple[float, float]) -> None:  # noqa: N802 - the protocol's names
        self._path.moveTo(point[0], -point[1])

    def lineTo(self, point: tuple[float, float]) -> None:  # noqa: N802
        self._path.lineTo(point[0], -point[1])

    def qCurveTo(self, *points: tuple[float, float]) -> None:  # noqa: N802
        (a, b), (c, d) = points
        self._path.quadTo(a, -b, c, -d)

    def curveTo(self, *points: tuple[float, float]) -> None:  # noqa: N802
        (a, b), (c, d), (e, f) = points
        self._path.cubicTo(a, -b, c, -d, e, -f)

    def closePath(self) -> None:  # noqa: N802
        self._path.close()

    endPath = closePath  # noqa: N815


class Outline(NamedTuple):
    """The path of a glyph, or of it with the outline around it, in the font's units, y down."""

    path: skia.Path
    bounds: skia.Rect


Layers = tuple[Sprite | None, Sprite, bool]
"""A glyph with the outline around it, if it has one; the glyph; whether that has its own colours.
"""


class Strike:
    """The glyphs of one face at one size, with one outline, in two colours.

    Attributes:
        sprites: those made so far, by `glyph * PHASES + phase`.
        bytes: of their pixels.
    """

    def __init__(
        self, cache: GlyphCache, face: Face, size: float, outline: float, ink: Ink
    ) -> None:
        self._cache = cache
        self._face, self._size, self._outline = face, size, outline
        self._brushes = [brush(ink.outline), brush(ink.fill)]
        self._tints = [tints(ink.outline), tints(ink.fill)]
        self._colour_sprites: dict[int, Sprite] = {}
        versions = (__version__, skia.__version__, hb.version_string())
        self._file = kept.file_of(versions, face.source.file_sha256, face.key, size, outline)
        self._kept = kept.read(self._file)
        self._drawn = 0
        self.sprites: dict[int, Layers] = {}
        self.bytes = 0

    def make(self, key: int) -> Layers:
        """Draw the glyph and phase of `key`, or take it as it was kept, and keep its sprites."""
        is_coloured = self.is_coloured(key // PHASES)
        around = self._sprite(key, 0) if self._outline else None
        sprite = self._colour_sprite(key // PHASES) if is_coloured else self._sprite(key, 1)
        layers = self.sprites[key] = (around, sprite, is_coloured)
        self._cache.added(self, _size(sprite.image) + (_size(around.image) if around else 0))
        return layers

    def _sprite(self, key: int, layer: int) -> Sprite:
        cover = self._kept.get((key, layer))
        if cover is None:
            cover = self._kept[key, layer] = self._cover(key, layer)
            self._drawn += 1
        pixels = self._tints[layer][cover.pixels]
        height, width = pixels.shape
        pixmap = skia.Pixmap(image_info(width, height), pixels, pixels.strides[0])
        return Sprite(skia.Image.MakeRasterCopy(pixmap), cover.left, cover.top)

    def keep(self) -> None:
        """Keep what was drawn for the next run, unless it is less than a quarter of all."""
        if 4 * self._drawn > len(self._kept):  # else each shard of a run would write all again
            kept.write(self._file, self._kept)
            self._drawn = 0

    def _cover(self, key: int, layer: int) -> kept.Coverage:
        """Draw a glyph with the outline around it (layer 0) or without (1)."""
        glyph, phase = divmod(key, PHASES)
        shift = 0.0 if self.is_coloured(glyph) else phase / PHASES
        matrix = skia.Matrix.Translate(shift, 0)
        bounds = self.bounds(glyph, matrix, around=not layer).roundOut()
        pixels = np.zeros((max(1, bounds.height()), max(1, bounds.width())), np.uint8)
        info = skia.ImageInfo.MakeA8(pixels.shape[1], pixels.shape[0])
        canvas = skia.Surface.MakeRasterDirect(info, pixels, pixels.strides[0]).getCanvas()
        canvas.translate(shift - bounds.left(), -bounds.top())
        self.draw(canvas, glyph, around=not layer)
        return kept.Coverage(pixels, bounds.left(), bounds.top())

    def bounds(self, glyph: int, matrix: skia.Matrix, *, around: bool) -> skia.Rect:
        """Return the box around a glyph's ink, in pixels from its origin, moved by a matrix."""
        if self.is_coloured(glyph):
            image, left, top = self._colour_sprite(glyph)
            box = skia.Rect.MakeXYWH(left, top, image.width(), image.height())
            reach = self._outline * self._size if around else 0.0
            return matrix.mapRect(box.makeOutset(reach, reach))
        scale = self._size / self._face.upem
        outline = self._cache.outline(self._face, self._outline if around else 0.0, glyph)
        matrix = skia.Matrix.Concat(matrix, skia.Matrix.Scale(scale, scale))
        if matrix.rectStaysRect():
            return matrix.mapRect(outline.bounds)
        path = skia.Path(outline.path)
        path.transform(matrix)
        return path.computeTightBounds()

    def draw(self, canvas: skia.Canvas, glyph: int, *, around: bool) -> None:
        """Draw a glyph, or it with the outline around it in one colour, at a canvas's origin."""
        paint = self._brushes[not around]
        if not self.is_coloured(glyph):
            outline = self._cache.outline(self._face, self._outline if around else 0.0, glyph)
            scale = self._size / self._face.upem
            canvas.scale(scale, scale)
            canvas.drawPath(outline.path, paint)
        elif around:
            width = self._outline * self._size
            trace(canvas, self._colour_sprite(glyph), width, paint.getColor())
        else:
            image, left, top = self._colour_sprite(glyph)
            canvas.drawImage(image, left, top, SMOOTH)

    def is_coloured(self, glyph: int) -> bool:
        """Return whether a glyph has its own colours."""
        return self._face.colour and has_colour(self._face, glyph)

    def _colour_sprite(self, glyph: int) -> Sprite:
        sprite = self._colour_sprites.get(glyph)
        if sprite is None:
            sprite = self._colour_sprites[glyph] = colour_sprite(self._face, glyph, self._size)
        return sprite


def _size(image: skia.Image) -> int:
    """Return the bytes of an image, with what is needed around it."""
    return int(image.imageInfo().computeMinByteSize()) + 300


class GlyphCache:
    """All strikes of a process; the one used longest ago goes first when BUDGET is passed."""

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._bytes = 0
        self._strikes: OrderedDict[tuple[str, float, float, Ink], Strike] = OrderedDict()
        self._outlines: dict[tuple[str, float, int], Outline] = {}

    def outline(self, face: Face, width: float, glyph: int) -> Outline:
        """Return the path of a glyph with an outline `width` ems wide around it; 0 for none."""
        key = (face.key, width, glyph)
        outline = self._outlines.get(key)
        if outline is None:
            path = skia.Path()
            if width:
                stroke = skia.Paint(
                    Style=skia.Paint.kStrokeAndFill_Style,
                    StrokeWidth=2 * width * face.upem,
                    StrokeJoin=skia.Paint.kRound_Join,
                )
                letter = self.outline(face, 0.0, glyph).path
                stroke.getFillPath(letter, path, None, _STROKE_PRECISION)
            else:
                face.font.draw_glyph_with_pen(glyph, _Pen(path))
                path.setFillType(skia.PathFillType.kWinding)
            outline = self._outlines[key] = Outline(path, path.computeTightBounds())
        return outline

    def strike(self, face: Face, size: float, outline: float, ink: Ink) -> Strike:
        """Return the glyphs of a face at a size in pixels, with an outline in ems."""
        key = (face.key, size, outline, ink)
        strike = self._strikes.get(key)
        if strike is None:
            strike = self._strikes[key] = Strike(self, face, size, outline, ink)
        else:
            self._strikes.move_to_end(key)
        return strike

    def keep(self) -> None:
        """Keep what was drawn for the next run."""
        for strike in self._strikes.values():
            strike.keep()

    def added(self, strike: Strike, size: int) -> None:
        """Note `size` more bytes in a strike, and let old strikes go."""
        strike.bytes += size
        self._bytes += size
        while self._bytes > self._budget and len(self._strikes) > 1:
            _, oldest = self._strikes.popitem(last=False)
            oldest.keep()
            self._bytes -= oldest.bytes
            oldest.bytes = 0
