"""Painting one part. In: a layout, its box in pixels, colours. Out: changed pixels, ink boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import skia
from numpy.typing import NDArray

from memeloc.model import Align, VAlign
from memeloc.render.background import Canvas
from memeloc.render.painting import colour
from memeloc.render.painting.compose import Compositor, Ink
from memeloc.render.painting.glyphs import PHASES, WHOLE_PIXELS, GlyphCache
from memeloc.render.proof import Box
from memeloc.render.typesetting.layout import PartLayout
from memeloc.render.typesetting.lines import Line, PlacedRun
from memeloc.render.typesetting.stacking import anchor, ink_extent, side

Plane = NDArray[np.uint8]

_WHOLE_ROWS = 0.75
"""Share of the picture's width from which its whole rows are blended: numpy goes over one piece of
memory in half the time that as many pixels in rows apart take."""


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
    y: float
    ink: Box


class Painted(NamedTuple):
    """What painting a part did.

    Attributes:
        ink: the box around all its ink, or None when there is none.
        lines: the box of each line's ink; of a turned part the one around all of it.
        clipped: whether ink fell outside the picture.
        placed: where each line with ink stands.
        masks: coverage of letters and outline together, and of the letters (or of these alone), as
            (height, width, planes); good until the next part is painted.
        corner: the pixel of the picture where they begin, x and y.
    """

    ink: Box | None
    lines: list[Box]
    clipped: bool
    placed: Sequence[Placed] = ()
    masks: NDArray[np.uint8] = np.empty((0, 0, 1), np.uint8)
    corner: tuple[int, int] = (0, 0)

    @property
    def upright(self) -> list[Box]:
        """The box of each line's ink before the part is turned."""
        return [item.ink for item in self.placed]


def place(layout: PartLayout, area: Area) -> list[Placed]:
    """Where each line of a part stands within its area."""
    size, lines = layout.size, layout.lines
    outline = area.margin * size
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
    """Paints parts; keeps glyph masks and buffers between them."""

    def __init__(self) -> None:
        self._glyphs = GlyphCache()
        self._compositor = Compositor()

    def paint(self, canvas: Canvas, layout: PartLayout, area: Area, ink: Ink) -> Painted:
        """Paint one part.

        Args:
            canvas: of its picture.
            layout: the part; one without lines paints nothing.
            area: where it goes.
            ink: its colours.
        """
        if not layout.lines:
            return Painted(None, [], clipped=False)
        placed = place(layout, area)
        if not placed:
            return Painted(None, [], clipped=False)
        paint = self._paint_turned if area.angle % 360 else self._paint_level
        painted = paint(canvas, layout, area, ink, placed)
        if any(run.face.colour for line in layout.lines for run in line.runs):
            self._lay_pictures(canvas, layout.size, area, placed, painted.ink)
        return painted

    def _lay_pictures(
        self, canvas: Canvas, size: float, area: Area, placed: list[Placed], ink: Box | None
    ) -> None:
        """Lay the pictures of colour glyphs over the blended outlines and letters."""
        if ink is None:
            return
        top, bottom = max(ink[1] - 1, 0), min(ink[3] + 1, canvas.background.height)
        if top >= bottom:
            return
        layer = colour.Layer(canvas.rows(top, bottom), top)
        level = not area.angle % 360
        if not level:
            layer.turn(area.angle, *area.centre)
        for line, x, y, _ in placed:
            for run in line.runs:
                strike = self._glyphs.strike(run.face, size, area.margin)
                for gid, at, up in _coloured(run):
                    right, down = x + at * size, y - up * size
                    if level:  # as the masks of their outlines
                        phases = _phases(size)
                        right = math.floor(right * phases + 0.5) // phases
                        down = y - math.floor(up * size + 0.5)
                    layer.add(strike.picture(gid), right, down)

    def _paint_level(
        self, canvas: Canvas, layout: PartLayout, area: Area, ink: Ink, placed: list[Placed]
    ) -> Painted:
        left = min(item.ink[0] for item in placed) - 1
        top = min(item.ink[1] for item in placed) - 1
        right = max(item.ink[2] for item in placed) + 1
        bottom = max(item.ink[3] for item in placed) + 1
        box = (left + 1, top + 1, right - 1, bottom - 1)
        height, width = canvas.background.pixels.shape
        if left >= 0 and right <= width and right - left > _WHOLE_ROWS * width:
            left, right = 0, width
        count = 2 if area.margin else 1
        planes = self._compositor.planes(count, bottom - top, right - left)
        rows = planes.reshape(bottom - top, -1)
        for item in placed:
            high, low = item.ink[1] - 1 - top, item.ink[3] + 1 - top
            self._set_line(rows[high:low], item, (left, top + high), layout.size, area.margin)
        inside = (max(left, 0), max(top, 0), min(right, width), min(bottom, height))
        clipped = bool(inside != (left, top, right, bottom)) and _ink_outside(
            planes[..., 0], (left, top), inside
        )
        self._blend(canvas, planes, (left, top), inside, ink)
        lines = [item.ink for item in placed]
        return Painted(box, lines, clipped, placed, planes, (left, top))

    def _blend(
        self,
        canvas: Canvas,
        planes: NDArray[np.uint8],
        corner: tuple[int, int],
        inside: Box,
        ink: Ink,
    ) -> None:
        """Blend masks that begin at `corner`, as far as they are inside the picture."""
        (x, y), (left, top, right, bottom) = corner, inside
        if left < right and top < bottom:
            pixels = canvas.rows(top, bottom)[:, left:right]
            self._compositor.blend(pixels, planes[top - y : bottom - y, left - x : right - x], ink)

    def _set_line(
        self, rows: Plane, item: Placed, corner: tuple[int, int], size: float, margin: float
    ) -> None:
        """Join a line's masks into its rows, each byte the greatest of those that cover it.

        Copying a mask is five times as fast as comparing it, so neighbours, whose outlines overlap,
        are copied onto three sheets by turns, the third for marks over letters, and the sheets are
        compared as wholes. Only what overlaps on all three is compared for itself.
        """
        count = 2 if margin else 1
        phases, floor = _phases(size), math.floor
        first, second, third = self._compositor.sheets(*rows.shape)
        first_end = second_end = third_end = 0
        left, top = corner
        line, x, y, _ = item
        for run in line.runs:
            strike = self._glyphs.strike(run.face, size, margin)
            masks = strike.masks
            for gid, at, up in run.glyphs:
                fine = floor((x + at * size) * phases + 0.5)
                whole = fine // phases
                key = gid * PHASES + fine % phases
                mask = masks.get(key)
                if mask is None:
                    mask = strike.make(key)
                source, off_x, off_y, high, wide = mask
                across = (whole + off_x - left) * count
                down = y - floor(up * size + 0.5) + off_y - top
                end = across + wide
                if across >= first_end:
                    first[down : down + high, across:end] = source
                    first_end = end
                elif across >= second_end:
                    second[down : down + high, across:end] = source
                    second_end = end
                elif across >= third_end:
                    third[down : down + high, across:end] = source
                    third_end = end
                else:
                    target = first[down : down + high, across:end]
                    np.maximum(target, source, out=target)
                    first_end = max(first_end, end)
        np.maximum(rows, first, out=rows)
        np.maximum(rows, second, out=rows)
        if third_end:
            np.maximum(rows, third, out=rows)

    def _paint_turned(
        self, canvas: Canvas, layout: PartLayout, area: Area, ink: Ink, placed: list[Placed]
    ) -> Painted:
        """Paint by paths: a mask serves one angle only, and tilted parts are few."""
        centre = area.centre
        turn = skia.Matrix()
        turn.setRotate(area.angle, *centre)
        bounds = turn.mapRect(skia.Rect.MakeLTRB(area.left, area.top, area.right, area.bottom))
        height, width = canvas.background.pixels.shape
        left, top = math.floor(bounds.left()) - 2, math.floor(bounds.top()) - 2
        right, bottom = math.ceil(bounds.right()) + 2, math.ceil(bounds.bottom()) + 2
        planes = self._compositor.planes(2 if area.margin else 1, bottom - top, right - left)
        layers = [np.zeros(planes.shape[:2], np.uint8) for _ in range(planes.shape[2])]
        brushes = [_skia_canvas(layer) for layer in layers]
        for line, x, y, _ in placed:
            for run in line.runs:
                strike = self._glyphs.strike(run.face, layout.size, area.margin)
                for gid, at, up in run.glyphs:
                    matrix = skia.Matrix()
                    matrix.setTranslate(x + at * layout.size, y - up * layout.size)
                    matrix.postRotate(area.angle, *centre)
                    matrix.postTranslate(-left, -top)
                    strike.draw(gid, matrix, brushes)
        if len(layers) == 2:
            np.maximum(layers[0], layers[1], out=layers[0])
        np.stack(layers, axis=-1, out=planes)
        inside = (max(left, 0), max(top, 0), min(right, width), min(bottom, height))
        clipped = _ink_outside(planes[..., 0], (left, top), inside)
        box = _ink_of(planes[..., 0], left, top)
        self._blend(canvas, planes, (left, top), inside, ink)
        return Painted(box, [box] if box else [], clipped, placed, planes, (left, top))


def _phases(size: float) -> int:
    """How many positions within a pixel glyphs of a size have."""
    return PHASES if size < WHOLE_PIXELS else 1


def _coloured(run: PlacedRun) -> list[tuple[int, float, float]]:
    """The glyphs of a run that bring their own colours."""
    if not run.face.colour:
        return []
    return [glyph for glyph in run.glyphs if colour.has_colour(run.face, glyph[0])]


def _skia_canvas(plane: Plane) -> skia.Canvas:
    height, width = plane.shape
    info = skia.ImageInfo.Make(width, height, skia.kAlpha_8_ColorType, skia.kPremul_AlphaType)
    surface = skia.Surface.MakeRasterDirect(info, plane, plane.strides[0])
    return surface.getCanvas()


def _ink_of(plane: Plane, left: int, top: int) -> Box | None:
    rows = np.flatnonzero(plane.any(axis=1))
    columns = np.flatnonzero(plane.any(axis=0))
    if not len(rows):
        return None
    return (
        left + int(columns[0]),
        top + int(rows[0]),
        left + int(columns[-1]) + 1,
        top + int(rows[-1]) + 1,
    )


def _ink_outside(plane: Plane, corner: tuple[int, int], inside: Box) -> bool:
    box = _ink_of(plane, *corner)
    return box is not None and (
        box[0] < inside[0] or box[1] < inside[1] or box[2] > inside[2] or box[3] > inside[3]
    )
