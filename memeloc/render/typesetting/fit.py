"""Finding the size and the lines. In: widths in ems and the box. Out: a size and a partition.

Everything here is arithmetic over advances; nothing is shaped and nothing is painted. Sizes come
from a ladder, so that glyph masks made for one caption serve the next.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, compress
from operator import add
from typing import NamedTuple

from memeloc.locales.breaking import uppercase
from memeloc.model import Align, Locale

SENTENCE = 0.0
"""An end behind a full stop, a question or exclamation mark, a dash or an ellipsis."""
CLAUSE = 0.25
"""An end behind a comma, a colon, a bracket or a quotation, before one that opens; at a space in
Thai."""
BEFORE_LINK = 0.6
"""An end between two words, the second of which opens a phrase: a preposition, an article."""
PLAIN = 1.0
"""An end between two words, or two phrases of a language without spaces."""
WITHIN_COMPOUND = 2.5
"""An end behind a hyphen, a slash or a soft hyphen, without a space."""
WITHIN_PHRASE = 6.0
"""An end between two words that BudouX sees as one phrase, or within a word; added."""
HANGING = 4.0
"""A word at the end of a line that belongs to the next, or a number before its noun, its unit or
its sign; added."""
LINKED = 2.0
"""A word at the begin of a line that belongs to the last; added."""
STUB = 1.5
"""The first word of a clause at the end of a line, or a short last one at its begin; added."""
STUB_LENGTH = 5
"""Characters of a short word, its punctuation among them."""

_SENTENCE_ENDS = frozenset(".!?…。！？।॥؟۔‥—–።፧៕\u037e·~～")
_CLAUSE_ENDS = frozenset(',;:、，；：؛٫)]}）］｝〉》」』】”’»"؍՝፣፤၊။・')
_OPENING = frozenset("([{（［｛〈《「『【“«„‘‚—–¿¡")
_AROUND = "".join(_SENTENCE_ENDS | _CLAUSE_ENDS | _OPENING) + "%‹›'\u2066\u2067\u2068\u2069"
_NUMERALS = frozenset("一二两兩三四五六七八九十百千万萬半几幾")
_NUMBER_SIGNS = frozenset("№§#€$£¥₹₽₺₩₫฿₪")
_UNIT_SIGNS = _NUMBER_SIGNS | frozenset("%‰°")
_NUMBERED = frozenset({"nr", "no", "núm", "art", "kap", "cap", "vol", "fig", "pág", "стр", "гл"})
_JOINED_BY = frozenset("-/\u00ad\u2010_&+\u05be")


@lru_cache(maxsize=256)
def _linked_words(locale: Locale) -> tuple[dict[str, float], frozenset[str]]:
    """Return what words cost at the end of a line, and those that begin none, in upper case too.

    Some of the former are two words, between which a line would end.
    """
    better, next_, previous = (
        {
            form
            for word in words
            for form in (word, uppercase(word, locale), uppercase(word[0], locale) + word[1:])
        }
        for words in (locale.better_with_next, locale.keep_with_next, locale.keep_with_previous)
    )
    to_next = dict.fromkeys(better, LINKED) | dict.fromkeys(next_, HANGING)
    return to_next, frozenset(previous)


def end_costs(pieces: Sequence[str], locale: Locale) -> list[float]:
    """Return what it costs to end a line behind each piece of a paragraph, in ladder steps.

    Pieces have the white space at their ends. The last cost is 0.0: there the paragraph ends.
    """
    number = len(pieces)
    words = [piece.strip() for piece in pieces]
    to_next, to_previous = _linked_words(locale)
    unspaced = bool(locale.phrase_model)
    costs = [
        _between(piece, word, after, unspaced, to_next, to_previous)
        for piece, word, after in zip(pieces, words, words[1:], strict=False)
    ]
    strong = [cost <= CLAUSE for cost in costs]
    for index in range(number - 1):
        if strong[index]:
            continue
        ends_clause = index < number - 2 and strong[index + 1]
        if (index > 0 and strong[index - 1]) or (
            ends_clause and len(words[index + 1]) <= STUB_LENGTH
        ):
            costs[index] += STUB
    costs.append(0.0)
    return costs


def _between(
    piece: str,
    word: str,
    after: str,
    unspaced: bool,
    to_next: dict[str, float],
    to_previous: frozenset[str],
) -> float:
    """Return the cost of an end between a piece and the next word, by those two alone."""
    if not word or not after:
        return SENTENCE
    last, first = word[-1], after[0]
    # A full stop after an initial, an ordinal or a numbered noun ends no sentence: "J. Doe",
    # "5. Mai", "31. Dezember", "Nr. 5". By form alone, in all languages: of "We lost by 15. You
    # won" the better line end is lost. A number of three digits is seldom an ordinal.
    stem = word[:-1].lstrip("(„“\"'") if last == "." else ""
    is_dotted = stem != "" and (
        len(stem) == 1
        or (len(stem) < 3 and stem.isdecimal())
        or (first.isdecimal() and stem.lower() in _NUMBERED)
    )
    if last in _SENTENCE_ENDS and not is_dotted:
        return SENTENCE
    if last in _CLAUSE_ENDS:
        return CLAUSE
    spaced = piece[-1].isspace()
    if first in _OPENING:
        cost = CLAUSE
    elif unspaced:
        at_number = last.isdecimal() or first.isdecimal()
        cost = CLAUSE if (spaced and not at_number) or last == "_" else PLAIN
    else:
        cost = PLAIN if spaced or last not in _JOINED_BY else WITHIN_COMPOUND
    head, tail = after.strip(_AROUND), word.lstrip(_AROUND)
    is_apart = unspaced and spaced  # a space ends what a word could belong to
    hanging = 0.0
    if not is_apart:
        hanging = to_next.get(tail) or to_next.get(tail.rpartition("’")[2], 0.0)
        hanging = hanging or to_next.get(f"{tail} {head}", 0.0)
    if hanging:
        cost += hanging
    elif is_dotted or (last in _NUMBER_SIGNS and first.isdecimal()):
        cost += HANGING
    elif last.isdecimal() or (unspaced and last in _NUMERALS):
        is_counted = first.isalpha() or first in _UNIT_SIGNS
        cost += HANGING if is_counted and head not in to_next else 0.0
    elif head.isdecimal() and (unspaced or not after[-1].isdecimal()):
        cost += LINKED / 2  # "Chapter / 1:"
    if not first.isalnum() and not any(map(str.isalnum, after)):
        cost += LINKED  # an emoji belongs to the words before it
    elif head in to_previous and not is_apart:
        cost += LINKED
    elif cost == PLAIN and head in to_next:
        return BEFORE_LINK
    return cost


FLOOR = 5.0
"""The smallest font size ever painted, in pixels; text that does not fit at it is truncated."""

LADDER = tuple([FLOOR * 2 ** (step / 12) for step in range(106)])
"""All font sizes there are, in pixels, from FLOOR to 2152: neighbours differ by 5.9 %."""

EXTRA_LINE = 0.75
"""Each line more than are needed at the largest size."""
FEWER_LINES = 1.0
"""Fewer lines than at the largest size: the text would cover much less than in other languages."""
UNEVEN = 3.0
"""A line half as wide again as the mean costs a quarter of this, one twice as wide all of it."""
ORPHAN = 1.5
"""A last line of one word, narrower than ORPHAN_SHARE of the mean."""
ORPHAN_SHARE = 0.45  # of the mean width: below half, a last line looks left behind

_SEARCHED = 96
"""Segments of a part among which lines are searched for; more are only filled evenly."""

Lines = Sequence[tuple[int, int]]
"""For each line the index of its first segment and of the one after its last."""


def step_below(size: float) -> int:
    """Return the ladder's index of the largest size that is at most `size`; -1 below the floor."""
    return bisect_right(LADDER, size * (1 + 1e-9)) - 1


@dataclass(frozen=True, slots=True)
class Bounds:
    """A part's box, its style's limits and its picture's width.

    Sizes are in pixels, but for the outline outside the letters (`margin`) and the least distance
    of baselines (`line_spacing`), in ems. `largest` is the largest font size allowed.
    """

    width: float
    height: float
    largest: float
    margin: float
    line_spacing: float
    align: Align = "center"
    picture_width: float = 0.0


class Capacity(NamedTuple):
    """A box for lines that are (about) `pitch` ems apart, the ink of one `extent` ems high."""

    bounds: Bounds
    pitch: float
    extent: float

    def limit(self, size: float) -> float:
        """Return the widest line there is room for at `size` pixels, in ems."""
        return (self.bounds.width - 2) / size - 2 * self.bounds.margin

    def one_line_step(self, width: float) -> int:
        """Return the highest ladder index at which a line `width` ems wide has room; or -1."""
        around = 2 * self.bounds.margin
        across = (self.bounds.width - 2) / max(width + around, 1e-9)
        down = (self.bounds.height - 2) / max(self.extent + around, 1e-9)
        return step_below(min(across, down))

    def lines(self, size: float) -> int:
        """Return how many lines there is room for at `size` pixels."""
        over = (self.bounds.height - 2) / size - 2 * self.bounds.margin - self.extent
        return 0 if over < 0 else 1 + int(over / self.pitch + 1e-9)


@dataclass(slots=True)
class Segments:
    """A part's unbreakable pieces, over all its paragraphs; widths are in ems.

    Attributes:
        starts, ends: offsets in the part's characters (paragraph offsets added up).
        full: each one's width with the white space at its end.
        trimmed: its width when a line ends after it, a shown hyphen included.
        forced: whether a line must end after it.
        begins: where each begins if all stood on one line, and where the last ends.
        stops: where a line ends after it, on that line; never before the last.
        widest: the width of the widest one: no line can be narrower.
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


def count_lines(segments: Segments, limit: float) -> int:
    """Return the fewest lines within `limit` ems; a huge number when a segment is wider."""
    return len(_greedy(segments, limit)) if segments.widest <= limit else 1 << 30


def largest_step(segments: Segments, capacity: Capacity, low: int, high: int) -> int:
    """Return the highest ladder index in low..high at which the segments fit the box, or -1.

    Fitting is monotone in the size: a larger one has room for fewer, narrower lines.
    """
    fitting = bisect_left(
        LADDER,
        True,
        low,
        high + 1,
        key=lambda size: count_lines(segments, capacity.limit(size)) > capacity.lines(size),
    )
    return fitting - 1 if fitting > low else -1


class Choice(NamedTuple):
    """A ladder step, the largest that fits at any cost, lines, and all ends' costs if asked."""

    step: int
    free: int
    lines: Lines
    costs: Sequence[float] = ()


def choose(
    segments: Segments,
    capacity: Capacity,
    low: int,
    high: int,
    costs: Callable[[], Sequence[float]],
    concession: int,
    floor: int,
) -> Choice | None:
    """Return the size and the lines that cost least, size against shape; None if nothing fits.

    A step of the ladder below the largest size that fits costs one; what ends of lines cost stands
    in `line_cost`. Within its bounds the search is exact.

    Args:
        low, high: the first and the last ladder step allowed.
        costs: gives what it costs to end a line after each segment; asked for only where a
            paragraph is longer than a line.
        concession: how many steps of size better lines may cost at most.
        floor: the step below which they may cost none.
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
        widths = [limit - at / 100 for at in range(math.ceil((limit - segments.widest) * 100))]
        wider = bisect_left(
            widths, True, lo=1, key=lambda width: count_lines(segments, width) > fewest
        )
        return Choice(free, free, _greedy(segments, widths[wider - 1] if widths else limit))
    least = min(free, max(low, floor, free - concession))
    return _search(segments, costs(), capacity, range(free, least - 1, -1), fewest)


def _search(
    segments: Segments, costs: Sequence[float], capacity: Capacity, steps: range, fewest: int
) -> Choice:
    """Return the lines of least cost over the sizes on `steps`, largest first.

    The best partition into some lines at the smallest size is the best of all, but that it may not
    fit larger ones; so these are looked at only while a step of size would cost more than it.
    """
    limits = [capacity.limit(LADDER[step]) * (1 + 1e-9) for step in steps]
    rooms = [capacity.lines(LADDER[step]) for step in steps]
    cheapest = min(costs[:-1])
    extras = {fewest: 0.0}
    extras |= dict.fromkeys(range(count_lines(segments, limits[-1]), fewest), FEWER_LINES)
    extras[fewest + 1] = EXTRA_LINE
    best, choice = math.inf, Choice(steps[0], steps[0], [])
    for count, extra in extras.items():
        ends = count - len(segments.paragraph_ends)
        if count > rooms[-1] or extra + ends * cheapest >= best:
            continue
        loosest = _partition(segments, costs, count, limits[-1])
        if loosest is None:
            continue
        widest = max(
            [segments.stops[after - 1] - segments.begins[begin] for begin, after in loosest[1]]
        )
        enough = 0
        while limits[enough] < widest or rooms[enough] < count:
            enough += 1
        for lines_given in (enough, *range(enough)):
            if loosest[0] + extra + lines_given >= best:
                break
            found: tuple[float, Lines] | None = loosest
            if lines_given < enough:
                fits = rooms[lines_given] >= count
                found = _partition(segments, costs, count, limits[lines_given]) if fits else None
            if found is not None and found[0] + extra + lines_given < best:
                best = found[0] + extra + lines_given
                choice = Choice(steps[lines_given], steps[0], found[1], costs)
    return choice


def _partition(
    segments: Segments, costs: Sequence[float], count: int, limit: float
) -> tuple[float, Lines] | None:
    """Return the cost and the lines of the cheapest partition into `count` within `limit` ems."""
    starts, stops, forced = segments.begins, segments.stops, segments.forced
    number = len(forced)
    last = number - 1
    mean = starts[-1] / count or 1.0
    orphan = ORPHAN_SHARE * mean if count > 1 and costs[last - 1] > CLAUSE else 0.0
    # The first segment that may follow each line, so that the rest fits its lines.
    paragraphs = [0, *segments.paragraph_ends[:-1]]
    following = [number]
    while len(following) < count:
        end = following[-1]
        first = bisect_left(starts, stops[end - 1] - limit, 0, end)
        following.append(max(first, paragraphs[bisect_left(paragraphs, end, 1) - 1]))
    # Where a line may end: the least cost of the lines up to there, and these.
    nothing: tuple[float, Lines] = (math.inf, ())
    before: dict[int, tuple[float, Lines]] = {0: (0.0, ())}
    for earliest in reversed(following):
        after: dict[int, tuple[float, Lines]] = {}
        for begin, (cost, lines) in before.items():
            start = starts[begin]
            first = max(begin, earliest - 1)
            if True in forced[begin:first]:
                continue
            for index in range(first, number):
                width = stops[index] - start
                if width > limit:
                    break
                share = width / mean - 1.0
                total = cost + costs[index] + UNEVEN * share * share
                if begin == last and width < orphan:
                    total += ORPHAN
                end = index + 1
                if total < after.get(end, nothing)[0]:
                    after[end] = (total, (*lines, (begin, end)))
                if forced[index]:
                    break
        before = after
    return before.get(number)


def _greedy(segments: Segments, limit: float) -> Lines:
    lines = []
    begins, stops = segments.begins, segments.stops
    begin = 0
    for last in segments.paragraph_ends:
        while begin < last:
            after = bisect_right(stops, begins[begin] + limit, begin + 1, last)
            lines.append((begin, after))
            begin = after
    return lines
