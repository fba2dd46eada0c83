"""Agreement of cultures. In: `Answers`. Out: a `Section`: each two cultures, and how many agree."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from memeloc.agreement import weighted
from memeloc.analyze.answers import NO_LABEL, Answers
from memeloc.analyze.settings import Settings
from memeloc.arrays import Floats, Ints
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.reports.sections import Bars, Heatmap, Intervals, Section, Table
from memeloc.statistics.bootstrap import Estimates, estimate
from memeloc.statistics.intervals import defined, percent, percent_with_interval, rows_of, wilson

PAIR_COLUMNS = {
    "first": "one culture",
    "second": "the other",
    "items": "items with a majority label in both",
    "agreement": "share of them with the same label, 0 to 1",
    "low": "lower end of its interval",
    "high": "upper end",
}
_KAPPA_COLUMNS = {
    "kappa": "Cohen's kappa of the two cultures' labels, -1 to 1",
    "kappa_low": "lower end of its interval",
    "kappa_high": "upper end",
}
AGREE_COLUMNS = {
    "cultures": "how many cultures give an item's most common label",
    "items": "items",
    "share": "of the items with a label in every culture, 0 to 1",
    "low": "lower end of its interval",
    "high": "upper end",
}


def agreement_between(answers: Answers, settings: Settings) -> Section:
    """Agreement of each two cultures, the mean of all pairs, and how many cultures agree.

    Raises:
        InputError: there is one culture only, or no two have labelled a common item.
    """
    if len(answers.cultures) < 2:
        raise InputError(f"all answers are of one culture, {answers.cultures[0]}")
    frame = pairs(answers.majority, answers.cultures, settings.confidence)
    without = [f"{row.first} and {row.second}" for row in rows_of(frame) if not row.items]
    if len(without) == len(frame):
        raise InputError("no two cultures have labelled a common item")
    mean = mean_of_pairs(answers.majority, settings, "mean of all pairs")
    frame = _with_kappas(frame, answers, settings)
    agree = agreeing(answers.majority, settings.confidence)
    left_out = int((answers.majority == NO_LABEL).any(axis=1).sum())
    gaps = [f"{names} have labelled no common item." for names in without]
    if not agree["items"].sum():
        gaps.append("How many cultures agree: no item has a label in every culture.")
    return Section(
        "agreement-between",
        "Agreement between cultures",
        tables=_tables(frame, mean, agree, left_out, settings),
        plots=_plots(frame, agree, answers, settings),
        sentences=(*_sentences(frame, mean, agree),),
        figures={
            "pairs": {
                f"{row.first}–{row.second}": [
                    defined(v) for v in (row.agreement, row.low, row.high)
                ]
                for row in rows_of(frame)
            },
            "mean": [defined(float(v[0])) for v in (mean.value, mean.low, mean.high)],
            "cultures_agree": {row.cultures: defined(row.share) for row in rows_of(agree)},
            "items_left_out": left_out,
        },
        gaps=tuple(gaps),
    )


def pairs(majority: Ints, cultures: tuple[str, ...], confidence: float) -> pd.DataFrame:
    """`PAIR_COLUMNS` of every two cultures, whether or not they share items.

    Args:
        majority: items by cultures, as `Answers.majority`; any part of the items.
        confidence: of Wilson's interval of the share.
    """
    rows = []
    for one, other in combinations(range(len(cultures)), 2):
        both = (majority[:, one] != NO_LABEL) & (majority[:, other] != NO_LABEL)
        same = both & (majority[:, one] == majority[:, other])
        rows.append((cultures[one], cultures[other], int(both.sum()), int(same.sum())))
    frame = pd.DataFrame(rows, columns=["first", "second", "items", "same"])
    low, high = wilson(frame["same"], frame["items"], confidence)
    agreement = frame["same"] / frame["items"].where(frame["items"] > 0)
    return frame.drop(columns="same").assign(agreement=agreement, low=low, high=high)


def mean_of_pairs(majority: Ints, settings: Settings, name: str) -> Estimates:
    """The plain mean of all pairs' agreement, of those with common items; by resamples of items."""

    def mean(patterns: Ints, weights: Floats) -> Floats:
        total, known = np.zeros(len(weights)), np.zeros(len(weights))
        for one, other in combinations(range(majority.shape[1]), 2):
            both = (patterns[:, one] != NO_LABEL) & (patterns[:, other] != NO_LABEL)
            items = weights @ both
            same = weights @ (both & (patterns[:, one] == patterns[:, other]))
            total += np.divide(same, items, out=np.zeros(len(items)), where=items > 0)
            known += items > 0
        with np.errstate(invalid="ignore"):
            means: Floats = total / known
        return means[:, None]

    return estimate(majority, mean, settings, name)


def agreeing(majority: Ints, confidence: float) -> pd.DataFrame:
    """`AGREE_COLUMNS`: of items labelled in every culture, by exactly how many cultures
    the most common label is given.
    """
    labelled = majority[(majority != NO_LABEL).all(axis=1)]
    cultures = majority.shape[1]
    most = np.zeros(len(labelled), dtype=np.int64)
    for label in np.unique(labelled):
        most = np.maximum(most, (labelled == label).sum(axis=1))
    items = np.bincount(most, minlength=cultures + 1)[1:]
    low, high = wilson(items, items.sum(), confidence)
    share = items / items.sum() if items.sum() else np.full(cultures, np.nan)
    columns = (np.arange(1, cultures + 1), items, share, low, high)
    frame = pd.DataFrame(dict(zip(AGREE_COLUMNS, columns, strict=True)))
    # Two labels of five cultures: three agree at least. Counts that cannot be are not shown.
    return frame[frame["items"].cumsum() > 0] if items.sum() else frame


def _with_kappas(frame: pd.DataFrame, answers: Answers, settings: Settings) -> pd.DataFrame:
    labels = len(answers.labels)

    def kappa(patterns: Ints, weights: Floats) -> Floats:
        cells = np.zeros((labels, labels, len(weights)))
        cells[patterns[:, 0], patterns[:, 1]] = weights.T
        return weighted.cohen(cells)[:, None]

    columns: list[tuple[float, float, float]] = []
    for one, other in combinations(range(len(answers.cultures)), 2):
        both = answers.majority[:, [one, other]]
        both = both[(both != NO_LABEL).all(axis=1)]
        if not len(both):
            columns.append((np.nan,) * 3)
            continue
        name = f"kappa {answers.cultures[one]} {answers.cultures[other]}"
        estimates = estimate(both, kappa, settings, name)
        value, low, high = estimates.value[0], estimates.low[0], estimates.high[0]
        columns.append((float(value), float(low), float(high)))
    names = zip(_KAPPA_COLUMNS, zip(*columns, strict=True), strict=True)
    return frame.assign(**{name: list(values) for name, values in names})


def _tables(
    frame: pd.DataFrame, mean: Estimates, agree: pd.DataFrame, left_out: int, settings: Settings
) -> tuple[Table, ...]:
    pairs_method = (
        "Share of items, with a majority label in both cultures, that carry the same label "
        f"(multi3hate 4.2), with Wilson's {settings.confidence:.0%} interval. Cohen's kappa (1960) "
        "of the two cultures' labels, its interval by "
        f"{settings.bootstraps:,} resamples of items."
    )
    mean_method = (
        "The plain mean of the agreement of all unordered pairs of cultures (not, as printed in "
        "multi3hate, of column means of the upper triangle); its interval by "
        f"{settings.bootstraps:,} resamples of items (percentiles)."
    )
    agree_method = (
        "Of items with a majority label in every culture, by exactly how many cultures the most "
        f"common label is given (multi3hate 4.2); {counted(left_out, 'other item')} left out. "
        "Wilson's intervals."
    )
    mean_row = (int(frame["agreement"].notna().sum()), mean.value[0], mean.low[0], mean.high[0])
    means = pd.DataFrame([mean_row], columns=["pairs", "agreement", "low", "high"])
    mean_columns = {
        "pairs": "pairs of cultures with common items",
        "agreement": "mean of their agreement, 0 to 1",
        "low": "lower end of its interval",
        "high": "upper end",
    }
    title = "Agreement of each two cultures"
    return (
        Table("culture-pairs", title, frame, {**PAIR_COLUMNS, **_KAPPA_COLUMNS}, pairs_method),
        Table("culture-pairs-mean", "Mean of all pairs", means, mean_columns, mean_method),
        Table("cultures-agree", "How many cultures agree", agree, AGREE_COLUMNS, agree_method),
    )


def _plots(
    frame: pd.DataFrame, agree: pd.DataFrame, answers: Answers, settings: Settings
) -> tuple[Heatmap | Intervals | Bars, ...]:
    names = list(answers.cultures)
    values = pd.DataFrame(np.nan, index=names, columns=names)
    for row in rows_of(frame):
        values.loc[row.first, row.second] = values.loc[row.second, row.first] = row.agreement
    intervals = frame.rename(columns={"agreement": "value"})[["value", "low", "high"]]
    intervals.insert(0, "label", frame["first"] + "–" + frame["second"])
    method = "Share of items, labelled in both, that carry the same majority label."
    axis = "share of items with the same label"
    order = intervals.sort_values("value", ascending=False, kind="stable")
    heatmap = Heatmap("culture-pairs", "Agreement of each two cultures", values, method)
    shown = Intervals(
        "culture-pairs-intervals",
        "Agreement of pairs of cultures",
        order,
        axis,
        f"{method} Wilson's {settings.confidence:.0%} intervals.",
    )
    if not agree["items"].sum():
        return heatmap, shown
    bars = agree.set_index("cultures")[["share"]].rename(columns={"share": "share of items"})
    title = "How many cultures agree"
    return heatmap, shown, Bars("cultures-agree", title, bars, "share of items", title)


def _sentences(frame: pd.DataFrame, mean: Estimates, agree: pd.DataFrame) -> list[str]:
    known = frame.dropna(subset=["agreement"])
    high, low = (
        rows_of(known.sort_values("agreement", ascending=False, kind="stable"))[place]
        for place in (0, -1)
    )
    figures = percent_with_interval(*(float(v[0]) for v in (mean.value, mean.low, mean.high)))
    sentences = [
        f"On average two cultures agree on {figures} of items (the plain mean of all "
        f"{counted(len(known), 'pair')})."
    ]
    if len(known) > 1:
        sentences.append(
            f"Agreement is highest between {high.first} and {high.second} "
            f"({percent_with_interval(high.agreement, high.low, high.high)}) and lowest between "
            f"{low.first} and {low.second} "
            f"({percent_with_interval(low.agreement, low.low, low.high)})."
        )
    if agree["items"].sum():
        first, *rest = reversed(rows_of(agree))
        sentences.append(
            f"{counted(first.cultures, 'culture')} agree on {percent(first.share)} of the "
            f"{counted(int(agree['items'].sum()), 'item')} labelled in every culture"
            + "".join(f", {row.cultures} on {percent(row.share)}" for row in rest)
            + "."
        )
    return sentences
