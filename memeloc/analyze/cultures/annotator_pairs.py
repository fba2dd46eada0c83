"""Each two annotators of a culture. In: `Answers`. Out: Cohen's kappa with intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from memeloc.agreement import Ratings, pairwise_kappa, weighted
from memeloc.agreement.measures import LabelPairs
from memeloc.analyze.answers import Answers
from memeloc.analyze.settings import Settings
from memeloc.arrays import Floats, Ints
from memeloc.statistics.bootstrap import Estimates, estimate, generator, percentiles

if TYPE_CHECKING:
    import pandas as pd

_MOST_PAIRS = 200
"""Pairs of a culture that have intervals of their own, those with most common items."""
_MOST_COUNTS = 100_000_000
"""Common answers times resamples, up to which the mean of all pairs has an interval: a minute."""

_BLOCK = 500_000
"""Counts of resamples that are held at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class PairTables:
    """The votes of a culture's annotators, and each two votes on one item."""

    culture: str
    ratings: Ratings
    votes: LabelPairs

    @property
    def people(self) -> tuple[str, ...]:
        """The annotators who voted, sorted."""
        return self.ratings.participants

    @classmethod
    def of(cls, answers: Answers, culture: str) -> PairTables:
        """Those of the answers of one culture that take part in the vote."""
        table = answers.table
        here = (table["culture"] == culture) & table["label"].isin(answers.labels)
        ratings = Ratings.of(table[here])
        return cls(culture, ratings, LabelPairs.of(ratings))


def pairs_table(tables: PairTables, settings: Settings, name: str) -> pd.DataFrame:
    """`pairwise_kappa` with `culture`, and `low` and `high` of the pairs with most common items."""
    frame = pairwise_kappa(tables.ratings).assign(culture=tables.culture, low=np.nan, high=np.nan)
    random = generator(settings, name)
    labels = len(tables.ratings.labels)
    cells = _cells(tables)
    order = np.argsort(tables.votes.pair, kind="stable")
    starts = np.searchsorted(tables.votes.pair[order], np.arange(len(frame) + 1))
    bounds = frame[["low", "high"]].to_numpy(copy=True)
    for pair in np.argsort(-frame["items"].to_numpy(), kind="stable")[:_MOST_PAIRS]:
        of_pair = cells[order[starts[pair] : starts[pair + 1]]]
        if len(of_pair) < 2 or np.isnan(frame["kappa"].iloc[pair]):
            continue
        table = np.bincount(of_pair, minlength=labels**2)
        drawn = random.multinomial(len(of_pair), table / len(of_pair), settings.bootstraps)
        kappas = weighted.cohen(drawn.T.astype(np.float64).reshape(labels, labels, -1))
        bounds[pair] = np.concatenate(percentiles(kappas[:, None], settings.confidence))
    return frame.assign(low=bounds[:, 0], high=bounds[:, 1])


def mean_kappa(tables: PairTables, settings: Settings, name: str) -> Estimates:
    """The mean of Cohen's kappa over the pairs of which it is defined, by resamples of items."""
    labels, pairs = len(tables.ratings.labels), len(tables.votes.first)
    cells, size = _cells(tables), pairs * labels**2

    block = max(1, _BLOCK // max(len(cells) + size, 1))

    def mean(items: Ints, weights: Floats) -> Floats:
        means = [np.empty((0, 1))]
        for start in range(0, len(weights), block):
            part = weights[start : start + block, tables.votes.item]
            # By cell, then by resample, then by pair: sums over cells are sums of long rows.
            rows = np.arange(len(part))[:, None] * pairs + tables.votes.pair
            places = (cells * len(part) * pairs + rows).ravel()
            # numpy's types do not know that weights make sums of floats.
            counts: Floats = np.bincount(places, part.ravel(), len(part) * size).astype(float)
            kappas = weighted.cohen(counts.reshape(labels, labels, -1)).reshape(-1, pairs)
            defined = np.isfinite(kappas)
            with np.errstate(invalid="ignore"):
                means.append(
                    np.where(defined, kappas, 0).sum(axis=1, keepdims=True)
                    / defined.sum(axis=1, keepdims=True)
                )
        return np.concatenate(means)

    work = (len(cells) + size) * settings.bootstraps
    chosen = settings if work <= _MOST_COUNTS else replace(settings, bootstraps=0)
    return estimate(np.arange(tables.ratings.items)[:, None], mean, chosen, name)


def _cells(tables: PairTables) -> Ints:
    """Of each two votes the cell of the labels-by-labels table that they count in."""
    label = tables.ratings.label
    cells: Ints = label[tables.votes.answers[0]] * len(tables.ratings.labels)
    return cells + label[tables.votes.answers[1]]
