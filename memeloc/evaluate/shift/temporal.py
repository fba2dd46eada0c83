"""The temporal matrix. In: periods and a way to train. Out: rows: how models do on each period.

charmemes 5.4: train on 90 % of a period, test on its other 10 % and on all of every other period.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from memeloc.evaluate.gold import Gold
from memeloc.evaluate.shift.fitting import Fit, scored
from memeloc.evaluate.shift.periods import Period
from memeloc.reports.figures import joined, tidy
from memeloc.reports.texts import PARTS
from memeloc.statistics.bootstrap import Resampling

if TYPE_CHECKING:
    import pandas as pd


def temporal_figures(
    periods: Sequence[Period],
    gold: Gold,
    fit: Fit,
    settings: Resampling,
    *,
    on_progress: Callable[[int, int], None] = lambda more, total: None,
) -> pd.DataFrame:
    """Return rows of each model and task: by periods, by their distance, and summed up.

    Groups are `MODEL, TASK`; of the matrix `MODEL, TASK · PERIOD TRAINED ON`, its items are those
    tested on. A distance is in periods, below 0 to earlier ones.

    Args:
        periods: in the order of time.
        gold: labels of all their items, by its first culture; coarser tasks are scored by mapping
            predictions.
        on_progress: is given how many periods more were learned from, and how many there are.
    """
    import pandas as pd

    labels = gold.table[gold.cultures[0]].to_dict()
    years = [period.name for period in periods]
    names = [
        f"{name}, part {years[:place].count(name) + 1}" if years.count(name) > 1 else name
        for place, name in enumerate(years)
    ]
    rows: list[dict[str, Any]] = []
    for place, period in enumerate(periods):
        for (model, predict), (other, tested) in product(
            fit(period.train).items(), enumerate(periods)
        ):
            items = tested.test if other == place else tested.items
            given = predict(items)
            for task, coarse in gold.tasks.items():
                figures = scored(
                    [coarse[labels[item]] for item in items],
                    [coarse.get(label, "") for label in given],
                    tuple(dict.fromkeys(coarse[label] for label in gold.labels)),
                    settings,
                )
                row = {"of": f"{model}, {task}", "item": names[other], "distance": other - place}
                rows.append(
                    {**row, "on": names[place], "train_items": len(period.train), **figures}
                )
        on_progress(1, len(periods))
    matrix = pd.DataFrame(rows)
    whole = matrix.assign(group=matrix["of"] + PARTS + matrix["on"]).drop(columns=["of", "on"])
    f1 = matrix.groupby(["of", "distance"])["f1"].agg(f1="mean", n="size").reset_index()
    f1["item"] = f1["distance"].astype(str)
    side = pd.cut(matrix["distance"], [-len(periods), -1, 0, len(periods)], labels=_SIDES)
    means = (
        matrix.groupby(["of", side], sort=False, observed=False)["f1"].mean().unstack()[[*_SIDES]]
    )
    for name in ("later", "earlier"):
        means[f"{name}_delta"] = means[name] - means["within"]
    return joined(
        [
            tidy("temporal", whole, "percentile bootstrap of items"),
            tidy("temporal-distance", f1.drop(columns="distance").rename(columns=_GROUP), "mean"),
            tidy("temporal-summary", means.reset_index().rename(columns=_GROUP), "mean"),
        ]
    )


_SIDES = ("earlier", "within", "later")
_GROUP = {"of": "group"}
