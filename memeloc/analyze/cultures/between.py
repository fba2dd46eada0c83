"""Agreement of cultures (multi3hate 4.2). In: `Answers`. Out: rows: pairs, and how many agree."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from memeloc.agreement.coefficients import cohen
from memeloc.analyze.answers import Answers, Settings
from memeloc.arrays import NO_LABEL, Floats, Ints, majority
from memeloc.errors import InputError
from memeloc.reports.figures import BETWEEN, gap, joined, tidy
from memeloc.statistics.two_way import Statistic, Votes, estimate, of_labels, stacked

NAME = "agreement-between"
ALL_PAIRS = "all pairs"


def agreement_between(answers: Answers, settings: Settings, *, whole: bool = True) -> pd.DataFrame:
    """Return the agreement of each two cultures, their plain mean, and how many cultures agree.

    Args:
        whole: with the kappas, which parts of the items go without.

    Raises:
        InputError: there is one culture only, or no two have labelled a common item.
    """
    cultures = answers.cultures
    if len(cultures) < 2:
        raise InputError(f"all answers are of one culture, {cultures[0]}")
    votes = Votes.of(answers.table, answers.labels)
    labels = majority(votes.counts)
    pairs = list(combinations(range(len(cultures)), 2))
    items = [int((labels[:, pair] != NO_LABEL).all(axis=1).sum()) for pair in pairs]
    gaps = [
        f"{cultures[one]} and {cultures[other]} have labelled no common item."
        for (one, other), number in zip(pairs, items, strict=True)
        if not number
    ]
    if len(gaps) == len(pairs):
        raise InputError("no two cultures have labelled a common item")
    statistics = {"agreement": of_pairs(2)}
    if whole:
        statistics["kappa"] = of_kappa(len(answers.labels))
    columns: dict[str, object] = {
        "group": [cultures[one] + BETWEEN + cultures[other] for one, other in pairs],
        "n": items,
    }
    parts = [votes.of_cultures(*pair) for pair in pairs]
    for name, statistic in statistics.items():
        estimates = [estimate(own, statistic, settings.confidence) for own in parts]
        columns |= stacked(estimates).columns(name)
    mean = {
        "group": [ALL_PAIRS],
        **estimate(votes, of_pairs(len(cultures)), settings.confidence).columns("agreement"),
        "n": len(pairs) - len(gaps),
        "items_left_out": int((labels == NO_LABEL).any(axis=1).sum()),
    }
    agree = _cultures_agree(votes, labels, settings)
    if not len(agree):
        gaps.append("How many cultures agree: no item has a label in every culture.")
    return joined(
        [
            tidy(NAME, pd.DataFrame(columns)),
            tidy(NAME, pd.DataFrame(mean)),
            tidy("cultures-agree", agree),
            *(gap(NAME, reason) for reason in gaps),
        ]
    )


def of_pairs(cultures: int) -> Statistic:
    """Return the plain mean over pairs of cultures of the share of items with the same label."""
    pairs = list(combinations(range(cultures), 2))

    def sums(labels: Ints) -> Floats:
        columns = []
        for one, other in pairs:
            both = (labels[:, one] != NO_LABEL) & (labels[:, other] != NO_LABEL)
            columns += [both & (labels[:, one] == labels[:, other]), both]
        return np.stack(columns, axis=1).astype(np.float64)

    def value(sums: Floats) -> Floats:
        same, both = sums[..., 0::2], sums[..., 1::2]
        known = both > 0
        total = np.where(known, same / np.where(known, both, 1), 0).sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean: Floats = total / known.sum(axis=-1)
        return mean[..., None]

    return of_labels(sums, value)


def of_kappa(labels: int) -> Statistic:
    """Return Cohen's kappa of two cultures' labels as a statistic."""

    def sums(most: Ints) -> Floats:
        both = (most != NO_LABEL).all(axis=1)
        cells = np.where(both, most[:, 0] * labels + most[:, 1], NO_LABEL)
        columns: Floats = (cells[:, None] == np.arange(labels**2)).astype(np.float64)
        return columns

    def value(sums: Floats) -> Floats:
        return cohen(sums.reshape(*sums.shape[:-1], labels, labels))[..., None]

    return of_labels(sums, value, "coefficient")


def of_agreeing(cultures: int, labels: int) -> Statistic:
    """Return of items labelled in every culture the shares whose label 1, 2, ... cultures give."""

    def sums(most: Ints) -> Floats:
        number = np.stack([(most == label).sum(axis=1) for label in range(labels)]).max(axis=0)
        number = np.where((most != NO_LABEL).all(axis=1), number, 0)
        columns: Floats = (number[:, None] == np.arange(1, cultures + 1)).astype(np.float64)
        return columns

    def value(sums: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            shares: Floats = sums / sums.sum(axis=-1, keepdims=True)
        return shares

    return of_labels(sums, value)


def _cultures_agree(votes: Votes, labels: Ints, settings: Settings) -> pd.DataFrame:
    cultures = labels.shape[1]
    statistic = of_agreeing(cultures, votes.counts.shape[2])
    items = statistic.sums(votes.counts).sum(axis=0)
    frame = pd.DataFrame(
        {
            "item": [f"{number} of {cultures} cultures" for number in range(1, cultures + 1)],
            "items": items,
            **estimate(votes, statistic, settings.confidence).columns("share"),
            "n": items.sum(),
        }
    )
    # Two labels of five cultures: three agree at least. Counts that cannot be are not shown.
    return frame[frame["items"].cumsum() > 0]
