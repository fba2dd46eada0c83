"""Agreement of cultures (multi3hate 4.2). In: `Answers`. Out: rows: pairs, and how many agree."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from memeloc.agreement.coefficients import cohen
from memeloc.analyze.answers import Answers, Settings
from memeloc.analyze.cultures.shares import of_kinds
from memeloc.arrays import NO_LABEL, Bools, Floats, Ints, majority
from memeloc.errors import InputError
from memeloc.reports.figures import BETWEEN, gap, joined, tidy
from memeloc.statistics.two_way import Statistic, Votes, estimate, of_labels, stacked

NAME = "agreement-between"
ALL_PAIRS = "all pairs"


def agreement_between(answers: Answers, settings: Settings, *, whole: bool = True) -> pd.DataFrame:
    """Return the agreement of each two cultures, their plain mean, and how many cultures agree.

    Parts of the items (not `whole`) go without kappas. Raise InputError if there is one culture
    only, or no two have labelled a common item.
    """
    cultures, number = answers.cultures, len(answers.labels)
    if len(cultures) < 2:
        raise InputError(f"all answers are of one culture, {cultures[0]}")
    votes = Votes.of(answers.table, answers.labels)
    labels = majority(votes.counts)
    groups = [BETWEEN.join(pair) for pair in combinations(cultures, 2)]
    common = of_each_pair(labels)[0].sum(axis=0)
    if not common.any():
        raise InputError("no two cultures have labelled a common item")
    parts = [votes.of_cultures(*pair) for pair in combinations(range(len(cultures)), 2)]
    columns: dict[str, object] = {"group": groups, "n": common}
    statistics = {"agreement": of_pairs(), **({"kappa": of_kappa(number)} if whole else {})}
    for name, statistic in statistics.items():
        estimates = [estimate(values, statistic, settings.confidence) for values in parts]
        columns |= stacked(estimates).columns(name)
    mean = {
        "group": [ALL_PAIRS],
        **estimate(votes, of_pairs(), settings.confidence).columns("agreement"),
        "n": (common > 0).sum(),
        "items_left_out": (labels == NO_LABEL).any(axis=1).sum(),
    }
    statistic = of_agreeing(len(cultures), number)
    items = statistic.sums(votes.counts).sum(axis=0)
    agree = pd.DataFrame(
        {
            "item": [f"{k} of {len(cultures)} cultures" for k in range(1, len(cultures) + 1)],
            "items": items,
            **estimate(votes, statistic, settings.confidence).columns("share"),
            "n": items.sum(),
        }
    )
    gaps = [
        f"{group.replace(BETWEEN, ' and ')} have labelled no common item."
        for group, number in zip(groups, common, strict=True)
        if not number
    ]
    if not items.any():
        gaps.append("How many cultures agree: no item has a label in every culture.")
    return joined(
        [
            tidy(NAME, pd.DataFrame(columns)),
            tidy(NAME, pd.DataFrame(mean)),
            # Two labels of five cultures: three agree at least. What cannot be is not shown.
            tidy("cultures-agree", agree[agree["items"].cumsum() > 0]),
            *(gap(NAME, reason) for reason in gaps),
        ]
    )


def of_each_pair(labels: Ints) -> tuple[Bools, Bools]:
    """Return of each two cultures whether both have labelled an item, and whether the same.

    Both are (..., pairs), of (..., cultures) of majority labels.
    """
    one, other = np.triu_indices(labels.shape[-1], 1)
    both: Bools = (labels[..., one] != NO_LABEL) & (labels[..., other] != NO_LABEL)
    return both, both & (labels[..., one] == labels[..., other])


def of_pairs() -> Statistic:
    """Return the plain mean over pairs of cultures of the share of items with the same label."""

    def value(sums: Floats) -> Floats:
        both, same = np.split(sums, 2, axis=-1)
        has_votes = both > 0
        total = np.where(has_votes, same / np.where(has_votes, both, 1), 0).sum(
            axis=-1, keepdims=True
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            mean: Floats = total / has_votes.sum(axis=-1, keepdims=True)
        return mean

    return of_labels(lambda most: np.hstack(of_each_pair(most)).astype(np.float64), value)


def of_kappa(labels: int) -> Statistic:
    """Return Cohen's kappa of two cultures' labels as a statistic."""

    def cell(most: Ints) -> Ints:
        both = (most != NO_LABEL).all(axis=1)
        return np.where(both, most[:, 0] * labels + most[:, 1], NO_LABEL)

    def value(sums: Floats) -> Floats:
        return cohen(sums.reshape(*sums.shape[:-1], labels, labels))[..., None]

    return of_kinds(cell, labels**2, value, "coefficient")


def of_agreeing(cultures: int, labels: int) -> Statistic:
    """Return of items labelled in every culture the shares whose label 1, 2, ... cultures give."""

    def more_than_one(most: Ints) -> Ints:
        largest = (most[..., None] == np.arange(labels)).sum(axis=1).max(axis=1)
        return np.where((most != NO_LABEL).all(axis=1), largest - 1, NO_LABEL)

    return of_kinds(more_than_one, cultures)
