"""Labels in each culture (multi3hate 4.1, Table 3). In: `Answers`. Out: rows: shares, counts."""

from __future__ import annotations

import numpy as np
import pandas as pd

from memeloc.analyze.answers import Answers
from memeloc.analyze.settings import Settings
from memeloc.arrays import NO_LABEL, Floats, Ints, majority
from memeloc.errors import InputError
from memeloc.reports.figures import gap, joined, tidy
from memeloc.statistics.two_way import Statistic, Votes, estimate, of_labels

NAME = "label-shares"


def label_shares(answers: Answers, settings: Settings) -> pd.DataFrame:
    """Return the shares of labels, of votes and of items, and how items got their labels.

    Raises:
        InputError: no answer takes part in the vote.
    """
    votes = Votes.of(answers.table, answers.labels)
    if not votes.counts.any():
        raise InputError("no answer takes part in the vote")
    frames, gaps = [], []
    for place, culture in enumerate(answers.cultures):
        own = votes.of_cultures(place)
        counts, labels = own.counts[:, 0], majority(own.counts[:, 0])
        of_label = np.bincount(labels[labels != NO_LABEL], minlength=len(answers.labels))
        columns = {
            "group": culture,
            "item": list(answers.labels),
            "votes": counts.sum(axis=0),
            **estimate(own, of_votes(), settings.confidence).columns("share"),
            "share_n": counts.sum(),
            "labelled": of_label,
            **estimate(own, of_items(len(answers.labels)), settings.confidence).columns(
                "share_of_items"
            ),
            "share_of_items_n": of_label.sum(),
        }
        frames.append(pd.DataFrame(columns))
        if not counts.any():
            gaps.append(f"No answer of {culture} takes part in the vote.")
    return joined(
        [
            tidy(NAME, pd.concat(frames, ignore_index=True)),
            tidy("label-counts", _counts(answers, votes, settings), "multi3hate 3.3"),
            *(gap(NAME, reason) for reason in gaps),
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
