"""Laying out one part of a caption. In: its text, its box, its stack. Out: placed glyphs, in ems.

Shape once, find the largest size at which the text broken at allowed places fits, balance the
lines, reorder each for display. Shaping again is left to lines whose ends HarfBuzz calls unsafe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memeloc.fonts import Face
from memeloc.model import Locale
from memeloc.render import bidi, fit
from memeloc.render.breaks import clusters, opportunities, phrases
from memeloc.render.fit import LADDER, Capacity, Segments
from memeloc.render.itemize import Itemizer, Run
from memeloc.render.shape import ShapedRun, ShapedText, inks, shape, shape_run
from memeloc.render.text import clean

PHRASE_LOSS = 0.7
"""Phrase-aware breaks are kept when they cost no more than this share of the size."""

LINE_GAP = 0.02
"""Least distance in ems between the ink of two lines, one outline included."""

_SHY = "\u00ad"


class PlacedRun(NamedTuple):
    """Glyphs of one face on a line: (glyph, x, y) in ems, from the line's start, y up."""

    face: Face
    glyphs: list[tuple[int, float, float]]


@dataclass(frozen=True, slots=True)
class Line:
    """One line, in display order.

    Attributes:
        text: its characters in logical order.
        level: its paragraph's embedding level.
        runs: its glyphs.
        left, right, top, bottom: its ink, in ems from the line's start and the baseline, y up.
    """

    text: str
    level: int
    runs: list[PlacedRun]
    left: float
    right: float
    top: float
    bottom: float


@dataclass(frozen=True, slots=True)
class PartLayout:
    """A part of a caption, ready to be painted.

    Attributes:
        size: font size in pixels; 0.0 for an empty part.
        pitch: distance of baselines, in ems.
        lines: from top to bottom.
        missing: grapheme clusters that no font draws.
        broken_word: whether a line ends within a word for lack of space.
        truncated: grapheme clusters left out because they do not fit at the smallest size painted.
    """

    size: float
    pitch: float
    lines: list[Line]
    missing: tuple[str, ...] = ()
    broken_word: bool = False
    truncated: int = 0


EMPTY = PartLayout(0.0, 1.0, [])


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a part is given.

    Attributes:
        width, height: of the box, in pixels.
        largest: the largest font size allowed, in pixels.
        margin: outline outside the letters, in ems.
        line_spacing: least distance of baselines, in ems.
    """

    width: float
    height: float
    largest: float
    margin: float
    line_spacing: float


def lay_out(text: str, locale: Locale, itemizer: Itemizer, bounds: Bounds) -> PartLayout:
    """Lay out one part at the largest size that fits its box.

    Lines end where UAX #14 and the locale allow. Only when no size from the locale's smallest
    legible one upwards fits that way do words break, between grapheme clusters; only when that does
    not help either does the size go below, down to `fit.FLOOR`; what then is left over is cut off
    behind an ellipsis. Nothing is ever painted outside the box.

    Args:
        text: the part, in the case it is to be drawn in.
        locale: whose habits of breaking and direction apply.
        itemizer: of the font stack to draw with.
        bounds: the box, and the limits of the style.
    """
    cleaned = clean(text)
    if not cleaned.paragraphs:
        return EMPTY
    paragraphs, missing = _shape_all(cleaned.paragraphs, locale, itemizer)
    part = _Part(paragraphs, locale, bounds)
    laid = part.fit()
    truncated = 0
    if laid is None:
        laid, truncated = _truncate(cleaned.paragraphs, locale, itemizer, bounds)
    size, pitch, broken, lines = laid
    if cleaned.dropped:
        truncated += cleaned.dropped
    return PartLayout(size, pitch, lines, tuple(missing), broken, truncated)


def _shape_all(
    texts: list[str], locale: Locale, itemizer: Itemizer
) -> tuple[list[ShapedText], list[str]]:
    shaped = []
    missing: list[str] = []
    for text in texts:
        level, runs, lacking = itemizer.runs(text, locale.direction)
        shaped.append(shape(text, level, runs, locale.tag))
        missing += lacking
    return shaped, missing


class _Fitted(NamedTuple):
    size: float
    pitch: float
    broken_word: bool
    lines: list[Line]


class _Part:
    """The paragraphs of one part while a size is being looked for."""

    def __init__(self, paragraphs: list[ShapedText], locale: Locale, bounds: Bounds) -> None:
        self.paragraphs = paragraphs
        self.locale = locale
        self.bounds = bounds
        ascent = max(p.ascent for p in paragraphs)
        descent = max(p.descent for p in paragraphs)
        pitch = max(bounds.line_spacing, ascent + descent + bounds.margin + LINE_GAP)
        self.capacity = Capacity(
            bounds.width, bounds.height, pitch, ascent + descent, bounds.margin
        )

    def fit(self) -> _Fitted | None:
        """The best layout, or None when the text does not fit even at the floor."""
        top = min(fit.step_below(self.bounds.largest), len(LADDER) - 1)
        if top < 0:
            return None
        legible = min(fit.step_below(self.locale.smallest_size - 1e-6) + 1, top)
        whole = self._segments(opportunities)
        for segments, low, broken in self._attempts(whole, legible, top):
            high = top
            while high >= low:
                step = fit.largest_step(segments, self.capacity, low, high)
                if step < 0:
                    break
                lines = self._lines(segments, LADDER[step])
                if self._inside(lines, LADDER[step]):
                    return _Fitted(LADDER[step], self.capacity.pitch, broken, lines)
                high = step - 1
        return None

    def _attempts(
        self, whole: Segments, legible: int, top: int
    ) -> Iterator[tuple[Segments, int, bool]]:
        """Segments to try, with the lowest ladder step each may use, best first."""
        if self.locale.phrase_model:
            phrased = self._phrased(whole)
            if len(phrased.full) < len(whole.full):
                free = fit.largest_step(whole, self.capacity, legible, top)
                if free >= 0:
                    allowed = fit.step_below(LADDER[free] * PHRASE_LOSS) + 1
                    yield phrased, max(legible, min(allowed, free)), False
        yield whole, legible, False
        pieces = self._segments(lambda text, _: clusters(text))
        yield pieces, legible, True
        if legible > 0:
            yield whole, 0, False
            yield pieces, 0, True

    def _phrased(self, whole: Segments) -> Segments:
        keep: list[int] = []
        offset = 0
        for paragraph in self.paragraphs:
            length = len(paragraph.text)
            ends = [end - offset for end in whole.ends if offset < end <= offset + length]
            keep += [end + offset for end in phrases(paragraph.text, self.locale, ends)]
            offset += length + 1
        return fit.merge(whole, keep)

    def _segments(self, breaker: Callable[[str, Locale], list[int]]) -> Segments:
        starts: list[int] = []
        ends: list[int] = []
        full: list[float] = []
        trimmed: list[float] = []
        forced: list[bool] = []
        offset = 0
        for paragraph in self.paragraphs:
            text, positions = paragraph.text, paragraph.positions
            begin = 0
            for end in breaker(text, self.locale) if text else [0]:
                start_at = positions[begin]
                starts.append(begin + offset)
                ends.append(end + offset)
                full.append(positions[end] - start_at)
                stop = end
                while stop > begin and text[stop - 1].isspace():
                    stop -= 1
                hyphen = _hyphen(paragraph) if text and text[end - 1] == _SHY else 0.0
                trimmed.append(positions[stop] - start_at + hyphen)
                forced.append(False)
                begin = end
            forced[-1] = True
            offset += len(text) + 1
        forced[-1] = False
        return Segments(starts, ends, full, trimmed, forced)

    def _lines(self, segments: Segments, size: float) -> list[Line]:
        lines = []
        offset = 0
        index = 0
        for first, after in fit.break_lines(segments, self.capacity.limit(size)):
            begin, end = segments.starts[first], segments.ends[after - 1]
            while begin > offset + len(self.paragraphs[index].text):
                offset += len(self.paragraphs[index].text) + 1
                index += 1
            lines.append(
                set_line(self.paragraphs[index], begin - offset, end - offset, self.locale)
            )
        return lines

    def _inside(self, lines: Sequence[Line], size: float) -> bool:
        """Whether the ink fits the box, overhang and all."""
        limit = self.capacity.limit(size)
        height = lines[0].top - lines[-1].bottom + (len(lines) - 1) * self.capacity.pitch
        return (
            all(line.right - line.left <= limit for line in lines)
            and height * size + 2 * self.capacity.margin * size <= self.bounds.height - 1
        )


def _hyphen(paragraph: ShapedText) -> float:
    face = paragraph.runs[-1].face
    glyph = face.font.get_nominal_glyph(ord("-"))
    return face.font.get_glyph_h_advance(glyph) / face.upem if glyph else 0.0


def _truncate(
    texts: list[str], locale: Locale, itemizer: Itemizer, bounds: Bounds
) -> tuple[_Fitted, int]:
    """Cut the text so that it fits at the floor, by bisection over its clusters."""
    text = "\n".join(texts)
    ends = clusters(text)
    low, high = 0, len(ends) - 1
    best = _Fitted(0.0, 1.0, False, [])
    while low <= high:
        middle = (low + high) // 2
        head = text[: ends[middle - 1]] if middle else ""
        shaped, _ = _shape_all(clean(head.rstrip() + "…").paragraphs, locale, itemizer)
        fitted = _Part(shaped, locale, bounds).fit()
        if fitted is None:
            high = middle - 1
        else:
            best, low = fitted, middle + 1
    return best, len(ends) - max(high, 0)


def set_line(paragraph: ShapedText, start: int, end: int, locale: Locale) -> Line:
    """Set the characters start to end of a paragraph as one line, in display order (UAX #9 L2)."""
    text = paragraph.text
    shown = len(text[start:end].rstrip()) + start
    ends_at_hyphen = shown > start and text[shown - 1] == _SHY and shown < len(text)
    runs = [run for run in paragraph.runs if run.start < shown and run.end > start]
    if ends_at_hyphen or not _safe(runs, start, shown):
        runs = _shape_again(paragraph, start, shown, locale, hyphen=ends_at_hyphen)
    elif start > 0 or shown < len(text):
        runs = [_part_of(run, start, shown) for run in runs]
    if len(runs) > 1 and any(run.level for run in runs):
        runs = [runs[i] for i in bidi.visual_order([run.level for run in runs])]
    placed = []
    x = 0.0
    left, right, top, bottom = float("inf"), float("-inf"), float("-inf"), float("inf")
    for run in runs:
        glyphs = []
        boxes = inks(run.face)
        for gid, _, dx, dy, advance in run.glyphs:
            low_x, low_y, high_x, high_y = boxes[gid]
            if high_x > low_x:
                at = x + dx
                glyphs.append((gid, at, dy))
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
            placed.append(PlacedRun(run.face, glyphs))
    if not placed:
        left = right = top = bottom = 0.0
    return Line(text[start:shown], paragraph.level, placed, left, right, top, bottom)


def _safe(runs: list[ShapedRun], start: int, end: int) -> bool:
    """Whether HarfBuzz would draw the same glyphs for these characters alone."""
    return all(
        (run.start >= start or run.breaks_at(start)) and (run.end <= end or run.breaks_at(end))
        for run in runs
    )


def _part_of(run: ShapedRun, start: int, end: int) -> ShapedRun:
    """The glyphs of a run that belong to the characters start to end; a break there is safe."""
    if start <= run.start and run.end <= end:
        return run
    first, after = run.between(start, end)
    return ShapedRun(
        max(run.start, start),
        min(run.end, end),
        run.level,
        run.script,
        run.face,
        run.glyphs[first:after],
        run.infos[first:after],
    )


def _shape_again(
    paragraph: ShapedText, start: int, end: int, locale: Locale, *, hyphen: bool
) -> list[ShapedRun]:
    """Shape a line for itself, with a hyphen at its end in place of a soft one."""
    text = paragraph.text[start:end]
    runs = [
        Run(
            max(run.start, start) - start,
            min(run.end, end) - start,
            run.level,
            run.script,
            run.face,
        )
        for run in paragraph.runs
        if run.start < end and run.end > start
    ]
    if hyphen and runs and runs[-1].face.covers("-"):
        text = text[:-1] + "-"
    return [shape_run(text, run, locale.tag) for run in runs]
