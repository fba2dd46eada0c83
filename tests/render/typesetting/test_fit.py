"""Held by brute force: all sizes and all partitions of small inputs."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.render.typesetting.fit import (
    CLAUSE,
    EXTRA_LINE,
    FEWER_LINES,
    LADDER,
    ORPHAN,
    ORPHAN_SHARE,
    UNEVEN,
    Bounds,
    Capacity,
    Segments,
    choose,
    count_lines,
    largest_step,
)


@st.composite
def segments(draw: st.DrawFn, most: int = 7) -> Segments:
    """Words in a row, some with a space behind, some ending a paragraph, some empty."""
    number = draw(st.integers(1, most))
    trimmed = draw(
        st.lists(st.integers(0, 60), min_size=number, max_size=number).map(
            lambda widths: [width / 8 for width in widths]
        )
    )
    spaces = draw(st.lists(st.sampled_from([0.0, 0.25]), min_size=number, max_size=number))
    forced = draw(st.lists(st.sampled_from([False, False, True]), min_size=number, max_size=number))
    forced[-1] = False
    full = [width + space for width, space in zip(trimmed, spaces, strict=True)]
    return Segments(list(range(number)), list(range(1, number + 1)), full, trimmed, forced)


rooms = st.builds(
    Capacity,
    bounds=st.builds(
        Bounds,
        width=st.floats(3, 900),
        height=st.floats(3, 900),
        largest=st.just(900.0),
        margin=st.sampled_from([0.0, 0.06, 0.2]),
        line_spacing=st.just(1.0),
    ),
    pitch=st.floats(0.8, 2),
    extent=st.floats(0.5, 1.6),
)


def width_of(words: Segments, begin: int, after: int) -> float:
    """The width of a line: white space counts but at its end."""
    return sum(words.full[begin : after - 1]) + words.trimmed[after - 1]


def partitions(words: Segments) -> list[list[tuple[int, int]]]:
    """Every way to cut the words into lines that ends lines where it must."""
    number = len(words.full)
    must = {at + 1 for at in range(number) if words.forced[at]}
    may = [at for at in range(1, number) if at not in must]
    ways = []
    for count in range(len(may) + 1):
        for chosen in combinations(may, count):
            cuts = [0, *sorted(must | set(chosen)), number]
            ways.append(list(pairwise(cuts)))
    return ways


def fitting(words: Segments, limit: float) -> list[list[tuple[int, int]]]:
    return [
        lines
        for lines in partitions(words)
        if all(width_of(words, *line) <= limit for line in lines)
    ]


def cost_of(lines: list[tuple[int, int]], words: Segments, costs: list[float]) -> float:
    """What lines cost, by the words of `line_cost`, but for their number and their size."""
    mean = sum(words.full) / len(lines) or 1.0
    total = sum(costs[after - 1] for _, after in lines)
    total += sum(UNEVEN * (width_of(words, *line) / mean - 1) ** 2 for line in lines)
    begin, after = lines[-1]
    if len(lines) > 1 and after - begin == 1 and costs[begin - 1] > CLAUSE:
        total += ORPHAN if width_of(words, begin, after) < ORPHAN_SHARE * mean else 0.0
    return total


def extra(more: int) -> float:
    """What more or fewer lines cost than the largest size needs."""
    return EXTRA_LINE if more > 0 else FEWER_LINES if more < 0 else 0.0


@given(segments(), rooms, st.lists(st.sampled_from([0.0, 0.25, 1.0, 3.0]), min_size=7, max_size=7))
def test_the_lines_chosen_cost_least_of_all(
    words: Segments, room: Capacity, some_costs: list[float]
) -> None:
    costs = [*some_costs[: len(words.full) - 1], 0.0]
    high = 30
    choice = choose(words, room, 0, high, lambda: costs, 2, 0)
    free = largest_step(words, room, 0, high)
    if choice is None:
        assert free < 0
        return
    assert choice.free == free
    fewest = count_lines(words, room.limit(LADDER[free]))
    if fewest == 1 + words.forced.count(True):
        assert choice.step == free
        return
    best = min(
        cost_of(lines, words, costs) + extra(len(lines) - fewest) + free - step
        for step in range(free, max(0, free - 2) - 1, -1)
        for lines in fitting(words, room.limit(LADDER[step]) * (1 + 1e-9))
        if len(lines) <= min(fewest + 1, room.lines(LADDER[step]))
    )
    ours = cost_of(choice.lines, words, costs) + extra(len(choice.lines) - fewest)
    assert ours + free - choice.step == pytest.approx(best)
    assert len(choice.lines) <= room.lines(LADDER[choice.step])


@given(segments(5), rooms, st.integers(0, 40), st.integers(0, 40))
def test_the_largest_size_is_that_of_brute_force(
    words: Segments, room: Capacity, first: int, second: int
) -> None:
    low, high = sorted((first, second))
    best = -1
    for step in range(low, high + 1):
        size = LADDER[step]
        inside = room.bounds.height - 2 - 2 * room.bounds.margin * size
        for lines in fitting(words, (room.bounds.width - 2) / size - 2 * room.bounds.margin):
            tall = ((len(lines) - 1) * room.pitch + room.extent) * size
            if tall <= inside + 1e-6 and (room.bounds.width - 2) / size > 2 * room.bounds.margin:
                best = step
    fitted = largest_step(words, room, low, high)
    if fitted == best:
        return
    # A line count that fits by less than a billionth may fall either way.
    size = LADDER[max(fitted, best)]
    slack = (room.bounds.height - 2) / size - 2 * room.bounds.margin - room.extent
    assert abs(slack / room.pitch - round(slack / room.pitch)) < 1e-6
    assert abs(fitted - best) <= 1
