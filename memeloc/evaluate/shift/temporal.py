"""The temporal matrix. In: periods and a way to train. Out: how models of one do on each other.

charmemes 5.4: train on 90 % of a period, test on its other 10 % and on all of every other period.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from memeloc.evaluate.gold import Gold
from memeloc.evaluate.shift.fitting import Fit, Score, score
from memeloc.evaluate.shift.periods import Period
from memeloc.evaluate.training.comparing import tasks_of
from memeloc.reports.sections import Heatmap, Lines, Section, Table

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = {
    "model": "its name",
    "task": "labels that are compared",
    "trained_on": "years of the period it learned from",
    "tested_on": "years of the period it was tested on",
    "distance": "periods between them: 0 the same, below 0 tested on an earlier one",
    "train_items": "items it learned from",
    "items": "items it was tested on",
    "accuracy": "share of right labels, 0 to 1",
    "f1": "macro F1, 0 to 1",
    "low": "lower end of its 95 % interval",
    "high": "upper end of its 95 % interval",
}


def temporal_matrix(
    periods: Sequence[Period],
    gold: Gold,
    fit: Fit,
    *,
    seed: int = 0,
    on_progress: Callable[[int, int], None] = lambda more, total: None,
) -> pd.DataFrame:
    """A row for each model, task, period trained on and period tested on; columns as `COLUMNS`.

    Args:
        periods: in the order of time.
        gold: labels of all their items, by its first culture; coarser tasks are scored by mapping
            predictions.
        seed: of the bootstrap.
        on_progress: is given how many periods more were learned from, and how many there are.
    """
    import pandas as pd

    labels = gold.table[gold.cultures[0]].to_dict()
    tasks = tasks_of(gold.labels, gold.levels, gold.coarser)
    names = _names(periods)
    rows: list[dict[str, Any]] = []
    for place, period in enumerate(periods):
        for model, predict in fit(period.train).items():
            for other, tested in enumerate(periods):
                items = tested.test if other == place else tested.items
                right, given = [labels[item] for item in items], predict(items)
                for task in tasks:
                    rows.append(
                        {
                            "model": model,
                            "task": task.name,
                            "trained_on": names[place],
                            "tested_on": names[other],
                            "distance": other - place,
                            "train_items": len(period.train),
                            **_columns(score(right, given, gold.labels, task, seed)),
                        }
                    )
        on_progress(1, len(periods))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _names(periods: Sequence[Period]) -> list[str]:
    """Years of each, numbered where several have the same."""
    names = [period.name for period in periods]
    return [
        f"{name}, part {names[:place].count(name) + 1}" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    ]


def _columns(scored: Score) -> dict[str, float]:
    return {name: getattr(scored, name) for name in ("items", "accuracy", "f1", "low", "high")}


def temporal_section(matrix: pd.DataFrame, seed: int) -> Section:
    """The matrix as a section: a heatmap a model and task, and F1 by distance in time."""
    method = (
        "Macro F1 of a model that learned from 90 % of a period (row), on the other 10 % of it "
        "or on all of another period (column); CHARMemes 5.4. Periods are consecutive and near "
        "equal in size; years at a boundary are divided at random with labels in equal shares, "
        f"templates undivided (seed {seed})."
    )
    plots: list[Heatmap | Lines] = []
    for number, ((model, task), cells) in enumerate(matrix.groupby(["model", "task"], sort=False)):
        values = cells.pivot(index="trained_on", columns="tested_on", values="f1")
        order = list(dict.fromkeys(cells["trained_on"]))
        values = values.loc[order, order].rename_axis(index="trained on", columns="tested on")
        title = f"{model}, {task}: trained on a period (row), tested on another (column)"
        plots.append(Heatmap(f"temporal-{number + 1}", title, values, method))
    for number, (task, cells) in enumerate(matrix.groupby("task", sort=False)):
        means = cells.pivot_table(index="distance", columns="model", values="f1", sort=False)
        means = means.sort_index().rename_axis(index="periods later (below 0: earlier)")
        name, title = f"temporal-distance-{number + 1}", f"{task!s}: macro F1 by distance in time"
        plots.append(Lines(name, title, means, "mean macro F1", "Means over pairs of periods."))
    summary = _summary(matrix, method)
    return Section(
        "temporal",
        "Models of one period on another",
        (
            Table("temporal", "Every model of a period on every period", matrix, COLUMNS, method),
            summary,
        ),
        tuple(plots),
        tuple(map(_sentence, summary.frame.itertuples())),
        figures={"periods": matrix["trained_on"].nunique(), "seed": seed},
    )


def _sentence(row: Any) -> str:
    return (
        f"In {row.task} the macro F1 of {row.model} was {row.within:.3f} within its own period, "
        f"{row.later:.3f} on later and {row.earlier:.3f} on earlier ones."
    )


def _summary(matrix: pd.DataFrame, method: str) -> Table:
    """By model and task the mean F1 within a period, on later and on earlier ones."""

    def mean(cells: pd.DataFrame, kept: pd.Series[bool]) -> float:
        return float(cells.loc[kept, "f1"].mean()) if kept.any() else float(np.nan)

    rows = []
    for (model, task), cells in matrix.groupby(["model", "task"], sort=False):
        within = mean(cells, cells["distance"] == 0)
        later, earlier = (mean(cells, cells["distance"] * sign > 0) for sign in (1, -1))
        rows.append((model, task, within, later, later - within, earlier, earlier - within))
    columns = {
        "model": "its name",
        "task": "labels that are compared",
        "within": "mean macro F1 on held-out items of the period it learned from",
        "later": "mean macro F1 on later periods",
        "later_delta": "later minus within",
        "earlier": "mean macro F1 on earlier periods",
        "earlier_delta": "earlier minus within",
    }
    title = "Within a period, and on later and earlier ones"
    return Table.of("temporal-summary", title, rows, columns, method)
