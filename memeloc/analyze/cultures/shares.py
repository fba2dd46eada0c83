"""Labels in each culture (multi3hate 4.1, Table 3). In: `Answers`. Out: rows: shares, counts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from memeloc.analyze.answers import Answers, Settings
from memeloc.arrays import NO_LABEL, Floats, Ints, majority
from memeloc.errors import InputError
from memeloc.reports.figures import gap, joined, tidy
from memeloc.statistics.two_way import Statistic, Votes, estimate, of_labels, stacked

NAME = "label-shares"


def label_shares(answers: Answers, settings: Settings, *, whole: bool = True) -> pd.DataFrame:
    """Return the shares of labels, of votes and of items, and how items got their labels.

    Args:
        whole: with all but the shares of items, which are what parts of the items have.

    Raises:
        InputError: no answer takes part in the vote.
    """
    votes = Votes.of(answers.table, answers.labels)
    if not votes.counts.any():
        raise InputError("no answer takes part in the vote")
    number = len(answers.labels)
    parts = [votes.of_cultures(place) for place in range(len(answers.cultures))]

    def shares(statistic: Statistic, name: str) -> Mapping[str, object]:
        estimates = [estimate(own, statistic, settings.confidence) for own in parts]
        return stacked(estimates).columns(name)

    most = majority(votes.counts)
    given = votes.counts.sum(axis=0)  # by culture and label
    labelled = np.stack([(most == label).sum(axis=0) for label in range(number)], axis=1)
    columns: dict[str, object] = {
        "group": np.repeat(answers.cultures, number),
        "item": answers.labels * len(answers.cultures),
    }
    if whole:
        columns |= {"votes": given.ravel(), **shares(of_votes(), "share")}
        columns |= {"share_n": given.sum(axis=1).repeat(number), "labelled": labelled.ravel()}
    columns |= shares(of_items(number), "share_of_items")
    columns["share_of_items_n"] = labelled.sum(axis=1).repeat(number)
    rows = tidy(NAME, pd.DataFrame(columns))
    if not whole:
        return rows
    silent = (name for name, own in zip(answers.cultures, given, strict=True) if not own.any())
    return joined(
        [
            rows,
            tidy("label-counts", _counts(answers, votes, settings), "multi3hate 3.3"),
            *(gap(NAME, f"No answer of {name} takes part in the vote.") for name in silent),
        ]
    )


def of_votes() -> Statistic:
    """Return the labels' shares of one culture's votes as a statistic."""
    return Statistic(lambda counts: counts[:, 0].astype(np.float64), _shares)


def of_items(labels: int) -> Statistic:
    """Return the labels' shares of one culture's labelled items as a statistic."""

    def sums(most: Ints) -> Floats:
        columns: Floats = (most[:, :1] == np.arange(labels)).astype(np.float64)
        return columns

    return of_labels(sums, _shares)


def _shares(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Floats = sums / sums.sum(axis=-1, keepdims=True)
    return shares


def _counts(answers: Answers, votes: Votes, settings: Settings) -> pd.DataFrame:
    by_culture = answers.table.groupby("culture")
    sizes, labelled = votes.counts.sum(axis=2), majority(votes.counts) != NO_LABEL
    items = by_culture["item"].nunique().to_numpy()
    return pd.DataFrame(
        {
            "group": list(answers.cultures),
            "annotators": by_culture["participant"].nunique().to_numpy(),
            "items": items,
            "answers": by_culture.size().to_numpy(),
            "votes": sizes.sum(axis=0),
            "abstentions": by_culture["label"].agg(lambda own: own.isin(answers.abstentions).sum()),
            "labelled": labelled.sum(axis=0),
            "tied": (~labelled & (sizes > 0)).sum(axis=0),
            "without_votes": items - (sizes > 0).sum(axis=0),
            "short": ((sizes > 0) & (sizes < settings.least_answers)).sum(axis=0),
        }
    )
