"""Laying out one part of a caption. In: its text, its box, its stack. Out: placed glyphs, in ems.

Shape once, find the largest size at which the text broken at allowed places fits, balance the
lines, stack them as close as their ink allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from memeloc.model import Align, Locale
from memeloc.render import fit
from memeloc.render.breaks import clusters, opportunities, phrases
from memeloc.render.fit import LADDER, Capacity, Segments
from memeloc.render.itemize import Itemizer
from memeloc.render.lines import SOFT_HYPHEN, Line, set_line
from memeloc.render.shape import ShapedText, shape
from memeloc.render.stacking import Spacing, ink_extent, stack_lines
from memeloc.render.text import clean

PHRASE_LOSS = 0.7
"""Phrase-aware breaks are kept when they cost no more than this share of the size."""

PITCH_ESTIMATE = 0.9
"""Where the search for a size begins: what two lines need of the greatest ascent and descent of
their part, for the letters that reach so far seldom stand one above the other."""


@dataclass(frozen=True, slots=True)
class PartLayout:
    """A part of a caption, ready to be painted.

    Attributes:
        size: font size in pixels; 0.0 for an empty part.
        baselines: of each line, in ems downward from the first one's.
        lines: from top to bottom.
        missing: grapheme clusters that no font draws.
        broken_word: whether a line ends within a word for lack of space.
        truncated: grapheme clusters left out because they do not fit at the smallest size painted.
    """

    size: float
    baselines: tuple[float, ...]
    lines: list[Line]
    missing: tuple[str, ...] = ()
    broken_word: bool = False
    truncated: int = 0


EMPTY = PartLayout(0.0, (), [])


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a part is given.

    Attributes:
        width, height: of the box, in pixels.
        largest: the largest font size allowed, in pixels.
        margin: outline outside the letters, in ems.
        line_spacing: least distance of baselines, in ems.
        align: of the lines.
    """

    width: float
    height: float
    largest: float
    margin: float
    line_spacing: float
    align: Align = "center"


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
    size, baselines, broken, lines = laid
    if cleaned.dropped:
        truncated += cleaned.dropped
    return PartLayout(size, baselines, lines, tuple(missing), broken, truncated)


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
    baselines: tuple[float, ...]
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
        self.extent = ascent + descent
        self.spacing = Spacing(bounds.align, bounds.margin, bounds.line_spacing)
        self.capacity = self._capacity(self.extent * PITCH_ESTIMATE, self.extent)
        self._set: dict[tuple[int, int], Line] = {}

    def _capacity(self, pitch: float, extent: float) -> Capacity:
        """The box, for lines whose ink needs so many ems from one to the next."""
        bounds = self.bounds
        pitch += self.spacing.clearance(self.locale.smallest_size)
        return Capacity(
            bounds.width, bounds.height, max(bounds.line_spacing, pitch), extent, bounds.margin
        )

    def fit(self) -> _Fitted | None:
        """The best layout, or None when the text does not fit even at the floor."""
        top = min(fit.step_below(self.bounds.largest), len(LADDER) - 1)
        if top < 0:
            return None
        legible = min(fit.step_below(self.locale.smallest_size - 1e-6) + 1, top)
        whole = self._segments(opportunities)
        for segments, low, broken in self._attempts(whole, legible, top):
            fitted = self._largest(segments, low, top, broken=broken)
            if fitted is not None:
                return fitted
        return None

    def _largest(self, segments: Segments, low: int, high: int, *, broken: bool) -> _Fitted | None:
        """The layout at the largest size of a range of the ladder that fits, if any does.

        The search begins where an estimate says. Lines that do not fit are set smaller, those that
        fit larger, step by step: how far apart lines must be shows only when they are set.
        """
        step = max(low, fit.largest_step(segments, self.capacity, low, high))
        best = None
        while low <= step <= high:
            size = LADDER[step]
            lines = self._lines(segments, size)
            baselines = stack_lines(lines, self.spacing, size)
            above, below = ink_extent(lines, baselines)
            if self._inside(lines, above + below, size):
                best = _Fitted(size, baselines, broken, lines)
                low = step + 1
                extent = max(0.0, above + below - baselines[-1])
                closest = replace(self.capacity, pitch=self.bounds.line_spacing, extent=extent)
                step = fit.largest_step(segments, closest, low, low)
            else:
                high = step = step - 1
        return best

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
                hyphen = _hyphen(paragraph) if text and text[end - 1] == SOFT_HYPHEN else 0.0
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
            line = self._set.get((begin, end))
            if line is None:
                line = set_line(self.paragraphs[index], begin - offset, end - offset, self.locale)
                self._set[begin, end] = line
            lines.append(line)
        return lines

    def _inside(self, lines: Sequence[Line], height: float, size: float) -> bool:
        """Whether the ink fits the box, overhang and all."""
        limit = self.capacity.limit(size)
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
    best = _Fitted(0.0, (), False, [])
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
