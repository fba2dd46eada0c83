"""A model's labels beside each culture's (multi3hate 5). In: `Answers`. Out: rows.

A model's answer to an item is right for a culture if it is the culture's majority label. An answer
that is not one of the labels is wrong, and counted apart (multi3hate 5.1). A model that answered an
item more than once counts with its most common answer.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from memeloc.agreement import against_rest
from memeloc.agreement.coefficients import cohen
from memeloc.analyze.answers import Answers, Settings
from memeloc.arrays import NO_LABEL, Ints, majority
from memeloc.errors import InputError
from memeloc.reports.figures import BETWEEN, gap, joined, tidy
from memeloc.statistics.significance import holm, scipy_stats, wilson

NAME = "models"
NOT_A_LABEL = "(not a label)"
"""The place, behind the labels, of an answer that is none of them."""


def models(answers: Answers, settings: Settings) -> pd.DataFrame:
    """Return how far each model agrees with the people of each culture.

    By model and culture `agreement`, `kappa`, `invalid` answers, and `annotators`: how often a
    person of the culture gives the label of most others. By model and two cultures the `difference`
    of both agreements with McNemar's exact test. By culture, or model, and label its `share`. Raise
    InputError if no model answered an item that people answered; MissingError if scipy is not
    installed.
    """
    cultures = {code: answers.majority[:, place] for place, code in enumerate(answers.cultures)}
    by_model = _labels_by_model(answers)
    if not any((labels != NO_LABEL).any() for labels in by_model.values()):
        raise InputError("no model answered an item that people answered")
    names = [*answers.labels, NOT_A_LABEL]
    rows, pairs = [], []
    for model, labels in by_model.items():
        for culture, of_culture in cultures.items():
            both = (labels != NO_LABEL) & (of_culture != NO_LABEL)
            table = np.zeros((len(names), len(names)))
            np.add.at(table, (labels[both], of_culture[both]), 1)
            counts = table.sum(), np.trace(table), table[-1].sum()
            rows.append((model, culture, float(cohen(table)), *counts))
        tests = [
            (model, f"{one}{BETWEEN}{other}", *_mcnemar(labels, cultures[one], cultures[other]))
            for one, other in combinations(cultures, 2)
        ]
        tested = pd.DataFrame(tests, columns=["group", "item", "n", "difference", "p"])
        pairs.append(tested.assign(p_holm=holm(tested["p"])))
    frame = pd.DataFrame(rows, columns=["group", "item", "kappa", "n", "same", "invalid"])
    frame.insert(2, "agreement", frame["same"] / frame["n"])
    low, high = wilson(frame["same"], frame["n"], settings.confidence)
    agreement = frame.drop(columns="same").assign(agreement_low=low, agreement_high=high)
    agreement["annotators"] = frame["item"].map(_annotators(answers))
    whole = pd.DataFrame([{"models": len(by_model), "agreement": frame["agreement"].mean()}])
    counted = {
        side: np.bincount(labels[labels != NO_LABEL], minlength=len(names))
        for side, labels in (cultures | by_model).items()
    }
    shares = pd.DataFrame(counted, names).unstack().rename_axis(["group", "item"])
    totals = shares.groupby(level="group").transform("sum")
    shares = pd.DataFrame({"share": shares / totals.clip(lower=1), "n": totals}).reset_index()
    return joined(
        [
            tidy(NAME, whole, "mean over models and cultures"),
            tidy(NAME, agreement, {"agreement": "Wilson 1927", "kappa": "Cohen 1960"}),
            tidy(NAME, pd.concat(pairs), "McNemar 1947, exact; Holm 1979"),
            tidy(NAME, shares, "counted"),
            *(
                gap(NAME, f"{model} and {culture} have no item with a label of both.", model)
                for model, culture in frame.loc[frame["n"] == 0, ["group", "item"]].to_numpy()
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
        str(model): majority(of_model.droplevel(0).reindex(answers.names, fill_value=0).to_numpy())
        for model, of_model in counts.groupby(level=0)
        if of_model.index.isin(answers.names, level=1).any()
    }


def _mcnemar(model: Ints, first: Ints, second: Ints) -> tuple[int, float, float]:
    """Return on how many items a model agrees more with one culture by how much, and p."""
    both = (np.stack([model, first, second]) != NO_LABEL).all(axis=0)
    if not both.any():
        return 0, np.nan, np.nan
    items, apart = int(both.sum()), both & (first != second)
    only = [int((model == labels)[apart].sum()) for labels in (first, second)]
    p = scipy_stats().binomtest(only[0], sum(only), 0.5).pvalue if any(only) else 1.0
    return items, (only[0] - only[1]) / items, float(p)


def _annotators(answers: Answers) -> dict[str, float]:
    """Return by culture how often a person gives the label of most others, over their answers."""
    voting = answers.table[answers.table["label"].isin(answers.labels)]
    shares = {}
    for culture, rows in voting.groupby("culture"):
        rest = against_rest(rows)
        if items := int(rest["items"].sum()):
            shares[str(culture)] = float((rest["agreement"] * rest["items"]).sum() / items)
    return shares
