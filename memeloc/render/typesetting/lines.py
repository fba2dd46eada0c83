"""Setting lines and stacking them. In: a shaped paragraph, where lines end. Out: glyphs, baselines.

Shaping again is left to lines whose ends HarfBuzz calls unsafe to break at. The distance of two
lines follows their own ink at each place: where no descender of the upper line meets an accent of
the lower one, they move together. A part stays even all the same: lines of equal kind stand at
equal distances, and no distance is much greater than the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, compress, pairwise, repeat
from operator import add, gt, sub
from typing import NamedTuple

from memeloc.fonts import Face
from memeloc.model import Align, Locale
from memeloc.render.typesetting.fit import Bounds
from memeloc.render.typesetting.itemize import Run, visual_order
from memeloc.render.typesetting.shape import Box, ShapedText, inks, shape_runs

SOFT_HYPHEN = "\u00ad"
_INVISIBLE_END = " \u200b"
_HYPHENS = "\u2010-"

CLEARANCE = 0.06
"""Least distance of the letters of two lines, in ems, where they have no outline; with one, the
outlines must not touch. One pixel is added to both, for baselines stand on whole pixels."""

UNEVENNESS = 0.12
"""The most by which the greatest pitch of a part exceeds its least, in ems: lines further apart
than that no longer look like one text."""

SAME_PITCH = 0.05
"""Pitches that differ by less, in ems, become equal: one could see that they differ, not why."""


class PlacedRun(NamedTuple):
    """Glyphs of one face (number, x, y; in ems, y up), and their characters' offsets in a line."""

    face: Face
    glyphs: list[tuple[int, float, float]]
    offsets: list[int]


class Line(NamedTuple):
    """A line: runs in display order, text in logical order with the hyphen that ends it.

    Its ink, and that of each of its glyphs (left, bottom, right, top), is in ems from the line's
    start and the baseline, y up. When `hyphenated`, its last word goes on in the next line.
    """

    text: str
    level: int
    runs: list[PlacedRun]
    left: float
    right: float
    top: float
    bottom: float
    hyphenated: bool = False
    ink: Sequence[Box] = ()


def hyphen_of(face: Face) -> str:
    """Return the hyphen that a face has: U+2010, else the hyphen-minus, else none."""
    return next((hyphen for hyphen in _HYPHENS if face.covers(hyphen)), "")


def hyphen_width(paragraph: ShapedText) -> float:
    """Return how wide the hyphen is at the end of a line, in ems."""
    face = paragraph.runs[-1].face
    hyphen = hyphen_of(face)
    glyph = face.font.get_nominal_glyph(ord(hyphen)) if hyphen else 0
    return float(face.font.get_glyph_h_advance(glyph)) / face.upem if hyphen else 0.0


def set_line(paragraph: ShapedText, start: int, end: int, locale: Locale) -> Line:
    """Set the characters start to end of a paragraph as one line, in display order (UAX #9 L2)."""
    text = paragraph.text
    shown = len(text[start:end].rstrip()) + start
    words = text[start:shown]
    is_hyphenated = words[-1:] == SOFT_HYPHEN and shown < len(text)
    runs = [run for run in paragraph.runs if run.start < shown and run.end > start]
    if is_hyphenated:
        words = words[:-1] + (hyphen_of(runs[-1].face) or SOFT_HYPHEN)
    first, after = start, shown
    if is_hyphenated or not all(
        (run.start >= start or run.breaks_at(start)) and (run.end <= shown or run.breaks_at(shown))
        for run in runs
    ):
        first, after = 0, shown - start
        cut = [
            Run(max(run.start - start, 0), min(run.end - start, after), *run[2:5]) for run in runs
        ]
        runs = shape_runs(words, cut, locale.tag)[0]
    if len(runs) > 1 and any(run.level for run in runs):
        runs = [runs[i] for i in visual_order([run.level for run in runs])]
    placed = []
    ink: list[Box] = []
    x = 0.0
    for run in runs:
        glyphs = run.glyphs[run.between(first, after)]
        if not glyphs:
            continue
        # A column at a time, for there are so many glyphs: half of the time of one at a time.
        gids, offsets, rights, ys, advances = zip(*glyphs, strict=True)
        *starts, x = accumulate(advances, initial=x)
        xs = [*map(add, starts, rights)]
        left, bottom, right, top = zip(*map(inks(run.face).__getitem__, gids), strict=True)
        has_ink = [*map(gt, right, left)]
        if True in has_ink:
            drawn = [*compress(zip(gids, xs, ys, strict=True), has_ink)]
            at = map(sub, compress(offsets, has_ink), repeat(first))
            placed.append(PlacedRun(run.face, drawn, [*at]))
            edges = map(add, xs, left), map(add, ys, bottom), map(add, xs, right), map(add, ys, top)
            ink += compress(zip(*edges, strict=True), has_ink)
    lefts, bottoms, rights, tops = zip(*ink or [(0.0, 0.0, 0.0, 0.0)], strict=True)
    extent = (min(lefts), max(rights), max(tops), min(bottoms))
    return Line(words.rstrip(_INVISIBLE_END), paragraph.level, placed, *extent, is_hyphenated, ink)


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

    No ink of two lines touches at `size` pixels, outlines included, when baselines are rounded to
    whole pixels.
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
    above, below = zip(*[(line.top - at, at - line.bottom) for line, at in placed], strict=True)
    return max(above), max(below)


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
    origin = anchor(above, align)
    deep = sorted(
        (-bottom, left - origin, right - origin)
        for left, bottom, right, _ in above.ink
        if -bottom > least - clearance - below.top
    )
    origin = anchor(below, align)
    tall = sorted(
        (top, left - origin - clearance, right - origin + clearance)
        for left, _, right, top in below.ink
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
