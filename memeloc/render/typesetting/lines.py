"""Setting one line. In: a shaped paragraph and where the line ends. Out: glyphs in display order.

Shaping again is left to lines whose ends HarfBuzz calls unsafe to break at.
"""

from __future__ import annotations

from typing import NamedTuple

from memeloc.fonts import Face
from memeloc.model import Locale
from memeloc.render.typesetting import bidi
from memeloc.render.typesetting.itemize import Run
from memeloc.render.typesetting.shape import ShapedRun, ShapedText, inks, shape_runs

SOFT_HYPHEN = "\u00ad"
_INVISIBLE_END = " \u200b"
_HYPHENS = "\u2010-"


class PlacedRun(NamedTuple):
    """Glyphs of one face on a line.

    Attributes:
        face: what draws them.
        glyphs: (glyph, x, y) in ems, from the line's start, y up.
        offsets: of the character that each belongs to, from the line's first one.
    """

    face: Face
    glyphs: list[tuple[int, float, float]]
    offsets: list[int]


class Line(NamedTuple):
    """One line, in display order.

    Attributes:
        text: its characters in logical order, the hyphen that ends it among them.
        level: its paragraph's embedding level.
        runs: its glyphs.
        left, right, top, bottom: its ink, in ems from the line's start and the baseline, y up.
        hyphenated: whether its last word goes on in the next line, behind a hyphen.
    """

    text: str
    level: int
    runs: list[PlacedRun]
    left: float
    right: float
    top: float
    bottom: float
    hyphenated: bool = False


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
    ends_at_hyphen = shown > start and text[shown - 1] == SOFT_HYPHEN and shown < len(text)
    runs = [run for run in paragraph.runs if run.start < shown and run.end > start]
    first, after = start, shown
    if ends_at_hyphen or not _safe(runs, start, shown):
        runs = _shape_again(text, runs, start, shown, locale, hyphen=ends_at_hyphen)
        first, after = 0, shown - start
    last = runs[-1].face if runs else None
    if len(runs) > 1 and any(run.level for run in runs):
        runs = [runs[i] for i in bidi.visual_order([run.level for run in runs])]
    placed = []
    x = 0.0
    left, right, top, bottom = float("inf"), float("-inf"), float("-inf"), float("inf")
    for run in runs:
        glyphs, offsets = [], []
        boxes = inks(run.face)
        for gid, offset, dx, dy, advance in run.glyphs[run.between(first, after)]:
            low_x, low_y, high_x, high_y = boxes[gid]
            if high_x > low_x:
                at = x + dx
                glyphs.append((gid, at, dy))
                offsets.append(offset - first)
                if at + low_x < left:
                    left = at + low_x
                if at + high_x > right:
                    right = at + high_x
                if dy + high_y > top:
                    top = dy + high_y
                if dy + low_y < bottom:
                    bottom = dy + low_y
            x += advance
        if glyphs:
            placed.append(PlacedRun(run.face, glyphs, offsets))
    if not placed:
        left = right = top = bottom = 0.0
    words = text[start:shown].rstrip(_INVISIBLE_END)
    if ends_at_hyphen and last is not None:
        words = words[:-1] + hyphen_of(last)
    return Line(words, paragraph.level, placed, left, right, top, bottom, ends_at_hyphen)


def _safe(runs: list[ShapedRun], start: int, end: int) -> bool:
    """Return whether HarfBuzz would draw the same glyphs for these characters alone."""
    return all(
        (run.start >= start or run.breaks_at(start)) and (run.end <= end or run.breaks_at(end))
        for run in runs
    )


def _shape_again(
    text: str, shaped: list[ShapedRun], start: int, end: int, locale: Locale, *, hyphen: bool
) -> list[ShapedRun]:
    """Shape the runs of a line for itself, with a hyphen at its end in place of a soft one."""
    runs = [
        Run(max(run.start, start) - start, min(run.end, end) - start, *run[2:5]) for run in shaped
    ]
    text = text[start:end]
    if hyphen and runs:
        text = text[:-1] + (hyphen_of(runs[-1].face) or SOFT_HYPHEN)
    return shape_runs(text, runs, locale.tag)[0]
