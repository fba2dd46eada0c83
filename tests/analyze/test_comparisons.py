"""Statistics against independent packages and printed examples; the guide's table lists them."""

from __future__ import annotations

from tests.analyze.comparisons import COMPARISONS, Comparison
from tests.each import each
from tools.make_statistics_table import listed


@each("comparison", COMPARISONS, ids=[each.values.__name__ for each in COMPARISONS])
def test_a_statistic_is_that_of_its_peer(comparison: Comparison) -> None:
    assert comparison.difference() <= comparison.tolerance


def test_the_guide_lists_every_comparison() -> None:
    assert listed() == [(each.statistic, each.source, each.peer) for each in COMPARISONS]
