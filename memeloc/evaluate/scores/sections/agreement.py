"""Models beside cultures. In: `Scored`. Out: `Agreement`s, and a `Section` of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from memeloc.evaluate.scores.coded import NO_GOLD
from memeloc.evaluate.scores.figures import Agreement, Value
from memeloc.evaluate.scores.sections.scored import (
    CONDITION_COLUMNS,
    Scored,
    cells,
    interval_columns,
    table,
)
from memeloc.reports.sections import Heatmap, Section
from memeloc.statistics.intervals import defined, percent, wilson

if TYPE_CHECKING:
    import pandas as pd

_MOST_ROWS = 14
"""Conditions that the plot shows one by one; of more, each model is one row."""
_AGREEMENT = {
    "kind": "people (two cultures), or model",
    "first": "a culture, or the model",
    **{name: meaning for name, meaning in CONDITION_COLUMNS.items() if name != "model"},
    "second": "a culture",
    "items": "with a label of both",
    **interval_columns("agreement", "share with the same label, 0 to 1"),
}


def agreements_of(scored: Scored) -> Iterator[Agreement]:
    """Each two cultures, then each condition with each culture."""
    coded = scored.coded
    for one, other in combinations(range(len(coded.cultures)), 2):
        both = (coded.gold[:, one] != NO_GOLD) & (coded.gold[:, other] != NO_GOLD)
        same = int((coded.gold[both, one] == coded.gold[both, other]).sum())
        items = int(both.sum())
        low, high = wilson(same, items, scored.settings.confidence)
        value = Value(same / items if items else nan, float(low), float(high))
        yield Agreement(coded.cultures[one], coded.cultures[other], None, items, value)
    for score in scored.scores:
        title = scored.titles[score.condition]
        yield Agreement(title, score.culture, score.condition, score.items, score.accuracy)


def agreement_section(scored: Scored, agreements: Sequence[Agreement]) -> Section:
    """Agreement of models with each culture beside that of the cultures with each other."""
    method = (
        "Two cultures: the share of the items labelled in both that have the same label, with "
        f"Wilson's interval ({scored.settings.confidence:.0%}; 1927). A model and a culture: its "
        f"accuracy, the mean over the prompts. {scored.resampling}"
    )
    rows = ((*_first(each), each.second, each.items, *cells(each.agreement)) for each in agreements)
    return Section(
        "agreement",
        "Models beside cultures",
        tables=(table("agreement", "Agreement", rows, _AGREEMENT, method),),
        plots=(
            Heatmap("agreement", "Agreement with cultures", _matrix(scored, agreements), method),
        ),
        sentences=tuple(_sentences(agreements)),
        figures={
            "cultures": {
                f"{each.first}–{each.second}": [defined(cell) for cell in cells(each.agreement)]
                for each in agreements
                if not each.is_model
            },
            "mean_of_cultures": defined(_mean(a for a in agreements if not a.is_model)),
            "mean_of_models": defined(_mean(a for a in agreements if a.is_model)),
        },
    )


def _first(agreement: Agreement) -> tuple[str, ...]:
    """The kind, the first and what else its condition names."""
    if agreement.condition is None:
        return ("people", agreement.first, *("",) * (len(CONDITION_COLUMNS) - 1))
    return ("model", *agreement.condition)


def _matrix(scored: Scored, agreements: Sequence[Agreement]) -> pd.DataFrame:
    import pandas as pd

    cultures = list(scored.coded.cultures)
    people = pd.DataFrame(np.nan, index=cultures, columns=cultures)
    models: dict[str, dict[str, list[float]]] = {}
    merge = len(scored.titles) > _MOST_ROWS - len(cultures)
    for each in agreements:
        if each.condition is None:
            people.loc[each.first, each.second] = each.agreement.value
            people.loc[each.second, each.first] = each.agreement.value
        else:
            row = models.setdefault(each.condition.model if merge else each.first, {})
            row.setdefault(each.second, []).append(each.agreement.value)
    rows = {
        name: [float(np.mean(row[culture])) for culture in cultures] for name, row in models.items()
    }
    return pd.concat([people, pd.DataFrame.from_dict(rows, orient="index", columns=cultures)])


def _mean(agreements: Iterator[Agreement]) -> float:
    values = [each.agreement.value for each in agreements if np.isfinite(each.agreement.value)]
    return float(np.mean(values)) if values else nan


def _sentences(agreements: Sequence[Agreement]) -> Iterator[str]:
    people = _mean(each for each in agreements if not each.is_model)
    models = _mean(each for each in agreements if each.is_model)
    yield (
        f"Two cultures agree on {percent(people)} of the items on average (the plain mean of all "
        f"pairs), a model and a culture on {percent(models)}."
    )
