"""Painting one part. In: a layout, its box in pixels, colours. Out: changed pixels, ink boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import skia

from memeloc.model import Align, VAlign
from memeloc.render.background import Canvas
from memeloc.render.painting.glyphs import PHASES, WHOLE_PIXELS, GlyphCache, Strike
from memeloc.render.painting.pixels import Ink, canvas_on
from memeloc.render.proof import Box
from memeloc.render.typesetting.layout import PartLayout
from memeloc.render.typesetting.lines import Line, anchor, ink_extent, side

_AS_IT_IS = skia.SamplingOptions()
_Image = tuple[skia.Image, int, int]
_Turned = tuple[Strike, int, skia.Matrix]

_OUTLINES, _LETTERS, _COLOURED = range(3)
"""What is painted, in this order: letters with the outlines around them, in the outlines' colour;
letters; glyphs that bring their own colours."""


@dataclass(frozen=True, slots=True)
class Area:
    """Where a part goes, in pixels before rotation.

    Attributes:
        left, top, right, bottom: whole pixels.
        angle: clockwise around the centre, in degrees.
        align, valign: of the lines within.
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
    def centre(self) -> tuple[float, float]:
        """The point that it is turned around."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


class Placed(NamedTuple):
    """A line's place: its start and baseline in pixels (before rotation), and its ink."""

    line: Line
    x: float
    y: int
    ink: Box


class Painted(NamedTuple):
    """What painting a part did.

    Attributes:
        ink: the box around all its ink, or None when there is none.
        lines: the box of each line's ink; of a turned part the one around all of it.
        clipped: whether ink fell outside the picture.
        placed: where each line with ink stands.
    """

    ink: Box | None
    lines: list[Box]
    clipped: bool
    placed: Sequence[Placed] = ()

    @property
    def upright(self) -> list[Box]:
        """The box of each line's ink before the part is turned."""
        return [item.ink for item in self.placed]


def place(layout: PartLayout, area: Area) -> list[Placed]:
    """Where each line of a part stands within its area."""
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
        placed.append(
            Placed(
                line,
                x,
                y,
                (
                    math.floor(x + line.left * size - outline - 0.5),
                    math.floor(y - line.top * size - outline - 0.5),
                    math.ceil(x + line.right * size + outline + 0.5),
                    math.ceil(y - line.bottom * size + outline + 0.5),
                ),
            )
        )
    return placed


class Painter:
    """Paints parts; keeps glyphs between them."""

    def __init__(self) -> None:
        self.glyphs = GlyphCache()

    def paint(self, canvas: Canvas, layout: PartLayout, area: Area, ink: Ink) -> Painted:
        """Paint one part.

        Args:
            canvas: of its picture.
            layout: the part; one without lines paints nothing.
            area: where it goes.
            ink: its colours.
        """
        placed = place(layout, area)
        if not placed:
            return Painted(None, [], clipped=False)
        height, width = canvas.background.pixels.shape
        if area.angle % 360:
            turned, box = self._turned(placed, layout.size, area, ink)
            draw, lines = partial(_draw_turned, turned), [box]
            clipped = box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height
        else:
            sprites = self._sprites(placed, layout.size, area.margin, ink)
            draw, lines = partial(_draw, sprites), [item.ink for item in placed]
            left, tops, right, bottoms = zip(*lines, strict=True)
            box = min(left), min(tops), max(right), max(bottoms)
            is_at_edge = box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height
            clipped = is_at_edge and any(
                x < 0 or y < 0 or x + image.width() > width or y + image.height() > height
                for layer in sprites
                for image, x, y in layer
            )
        top, bottom = max(box[1] - 1, 0), min(box[3] + 1, height)
        if top < bottom:
            target = canvas_on(canvas.rows(top, bottom), 0, top)
            for layer in (_OUTLINES, _LETTERS, _COLOURED):
                draw(target, layer)
        return Painted(box, lines, clipped, placed)

    def _sprites(
        self, placed: list[Placed], size: float, margin: float, ink: Ink
    ) -> Sequence[list[_Image]]:
        """Return for each layer the images, and the left and top of each in the picture."""
        layers: list[list[_Image]] = [[], [], []]
        outlines, letters, coloured = layers
        phases = PHASES if size < WHOLE_PIXELS else 1
        floor = math.floor
        for line, x, y, _ in placed:
            for run in line.runs:
                strike = self.glyphs.strike(run.face, size, margin, ink)
                kept = strike.sprites
                for gid, at, up in run.glyphs:
                    whole, fine = divmod(floor((x + at * size) * phases + 0.5), phases)
                    key = gid * PHASES + fine
                    outline, glyph, is_coloured = kept.get(key) or strike.make(key)
                    down = y - floor(up * size + 0.5)
                    if outline:
                        image, left, top = outline
                        outlines.append((image, whole + left, down + top))
                    image, left, top = glyph
                    layer = coloured if is_coloured else letters
                    layer.append((image, whole + left, down + top))
        return layers

    def _turned(
        self, placed: list[Placed], size: float, area: Area, ink: Ink
    ) -> tuple[Sequence[list[_Turned]], Box]:
        """Return the glyphs of each layer, where they stand, and the box around their ink.

        They are drawn as paths: a sprite serves one angle only, and tilted parts are few.
        """
        layers: list[list[_Turned]] = [[], [], []]
        outlines, letters, coloured = layers
        bounds = skia.Rect()
        for line, x, y, _ in placed:
            for run in line.runs:
                strike = self.glyphs.strike(run.face, size, area.margin, ink)
                for gid, at, up in run.glyphs:
                    matrix = skia.Matrix()
                    matrix.setRotate(area.angle, *area.centre)
                    matrix.preTranslate(x + at * size, y - up * size)
                    bounds.join(strike.bounds(gid, matrix, around=bool(area.margin)))
                    if area.margin:
                        outlines.append((strike, gid, matrix))
                    layer = coloured if strike.is_coloured(gid) else letters
                    layer.append((strike, gid, matrix))
        edge = bounds.roundOut()
        return layers, (edge.left(), edge.top(), edge.right(), edge.bottom())


def _draw(layers: Sequence[list[_Image]], canvas: skia.Canvas, layer: int) -> None:
    draw = canvas.drawImage
    for image, x, y in layers[layer]:
        draw(image, x, y, _AS_IT_IS)


def _draw_turned(layers: Sequence[list[_Turned]], canvas: skia.Canvas, layer: int) -> None:
    for strike, gid, matrix in layers[layer]:
        canvas.save()
        canvas.concat(matrix)
        strike.draw(canvas, gid, around=layer == _OUTLINES)
        canvas.restore()
