"""The same by category, topic and template. In: `Answers`. Out: a `Section` each.

multi3hate 4.3, Table 4: agreement of cultures by category, with the highest and the lowest pair.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memeloc.analyze.answers import Answers
from memeloc.analyze.cultures.between import (
    AGREE_COLUMNS,
    PAIR_COLUMNS,
    agreeing,
    mean_of_pairs,
    pairs,
)
from memeloc.analyze.cultures.chi_squared import chi_squared_of, counted_labels
from memeloc.analyze.cultures.shares import shares_of_items
from memeloc.analyze.cultures.within import measured
from memeloc.analyze.settings import Settings
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.reports.sections import Bars, Heatmap, Intervals, Plot, Section, Table
from memeloc.statistics.intervals import defined, percent_with_interval, rows_of
from memeloc.statistics.significance import holm

_MOST_GROUPS = 100
"""Groups of a breakdown, those with most items."""
_MOST_DRAWN = 16
"""Groups in a plot."""
_MOST_BARS = 8
"""Groups with a bar a culture; of more a matrix is drawn."""
_TESTED = {
    "statistic": "chi-squared",
    "dof": "degrees of freedom",
    "p": "its p-value",
    "n": "how many were counted",
    "cramers_v": "effect size, 0 to 1",
    "low": "lower end of its interval",
    "high": "upper end",
    "smallest_expected": "the smallest expected count; below 5 the p-value is rough",
}
_PLURALS = {"category": "categories", "topic": "topics", "template": "templates"}


def by_category(answers: Answers, settings: Settings) -> Section:
    """Labels and agreement by the items' category (multi3hate 4.3, Table 4)."""
    return _breakdown(answers, settings, "category")


def by_topic(answers: Answers, settings: Settings) -> Section:
    """Labels and agreement by the items' topic."""
    return _breakdown(answers, settings, "topic")


def by_template(answers: Answers, settings: Settings) -> Section:
    """Labels and agreement by the items' template."""
    return _breakdown(answers, settings, "template")


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """The items of a category, a topic or a template: `chosen` are truth values by item."""

    name: str
    chosen: NDArray[np.bool_]


def _breakdown(answers: Answers, settings: Settings, by: str) -> Section:
    """The tables of a breakdown.

    Raises:
        InputError: the items have no such column, or all have the same value.
    """
    groups, gaps = _groups(answers, by)
    tables = [_shares(answers, groups, settings, by), _within(answers, groups, settings, by)]
    agreement = None
    if len(answers.cultures) > 1:
        agreement = _agreement(answers, groups, settings, by)
        tables = [
            agreement,
            _pairs(answers, groups, settings, by),
            _agreeing(answers, groups, settings, by),
            _tests(answers, groups, settings, by),
            *tables,
        ]
    else:
        gaps.append(f"All answers are of one culture, {answers.cultures[0]}.")
    return Section(
        f"by-{by}",
        f"By {by}",
        tables=tuple(tables),
        plots=tuple(_plots(answers, agreement, groups, settings, by)),
        sentences=() if agreement is None else _sentences(agreement.frame, by),
        figures={} if agreement is None else _figures(agreement.frame, by),
        gaps=tuple(gaps),
    )


def _groups(answers: Answers, by: str) -> tuple[list[_Group], list[str]]:
    """The groups in the order of their names, and what is left out."""
    if by not in answers.items.columns:
        raise InputError(f"the {by} of items is not known")
    values = answers.items[by].reindex(list(answers.names))
    known = values.notna() & (values != "")
    if not known.any():
        raise InputError(f"the {by} of items is not known")
    counts = values[known].astype(str).value_counts()
    if len(counts) == 1:
        raise InputError(f"all items have one {by}, {str(counts.index[0])[:60]!r}")
    names = sorted(sorted(counts.index, key=lambda name: (-counts[name], name))[:_MOST_GROUPS])
    places = values.astype(str).to_numpy()
    gaps = []
    if not known.all():
        gaps.append(f"{counted(int((~known).sum()), 'item')} without a {by} left out.")
    if len(counts) > len(names):
        rest = counted(len(counts) - len(names), by, _PLURALS[by])
        gaps.append(f"{rest} with the fewest items left out.")
    has_value = known.to_numpy(dtype=bool)
    return [_Group(name, (places == name) & has_value) for name in names], gaps


def _agreement(answers: Answers, groups: list[_Group], settings: Settings, by: str) -> Table:

    rows: list[tuple[Any, ...]] = []
    for group in [*groups, _Group("all items", np.ones(len(answers.names), dtype=bool))]:
        majority = answers.majority[group.chosen]
        mean = mean_of_pairs(majority, settings, f"by {by} {group.name}")
        each = pairs(majority, answers.cultures, settings.confidence).dropna(subset="agreement")
        each = each.sort_values("agreement", ascending=False, kind="stable")
        ends = [
            (f"{row.first}–{row.second}", float(row.agreement))
            for row in (rows_of(each)[place] for place in (0, -1) if len(each))
        ] or [("", np.nan)] * 2
        rows.append(
            (
                group.name,
                len(majority),
                *(float(values[0]) for values in (mean.value, mean.low, mean.high)),
                *ends[0],
                *ends[1],
            )
        )
    columns = {
        by: f"the {by}; the last row is of all items",
        "items": "items",
        "agreement": "mean of all pairs of cultures, 0 to 1",
        "low": "lower end of its interval",
        "high": "upper end",
        "highest": "the pair that agrees most",
        "highest_agreement": "its agreement, 0 to 1",
        "lowest": "the pair that agrees least",
        "lowest_agreement": "its agreement, 0 to 1",
    }
    method = (
        "Agreement is the plain mean, over all pairs of cultures, of the share of items labelled "
        "in both that carry the same label; highest and lowest are over all pairs "
        f"(multi3hate Table 4). Its interval: percentiles of {settings.bootstraps:,} resamples of "
        "the items."
    )
    return Table.of(f"{by}-agreement", f"Agreement of cultures by {by}", rows, columns, method)


def _pairs(answers: Answers, groups: list[_Group], settings: Settings, by: str) -> Table:
    frames = [
        pairs(answers.majority[group.chosen], answers.cultures, settings.confidence)
        for group in groups
    ]
    frame = pd.concat(frames, keys=[group.name for group in groups], names=[by, None])
    frame = frame.reset_index(level=0).reset_index(drop=True)
    method = "Share of items, labelled in both, with the same label; Wilson's intervals."
    columns = {by: f"the {by}", **PAIR_COLUMNS}
    return Table(f"{by}-pairs", f"Each two cultures by {by}", frame, columns, method)


def _agreeing(answers: Answers, groups: list[_Group], settings: Settings, by: str) -> Table:
    majority = [answers.majority[group.chosen] for group in groups]
    frame = pd.concat(
        [
            agreeing(labels, settings.confidence).assign(**{by: group.name})
            for group, labels in zip(groups, majority, strict=True)
        ],
        ignore_index=True,
    )
    columns = {by: f"the {by}", **AGREE_COLUMNS}
    method = "Of items with a majority label in every culture; Wilson's intervals."
    title = f"How many cultures agree by {by}"
    return Table(f"{by}-cultures-agree", title, frame[list(columns)], columns, method)


def _tests(answers: Answers, groups: list[_Group], settings: Settings, by: str) -> Table:
    rows: list[tuple[Any, ...]] = []
    for group in groups:
        tables = counted_labels(answers.votes[group.chosen], answers.majority[group.chosen])
        for name, table in tables.items():
            with suppress(InputError):  # one culture or one label in the group: no test
                test = chi_squared_of(table, settings.confidence)
                figures = asdict(test)
                rows.append((group.name, name, *(figures[column] for column in _TESTED)))
    columns = {
        by: f"the {by}",
        "counted": "answers or items' majority labels",
        **_TESTED,
        "p_holm": "p, corrected for the number of groups tested (Holm 1979)",
    }
    frame = pd.DataFrame(rows, columns=[name for name in columns if name != "p_holm"])
    frame["p_holm"] = np.nan
    for _, part in frame.groupby("counted"):
        frame.loc[part.index, "p_holm"] = holm(part["p"])
    method = "Pearson's chi-squared test of culture by label and Cramér's V, as of all items."
    return Table(f"{by}-chi-squared", f"Chi-squared tests by {by}", frame, columns, method)


def _shares(answers: Answers, groups: list[_Group], settings: Settings, by: str) -> Table:
    rows = [
        (group.name, *row)
        for group in groups
        for row in shares_of_items(answers.majority[group.chosen], answers, settings.confidence)
    ]
    columns = {
        by: f"the {by}",
        "culture": "the culture",
        "label": "the label",
        "items": "items whose majority label it is",
        "share": "of the items with a majority label, 0 to 1",
        "low": "lower end of its interval",
        "high": "upper end",
    }
    method = "Of items with a majority label in the culture; Wilson's intervals."
    return Table.of(f"{by}-labels", f"Labels by {by}", rows, columns, method)


def _within(answers: Answers, groups: list[_Group], settings: Settings, by: str) -> Table:
    rows = []
    for group in groups:
        for place, culture in enumerate(answers.cultures):
            votes = answers.votes[group.chosen, place]
            votes = votes[votes.sum(axis=1) > 1]
            if len(votes):
                name = f"within {culture} by {by} {group.name}"
                _, estimates = measured(votes, answers.labels, settings, name)
                alpha = (estimates.value[0], estimates.low[0], estimates.high[0])
                rows.append((group.name, culture, len(votes), *alpha, estimates.value[2]))
    columns = {
        by: f"the {by}",
        "culture": "the annotators' culture",
        "items": "items with at least two votes",
        "alpha": "Krippendorff's alpha, nominal; NaN where all votes are for one label",
        "low": "lower end of its interval",
        "high": "upper end",
        "agreement": "share of pairs of votes on an item that are the same, 0 to 1",
    }
    method = f"As of all items; intervals by {settings.bootstraps:,} resamples of the items."
    title = f"Agreement within cultures by {by}"
    return Table.of(f"{by}-within", title, rows, columns, method)


def _plots(
    answers: Answers, agreement: Table | None, groups: list[_Group], settings: Settings, by: str
) -> list[Plot]:
    largest = sorted(groups, key=lambda group: -int(group.chosen.sum()))[:_MOST_DRAWN]
    names = [group.name for group in groups if group in largest]
    plots: list[Plot] = []
    if agreement is not None:
        frame = agreement.frame[agreement.frame[by].isin(names)].dropna(subset="agreement")
        frame = frame.sort_values("agreement", ascending=False, kind="stable")
        shown = frame.rename(columns={by: "label", "agreement": "value"})
        shown = shown[["label", "value", "low", "high"]]
        axis = "mean agreement of pairs of cultures"
        plots.append(Intervals(f"{by}-agreement", agreement.title, shown, axis, agreement.method))
    label = _shown_label(answers)
    labels = _shares(answers, [group for group in groups if group in largest], settings, by)
    of_label = labels.frame[labels.frame["label"] == label]
    bars = of_label.pivot(index=by, columns="culture", values="share").loc[names]
    name, title, axis = f"{by}-labels", f"Items labelled {label} by {by}", "share of labelled items"
    if len(names) > _MOST_BARS:
        plots.append(Heatmap(name, f"{title}, {axis}", bars, labels.method))
    else:
        plots.append(Bars(name, title, bars, axis, labels.method))
    return plots


def _shown_label(answers: Answers) -> str:
    """The label whose shares are drawn: the top of a scale, else the first."""
    return answers.labels[-1] if answers.levels else answers.labels[0]


def _sentences(frame: pd.DataFrame, by: str) -> tuple[str, ...]:
    groups = frame.iloc[:-1].dropna(subset="agreement")
    if groups.empty:
        return ()
    ordered = groups.sort_values("agreement", ascending=False, kind="stable")
    high, *_, low = 2 * rows_of(ordered.rename(columns={by: "name"}))
    return (
        f"By {by}, cultures agree most on {high.name!r} "
        f"({percent_with_interval(high.agreement, high.low, high.high)} of items, the mean of all "
        f"pairs) and least on {low.name!r} "
        f"({percent_with_interval(low.agreement, low.low, low.high)}; lowest pair {low.lowest}, "
        f"{100 * low.lowest_agreement:.1f} %).",
    )


def _figures(frame: pd.DataFrame, by: str) -> dict[str, list[float | None]]:
    """By group the mean agreement and its interval."""
    return {
        row.name: [defined(row.agreement), defined(row.low), defined(row.high)]
        for row in rows_of(frame.rename(columns={by: "name"}))
    }
