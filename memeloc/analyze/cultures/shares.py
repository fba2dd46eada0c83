"""Labels in each culture. In: `Answers`. Out: a `Section`: shares of answers and of items, ties."""

from __future__ import annotations

import numpy as np
import pandas as pd

from memeloc.analyze.answers import NO_LABEL, Answers
from memeloc.analyze.settings import Settings
from memeloc.arrays import Floats, Ints
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.reports.sections import Bars, Intervals, Section, Table
from memeloc.statistics.bootstrap import estimate
from memeloc.statistics.intervals import defined, percent_with_interval, rows_of, wilson

_COUNTS = {
    "culture": "the annotators' culture",
    "annotators": "people who answered",
    "items": "items that they answered",
    "answers": "answers, abstentions among them",
    "votes": "answers that take part in the vote",
    "abstentions": "answers that are stored and left out of the vote",
    "labelled": "items with a majority label",
    "tied": "items whose most frequent labels have as many votes: no label",
    "without_votes": "items with abstentions only: no label",
    "short": "items with fewer votes than an item should have; their labels count all the same",
}
_SHARES = {
    "culture": "the annotators' culture",
    "label": "the label",
    "votes": "answers with it",
    "share": "of the answers that take part in the vote, 0 to 1",
    "low": "lower end of the interval of that share",
    "high": "upper end",
    "items": "items whose majority label it is",
    "share_of_items": "of the items with a majority label, 0 to 1",
    "items_low": "lower end of the interval of that share",
    "items_high": "upper end",
}


def label_shares(answers: Answers, settings: Settings) -> Section:
    """Shares of labels in each culture (multi3hate 4.1, Table 3), and how items got theirs.

    Raises:
        InputError: no answer takes part in the vote.
    """
    if not answers.votes.any():
        raise InputError("no answer takes part in the vote")
    counts = _counts(answers, settings)
    shares = _shares(answers, settings)
    confidence = f"{settings.confidence:.0%}"
    shares_method = (
        "Shares of answers are of those that take part in the vote; their intervals "
        f"({confidence}) come from {settings.bootstraps:,} resamples of items (percentiles), since "
        "answers to one item go together. Shares of items are of those with a majority label, with "
        f"Wilson's intervals ({confidence}; 1927). multi3hate 4.1."
    )
    counts_method = (
        "An item's label in a culture is the majority of the answers that take part in the vote; "
        "of a tie there is none (multi3hate 3.3). Short are items with votes, but fewer than "
        f"{settings.least_answers}."
    )
    plotted = shares.pivot(index="culture", columns="label", values="share_of_items")
    plotted = plotted.loc[list(answers.cultures), list(answers.labels)]
    return Section(
        "label-shares",
        "Labels by culture",
        tables=(
            Table("label-shares", "Shares of labels", shares, _SHARES, shares_method),
            Table("label-counts", "Answers and labels", counts, _COUNTS, counts_method),
        ),
        plots=(
            Bars(
                "label-shares",
                "Labels of items by culture",
                plotted,
                "share of items with a majority label",
                counts_method,
                stacked=True,
            ),
            Intervals(
                "label-shares-of-answers",
                "Labels of answers by culture",
                _intervals(shares, answers),
                "share of answers",
                shares_method,
            ),
        ),
        sentences=(*_sentences(answers, shares, counts),),
        figures={
            "share_of_items": {
                str(culture): {row.label: defined(row.share_of_items) for row in rows_of(part)}
                for culture, part in shares.groupby("culture")
            },
            "tied": int(counts["tied"].sum()),
            "short": int(counts["short"].sum()),
        },
        gaps=tuple(
            f"No answer of {row.culture} takes part in the vote."
            for row in rows_of(counts)
            if not row.votes
        ),
    )


def shares_of_items(
    majority: Ints, answers: Answers, confidence: float
) -> list[tuple[str, str, int, float, float, float]]:
    """Culture, label, items, share, low and high of each label among labelled items.

    Args:
        majority: items by cultures, as `Answers.majority`; any part of the items.
    """
    rows = []
    for place, culture in enumerate(answers.cultures):
        labels = majority[:, place]
        counts = np.bincount(labels[labels != NO_LABEL], minlength=len(answers.labels))
        low, high = wilson(counts, counts.sum(), confidence)
        share = counts / counts.sum() if counts.sum() else np.full(len(counts), np.nan)
        names = [culture] * len(counts)
        rows += list(zip(names, answers.labels, counts.tolist(), share, low, high, strict=True))
    return rows


def _counts(answers: Answers, settings: Settings) -> pd.DataFrame:
    table, rows = answers.table, []
    abstained = table["label"].isin(answers.abstentions)
    for place, culture in enumerate(answers.cultures):
        here = table["culture"] == culture
        votes = answers.votes[:, place].sum(axis=1)
        labelled = answers.majority[:, place] != NO_LABEL
        items = int(table.loc[here, "item"].nunique())
        rows.append(
            (
                culture,
                int(table.loc[here, "participant"].nunique()),
                items,
                int(here.sum()),
                int(votes.sum()),
                int((here & abstained).sum()),
                int(labelled.sum()),
                int((~labelled & (votes > 0)).sum()),
                items - int((votes > 0).sum()),
                int(((votes > 0) & (votes < settings.least_answers)).sum()),
            )
        )
    return pd.DataFrame(rows, columns=list(_COUNTS))


def _shares(answers: Answers, settings: Settings) -> pd.DataFrame:
    def share(patterns: Ints, weights: Floats) -> Floats:
        sums = weights @ patterns
        with np.errstate(invalid="ignore", divide="ignore"):
            shares: Floats = sums / sums.sum(axis=1, keepdims=True)
        return shares

    rows = []
    of_items = shares_of_items(answers.majority, answers, settings.confidence)
    for place, culture in enumerate(answers.cultures):
        votes = answers.votes[:, place]
        voted = votes[votes.sum(axis=1) > 0]
        if len(voted):
            estimates = estimate(voted, share, settings, f"label shares {culture}")
            columns = (estimates.value, estimates.low, estimates.high)
        else:
            columns = (np.full(len(answers.labels), np.nan),) * 3
        rows += list(zip(votes.sum(axis=0).tolist(), *columns, strict=True))
    return pd.DataFrame(
        [(*item[:2], *row, *item[2:]) for item, row in zip(of_items, rows, strict=True)],
        columns=list(_SHARES),
    )


def _intervals(shares: pd.DataFrame, answers: Answers) -> pd.DataFrame:
    """The shares of all labels; of two labels of the first, for the other's is what remains."""
    shown = shares[shares["label"] == answers.labels[0]] if len(answers.labels) == 2 else shares
    return shown.rename(columns={"culture": "label", "share": "value", "label": "group"})[
        ["label", "value", "low", "high", "group"]
    ]


def _sentences(answers: Answers, shares: pd.DataFrame, counts: pd.DataFrame) -> list[str]:
    shown = answers.labels[:1] if len(answers.labels) == 2 else answers.labels
    sentences = []
    for label in shown:
        part = shares[(shares["label"] == label) & shares["share_of_items"].notna()]
        listed = ", ".join(
            f"{row.culture} "
            + percent_with_interval(row.share_of_items, row.items_low, row.items_high)
            for row in rows_of(part)
        )
        if listed:
            sentences.append(f"The share of items whose majority label is {label!r} is {listed}.")
    tied, short = int(counts["tied"].sum()), int(counts["short"].sum())
    sentences.append(
        f"An item counted once in each culture, {counted(tied, 'item')} had tied votes and no "
        f"label, and {counted(short, 'item')} had fewer votes than planned."
    )
    return sentences
