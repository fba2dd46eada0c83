"""Finding the size and the lines. In: widths in ems and the box. Out: a size and a partition.

Everything here is arithmetic over advances; nothing is shaped and nothing is painted. Sizes come
from a ladder, so that glyph masks made for one caption serve the next.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, compress
from operator import add
from typing import NamedTuple

from memeloc.render.typesetting.line_cost import (
    CLAUSE,
    EXTRA_LINE,
    FEWER_LINES,
    ORPHAN,
    ORPHAN_SHARE,
    UNEVEN,
)

STEPS_PER_OCTAVE = 12
"""Sizes on the ladder from one size to its double: neighbours differ by 5.9 %."""

FLOOR = 5.0
"""The smallest font size ever painted, in pixels; text that does not fit at it is truncated."""

_LARGEST = 2048.0
LADDER: tuple[float, ...] = tuple(
    FLOOR * 2 ** (step / STEPS_PER_OCTAVE)
    for step in range(math.ceil(math.log2(_LARGEST / FLOOR) * STEPS_PER_OCTAVE) + 1)
)
"""All font sizes there are, in pixels, ascending from FLOOR."""

_SEARCHED = 96
"""Segments of a part among which lines are searched for; more are only filled evenly."""


def step_below(size: float) -> int:
    """The index on the ladder of the largest size that is at most `size`; -1 below the floor."""
    return bisect_right(LADDER, size * (1 + 1e-9)) - 1


@dataclass(slots=True)
class Segments:
    """A part's unbreakable pieces, over all its paragraphs.

    Attributes:
        starts, ends: offsets in the part's characters (paragraph offsets added up).
        full: each one's width with the white space at its end, in ems.
        trimmed: its width when a line ends after it, in ems (a shown hyphen included).
        forced: whether a line must end after it.
        begins: where each begins if all stood on one line, in ems, and where the last ends.
        stops: where a line ends after it, on that line; never before the last.
        widest: the width of the widest one, in ems: no line can be narrower.
        paragraph_ends: for each paragraph the index after its last one.
    """

    starts: list[int]
    ends: list[int]
    full: list[float]
    trimmed: list[float]
    forced: list[bool]
    begins: list[float] = field(init=False)
    stops: list[float] = field(init=False)
    widest: float = field(init=False)
    paragraph_ends: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.begins = list(accumulate(self.full, initial=0.0))
        self.stops = list(accumulate(map(add, self.begins, self.trimmed), max))
        self.widest = max(self.trimmed, default=0.0)
        number = len(self.full)
        self.paragraph_ends = [*compress(range(1, number), self.forced), number]


class Capacity(NamedTuple):
    """What a part has to fit in.

    Attributes:
        width, height: of the box, in pixels.
        pitch: distance of baselines, in ems.
        extent: height of one line's ink, in ems.
        margin: outline outside the ink, in ems, on each side.
    """

    width: float
    height: float
    pitch: float
    extent: float
    margin: float

    def limit(self, size: float) -> float:
        """The widest line there is room for at `size` pixels, in ems."""
        return (self.width - 2) / size - 2 * self.margin

    def one_line_step(self, width: float) -> int:
        """The highest ladder index at which there is room for a line so wide, in ems; or -1."""
        around = 2 * self.margin
        across = (self.width - 2) / max(width + around, 1e-9)
        down = (self.height - 2) / max(self.extent + around, 1e-9)
        return step_below(min(across, down))

    def lines(self, size: float) -> int:
        """How many lines there is room for at `size` pixels."""
        over = (self.height - 2) / size - 2 * self.margin - self.extent
        return 0 if over < 0 else 1 + int(over / self.pitch + 1e-9)


def count_lines(segments: Segments, limit: float) -> int:
    """The fewest lines no wider than `limit` ems; a huge number when a segment is wider."""
    return len(_greedy(segments, limit)) if segments.widest <= limit else 1 << 30


def largest_step(segments: Segments, capacity: Capacity, low: int, high: int) -> int:
    """The highest ladder index in low..high at which the segments fit the box, or -1.

    Fitting is monotone in the size: a larger one has room for fewer, narrower lines.
    """
    best = -1
    while low <= high:
        middle = (low + high + 1) // 2
        size = LADDER[middle]
        if count_lines(segments, capacity.limit(size)) <= capacity.lines(size):
            best = middle
            low = middle + 1
        else:
            high = middle - 1
    return best


class Choice(NamedTuple):
    """A size and lines.

    Attributes:
        step: index on the ladder.
        free: the largest step that fits, were it not for the lines' cost.
        lines: for each the index of its first segment and of the one after its last.
        dearest: what the worst of the lines' ends costs.
    """

    step: int
    free: int
    lines: list[tuple[int, int]]
    dearest: float = 0.0


def choose(
    segments: Segments,
    capacity: Capacity,
    low: int,
    high: int,
    costs: Callable[[], Sequence[float]],
    given: int,
    floor: int,
) -> Choice | None:
    """The size and the lines that cost least: size against shape.

    A step of the ladder below the largest size that fits costs one; what ends and shapes of lines
    cost stands in `line_cost`. Within its bounds the search is exact.

    Args:
        segments: to break into lines.
        capacity: of the box.
        low, high: the first and the last ladder step allowed.
        costs: gives what it costs to end a line after each segment; asked for only where a
            paragraph is longer than a line.
        given: how many steps of size better lines may cost at most.
        floor: the step below which they may cost none.

    Returns:
        None when nothing fits.
    """
    free = largest_step(segments, capacity, low, high)
    if free < 0:
        return None
    limit = capacity.limit(LADDER[free])
    lines = _greedy(segments, limit)
    fewest = len(lines)
    if fewest == len(segments.paragraph_ends):
        return Choice(free, free, lines)
    if len(segments.full) > _SEARCHED:
        return Choice(free, free, _greedy(segments, _narrowest(segments, limit, fewest)))
    least = min(free, max(low, floor, free - given))
    steps = range(free, least - 1, -1)
    return _Search(segments, costs(), capacity, steps, fewest).best()


class _Search:
    """The search for the lines of least cost, over the sizes on `steps`, largest first."""

    def __init__(
        self,
        segments: Segments,
        costs: Sequence[float],
        capacity: Capacity,
        steps: range,
        fewest: int,
    ) -> None:
        self.costs = costs
        self.trimmed = segments.trimmed
        self.forced = segments.forced
        self.paragraphs = len(segments.paragraph_ends)
        self.number = len(segments.full)
        self.starts = segments.begins
        self.steps = steps
        self.limits = [capacity.limit(LADDER[step]) * (1 + 1e-9) for step in steps]
        self.rooms = [capacity.lines(LADDER[step]) for step in steps]
        self.fewest = fewest
        self.least = count_lines(segments, self.limits[-1])
        self.cost = math.inf
        self.choice = Choice(steps[0], steps[0], [])

    def best(self) -> Choice:
        """The lines of least cost."""
        self._consider(self.fewest, 0.0)
        for count in range(self.least, self.fewest):
            self._consider(count, FEWER_LINES)
        if self.fewest < self.rooms[-1]:
            self._consider(self.fewest + 1, EXTRA_LINE)
        return self.choice

    def _consider(self, count: int, extra: float) -> None:
        """Look at all partitions into `count` lines, which cost `extra`, at all sizes.

        The best one at the smallest size is the best of all, but that it may not fit larger ones;
        so these are looked at only while a step of size would cost more than it.
        """
        at_least = extra + (count - self.paragraphs) * min(self.costs[:-1])
        if at_least >= self.cost:
            return
        loosest = self._partition(count, self.limits[-1])
        if loosest is None:
            return
        cost, lines = loosest
        widest = max(self._width(begin, after) for begin, after in lines)
        enough = 0
        while self.limits[enough] < widest or self.rooms[enough] < count:
            enough += 1
        self._keep(cost + extra + enough, enough, lines)
        for given in range(enough):
            if cost + extra + given >= self.cost:
                break
            if self.rooms[given] >= count:
                tighter = self._partition(count, self.limits[given])
                if tighter is not None:
                    self._keep(tighter[0] + extra + given, given, tighter[1])

    def _keep(self, cost: float, given: int, lines: list[tuple[int, int]]) -> None:
        if cost < self.cost:
            self.cost = cost
            dearest = max(self.costs[after - 1] for _, after in lines)
            self.choice = Choice(self.steps[given], self.steps[0], lines, dearest)

    def _width(self, begin: int, after: int) -> float:
        return self.starts[after - 1] - self.starts[begin] + self.trimmed[after - 1]

    def _partition(self, count: int, limit: float) -> tuple[float, list[tuple[int, int]]] | None:
        """The partition into `count` lines within `limit` ems that costs least, and its cost."""
        if count == 2 and self.paragraphs == 1:
            return self._halves(limit)
        number, starts, trimmed = self.number, self.starts, self.trimmed
        costs, forced = self.costs, self.forced
        mean = starts[-1] / count or 1.0
        before = {0: 0.0}
        choices: list[dict[int, int]] = []
        for earliest in self._earliest(count, limit):
            after: dict[int, float] = {}
            choice: dict[int, int] = {}
            for begin, cost in before.items():
                start = starts[begin]
                for index in range(begin, number):
                    width = starts[index] - start + trimmed[index]
                    if width > limit:
                        break
                    end = index + 1
                    if end >= earliest:
                        share = width / mean - 1.0
                        total = cost + costs[index] + UNEVEN * share * share
                        if end == number and begin == index and begin:
                            total += self._orphan(begin, width / mean)
                        if total < after.get(end, math.inf):
                            after[end] = total
                            choice[end] = begin
                    if forced[index]:
                        break
            before = after
            choices.append(choice)
        if number not in before:
            return None
        lines: list[tuple[int, int]] = []
        end = number
        for choice in reversed(choices):
            lines.append((choice[end], end))
            end = choice[end]
        lines.reverse()
        return before[number], lines

    def _halves(self, limit: float) -> tuple[float, list[tuple[int, int]]] | None:
        """The same for two lines, by far the commonest case, in one pass."""
        starts, trimmed, costs, number = self.starts, self.trimmed, self.costs, self.number
        mean = starts[-1] / 2 or 1.0
        end = starts[-2] + trimmed[-1]
        best, cut = math.inf, 0
        for index in range(number - 1):
            first, second = starts[index] + trimmed[index], end - starts[index + 1]
            if first > limit:
                break
            if second <= limit:
                above, below = first / mean - 1.0, second / mean - 1.0
                cost = costs[index] + UNEVEN * (above * above + below * below)
                if index == number - 2:
                    cost += self._orphan(number - 1, second / mean)
                if cost < best:
                    best, cut = cost, index + 1
        return (best, [(0, cut), (cut, number)]) if cut else None

    def _earliest(self, count: int, limit: float) -> list[int]:
        """For each line the first segment that may follow it, so that the rest fits its lines."""
        starts, trimmed, forced = self.starts, self.trimmed, self.forced
        earliest = [self.number]
        while len(earliest) < count:
            after = begin = earliest[-1]
            while begin > 0 and starts[after - 1] - starts[begin - 1] + trimmed[after - 1] <= limit:
                if forced[begin - 1] and begin < after:
                    break
                begin -= 1
            earliest.append(begin)
        earliest.reverse()
        return earliest

    def _orphan(self, begin: int, share: float) -> float:
        """What a last line of one word costs that is so narrow a share of the mean."""
        return ORPHAN if share < ORPHAN_SHARE and self.costs[begin - 1] > CLAUSE else 0.0


def _greedy(segments: Segments, limit: float) -> list[tuple[int, int]]:
    lines = []
    begins, stops = segments.begins, segments.stops
    begin = 0
    for last in segments.paragraph_ends:
        while begin < last:
            after = bisect_right(stops, begins[begin] + limit, begin + 1, last)
            lines.append((begin, after))
            begin = after
    return lines


def _narrowest(segments: Segments, limit: float, count: int) -> float:
    """The smallest width at which `count` lines are still enough, to a hundredth of an em."""
    low, high = segments.widest, limit
    if count_lines(segments, low) <= count:
        return low
    while high - low > 0.01:
        middle = (low + high) / 2
        if count_lines(segments, middle) <= count:
            high = middle
        else:
            low = middle
    return high
