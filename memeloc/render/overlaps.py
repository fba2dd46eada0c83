"""Parts that lie on each other. In: the ink of each part's lines, turned. Out: which parts touch.

Two turned boxes are apart when there is a line between them that is along a side of either (the
separating axis theorem).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memeloc.render.proof import Box, overlap

SLACK = 1.5
"""Pixels at each side of a box of ink that may lie on another: such boxes are whole pixels, with
what anti-aliasing may add."""

Point = tuple[float, float]


class PartInk(NamedTuple):
    """Where the ink of a part is.

    Attributes:
        frame: the upright box around all of it as it is in the picture; None without ink.
        lines: a box for each line, in pixels before they are turned.
        angle: clockwise, in degrees.
        centre: the point that they are turned around.
    """

    frame: Box | None
    lines: Sequence[Box]
    angle: float
    centre: Point


def overlapping(parts: Sequence[PartInk]) -> list[list[int]]:
    """For each part the numbers of those before it whose ink its own lies on."""
    return [
        [number for number, before in enumerate(parts[:index]) if _overlap(before, part)]
        for index, part in enumerate(parts)
    ]


def _overlap(one: PartInk, other: PartInk) -> bool:
    if one.frame is None or other.frame is None or not overlap(one.frame, other.frame):
        return False
    shapes = list(_corners(other))
    return any(_touch(shape, another) for shape in _corners(one) for another in shapes)


def _corners(part: PartInk) -> Iterator[list[Point]]:
    """The corners of each line's ink in the picture, in their order around it."""
    turn = math.radians(part.angle)
    cosine, sine = math.cos(turn), math.sin(turn)
    x, y = part.centre
    for left, top, right, bottom in part.lines:
        low, high = left + SLACK, right - SLACK
        above, below = top + SLACK, bottom - SLACK
        if low < high and above < below:
            yield [
                (x + (a - x) * cosine - (b - y) * sine, y + (a - x) * sine + (b - y) * cosine)
                for a, b in ((low, above), (high, above), (high, below), (low, below))
            ]


def _touch(one: list[Point], other: list[Point]) -> bool:
    return not any(
        _apart(one, other, start, end)
        for shape in (one, other)
        for start, end in ((shape[0], shape[1]), (shape[1], shape[2]))
    )


def _apart(one: list[Point], other: list[Point], start: Point, end: Point) -> bool:
    """Whether two boxes are apart along the direction from one point to another."""
    across, down = end[0] - start[0], end[1] - start[1]
    ours = [x * across + y * down for x, y in one]
    theirs = [x * across + y * down for x, y in other]
    return max(ours) <= min(theirs) or max(theirs) <= min(ours)
