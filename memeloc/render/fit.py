"""Finding the size and the lines. In: widths in ems and the box. Out: a size and a partition.

Everything here is arithmetic over advances; nothing is shaped and nothing is painted. Sizes come
from a ladder, so that glyph masks made for one caption serve the next.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

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

_BALANCE_LIMIT = 48


def step_below(size: float) -> int:
    """The index on the ladder of the largest size that is at most `size`; -1 below the floor."""
    return bisect_right(LADDER, size * (1 + 1e-9)) - 1


@dataclass(frozen=True, slots=True)
class Segments:
    """A part's unbreakable pieces, over all its paragraphs.

    Attributes:
        starts, ends: offsets in the part's characters (paragraph offsets added up).
        full: each one's width with the white space at its end, in ems.
        trimmed: its width when a line ends after it, in ems (a shown hyphen included).
        forced: whether a line must end after it.
    """

    starts: list[int]
    ends: list[int]
    full: list[float]
    trimmed: list[float]
    forced: list[bool]

    @property
    def widest(self) -> float:
        """The width of the widest one, in ems: no line can be narrower."""
        return max(self.trimmed, default=0.0)


@dataclass(frozen=True, slots=True)
class Capacity:
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

    def lines(self, size: float) -> int:
        """How many lines there is room for at `size` pixels."""
        over = (self.height - 2) / size - 2 * self.margin - self.extent
        return 0 if over < 0 else 1 + int(over / self.pitch + 1e-9)


def count_lines(segments: Segments, limit: float) -> int:
    """The fewest lines no wider than `limit` ems; a huge number when a segment is wider."""
    lines = 1
    used = 0.0
    after_forced = False
    for full, trimmed, forced in zip(segments.full, segments.trimmed, segments.forced, strict=True):
        if after_forced or used + trimmed > limit:
            if trimmed > limit:
                return 1 << 30
            lines += 1
            used = 0.0
        used += full
        after_forced = forced
    return lines


def largest_step(segments: Segments, capacity: Capacity, low: int, high: int) -> int:
    """The highest ladder index in low..high at which the segments fit the box, or -1.

    Fitting is monotone in the size: a larger one has room for fewer, narrower lines.
    """
    best = -1
    widest = segments.widest
    while low <= high:
        middle = (low + high + 1) // 2
        size = LADDER[middle]
        limit = capacity.limit(size)
        if limit >= widest and count_lines(segments, limit) <= capacity.lines(size):
            best = middle
            low = middle + 1
        else:
            high = middle - 1
    return best


def break_lines(segments: Segments, limit: float) -> list[tuple[int, int]]:
    """Break into the fewest lines no wider than `limit` ems, evenly filled.

    Returns:
        For each line the index of its first segment and of the one after its last.
    """
    lines = _greedy(segments, limit)
    count = len(lines)
    if count == 1 or len(segments.full) > _BALANCE_LIMIT * 8:
        return lines
    if count == 2 and not any(segments.forced):
        return _halves(segments)
    narrowest = _narrowest(segments, limit, count)
    if count == 2 or len(segments.full) > _BALANCE_LIMIT:
        return _greedy(segments, narrowest)
    return _even(segments, narrowest * (1 + 1e-9), count)


def _greedy(segments: Segments, limit: float) -> list[tuple[int, int]]:
    lines = []
    begin = 0
    used = 0.0
    for index, (full, trimmed, forced) in enumerate(
        zip(segments.full, segments.trimmed, segments.forced, strict=True)
    ):
        if index > begin and used + trimmed > limit:
            lines.append((begin, index))
            begin, used = index, 0.0
        used += full
        if forced:
            lines.append((begin, index + 1))
            begin, used = index + 1, 0.0
    if begin < len(segments.full):
        lines.append((begin, len(segments.full)))
    return lines


def _halves(segments: Segments) -> list[tuple[int, int]]:
    """The partition into two lines whose wider one is narrowest; of equals, the first."""
    full, trimmed = segments.full, segments.trimmed
    number = len(full)
    rest = sum(full) - full[-1] + trimmed[-1]
    used = 0.0
    best, at = float("inf"), 1
    for index in range(number - 1):
        width = used + trimmed[index]
        used += full[index]
        wider = max(width, rest - used)
        if wider < best:
            best, at = wider, index + 1
    return [(0, at), (at, number)]


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


def _even(segments: Segments, limit: float, count: int) -> list[tuple[int, int]]:
    """The partition into `count` lines within `limit` with the least sum of squared widths.

    The sum of the widths is all but fixed, so the least sum of squares is the most even filling.
    """
    number = len(segments.full)
    infinite = float("inf")
    best: list[float] = [0.0] + [infinite] * number
    choices: list[list[int]] = []
    full, trimmed, forced = segments.full, segments.trimmed, segments.forced
    for _ in range(count):
        after = [infinite] * (number + 1)
        choice = [0] * (number + 1)
        for begin in range(number):
            cost = best[begin]
            if cost == infinite:
                continue
            used = 0.0
            for index in range(begin, number):
                width = used + trimmed[index]
                if width > limit:
                    break
                total = cost + width * width
                if total < after[index + 1]:
                    after[index + 1] = total
                    choice[index + 1] = begin
                used += full[index]
                if forced[index]:
                    break
        best = after
        choices.append(choice)
    if best[number] == infinite:
        return _greedy(segments, limit)
    lines: list[tuple[int, int]] = []
    end = number
    for choice in reversed(choices):
        lines.append((choice[end], end))
        end = choice[end]
    lines.reverse()
    return lines


def merge(segments: Segments, keep: Sequence[int]) -> Segments:
    """Join segments so that only the offsets in `keep` (and forced ends) stay as ends."""
    kept_ends = set(keep)
    starts: list[int] = []
    ends: list[int] = []
    full: list[float] = []
    trimmed: list[float] = []
    forced: list[bool] = []
    used = 0.0
    begin: int | None = None
    for index, end in enumerate(segments.ends):
        if begin is None:
            begin = segments.starts[index]
        if end in kept_ends or segments.forced[index] or index == len(segments.ends) - 1:
            starts.append(begin)
            ends.append(end)
            full.append(used + segments.full[index])
            trimmed.append(used + segments.trimmed[index])
            forced.append(segments.forced[index])
            used, begin = 0.0, None
        else:
            used += segments.full[index]
    return Segments(starts, ends, full, trimmed, forced)
