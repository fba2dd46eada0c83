"""Labels in each culture (multi3hate 4.1, Table 3). In: `Answers`. Out: rows: shares, counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from memeloc.analyze.answers import Answers, Settings
from memeloc.arrays import NO_LABEL, Floats, Ints, majority
from memeloc.errors import InputError
from memeloc.reports.figures import gap, joined, tidy
from memeloc.statistics.two_way import Scale, Statistic, Votes, estimate, of_labels, stacked

NAME = "label-shares"


def label_shares(answers: Answers, settings: Settings, *, whole: bool = True) -> pd.DataFrame:
    """Return the shares of labels, of votes and of items, and how items got their labels.

    Parts of the items (not `whole`) have the shares of items only. Raise InputError if no answer
    takes part in the vote.
    """
    votes = Votes.of(answers.table, answers.labels)
    if not votes.counts.any():
        raise InputError("no answer takes part in the vote")
    cultures, labels = answers.cultures, answers.labels
    most, sizes = majority(votes.counts), votes.counts.sum(axis=2)
    label_counts = votes.counts.sum(axis=0)  # by culture and label, as the next
    labelled = (most[..., None] == np.arange(len(labels))).sum(axis=0)
    parts = [votes.of_cultures(place) for place in range(len(cultures))]
    columns: dict[str, object] = {
        "group": np.repeat(cultures, len(labels)),
        "item": labels * len(cultures),
    }
    measured = {"share_of_items": ("labelled", labelled, of_items(len(labels)))}
    if whole:
        measured = {"share": ("votes", label_counts, of_votes()), **measured}
    for name, (counted, counts, statistic) in measured.items():
        estimates = [estimate(values, statistic, settings.confidence) for values in parts]
        columns |= {counted: counts.ravel(), **stacked(estimates).columns(name)}
        columns[f"{name}_n"] = counts.sum(axis=1).repeat(len(labels))
    rows = tidy(NAME, pd.DataFrame(columns))
    if not whole:
        return rows
    by_culture = answers.table.groupby("culture")
    items = by_culture["item"].nunique().to_numpy()
    of_cultures = pd.DataFrame(
        {
            "group": list(cultures),
            "annotators": by_culture["participant"].nunique().to_numpy(),
            "items": items,
            "answers": by_culture.size().to_numpy(),
            "votes": sizes.sum(axis=0),
            "abstentions": by_culture["label"].agg(
                lambda labels: labels.isin(answers.abstentions).sum()
            ),
            "labelled": labelled.sum(axis=1),
            "tied": ((most == NO_LABEL) & (sizes > 0)).sum(axis=0),
            "without_votes": items - (sizes > 0).sum(axis=0),
            "short": ((sizes > 0) & (sizes < settings.least_answers)).sum(axis=0),
        }
    )
    silent = (name for name, counts in zip(cultures, label_counts, strict=True) if not counts.any())
    return joined(
        [
            rows,
            tidy("label-counts", of_cultures, "multi3hate 3.3"),
            *(gap(NAME, f"No answer of {name} takes part in the vote.") for name in silent),
        ]
    )


def shares_of(sums: Floats) -> Floats:
    """Return the shares of (..., sums) in their total, NaN of none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Floats = sums / sums.sum(axis=-1, keepdims=True)
    return shares


def of_votes() -> Statistic:
    """Return the labels' shares of one culture's votes as a statistic."""
    return Statistic(lambda counts: counts[:, 0].astype(np.float64), shares_of)


def of_items(labels: int) -> Statistic:
    """Return the labels' shares of one culture's labelled items as a statistic."""
    return of_kinds(lambda most: most[:, 0], labels)


def of_kinds(
    kind: Callable[[Ints], Ints],
    number: int,
    value: Callable[[Floats], Floats] = shares_of,
    scale: Scale = "share",
) -> Statistic:
    """Return a statistic of how many items there are of each kind; their shares by default.

    Args:
        kind: (items, cultures) of majority labels to the kinds of items, 0 to `number` - 1;
            another number leaves an item out.
        value: of the numbers of items.
    """
    return of_labels(
        lambda most: (kind(most)[:, None] == np.arange(number)).astype(np.float64), value, scale
    )
