"""Laying out one part of a caption. In: its text, its box, its stack. Out: placed glyphs, in ems.

Shape once, find the size and the lines that cost least (`fit`, `line_cost`), stack them as close as
their ink allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from memeloc.model import Align, Locale
from memeloc.render import fit
from memeloc.render.breaks import clusters, knows_words, opportunities, phrase_ends
from memeloc.render.fit import LADDER, Capacity, Choice, Segments
from memeloc.render.itemize import Itemizer
from memeloc.render.line_cost import end_costs
from memeloc.render.lines import SOFT_HYPHEN, Line, set_line
from memeloc.render.shape import ShapedText, shape
from memeloc.render.stacking import Spacing, ink_extent, stack_lines
from memeloc.render.text import clean

MOST_GIVEN = 2
"""Steps of the ladder that better lines may cost."""

MOST_GIVEN_FOR_PHRASES = 6
"""The same where lines would else cut phrases: 30 % of the size."""

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


class _Attempt(NamedTuple):
    """Segments to try, offsets that cut phrases, the lowest step, whether words are broken."""

    segments: Segments
    phrase_cuts: frozenset[int]
    low: int
    broken: bool


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
        for attempt in self._attempts(legible, top):
            fitted = self._best(attempt, top)
            if fitted is not None:
                return fitted
        return None

    def _best(self, attempt: _Attempt, high: int) -> _Fitted | None:
        """The layout of least cost from the attempt's lowest size to `high`, if any fits.

        How far apart lines must be shows only when they are set: the search begins with an
        estimate, and where that leaves room for a larger size goes on with what was measured.
        """
        capacity = self.capacity
        best: _Fitted | None = None
        chosen: Choice | None = None
        while True:
            choice = self._choose(attempt, capacity, high)
            if choice is None or choice == chosen:
                return best
            size = LADDER[choice.step]
            lines = self._lines(attempt.segments, choice.lines)
            baselines = stack_lines(lines, self.spacing, size)
            above, below = ink_extent(lines, baselines)
            if not self._inside(lines, above + below, size):
                if best is not None:
                    return best
                high = choice.step - 1
                continue
            best, chosen = _Fitted(size, baselines, attempt.broken, lines), choice
            extent = max(0.0, above + below - baselines[-1])
            closest = replace(self.capacity, pitch=self.bounds.line_spacing, extent=extent)
            larger = choice.free + 1
            if larger > high or fit.largest_step(attempt.segments, closest, larger, larger) < 0:
                return best
            pitch = baselines[-1] / (len(lines) - 1) if len(lines) > 1 else closest.pitch
            if pitch >= capacity.pitch:
                return best
            capacity = replace(closest, pitch=pitch)

    def _choose(self, attempt: _Attempt, capacity: Capacity, high: int) -> Choice | None:
        """The search; phrases are cut only where whole ones make the text much smaller."""
        segments, phrase_cuts, low, _ = attempt
        costs = partial(self._costs, segments, phrase_cuts)
        choice = fit.choose(segments, capacity, low, high, costs, MOST_GIVEN)
        if choice is None or not phrase_cuts:
            return choice
        if phrase_cuts.isdisjoint(segments.ends[after - 1] for _, after in choice.lines):
            return choice
        return fit.choose(segments, capacity, low, high, costs, MOST_GIVEN_FOR_PHRASES)

    def _attempts(self, legible: int, top: int) -> Iterator[_Attempt]:
        """What to try, best first."""
        whole = self._segments(opportunities)
        if knows_words(self.locale):
            words, phrase_cuts = self._words(whole)
            yield _Attempt(words, phrase_cuts, legible, False)
        yield _Attempt(whole, frozenset(), legible, False)
        pieces = self._segments(lambda text, _: clusters(text))
        yield _Attempt(pieces, frozenset(), legible, True)
        if legible > 0:
            yield _Attempt(whole, frozenset(), 0, False)
            yield _Attempt(pieces, frozenset(), 0, True)

    def _words(self, whole: Segments) -> tuple[Segments, frozenset[int]]:
        """Segments of whole words, and those of their ends that cut a phrase."""
        words: list[int] = []
        phrase_cuts: list[int] = []
        offset = 0
        for paragraph in self.paragraphs:
            text = paragraph.text
            ends = [end - offset for end in whole.ends if offset < end <= offset + len(text)]
            kept, outer = phrase_ends(text, self.locale, ends)
            words += [end + offset for end in kept]
            phrase_cuts += [end + offset for end in set(kept).difference(outer)]
            offset += len(text) + 1
        return fit.merge(whole, words), frozenset(phrase_cuts)

    def _costs(self, segments: Segments, phrase_cuts: frozenset[int]) -> list[float]:
        """What it costs to end a line after each segment."""
        text = "\n".join([paragraph.text for paragraph in self.paragraphs])
        costs: list[float] = []
        pieces: list[str] = []
        cuts: list[int] = []
        for start, end, forced in zip(
            segments.starts, segments.ends, [*segments.forced[:-1], True], strict=True
        ):
            if end in phrase_cuts:
                cuts.append(len(pieces))
            pieces.append(text[start:end])
            if forced:
                costs += end_costs(pieces, self.locale, cuts)
                pieces, cuts = [], []
        return costs

    def _segments(self, breaker: Callable[[str, Locale], list[int]]) -> Segments:
        starts: list[int] = []
        ends: list[int] = []
        full: list[float] = []
        trimmed: list[float] = []
        forced: list[bool] = []
        offset = 0
        for paragraph in self.paragraphs:
            text, positions = paragraph.text, paragraph.positions
            lead, trail = paragraph.spacing.lead, paragraph.spacing.trail
            begin = 0
            for end in breaker(text, self.locale) if text else [0]:
                start_at = positions[begin] + lead.get(begin, 0.0)
                starts.append(begin + offset)
                ends.append(end + offset)
                full.append(positions[end] + lead.get(end, 0.0) - start_at)
                stop = end
                while stop > begin and text[stop - 1].isspace():
                    stop -= 1
                hyphen = _hyphen(paragraph) if text and text[end - 1] == SOFT_HYPHEN else 0.0
                trimmed.append(positions[stop] - trail.get(stop - 1, 0.0) - start_at + hyphen)
                forced.append(False)
                begin = end
            forced[-1] = True
            offset += len(text) + 1
        forced[-1] = False
        return Segments(starts, ends, full, trimmed, forced)

    def _lines(self, segments: Segments, partition: Sequence[tuple[int, int]]) -> list[Line]:
        lines = []
        offset = 0
        index = 0
        for first, after in partition:
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
