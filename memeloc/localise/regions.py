"""Text regions. In: lines that a reader read, and where. Out: blocks of text, turned as they are.

Lines that slant alike are set level around the picture's middle, grouped there as those of any
picture (`memeloc.ocr.blocks`), and turned back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from memeloc.localise.protocol import FractionBox, RegionLine, TextRegion
from memeloc.model import Locale
from memeloc.ocr.blocks import arrange_rows, columns
from memeloc.ocr.protocol import Corners, Line

LEVEL = 3.0
"""Degrees that a line may slant and still count as level: detection errs by that much."""
_ALIKE = 6.0
"""Degrees by which the slants of two lines of one text may differ."""
_LOOSE = 0.5
"""Heights of its box that a line's letters are high below which the box says little: 0.6 to 0.8 are
usual."""
_ROOM = 0.25
"""What a tightened line has around its letters, in their height."""
_LONG = 1.5
"""A line this many times as long as high shows its slant; a shorter one takes its neighbours'."""
_EXACT = 4.0
"""Heights of a line from which on its slant is exact to `LEVEL`; shorter ones err by more."""

Points = npt.NDArray[np.float64]


def find_regions(
    lines: Sequence[Line], size: tuple[int, int], locale: Locale
) -> tuple[TextRegion, ...]:
    """Return the text regions of a picture of `size` (width, height in pixels), in reading order.

    A line without text is one that nobody could read.
    """
    regions = []
    for angle, group in _by_slant(lines):
        level = [_turned_line(line, -angle, size) for line in group]
        for column in columns(level):
            for part, rows in arrange_rows(column, locale):
                regions.append(_region(part, rows, angle, size))
    return tuple(in_order(regions, locale))


def slant(line: Line) -> float:
    """Return how far a line is turned, in degrees, clockwise; 0 where that cannot be told."""
    if not line.corners:
        return 0.0
    corners = np.asarray(line.corners)
    across = (corners[1] - corners[0] + corners[2] - corners[3]) / 2
    down = (corners[3] - corners[0] + corners[2] - corners[1]) / 2
    length, height = float(np.hypot(*across)), float(np.hypot(*down))
    if length < _LONG * height:
        return 0.0
    angle = math.degrees(math.atan2(across[1], across[0]))
    return 0.0 if abs(angle) < LEVEL * max(1.0, _EXACT * height / length) else angle


def turned(points: Points, angle: float, middle: tuple[float, float]) -> Points:
    """Return points in pixels, turned by an angle in degrees, clockwise as seen, around a middle.

    >>> turned(np.array([[2.0, 1.0]]), 90, (1.0, 1.0)).round(6).tolist()
    [[1.0, 2.0]]
    """
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    matrix = np.array([[cosine, sine], [-sine, cosine]])
    return np.asarray((points - middle) @ matrix + middle)


def corners_of(box: FractionBox, angle: float, size: tuple[int, int]) -> Points:
    """Return the corners in pixels of a box in fractions, turned around its own middle."""
    x, y, width, height = box
    points = np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]]) * size
    middle = points.mean(axis=0)
    return turned(points, angle, (middle[0], middle[1]))


def tightened(region: TextRegion, ink: Points, size: tuple[int, int]) -> TextRegion | None:
    """Return the region with its loose lines close around their letters; None where no line is
    loose.

    Args:
        region: as it was read.
        ink: the pixels of its letters in the picture, x and y each.
        size: of the picture, width and height in pixels.
    """
    middle = size[0] / 2, size[1] / 2
    quads = [
        turned(np.asarray(line.corners) * size, -region.angle, middle) for line in region.lines
    ]
    if not quads or not len(ink):
        return None
    level = turned(ink, -region.angle, middle)
    away = np.abs(level[:, 1:] - [quad[:, 1].mean() for quad in quads])
    lines = list(region.lines)
    for number, quad in enumerate(quads):
        letters = level[away.argmin(axis=1) == number]
        high = float(np.ptp(letters[:, 1])) if len(letters) else np.inf
        if high < _LOOSE * np.ptp(quad[:, 1]):
            around = _ROOM * high
            (left, top), (right, bottom) = (
                letters.min(axis=0) - around,
                letters.max(axis=0) + around,
            )
            box = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
            corners = turned(box, region.angle, middle) / size
            lines[number] = replace(lines[number], corners=_plain(corners))
    return replace(region, lines=tuple(lines)) if tuple(lines) != region.lines else None


def _by_slant(lines: Sequence[Line]) -> list[tuple[float, list[Line]]]:
    """Return lines by how far they are turned: the longest of each slant says how far."""
    groups: list[tuple[float, list[Line]]] = []
    for line in sorted(lines, key=lambda line: line.box[0] - line.box[2]):
        angle = slant(line)
        for other, group in groups:
            level = other == 0.0 or angle == 0.0
            if other == angle or (not level and abs(other - angle) < _ALIKE):
                group.append(line)
                break
        else:
            groups.append((angle, [line]))
    return groups


def _turned_line(line: Line, angle: float, size: tuple[int, int]) -> Line:
    if not angle:
        return line
    middle = size[0] / 2, size[1] / 2
    points = turned(np.asarray(line.corners), angle, middle)
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    box = float(left), float(top), float(right), float(bottom)
    return replace(line, box=box, corners=_plain(points))


def _region(part: Line, rows: Sequence[Line], angle: float, size: tuple[int, int]) -> TextRegion:
    """Return a region of lines that were set level by turning them back by `angle`."""
    width, height = size
    left, top, right, bottom = part.box
    middle = np.array([[(left + right) / 2, (top + bottom) / 2]])
    x, y = turned(middle, angle, (width / 2, height / 2))[0]
    box = (
        float((x - (right - left) / 2) / width),
        float((y - (bottom - top) / 2) / height),
        (right - left) / width,
        (bottom - top) / height,
    )
    lines = []
    for row in rows:
        left, top, right, bottom = row.box
        level = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
        corners = turned(level, angle, (width / 2, height / 2)) / size
        lines.append(RegionLine(row.text, _plain(corners), row.confidence))
    return TextRegion(box, angle, tuple(lines), part.text, part.confidence)


def _plain(points: Points) -> Corners:
    return tuple((float(x), float(y)) for x, y in points)


def in_order(regions: list[TextRegion], locale: Locale) -> list[TextRegion]:
    """From top to bottom; what overlaps in height stands in a row, in the script's direction."""
    left = sorted(regions, key=lambda region: (region.box[1], region.box[0]))
    ordered = []
    while left:
        bottom = left[0].box[1] + left[0].box[3]
        row = [region for region in left if region.box[1] + region.box[3] / 2 < bottom]
        row = row or left[:1]
        left = [region for region in left if not any(region is other for other in row)]
        row.sort(key=lambda region: region.box[0], reverse=locale.direction == "rtl")
        ordered += row
    return ordered
