"""Intervals and tests in simulated studies: a short form of `python -m bench.coverage`.

Seeds are fixed, so nothing fails by chance; bounds are those of two thousand sets with room for the
Monte Carlo error of sixty.
"""

from __future__ import annotations

import pytest

from bench import coverage
from bench.coverage import Design, groups, intervals
from tests.each import each

pytestmark = pytest.mark.slow
SETS = 60


@pytest.mark.parametrize(
    "design",
    [Design(5, 60, own=0.8), Design(20, 60, own=0.8), Design(20, 60, answers=(5,), own=0.8)],
    ids=str,
)
def test_intervals_hold_the_truth(design: Design) -> None:
    for name, share, _ in intervals(design, SETS):
        assert share >= 0.88, name


@pytest.mark.parametrize("design", [Design(5, 60), Design(20, 60)], ids=str)
def test_people_who_differ_are_no_cultures_that_differ(design: Design) -> None:
    shares = {name: share for name, share, _ in coverage.tests(design, SETS)}
    for name, share in shares.items():
        assert name.endswith("independent") or share <= 0.12, name
    assert shares["answers: as if independent"] >= 0.2


def test_cultures_that_differ_are_found() -> None:
    shares = {name: share for name, share, _ in coverage.tests(Design(20, 60, moved=0.8), 30)}
    assert shares["answers: people permuted"] > 0.6


@each("answers", [(3,), (4,), (11,), (3, 4, 5, 6, 7)], ids=str)
def test_random_groups_find_nothing_where_nothing_is(answers: tuple[int, ...]) -> None:
    design = Design(max(answers), 100, 5, answers if len(answers) > 1 else (0,), person=0)
    ((_, share, _),) = groups(design, SETS)
    assert share <= 0.12
