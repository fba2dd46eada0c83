"""Stacking lines. In: lines with their ink, how they are aligned. Out: baselines, in ems.

The distance of two lines follows their own ink at each place: where no descender of the upper line
meets an accent of the lower one, they move together. A part stays even all the same: lines of equal
kind stand at equal distances, and no distance is much greater than the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from memeloc.model import Align
from memeloc.render.typesetting.lines import Line
from memeloc.render.typesetting.shape import inks

CLEARANCE = 0.06
"""Least distance of the letters of two lines, in ems, where they have no outline; with one, the
outlines must not touch. One pixel is added to both, for baselines stand on whole pixels."""

UNEVENNESS = 0.12
"""The most by which the greatest pitch of a part exceeds its least, in ems: lines further apart
than that no longer look like one text."""

SAME_PITCH = 0.05
"""Pitches that differ by less, in ems, become equal: one could see that they differ, not why."""


class Spacing(NamedTuple):
    """What the distance of lines depends on besides their ink.

    Attributes:
        align: of the lines, one above the other.
        margin: outline outside the letters, in ems.
        least: least distance of baselines, in ems.
    """

    align: Align
    margin: float
    least: float

    def clearance(self, size: float) -> float:
        """The least distance of the letters of two lines at `size` pixels, in ems."""
        return max(CLEARANCE, 2 * self.margin) + 1 / size


def side(line: Line, align: Align) -> Align:
    """Which side a line is aligned to: `start` and `end` follow its paragraph's direction."""
    if align == "start":
        return "right" if line.level & 1 else "left"
    if align == "end":
        return "left" if line.level & 1 else "right"
    return align


def anchor(line: Line, align: Align) -> float:
    """The place on a line that alignment puts below the other lines', in ems from its start."""
    where = side(line, align)
    if where == "left":
        return line.left
    return line.right if where == "right" else (line.left + line.right) / 2


def stack_lines(lines: Sequence[Line], spacing: Spacing, size: float) -> tuple[float, ...]:
    """The baselines of a part's lines, in ems downward from the first one's, which is 0.

    No ink of two lines touches, outlines included, when baselines are rounded to whole pixels.

    Args:
        lines: from top to bottom.
        spacing: the limits.
        size: the font size, in pixels.
    """
    if len(lines) == 1:
        return (0.0,)
    clearance = spacing.clearance(size)
    pitches = _level(
        [
            _distance(above, below, spacing.align, clearance, spacing.least)
            for above, below in pairwise(lines)
        ]
    )
    baselines = [0.0]
    for index, pitch in enumerate(pitches, 1):
        baseline = baselines[-1] + pitch
        for other in range(index - 1):
            apart = baseline - baselines[other]
            baseline += (
                _distance(lines[other], lines[index], spacing.align, clearance, apart) - apart
            )
        baselines.append(baseline)
    return tuple(baselines)


def ink_extent(lines: Sequence[Line], baselines: Sequence[float]) -> tuple[float, float]:
    """How far a part's ink reaches above its first baseline and below it, in ems."""
    placed = list(zip(lines, baselines, strict=True))
    return (
        max([line.top - at for line, at in placed]),
        max([at - line.bottom for line, at in placed]),
    )


def _level(pitches: list[float]) -> list[float]:
    """Raise pitches until they are even: see UNEVENNESS and SAME_PITCH."""
    greatest = max(pitches)
    if greatest == min(pitches):
        return pitches
    raised = [max(pitch, greatest - UNEVENNESS) for pitch in pitches]
    level = greatest
    for index in sorted(range(len(raised)), key=raised.__getitem__, reverse=True):
        if level - raised[index] < SAME_PITCH:
            raised[index] = level
        else:
            level = raised[index]
    return raised


def _distance(above: Line, below: Line, align: Align, clearance: float, least: float) -> float:
    """The least distance of two lines' baselines from `least` on at which no ink touches, in ems.

    Glyphs count as boxes, each kept `clearance` away from those of the other line.
    """
    apart = clearance - above.bottom + below.top
    if apart <= least:
        return least
    if apart - least < SAME_PITCH:
        return apart
    depth_needed = least - clearance - below.top
    height_needed = least - clearance + above.bottom
    deep = [
        (-bottom, left, right)
        for left, bottom, right, _ in _boxes(above, align)
        if -bottom > depth_needed
    ]
    tall = [
        (top, left - clearance, right + clearance)
        for left, _, right, top in _boxes(below, align)
        if top > height_needed
    ]
    deep.sort(reverse=True)
    tall.sort(reverse=True)
    apart = least
    for depth, left, right in deep:
        for height, from_left, to_right in tall:
            if depth + height + clearance <= apart:
                break
            if left < to_right and from_left < right:
                apart = depth + height + clearance
    return apart


def _boxes(line: Line, align: Align) -> list[tuple[float, float, float, float]]:
    """The ink of each glyph, in ems from the line's anchor: left, bottom, right, top, y up."""
    origin = anchor(line, align)
    return [
        (x + left - origin, y + bottom, x + right - origin, y + top)
        for run in line.runs
        for ink_of in [inks(run.face)]
        for glyph, x, y in run.glyphs
        for left, bottom, right, top in [ink_of[glyph]]
    ]
