"""Which culture models agree with. In: `Scored`. Out: `Ranking`s, and a `Section` of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan

import numpy as np

from memeloc.counts import counted
from memeloc.evaluate.scores.figures import CultureScores, Ranking
from memeloc.evaluate.scores.sections.scored import CONDITION_COLUMNS, Scored, table
from memeloc.reports.sections import Bars, Section, Table
from memeloc.statistics.significance import holm, scipy_stats

_RANKS = {
    **CONDITION_COLUMNS,
    "best": "culture with the highest mean accuracy",
    "accuracy": "with its labels, 0 to 1",
    "second": "culture with the second highest",
    "accuracy_second": "with its labels, 0 to 1",
    "p_second": "two-sided p-value, best against second",
    "p_second_holm": "the same, corrected for the number of rows (Holm 1979)",
    "lowest": "culture with the lowest",
    "accuracy_lowest": "with its labels, 0 to 1",
    "p_lowest": "two-sided p-value, best against lowest",
    "p_lowest_holm": "the same, corrected for the number of rows",
}
_COUNTS = {
    "culture": "the culture",
    "best": "conditions in which it is best",
    "above_second": "those in which it is significantly above the second",
    "above_lowest": "those in which it is significantly above the lowest",
    "lowest": "conditions in which it is lowest",
}
METHOD = (
    "Wilcoxon's rank-sum test of the accuracies of the prompts (1945; two-sided, normal "
    "approximation)"
)


def rank_sum(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p-value of Wilcoxon's rank-sum test; NaN with fewer than two values a side.

    As scipy's `ranksums`, the normal approximation, which multi3hate 5.1 names.
    """
    sides = [[value for value in side if np.isfinite(value)] for side in (first, second)]
    if min(map(len, sides)) < 2:
        return nan
    return float(scipy_stats().ranksums(*sides).pvalue)


def ranking_of(scores: Sequence[CultureScores]) -> Ranking | None:
    """Best, second and lowest culture of a condition; None with fewer than two that have items."""
    # Means of the same accuracies may differ in the last bits.
    known = sorted((s for s in scores if s.items), key=lambda s: -round(s.accuracy.value, 12))
    if len(known) < 2:
        return None
    best, second, lowest = known[0], known[1], known[-1]
    return Ranking(
        best.condition,
        best.culture,
        second.culture,
        lowest.culture,
        best.accuracy.value,
        second.accuracy.value,
        lowest.accuracy.value,
        rank_sum(best.accuracies, second.accuracies),
        rank_sum(best.accuracies, lowest.accuracies),
    )


def ranks_section(scored: Scored, rankings: Sequence[Ranking]) -> Section:
    """Best culture against second and lowest (multi3hate 5.3, Table 6)."""
    alpha = scored.settings.alpha
    counts = [_counts(culture, rankings, alpha) for culture in scored.coded.cultures]
    counts_table = _counts_table(counts, len(rankings), alpha)
    tested = any(np.isfinite(each.p_second) for each in rankings)
    bars = counts_table.frame.set_index("culture").set_axis(
        ["best", "best, p < alpha to second", "best, p < alpha to lowest", "lowest"], axis=1
    )
    return Section(
        "best-culture",
        "Which culture models agree with",
        tables=(counts_table, _ranks(rankings)),
        plots=(
            Bars(
                "best-culture", "Best and lowest culture", bars, "conditions", counts_table.method
            ),
        )
        if len(rankings) > 1
        else (),
        sentences=tuple(_sentences(counts, rankings, alpha)),
        figures={"conditions": len(rankings)}
        | {culture: dict(zip(list(_COUNTS)[1:], row, strict=True)) for culture, *row in counts},
        gaps=()
        if tested
        else ("The rank-sum test compares prompts, and each condition has only one of them.",),
    )


def _ranks(rankings: Sequence[Ranking]) -> Table:
    corrected = [holm([r.p_second for r in rankings]), holm([r.p_lowest for r in rankings])]
    rows = (
        (
            *(*r.condition, r.best, r.accuracy, r.second, r.accuracy_second, r.p_second, second),
            *(r.lowest, r.accuracy_lowest, r.p_lowest, lowest),
        )
        for r, second, lowest in zip(rankings, *corrected, strict=True)
    )
    method = f"{METHOD}, multi3hate 5.1. Of equal means the first culture of the gold comes first."
    return table("best-cultures", "Best, second and lowest culture", rows, _RANKS, method)


def _counts(
    culture: str, rankings: Sequence[Ranking], alpha: float
) -> tuple[str, int, int, int, int]:
    best = [each for each in rankings if each.best == culture]
    return (
        culture,
        len(best),
        sum(each.p_second < alpha for each in best),
        sum(each.p_lowest < alpha for each in best),
        sum(each.lowest == culture for each in rankings),
    )


def _counts_table(counts: Sequence[Sequence[object]], conditions: int, alpha: float) -> Table:
    method = (
        f"Over {counted(conditions, 'condition')}. Significant: p < {alpha:g}, not corrected for "
        f"the number of tests, as in the paper. {METHOD}."
    )
    return table("best-culture-counts", "How often a culture is best", counts, _COUNTS, method)


def _sentences(
    counts: Sequence[tuple[str, int, int, int, int]], rankings: Sequence[Ranking], alpha: float
) -> Iterator[str]:
    total = counted(len(rankings), "condition")
    best = max(counts, key=lambda row: row[1])
    lowest = max(counts, key=lambda row: row[4])
    yield (
        f"Of {total}, {best[1]:,} have their highest accuracy with the labels of {best[0]}; the "
        f"difference to the lowest culture is significant in {best[3]:,} of them and that to the "
        f"second in {best[2]:,} (Wilcoxon's rank-sum test over the prompts, p < {alpha:g})."
    )
    yield f"{lowest[0]} is lowest most often, in {lowest[4]:,}."
