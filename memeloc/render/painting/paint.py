"""Painting one part. In: a layout, its box in pixels, colours. Out: changed pixels, ink boxes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import skia

from memeloc.model import Align, VAlign
from memeloc.render.background import Canvas
from memeloc.render.painting.glyphs import PHASES, WHOLE_PIXELS, GlyphCache, Strike, has_colour
from memeloc.render.painting.pixels import Ink, canvas_on
from memeloc.render.proof import Box
from memeloc.render.typesetting.layout import PartLayout
from memeloc.render.typesetting.lines import Line, anchor, ink_extent, side

_AS_IT_IS = skia.SamplingOptions()
_Image = tuple[skia.Image, int, int]
_Turned = tuple[Strike, int, skia.Matrix]

_LAYERS = range(3)
"""Letters with the outlines around them, in their colour; letters; glyphs of their own colours."""


@dataclass(frozen=True, slots=True)
class Area:
    """The place of a part, in pixels before rotation.

    Attributes:
        angle: clockwise around the centre, in degrees.
        margin: outline outside the letters, in ems.
    """

    left: int
    top: int
    right: int
    bottom: int
    angle: float
    align: Align
    valign: VAlign
    margin: float

    @property
    def is_upright(self) -> bool:
        """Return whether it is not turned at all."""
        return not self.angle % 360

    def turn(self, x: float = 0.0, y: float = 0.0) -> skia.Matrix:
        """Return the matrix that moves by x, y, and then turns around the area's centre."""
        centre = (self.left + self.right) / 2, (self.top + self.bottom) / 2
        return skia.Matrix().setRotate(self.angle, *centre).preTranslate(x, y)


class Placed(NamedTuple):
    """A line's place: its start and baseline in pixels (before rotation), and its ink."""

    line: Line
    x: float
    y: int
    ink: Box


class Painted(NamedTuple):
    """The outcome of painting a part.

    Attributes:
        ink: the box around all its ink, or None when there is none.
        lines: the box of each line's ink; of a turned part the one around all of it.
        clipped: whether ink fell outside the picture.
    """

    area: Area
    ink: Box | None = None
    lines: Sequence[Box] = ()
    clipped: bool = False
    placed: Sequence[Placed] = ()


def ink_box(x: float, y: int, extent: Sequence[float], size: float, margin: float) -> Box:
    """Return the box around ink at x, y with an outline, in pixels.

    `extent` is left, bottom, right, top of the ink, in ems, y up; `margin` the outline in ems.
    """
    left, bottom, right, top = extent
    around = margin * size + 0.5
    return (
        math.floor(x + left * size - around),
        math.floor(y - top * size - around),
        math.ceil(x + right * size + around),
        math.ceil(y - bottom * size + around),
    )


def place(layout: PartLayout, area: Area) -> list[Placed]:
    """Return where each line of a part with ink stands within its area."""
    size, lines = layout.size, layout.lines
    outline = area.margin * size
    if not lines:
        return []
    above, below = ink_extent(lines, layout.baselines)
    if area.valign == "top":
        ink_top = area.top + 1 + outline
    elif area.valign == "bottom":
        ink_top = area.bottom - 1 - outline - (above + below) * size
    else:
        ink_top = (area.top + area.bottom - (above + below) * size) / 2
    first = ink_top + above * size
    placed = []
    for line, baseline in zip(lines, layout.baselines, strict=True):
        if not line.runs:
            continue
        where = side(line, area.align)
        if where == "left":
            x = area.left + 1 + outline
        elif where == "right":
            x = area.right - 1 - outline
        else:
            x = (area.left + area.right) / 2
        x -= anchor(line, area.align) * size
        y = round(first + baseline * size)
        extent = (line.left, line.bottom, line.right, line.top)
        placed.append(Placed(line, x, y, ink_box(x, y, extent, size, area.margin)))
    return placed


class Painter:
    """Painter of parts; it keeps glyphs between them."""

    def __init__(self) -> None:
        self.glyphs = GlyphCache()

    def paint(self, canvas: Canvas, layout: PartLayout, area: Area, ink: Ink) -> Painted:
        """Paint one part; one without lines paints nothing."""
        placed = place(layout, area)
        if not placed:
            return Painted(area)
        height, width = canvas.background.pixels.shape
        glyphs = self._glyphs(placed, layout.size, area.margin, ink)
        lines = [item.ink for item in placed]
        if area.is_upright:
            sprites = _sprites(glyphs, layout.size)
            draw = partial(_draw, sprites)
            left, tops, right, bottoms = zip(*lines, strict=True)
            box = min(left), min(tops), max(right), max(bottoms)
        else:
            turned, box = _turn(glyphs, area)
            draw, lines = partial(_draw_turned, turned), [box]
        clipped = box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height
        if clipped and area.is_upright:  # the box has room around the ink
            clipped = any(
                x < 0 or y < 0 or x + image.width() > width or y + image.height() > height
                for layer in sprites
                for image, x, y in layer
            )
        top, bottom = max(box[1] - 1, 0), min(box[3] + 1, height)
        if top < bottom:
            target = canvas_on(canvas.rows(top, bottom), 0, top)
            for layer in _LAYERS:
                draw(target, layer)
        return Painted(area, box, lines, clipped, placed)

    def _glyphs(
        self, placed: list[Placed], size: float, margin: float, ink: Ink
    ) -> Iterator[tuple[Strike, int, float, float]]:
        for line, x, y, _ in placed:
            for run in line.runs:
                strike = self.glyphs.strike(run.face, size, margin, ink)
                for glyph, at, up in run.glyphs:
                    yield strike, glyph, x + at * size, y - up * size


def _sprites(glyphs: Iterable[tuple[Strike, int, float, float]], size: float) -> list[list[_Image]]:
    outlines: list[_Image] = []
    letters: list[_Image] = []
    coloured: list[_Image] = []
    phases = PHASES if size < WHOLE_PIXELS else 1
    floor = math.floor
    for strike, glyph, x, y in glyphs:
        whole, fine = divmod(floor(x * phases + 0.5), phases)
        key = glyph * PHASES + fine
        outline, letter, is_coloured = strike.sprites.get(key) or strike.make(key)
        down = -floor(0.5 - y)
        if outline:
            image, left, top = outline
            outlines.append((image, whole + left, down + top))
        image, left, top = letter
        layer = coloured if is_coloured else letters
        layer.append((image, whole + left, down + top))
    return [outlines, letters, coloured]


def _turn(
    glyphs: Iterable[tuple[Strike, int, float, float]], area: Area
) -> tuple[list[list[_Turned]], Box]:
    """Return the glyphs of each layer, where they stand, and the box around their ink.

    They are drawn as paths: a sprite serves one angle only, and tilted parts are few.
    """
    outlines: list[_Turned] = []
    letters: list[_Turned] = []
    coloured: list[_Turned] = []
    bounds = skia.Rect()
    for strike, glyph, x, y in glyphs:
        matrix = area.turn(x, y)
        bounds.join(strike.bounds(glyph, matrix, around=bool(area.margin)))
        if area.margin:
            outlines.append((strike, glyph, matrix))
        layer = coloured if has_colour(strike.face, glyph) else letters
        layer.append((strike, glyph, matrix))
    edge = bounds.roundOut()
    return [outlines, letters, coloured], (edge.left(), edge.top(), edge.right(), edge.bottom())


def _draw(layers: Sequence[list[_Image]], canvas: skia.Canvas, layer: int) -> None:
    draw = canvas.drawImage
    for image, x, y in layers[layer]:
        draw(image, x, y, _AS_IT_IS)


def _draw_turned(layers: Sequence[list[_Turned]], canvas: skia.Canvas, layer: int) -> None:
    for strike, gid, matrix in layers[layer]:
        canvas.save()
        canvas.concat(matrix)
        strike.draw(canvas, gid, around=layer == _LAYERS[0])
        canvas.restore()
