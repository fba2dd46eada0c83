"""Stacking lines. In: lines with their ink, how they are aligned. Out: baselines, in ems.

The distance of two lines follows their own ink at each place: where no descender of the upper line
meets an accent of the lower one, they move together. A part stays even all the same: lines of equal
kind stand at equal distances, and no distance is much greater than the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from memeloc.model import Align
from memeloc.render.typesetting.fit import Bounds
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


def clearance(margin: float, size: float) -> float:
    """Return the least distance of the letters of two lines at `size` pixels, in ems."""
    return max(CLEARANCE, 2 * margin) + 1 / size


def side(line: Line, align: Align) -> Align:
    """Return a line's side of alignment: `start` and `end` follow its paragraph's direction."""
    if align == "start":
        return "right" if line.level & 1 else "left"
    if align == "end":
        return "left" if line.level & 1 else "right"
    return align


def anchor(line: Line, align: Align) -> float:
    """Return the place on a line that alignment puts below the others', in ems from its start."""
    where = side(line, align)
    if where == "left":
        return line.left
    return line.right if where == "right" else (line.left + line.right) / 2


def stack_lines(lines: Sequence[Line], bounds: Bounds, size: float) -> tuple[float, ...]:
    """Return the baselines of lines, in ems downward from the first one's, which is 0.

    No ink of two lines touches, outlines included, when baselines are rounded to whole pixels.

    Args:
        lines: of one part, from top to bottom.
        bounds: their alignment, outline and least distance.
        size: the font size, in pixels.
    """
    if len(lines) == 1:
        return (0.0,)
    apart = clearance(bounds.margin, size)
    pitches = _level(
        [
            _distance(above, below, bounds.align, apart, bounds.line_spacing)
            for above, below in pairwise(lines)
        ]
    )
    baselines = [0.0]
    for index, pitch in enumerate(pitches, 1):
        baseline = baselines[-1] + pitch
        for other in range(index - 1):
            least = baseline - baselines[other]
            needed = _distance(lines[other], lines[index], bounds.align, apart, least)
            baseline += needed - least
        baselines.append(baseline)
    return tuple(baselines)


def ink_extent(lines: Sequence[Line], baselines: Sequence[float]) -> tuple[float, float]:
    """Return how far a part's ink reaches above its first baseline and below it, in ems."""
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
    """Return the least distance of baselines from `least` on at which no ink touches, in ems.

    Glyphs count as boxes, each kept `clearance` away from those of the other line.
    """
    apart = clearance - above.bottom + below.top
    if apart <= least:
        return least
    if apart - least < SAME_PITCH:
        return apart
    deep = sorted(
        (-bottom, left, right)
        for left, bottom, right, _ in _boxes(above, align)
        if -bottom > least - clearance - below.top
    )
    tall = sorted(
        (top, left - clearance, right + clearance)
        for left, _, right, top in _boxes(below, align)
        if top > least - clearance + above.bottom
    )
    apart = least
    for depth, left, right in reversed(deep):
        for height, from_left, to_right in reversed(tall):
            if depth + height + clearance <= apart:
                break
            if left < to_right and from_left < right:
                apart = depth + height + clearance
    return apart


def _boxes(line: Line, align: Align) -> list[tuple[float, float, float, float]]:
    """Return each glyph's ink, in ems from the line's anchor: left, bottom, right, top, y up."""
    origin = anchor(line, align)
    return [
        (x + left - origin, y + bottom, x + right - origin, y + top)
        for run in line.runs
        for ink_of in [inks(run.face)]
        for glyph, x, y in run.glyphs
        for left, bottom, right, top in [ink_of[glyph]]
    ]
