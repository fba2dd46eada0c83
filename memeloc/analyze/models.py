"""A model's labels beside each culture's (multi3hate 5). In: `Answers`. Out: rows.

A model's answer to an item is right for a culture if it is the culture's majority label. An answer
that is not one of the labels is wrong, and counted apart (multi3hate 5.1). A model that answered an
item more than once counts with its most common answer.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from memeloc.agreement import against_rest
from memeloc.agreement.coefficients import cohen
from memeloc.analyze.answers import Answers
from memeloc.analyze.settings import Settings
from memeloc.arrays import NO_LABEL, Ints, majority
from memeloc.errors import InputError
from memeloc.reports.figures import BETWEEN, gap, joined, tidy
from memeloc.statistics.intervals import wilson
from memeloc.statistics.significance import holm, scipy_stats

NAME = "models"
NOT_A_LABEL = "(not a label)"
"""What stands behind the labels for an answer that is none of them."""


def models(answers: Answers, settings: Settings) -> pd.DataFrame:
    """Return how far each model agrees with the people of each culture.

    By model and culture `agreement`, `kappa`, `invalid` answers, and `annotators`: how often a
    person of the culture gives the label of most others. By model and two cultures the `difference`
    of both agreements with McNemar's exact test. By culture, or model, and label its `share`.

    Raises:
        InputError: no model answered an item that people answered.
        MissingError: scipy is not installed.
    """
    cultures = {code: answers.majority[:, place] for place, code in enumerate(answers.cultures)}
    by_model = _labels_by_model(answers)
    if not any((labels != NO_LABEL).any() for labels in by_model.values()):
        raise InputError("no model answered an item that people answered")
    people = _annotators(answers)
    agreement, pairs = [], []
    for model, labels in by_model.items():
        for culture, own in cultures.items():
            row = _agreement(labels, own, len(answers.labels), settings.confidence)
            annotators = people.get(culture, np.nan)
            agreement.append({"group": model, "item": culture, **row, "annotators": annotators})
        tests = [
            {"group": model, "item": f"{one}{BETWEEN}{other}"}
            | _mcnemar(labels, cultures[one], cultures[other])
            for one, other in combinations(cultures, 2)
        ]
        pairs.append(pd.DataFrame(tests, columns=["group", "item", "n", "difference", "p"]))
    rows = pd.DataFrame(agreement)
    whole = pd.DataFrame([{"models": len(by_model), "agreement": rows["agreement"].mean()}])
    tested = pd.concat([frame.assign(p_holm=holm(frame["p"])) for frame in pairs])
    shares = _shares(cultures | by_model, (*answers.labels, NOT_A_LABEL))
    return joined(
        [
            tidy(NAME, whole, "mean over models and cultures"),
            tidy(NAME, rows, {"agreement": "Wilson 1927", "kappa": "Cohen 1960"}),
            tidy(NAME, tested, "McNemar 1947, exact; Holm 1979"),
            tidy(NAME, shares, "counted"),
            *(
                gap(NAME, f"{model} and {culture} have no item with a label of both.", model)
                for model, culture in rows.loc[rows["n"] == 0, ["group", "item"]].to_numpy()
            ),
        ]
    )


def _labels_by_model(answers: Answers) -> dict[str, Ints]:
    """Return by model, and the culture that it was asked as, the place of the label of each item.

    It is the number of labels for `NOT_A_LABEL`, and `NO_LABEL` where the model was not asked, or
    gave different answers as often as each other.
    """
    table = answers.models[answers.models["label"].notna()].fillna("").astype(str)
    asked_as = table["culture"].map(lambda code: code and f" (as {code})")
    label = table["label"].where(table["label"].isin(answers.labels), NOT_A_LABEL)
    counts = pd.crosstab([table["participant"] + asked_as, table["item"]], label)
    counts = counts.reindex(columns=[*answers.labels, NOT_A_LABEL], fill_value=0)
    return {
        str(model): majority(own.droplevel(0).reindex(answers.names, fill_value=0).to_numpy())
        for model, own in counts.groupby(level=0)
        if own.index.isin(answers.names, level=1).any()
    }


def _agreement(model: Ints, culture: Ints, labels: int, confidence: float) -> dict[str, Any]:
    both = (model != NO_LABEL) & (culture != NO_LABEL)
    given = model[both], culture[both]
    items, same = len(given[0]), int((given[0] == given[1]).sum())
    low, high = wilson(same, items, confidence)
    table = np.zeros((labels + 1, labels + 1))
    np.add.at(table, given, 1)
    return {
        "n": items,
        "agreement": same / items if items else np.nan,
        "agreement_low": float(low),
        "agreement_high": float(high),
        "kappa": float(cohen(table)),
        "invalid": int((given[0] == labels).sum()),
    }


def _mcnemar(model: Ints, first: Ints, second: Ints) -> dict[str, Any]:
    """Return whether a model agrees more with one culture than with another."""
    both = (model != NO_LABEL) & (first != NO_LABEL) & (second != NO_LABEL)
    items = int(both.sum())
    if not items:
        return {"n": 0, "difference": np.nan, "p": np.nan}
    apart = both & (first != second)
    only = [int((model == labels)[apart].sum()) for labels in (first, second)]
    p = scipy_stats().binomtest(only[0], sum(only), 0.5).pvalue if any(only) else 1.0
    return {"n": items, "difference": (only[0] - only[1]) / items, "p": float(p)}


def _shares(sides: dict[str, Ints], names: tuple[str, ...]) -> pd.DataFrame:
    """Return which labels cultures have, and which models give."""
    rows = [
        (side, name, float((labels == place).sum()) / max(given, 1), given)
        for side, labels in sides.items()
        for given in [int((labels != NO_LABEL).sum())]
        for place, name in enumerate(names)
    ]
    return pd.DataFrame(rows, columns=["group", "item", "share", "n"])


def _annotators(answers: Answers) -> dict[str, float]:
    """Return by culture how often a person gives the label of most others, over their answers."""
    voting = answers.table[answers.table["label"].isin(answers.labels)]
    shares = {}
    for culture, rows in voting.groupby("culture"):
        rest = against_rest(rows)
        rest = rest[rest["items"] > 0]
        if len(rest):
            shares[str(culture)] = float(np.average(rest["agreement"], weights=rest["items"]))
    return shares
