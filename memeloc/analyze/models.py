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
    by_model = _labels_by_model(answers)
    if not any((label != NO_LABEL).any() for label in by_model.values()):
        raise InputError("no model answered an item that people answered")
    agreement = _agreement(answers, by_model, settings.confidence)
    whole = {"models": len(by_model), "agreement": agreement["agreement"].mean()}
    sides = {code: answers.majority[:, place] for place, code in enumerate(answers.cultures)}
    wilson_1927 = {"agreement": "Wilson 1927", "kappa": "Cohen 1960"}
    without = agreement[agreement["n"] == 0]
    return joined(
        [
            tidy(NAME, pd.DataFrame([whole]), "mean over models and cultures"),
            tidy(NAME, agreement, wilson_1927),
            tidy(NAME, _pairs(answers, by_model), "McNemar 1947, exact; Holm 1979"),
            tidy(NAME, _shares(answers, sides | by_model), "counted"),
            *(
                gap(NAME, f"{model} and {culture} have no item with a label of both.", model)
                for model, culture in zip(without["group"], without["item"], strict=True)
            ),
        ]
    )


def _labels_by_model(answers: Answers) -> dict[str, Ints]:
    """Return by model, and the culture that it was asked as, the place of the label of each item.

    It is the number of labels for `NOT_A_LABEL`, and `NO_LABEL` where the model was not asked, or
    gave different answers as often as each other.
    """
    table = answers.models
    given = table[table["label"].notna() & table["item"].astype(str).isin(answers.names)]
    labels = {label: place for place, label in enumerate(answers.labels)}
    place = given["label"].astype(str).map(labels).fillna(len(labels)).to_numpy(np.int64)
    item = pd.Index(answers.names).get_indexer(pd.Index(given["item"].astype(str)))
    asked_as = given["culture"].fillna("").astype(str)
    title = given["participant"].astype(str) + asked_as.map(lambda code: code and f" (as {code})")
    by_model = {}
    for model in sorted(set(title)):
        own = (title == model).to_numpy()
        counts = np.zeros((len(answers.names), len(labels) + 1), np.int64)
        np.add.at(counts, (item[own], place[own]), 1)
        by_model[model] = majority(counts)
    return by_model


def _agreement(answers: Answers, by_model: dict[str, Ints], confidence: float) -> pd.DataFrame:
    people = _annotators(answers)
    rows: list[dict[str, Any]] = []
    for model, label in by_model.items():
        for place, culture in enumerate(answers.cultures):
            labels = answers.majority[:, place]
            both = (label != NO_LABEL) & (labels != NO_LABEL)
            items = int(both.sum())
            same = int((label == labels)[both].sum())
            low, high = map(float, wilson(same, items, confidence))
            rows.append(
                {
                    "group": model,
                    "item": culture,
                    "n": items,
                    "agreement": same / items if items else float("nan"),
                    "agreement_low": low,
                    "agreement_high": high,
                    "kappa": _kappa(label[both], labels[both], len(answers.labels) + 1),
                    "invalid": int((label[both] == len(answers.labels)).sum()),
                    "annotators": people.get(culture, float("nan")),
                }
            )
    return pd.DataFrame(rows)


def _pairs(answers: Answers, by_model: dict[str, Ints]) -> pd.DataFrame:
    """Return whether a model agrees more with one culture than with another."""
    frames = []
    for model, label in by_model.items():
        rows = []
        for first, second in combinations(range(len(answers.cultures)), 2):
            labels = answers.majority[:, [first, second]]
            both = (label != NO_LABEL) & (labels != NO_LABEL).all(axis=1)
            right = labels[both] == label[both][:, None]
            only = [int((right[:, side] & ~right[:, 1 - side]).sum()) for side in (0, 1)]
            items, apart = int(both.sum()), sum(only)
            p = scipy_stats().binomtest(only[0], apart, 0.5).pvalue if apart else 1.0
            rows.append(
                {
                    "group": model,
                    "item": BETWEEN.join(answers.cultures[place] for place in (first, second)),
                    "n": items,
                    "difference": (only[0] - only[1]) / items if items else float("nan"),
                    "p": float(p) if items else float("nan"),
                }
            )
        frame = pd.DataFrame(rows, columns=["group", "item", "n", "difference", "p"])
        frames.append(frame.assign(p_holm=holm(frame["p"])))
    return pd.concat(frames, ignore_index=True)


def _shares(answers: Answers, sides: dict[str, Ints]) -> pd.DataFrame:
    """Return which labels cultures have, and which models give."""
    rows = [
        {
            "group": name,
            "item": label,
            "share": float((given == place).sum()) / max(len(given), 1),
            "n": len(given),
        }
        for name, labels in sides.items()
        for given in [labels[labels != NO_LABEL]]
        for place, label in enumerate((*answers.labels, NOT_A_LABEL))
    ]
    return pd.DataFrame(rows)


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


def _kappa(first: Ints, second: Ints, labels: int) -> float:
    """Return Cohen's kappa of two rows of labels; NaN where chance alone would always agree."""
    table = np.zeros((labels, labels))
    np.add.at(table, (first, second), 1)
    return float(cohen(table))
