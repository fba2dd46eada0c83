"""Agreement within each culture. In: `Answers`. Out: a `Section`: alpha, kappas, percent agreement.

multi3hate 4.1 (Krippendorff's alpha), harmeme Table 1 and araharmeme 3.5 (Cohen's kappa of each two
annotators), charmemes E (Fleiss' kappa).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from memeloc.agreement import by_level, weighted
from memeloc.analyze.answers import Answers
from memeloc.analyze.cultures.annotator_pairs import PairTables, mean_kappa, pairs_table
from memeloc.analyze.settings import Settings
from memeloc.arrays import Floats, Ints
from memeloc.reports.sections import Heatmap, Histogram, Intervals, Plot, Section, Table
from memeloc.statistics.bootstrap import Estimates, estimate
from memeloc.statistics.intervals import defined, rows_of, with_interval

_COLUMNS = {
    "culture": "the annotators' culture",
    "measure": "what is measured",
    "value": "1 is full agreement; of alpha and kappa 0 is agreement by chance",
    "low": "lower end of the interval",
    "high": "upper end",
    "items": "items with at least two votes",
    "votes": "votes on them",
    "annotators": "people who gave them",
}
_PAIR_COLUMNS = {
    "culture": "the annotators' culture",
    "first": "one annotator",
    "second": "the other",
    "items": "items on which both voted",
    "agreement": "share of them with the same label, 0 to 1",
    "kappa": "Cohen's kappa, -1 to 1",
    "low": "lower end of the interval of kappa",
    "high": "upper end",
}
_MOST_ANNOTATORS = 12
"""Of whom a matrix of kappas can be read; of more people a histogram is drawn."""
_MEASURES = {
    "alpha": "Krippendorff's alpha, nominal",
    "fleiss": "Fleiss' kappa",
    "agreement": "percent agreement",
    "cohen": "Cohen's kappa, mean of all pairs",
    "alpha_ordinal": "Krippendorff's alpha, ordinal",
    "alpha_interval": "Krippendorff's alpha, interval",
}
"""By name of a figure what it measures; the last two where labels have three levels or more."""


def agreement_within(answers: Answers, settings: Settings) -> Section:
    """How far the annotators of each culture agree, by every measure that the papers use."""
    rows, gaps, pairs, plots = [], [], [], []
    for place, culture in enumerate(answers.cultures):
        tables = PairTables.of(answers, culture)
        if len(tables.people) < 2:
            gaps.append(
                f"Agreement within {culture} needs two annotators; it has {len(tables.people)}."
            )
            continue
        votes = answers.votes[:, place]
        votes = votes[votes.sum(axis=1) > 1]
        if not len(votes):
            gaps.append(f"Agreement within {culture}: no item has votes of two annotators.")
            continue
        name = f"within {culture}"
        measures, estimates = measured(votes, answers.labels, settings, name, answers.levels)
        kappas = mean_kappa(tables, settings, f"pairs within {culture}")
        figures = [*zip(measures, *_columns(estimates), strict=True)]
        figures += [*zip((_MEASURES["cohen"],), *_columns(kappas), strict=True)]
        about = (len(votes), int(votes.sum()), len(tables.people))
        rows += [(culture, *figure, *about) for figure in figures]
        if np.isnan(estimates.value[0]):
            gaps.append(f"Alpha within {culture} is not defined: all votes are for one label.")
        pairs.append(pairs_table(tables, settings, f"each pair within {culture}"))
        if len(tables.people) <= _MOST_ANNOTATORS:
            plots.append(_matrix(pairs[-1], tables, place + 1))
    frame = pd.DataFrame(rows, columns=list(_COLUMNS))
    all_pairs = pd.concat(pairs) if pairs else pd.DataFrame(columns=list(_PAIR_COLUMNS))
    all_pairs = all_pairs.sort_values("items", ascending=False, kind="stable", ignore_index=True)
    return Section(
        "agreement-within",
        "Agreement within cultures",
        tables=_tables(frame, all_pairs[list(_PAIR_COLUMNS)], settings) if rows else (),
        plots=(*_plots(frame, all_pairs, settings), *plots) if rows else (),
        sentences=_sentences(frame) if rows else (),
        figures={
            key: {
                row.culture: [defined(row.value), defined(row.low), defined(row.high)]
                for row in rows_of(frame[frame["measure"] == measure])
            }
            for key, measure in _MEASURES.items()
        },
        gaps=tuple(gaps),
    )


def measured(
    votes: Ints,
    labels: Sequence[str],
    settings: Settings,
    name: str,
    levels: Mapping[str, float] | None = None,
) -> tuple[list[str], Estimates]:
    """Names and estimates of the measures that need counts of labels only.

    Args:
        votes: items by labels, of one culture.
        name: of the generator of resamples.
        levels: of the labels; three or more add the ordinal and the interval alpha.
    """
    scale = levels if levels and len(set(levels.values())) > 2 else None
    keys = ["alpha", "fleiss", "agreement"] + ["alpha_ordinal", "alpha_interval"] * bool(scale)

    def measures(patterns: Ints, weights: Floats) -> Floats:
        values = [
            weighted.alpha(patterns, weights),
            weighted.fleiss(patterns, weights),
            weighted.observed(patterns, weights),
        ]
        if scale:
            counts, places = by_level(patterns, labels, scale)
            values.append(weighted.alpha(counts, weights, "ordinal"))
            values.append(weighted.alpha(counts, weights, "interval", places))
        return np.stack(values, axis=1)

    return [_MEASURES[key] for key in keys], estimate(votes, measures, settings, name)


def _columns(estimates: Estimates) -> tuple[Floats, Floats, Floats]:
    return estimates.value, estimates.low, estimates.high


def _method(settings: Settings) -> str:
    return (
        "Over items with at least two votes of the culture. Krippendorff's alpha (2011), nominal; "
        "where labels have an order also ordinal (by rank) and interval (by the levels' "
        "differences). Fleiss' kappa (1971), each item counting as much as another. Percent "
        "agreement: of pairs of votes on an item, as a mean over items. Cohen's kappa (1960) of "
        "every two annotators over the items that both voted on, and its mean; with few "
        "common items they lie too near 0. Intervals "
        f"({settings.confidence:.0%}): percentiles of {settings.bootstraps:,} resamples of items."
    )


def _tables(frame: pd.DataFrame, pairs: pd.DataFrame, settings: Settings) -> tuple[Table, ...]:
    title = "Agreement within each culture"
    whole = Table("agreement-within", title, frame, _COLUMNS, _method(settings))
    if pairs.empty:
        return (whole,)
    method = (
        "Cohen's kappa (1960) of every two annotators who voted on a common item; not defined "
        "where both gave one label only. Intervals: percentiles of "
        f"{settings.bootstraps:,} resamples of their common items, for the pairs of a culture "
        "with most of them."
    )
    title = "Agreement of each two annotators"
    return whole, Table("annotator-pairs", title, pairs, _PAIR_COLUMNS, method)


def _plots(frame: pd.DataFrame, pairs: pd.DataFrame, settings: Settings) -> list[Plot]:
    shown = frame[frame["measure"].str.contains("alpha")]
    intervals = shown.rename(columns={"culture": "label", "measure": "group"})
    plots: list[Plot] = [
        Intervals(
            "agreement-within",
            "Krippendorff's alpha by culture",
            intervals[["label", "value", "low", "high", "group"]],
            "alpha",
            _method(settings),
        )
    ]
    kappas = pairs["kappa"].dropna()
    if len(kappas) > _MOST_ANNOTATORS:
        means = frame[frame["measure"] == _MEASURES["cohen"]].dropna(subset=["value"])
        plots.append(
            Histogram(
                "annotator-pairs",
                "Cohen's kappa of each two annotators",
                kappas.tolist(),
                "kappa",
                f"{len(kappas):,} pairs of annotators of all cultures; the marks are their means.",
                dict(zip(means["culture"], means["value"], strict=True)),
            )
        )
    return plots


def _matrix(pairs: pd.DataFrame, tables: PairTables, number: int) -> Heatmap:
    people = list(tables.people)
    values = pd.DataFrame(np.nan, index=people, columns=people)
    for row in rows_of(pairs):
        values.loc[row.first, row.second] = values.loc[row.second, row.first] = row.kappa
    title = f"Cohen's kappa of the annotators of {tables.culture}"
    return Heatmap(f"annotators-{number}", title, values, "Cohen's kappa (1960) of each two people")


def _sentences(frame: pd.DataFrame) -> tuple[str, ...]:
    sentences = []
    for measure, part in frame.groupby("measure", sort=False):
        if part["value"].notna().any() and measure != _MEASURES["agreement"]:
            listed = ", ".join(
                f"{row.culture} {with_interval(row.value, row.low, row.high)}"
                for row in rows_of(part)
            )
            sentences.append(f"{measure}, within cultures: {listed}.")
    return tuple(sentences)
