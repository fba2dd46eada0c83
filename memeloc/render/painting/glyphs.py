"""Coverage masks of glyphs, made once and kept. In: a face, a size, a glyph. Out: 8-bit masks.

HarfBuzz gives the outlines (at the same variation as it shaped with), Skia strokes and rasterises
them. A glyph's mask has two planes: the letter with its outline, and the letter alone; the first is
nowhere less than the second. Skia's own glyph cache holds two megabytes, which a set in Chinese
overruns within a few captions; this one is bounded by `BUDGET`. Of a colour glyph the mask has the
outline only; its picture (`colour`) is kept beside it.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memeloc.errors import MissingError
from memeloc.fonts import Face
from memeloc.render.painting import colour
from memeloc.render.typesetting.shape import inks

try:
    import skia
except ImportError as error:  # pragma: no cover - depends on the machine
    raise MissingError(
        f"Skia cannot be loaded ({error}). On Debian and Ubuntu: apt install libegl1 libgl1; "
        "on Fedora: dnf install mesa-libEGL mesa-libGL"
    ) from error

BUDGET = 56 * 1024 * 1024
"""Bytes of masks kept in one process."""

PHASES = 2
"""Horizontal positions within a pixel that a glyph is rasterised at, below WHOLE_PIXELS."""

WHOLE_PIXELS = 48.0
"""Font size in pixels from which glyphs stand on whole pixels."""

_STROKE_PRECISION = 0.06


class Mask(NamedTuple):
    """A glyph's coverage.

    Attributes:
        planes: uint8, shape (height, planes * width): with an outline two bytes a pixel, the
            letter with its outline and the letter alone; without one, one byte, the letter.
        left, top: of the mask from the glyph's origin, in pixels, y down.
        height: in pixels.
        width: in bytes.
    """

    planes: NDArray[np.uint8]
    left: int
    top: int
    height: int
    width: int


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

    def endPath(self) -> None:  # noqa: N802
        self._path.close()


class Outlines:
    """The paths of one face's glyphs, in the font's units, y down.

    Args:
        face: the face.
        outline: width of the outline outside the letter, in ems; 0 for none.
    """

    def __init__(self, face: Face, outline: float) -> None:
        self._face = face
        self._stroke = skia.Paint(
            Style=skia.Paint.kStrokeAndFill_Style,
            StrokeWidth=2 * outline * face.upem,
            StrokeJoin=skia.Paint.kRound_Join,
        )
        self._paths: dict[int, tuple[list[skia.Path], skia.Rect]] = {}
        self._outline = outline

    def paths(self, glyph: int) -> tuple[list[skia.Path], skia.Rect]:
        """The letter with its outline, if it has one, and the letter; and the box around both."""
        paths = self._paths.get(glyph)
        if paths is None:
            letter = skia.Path()
            self._face.font.draw_glyph_with_pen(glyph, _Pen(letter))
            letter.setFillType(skia.PathFillType.kWinding)
            layers = [letter]
            if self._outline:
                around = skia.Path()
                self._stroke.getFillPath(letter, around, None, _STROKE_PRECISION)
                layers = [around, letter]
            paths = self._paths[glyph] = (layers, layers[0].computeTightBounds())
        return paths


_PAINT = skia.Paint(AntiAlias=True)


def rasterise(path: skia.Path, matrix: skia.Matrix, into: NDArray[np.uint8]) -> None:
    """Add a path's coverage, transformed by `matrix`, to a mask of shape (height, width)."""
    height, width = into.shape
    info = skia.ImageInfo.MakeA8(width, height)
    canvas = skia.Surface.MakeRasterDirect(info, into, width).getCanvas()
    canvas.setMatrix(matrix)
    canvas.drawPath(path, _PAINT)


class Strike:
    """The masks of one face at one size and outline; looked up by `glyph * PHASES + phase`."""

    def __init__(self, cache: GlyphCache, face: Face, size: float, outline: float) -> None:
        self._cache = cache
        self._outlines = cache.outlines(face, outline)
        self._scale = size / face.upem
        self._face, self._size, self._outline = face, size, outline * size
        self.masks: dict[int, Mask] = {}
        self._pictures: dict[int, colour.Picture] = {}
        self.bytes = 0

    def make(self, key: int) -> Mask:
        """Rasterise the glyph and phase of `key`, and keep the mask."""
        glyph, phase = divmod(key, PHASES)
        if self._face.colour and colour.has_colour(self._face, glyph):
            return self._around(key, glyph)
        paths, bounds = self._outlines.paths(glyph)
        scale = self._scale
        shift = phase / PHASES
        left = math.floor(bounds.left() * scale + shift)
        top = math.floor(bounds.top() * scale)
        width = max(math.ceil(bounds.right() * scale + shift) - left, 1)
        height = max(math.ceil(bounds.bottom() * scale) - top, 1)
        planes = np.zeros((len(paths), height, width), np.uint8)
        matrix = skia.Matrix()
        matrix.setScale(scale, scale)
        matrix.postTranslate(shift - left, -top)
        for path, plane in zip(paths, planes, strict=True):
            rasterise(path, matrix, plane)
        together = planes[0]
        if len(paths) == 2:
            pairs = np.empty((height, width, 2), np.uint8)
            np.maximum(planes[0], planes[1], out=pairs[..., 0])
            pairs[..., 1] = planes[1]
            together = pairs.reshape(height, -1)
        mask = self.masks[key] = Mask(together, left, top, height, together.shape[1])
        self._cache.added(self, planes.nbytes + 200)
        return mask

    def picture(self, glyph: int) -> colour.Picture:
        """A colour glyph in its colours."""
        drawn = self._pictures.get(glyph)
        if drawn is None:
            drawn = self._pictures[glyph] = colour.picture(self._face, glyph, self._size)
            self._cache.added(self, drawn.image.width() * drawn.image.height() * 4 + 200)
        return drawn

    def draw(self, glyph: int, matrix: skia.Matrix, canvases: list[skia.Canvas]) -> None:
        """Draw a glyph's coverage on Alpha-8 canvases, in no mask: the letter with its outline on
        the first, and the letter alone on the second where there are two.

        Args:
            glyph: its number.
            matrix: from pixels around the glyph's origin to those of the canvases.
            canvases: one or two; their matrix is set.
        """
        if self._face.colour and colour.has_colour(self._face, glyph):
            canvases[0].setMatrix(matrix)
            colour.trace(canvases[0], self.picture(glyph), self._outline)
            return
        scaled = skia.Matrix.Concat(matrix, skia.Matrix.Scale(self._scale, self._scale))
        paths, _ = self._outlines.paths(glyph)
        for canvas, path in zip(canvases, paths, strict=True):
            canvas.setMatrix(scaled)
            canvas.drawPath(path, _PAINT)

    def _ink(self, glyph: int) -> tuple[int, int, int, int]:
        """The box that a glyph's ink and outline have in the layout, in pixels, y down."""
        left, bottom, right, top = inks(self._face)[glyph]
        size, around = self._size, self._outline
        return (
            math.floor(left * size - around),
            math.floor(-top * size - around),
            math.ceil(right * size + around),
            math.ceil(-bottom * size + around),
        )

    def _around(self, key: int, glyph: int) -> Mask:
        """The mask of a colour glyph: its outline, and no letter; nothing without an outline."""
        if not self._outline:
            mask = Mask(np.zeros((1, 1), np.uint8), 0, 0, 1, 1)
        else:
            cover, left, top = colour.outline(self.picture(glyph), self._outline, self._ink(glyph))
            pairs = np.zeros((*cover.shape, 2), np.uint8)
            pairs[..., 0] = cover
            together = pairs.reshape(len(cover), -1)
            mask = Mask(together, left, top, len(cover), together.shape[1])
        self.masks[key] = mask
        self._cache.added(self, mask.planes.nbytes + 200)
        return mask


class GlyphCache:
    """All strikes of a process; the one used longest ago goes first when BUDGET is passed."""

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._bytes = 0
        self._strikes: OrderedDict[tuple[str, float, float], Strike] = OrderedDict()
        self._outlines: dict[tuple[str, float], Outlines] = {}

    def outlines(self, face: Face, outline: float) -> Outlines:
        """The glyph paths of a face, stroked with an outline of the given width in ems."""
        outlines = self._outlines.get((face.key, outline))
        if outlines is None:
            outlines = self._outlines[face.key, outline] = Outlines(face, outline)
        return outlines

    def strike(self, face: Face, size: float, outline: float) -> Strike:
        """The masks of a face at a size in pixels, with an outline in ems."""
        key = (face.key, size, outline)
        strike = self._strikes.get(key)
        if strike is None:
            strike = self._strikes[key] = Strike(self, face, size, outline)
        else:
            self._strikes.move_to_end(key)
        return strike

    def added(self, strike: Strike, size: int) -> None:
        """Note `size` more bytes in a strike, and let old strikes go."""
        strike.bytes += size
        self._bytes += size
        while self._bytes > self._budget and len(self._strikes) > 1:
            _, oldest = self._strikes.popitem(last=False)
            self._bytes -= oldest.bytes
            oldest.bytes = 0
