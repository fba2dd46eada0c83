"""Finding the lines of one part. In: its shaped paragraphs, its box. Out: a size and set lines.

The search (`fit`) is arithmetic over advances; here its choice is set and stacked, and taken when
the ink is inside the box.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from functools import cached_property, partial
from itertools import accumulate, pairwise
from operator import sub
from typing import NamedTuple

from memeloc.model import Locale
from memeloc.render.typesetting import fit
from memeloc.render.typesetting.breaks import opportunities, word_ends
from memeloc.render.typesetting.fit import (
    HANGING,
    LADDER,
    WITHIN_PHRASE,
    Bounds,
    Capacity,
    Choice,
    Segments,
    end_costs,
)
from memeloc.render.typesetting.lines import (
    SOFT_HYPHEN,
    Line,
    clearance,
    hyphen_width,
    ink_extent,
    set_line,
    stack_lines,
)
from memeloc.render.typesetting.shape import ShapedText

Span = tuple[int, int]
"""Where a line or a word begins and ends, in characters of the part, paragraphs joined by LF."""

MOST_GIVEN = 2
"""Steps of the ladder that better lines may cost."""

MOST_GIVEN_NOT_TO_HANG = 3
"""The same where a line would else end with an article, a preposition or a number. With two, 6.1 %
of the starter set's German lines end so; with three 5.4 %, and its text is 0.9 % smaller in the
mean; with four 2.8 % and 2 %, and one picture in twenty is a quarter smaller."""

MOST_GIVEN_FOR_PHRASES = 6
"""The same where lines would else cut phrases: 30 % of the size."""

COMFORTABLE = 2.5
"""Text below so many times the smallest legible size gives none of it but to keep phrases whole."""

PITCH_ESTIMATE = 0.7
"""Where the search for a size begins: what two lines need of the greatest ascent and descent of
their part, for the letters that reach so far seldom stand one above the other."""

_SURE = 8
"""Steps above the smallest legible size (a ratio of 1.6) at which a text that fits with a line to
spare surely fits at a legible one, whichever lines are chosen."""


class Fitted(NamedTuple):
    """Lines that fit at a step of the ladder, and where each begins and ends.

    Baselines and the height of all ink are in ems. `divided` are words that lines divide without a
    hyphen, each with a bar there.
    """

    step: int
    baselines: tuple[float, ...]
    lines: list[Line]
    spans: Sequence[Span]
    height: float
    divided: tuple[str, ...] = ()


class Part:
    """The paragraphs of one part while a size is being looked for.

    Attributes:
        offsets: where each paragraph begins, in characters of the part.
        estimate, closest: the box for lines as far apart as they will likely be, and must be.
        top: the ladder's step of the largest size allowed; -1 when it is below the floor.
        legible: the step of the smallest legible one.
        comfortable: the step below which no size is given for better lines.
    """

    def __init__(self, paragraphs: list[ShapedText], locale: Locale, bounds: Bounds) -> None:
        self.paragraphs = paragraphs
        self.locale = locale
        self.bounds = bounds
        lengths = [len(paragraph.text) + 1 for paragraph in paragraphs]
        self.offsets = list(accumulate(lengths[:-1], initial=0))
        self.extent = max(p.ascent for p in paragraphs) + max(p.descent for p in paragraphs)
        self.estimate = self._apart(self.extent * PITCH_ESTIMATE)
        self.closest = Capacity(bounds, bounds.line_spacing, self.extent)
        self.top = min(fit.step_below(bounds.largest), len(LADDER) - 1)
        self.legible = min(fit.step_below(locale.smallest_size - 1e-6) + 1, self.top)
        self.comfortable = fit.step_below(COMFORTABLE * locale.smallest_size)
        self._set: dict[Span, Line] = {}

    def _apart(self, pitch: float) -> Capacity:
        pitch += clearance(self.bounds.margin, self.locale.smallest_size)
        return Capacity(self.bounds, max(self.bounds.line_spacing, pitch), self.extent)

    def is_legible(self) -> bool:
        """Return whether lines fit at a legible size: surely, far apart, or when set."""
        if self.top < 0 or LADDER[self.legible] < self.locale.smallest_size:
            return False
        size = LADDER[min(self.legible + _SURE, self.top)]
        capacity = self._apart(self.extent)
        lines = fit.count_lines(self.whole, capacity.limit(size))
        is_sure = lines + (lines > len(self.paragraphs)) <= capacity.lines(size)
        return is_sure or self.fit(self.legible) is not None

    @cached_property
    def opportunities(self) -> list[list[int]]:
        """Return where lines may end, of each paragraph."""
        return [opportunities(paragraph.text, self.locale) for paragraph in self.paragraphs]

    @cached_property
    def whole(self) -> Segments:
        """Return what stays together where lines end only where UAX #14 allows."""
        return self._segments(self.opportunities)

    def fit(self, low: int) -> Fitted | None:
        """Return the lines of least cost at a size from the ladder's step `low` on, if any fit.

        Words and phrases of a language with a model of them are kept whole where a size allows.
        """
        if fitted := self._one_line(low):
            return fitted
        places = self.opportunities
        words = [
            word_ends(paragraph.text, self.locale, ends)
            for paragraph, ends in zip(self.paragraphs, places, strict=True)
        ]
        cuts = {
            end + offset
            for (ends, phrases), offset in zip(words, self.offsets, strict=True)
            for end in set(ends).difference(phrases)
        }
        inner = [ends for ends, _ in words]
        segments = self.whole if inner == places else self._segments(inner)
        fitted = self._best(segments, cuts, low)
        if fitted is None and segments is not self.whole:
            cuts.update(set(self.whole.ends).difference(segments.ends))
            fitted = self._best(self.whole, cuts, low)
        return fitted

    def _one_line(self, low: int) -> Fitted | None:
        """Return the text as one line, if two could not be larger: most parts of memes are that.

        No place to break them is looked for then, which is a third of the work.
        """
        text = self.paragraphs[0].text
        if len(self.paragraphs) > 1 or SOFT_HYPHEN in text:
            return None
        width = self._width() - self.paragraphs[0].spacing.trail.get(len(text) - 1, 0.0)
        step = min(self.closest.one_line_step(width), self.top)
        if step < low or (step < self.top and self.closest.lines(LADDER[step + 1]) > 1):
            return None
        fitted = self._set_at([(0, len(text))], step)
        return fitted if fitted and fitted.height > self.extent - 1e-9 else None

    def _width(self) -> float:
        return sum([p.positions[-1] - p.spacing.lead.get(0, 0.0) for p in self.paragraphs])

    def too_wide(self, step: int) -> list[Span]:
        """Return the words that are wider than the box at a step of the ladder."""
        limit = self.closest.limit(LADDER[step])
        whole = self.whole
        if whole.widest <= limit:
            return []
        words = zip(whole.starts, whole.ends, whole.trimmed, strict=True)
        return [(start, end) for start, end, width in words if width > limit]

    def has_room(self, step: int) -> bool:
        """Return whether the text might fit the box at a step, could its words break anywhere."""
        size = LADDER[step]
        return self._width() <= self.closest.limit(size) * self.closest.lines(size)

    def _best(self, segments: Segments, cuts: Collection[int], low: int) -> Fitted | None:
        """Return the layout of least cost at step `low` or above, if any fits.

        How far apart lines must be shows only when they are set: the search begins with an
        estimate, and where that leaves room for a larger size goes on with what was measured.
        `cuts` are those ends of segments that cut a phrase, or a word.
        """
        capacity = self.estimate
        high = self.top
        best: Fitted | None = None
        chosen: Choice | None = None
        while True:
            choice = self._choose(segments, cuts, capacity, low, high)
            if choice is None or (chosen is not None and choice.step <= chosen.step):
                return best
            spans = [
                (segments.starts[first], segments.ends[after - 1]) for first, after in choice.lines
            ]
            fitted = self._set_at(spans, choice.step)
            if fitted is None:
                high = choice.step - 1
                continue
            best, chosen = fitted, choice
            larger = choice.free + 1
            if larger > high or segments.widest > self.closest.limit(LADDER[larger]):
                return best
            stacked = best.baselines[-1]
            closest = self.closest._replace(extent=max(0.0, best.height - stacked))
            if fit.largest_step(segments, closest, larger, larger) < 0:
                return best
            pitch = stacked / (len(spans) - 1) if len(spans) > 1 else closest.pitch
            if pitch >= capacity.pitch:
                return best
            capacity = closest._replace(pitch=pitch)

    def _choose(
        self, segments: Segments, cuts: Collection[int], capacity: Capacity, low: int, high: int
    ) -> Choice | None:
        """Search; what is bad to cut is cut only where the whole makes the text much smaller."""
        costs = partial(self._costs, segments, cuts)
        floor = max(low, self.comfortable)
        choice = fit.choose(segments, capacity, low, high, costs, MOST_GIVEN, floor)
        if choice is None or not choice.costs:
            return choice
        dearest = max([choice.costs[after - 1] for _, after in choice.lines])
        if dearest < HANGING:
            return choice
        most = MOST_GIVEN_NOT_TO_HANG
        if dearest >= WITHIN_PHRASE:
            most, floor = MOST_GIVEN_FOR_PHRASES, low
        return fit.choose(segments, capacity, low, high, lambda: choice.costs, most, floor)

    def _costs(self, segments: Segments, cuts: Collection[int]) -> list[float]:
        text = "\n".join([paragraph.text for paragraph in self.paragraphs])
        pieces = [
            text[begin:end] for begin, end in zip(segments.starts, segments.ends, strict=True)
        ]
        costs: list[float] = []
        for begin, after in pairwise([0, *segments.paragraph_ends]):
            costs += end_costs(pieces[begin:after], self.locale)
        for index, end in enumerate(segments.ends if cuts else ()):
            costs[index] += WITHIN_PHRASE if end in cuts else 0.0
        return costs

    def _segments(self, breaks: list[list[int]]) -> Segments:
        """Return the segments between places, which are those of each paragraph."""
        starts: list[int] = []
        ends: list[int] = []
        full: list[float] = []
        trimmed: list[float] = []
        forced: list[bool] = []
        for paragraph, cuts, offset in zip(self.paragraphs, breaks, self.offsets, strict=True):
            text, positions = paragraph.text, paragraph.positions
            lead, trail = paragraph.spacing.lead, paragraph.spacing.trail
            cuts = [0, *(cuts or [0])]
            hyphen = hyphen_width(paragraph) if SOFT_HYPHEN in text else 0.0
            edges = [positions[at] + lead.get(at, 0.0) for at in cuts]
            for begin, end, edge in zip(cuts, cuts[1:], edges, strict=False):
                piece = text[begin:end]
                stop = begin + len(piece.rstrip())
                width = positions[stop] - trail.get(stop - 1, 0.0) - edge
                trimmed.append(width + hyphen if piece[-1:] == SOFT_HYPHEN else width)
            full += map(sub, edges[1:], edges)
            starts += [begin + offset for begin in cuts[:-1]]
            ends += [end + offset for end in cuts[1:]]
            forced += [False] * (len(cuts) - 2) + [True]
        forced[-1] = False
        return Segments(starts, ends, full, trimmed, forced)

    def _set_at(self, spans: Sequence[Span], step: int) -> Fitted | None:
        """Return lines of given begins and ends at a size, if their ink fits, overhang and all."""
        bounds, size = self.bounds, LADDER[step]
        for span in spans:
            if span not in self._set:
                index = bisect_right(self.offsets, span[0]) - 1
                begin, end = (at - self.offsets[index] for at in span)
                self._set[span] = set_line(self.paragraphs[index], begin, end, self.locale)
        lines = [self._set[span] for span in spans]
        baselines = stack_lines(lines, bounds, size)
        height = sum(ink_extent(lines, baselines))
        widest = max([line.right - line.left for line in lines])
        tall = (height + 2 * bounds.margin) * size
        if widest > self.closest.limit(size) or tall > bounds.height - 1:
            return None
        return Fitted(step, baselines, lines, spans, height)
