"""Coefficients of agreement as ratios of sums over items. In: labels counted by item. Out: values.

Each coefficient is a function of sums over items, so that whoever deletes an item or an answer, or
counts items twice, adds sums and computes no coefficient anew:

    coefficient = alpha("ordinal", levels)
    coefficient.value(coefficient.sums(counts).sum(axis=0))

`counts` are items by labels; items with one answer do not count. NaN where it is not defined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from memeloc.arrays import Floats, Ints

Metric = Literal["nominal", "ordinal", "interval"]
"""How far two labels lie apart: not at all or fully; by the answers between; by their values."""

_TINY = 1e-12
"""Where chance alone would agree throughout, rounding must not make a number of it."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient in two steps.

    Attributes:
        sums: (items, labels) of counts to (items, sums), to be added up over items.
        value: (..., sums), added up, to (...).
    """

    sums: Callable[[Ints], Floats]
    value: Callable[[Floats], Floats]

    def of(self, counts: Ints) -> float:
        """Return the coefficient of all items."""
        return float(self.value(self.sums(counts).sum(axis=0)))


def alpha(metric: Metric = "nominal", levels: Floats | None = None) -> Coefficient:
    """Return Krippendorff's alpha (2011, "Computing Krippendorff's Alpha-Reliability").

    Args:
        metric: of "ordinal" the labels are in their order.
        levels: of the interval metric the labels' values.
    """

    def coincidences(counts: Ints) -> Floats:
        pairs = counts[:, :, None] * (counts[:, None, :] - np.eye(counts.shape[1]))
        sizes = counts.sum(axis=1)
        shared = np.where(sizes > 1, 1 / np.maximum(sizes - 1, 1), 0)
        return (pairs * shared[:, None, None]).reshape(len(counts), counts.shape[1] ** 2)

    def value(sums: Floats) -> Floats:
        labels = round(sums.shape[-1] ** 0.5)
        table = sums.reshape(*sums.shape[:-1], labels, labels)
        margin = table.sum(axis=-1)
        total = margin.sum(axis=-1)
        apart = _distances(margin, metric, levels)
        observed = (table * apart).sum(axis=(-2, -1))
        expected = (margin[..., :, None] * margin[..., None, :] * apart).sum(axis=(-2, -1))
        return _ratio(expected - (total - 1) * observed, expected, total)

    return Coefficient(coincidences, value)


def _distances(margin: Floats, metric: Metric, levels: Floats | None) -> Floats:
    """Return the squared distances of each two labels: (..., labels, labels)."""
    if metric == "nominal":
        return np.ones_like(margin)[..., None] - np.eye(margin.shape[-1])
    if metric == "interval":
        assert levels is not None
        # Between 0 and 1, so that rounding is small beside the largest distance.
        places = (levels - levels.min()) / max(float(np.ptp(levels)), 1e-300)
    else:
        # The answers that lie between, of all answers (Krippendorff 2011, 3d).
        places = (np.cumsum(margin, axis=-1) - margin / 2) / np.maximum(
            margin.sum(axis=-1, keepdims=True), _TINY
        )
    squared: Floats = np.square(places[..., :, None] - places[..., None, :])
    return squared


def fleiss() -> Coefficient:
    """Return Fleiss' kappa (1971); each item counts as much as another.

    Where items have different numbers of answers, the observed agreement and the shares of labels
    are means over items (as in Gwet 2014, chapter 2).
    """
    return _chance_corrected(lambda shares: np.square(shares).sum(axis=-1), singles=False)


def gwet(weights: Floats) -> Coefficient:
    """Return Gwet's AC2 (2014, chapter 5) with weights of partial agreement; AC1 of the identity.

    Shares of labels are over all items, those with one answer among them.
    """
    labels = len(weights)

    def chance(shares: Floats) -> Floats:
        spread = (shares * (1 - shares)).sum(axis=-1)
        expected: Floats = weights.sum() * spread / max(labels * (labels - 1), 1)
        return expected

    return _chance_corrected(chance, weights=weights)


def randolph() -> Coefficient:
    """Return Randolph's free-marginal kappa (2005): by chance all labels are as likely."""
    return _chance_corrected(
        lambda shares: np.full(shares.shape[:-1], 1 / max(shares.shape[-1], 1))
    )


def observed() -> Coefficient:
    """Return the share of pairs of answers to an item that are the same, a mean over items."""
    return _chance_corrected(lambda shares: np.zeros(shares.shape[:-1]))


def partial_agreement(metric: Metric, labels: int, levels: Floats | None = None) -> Floats:
    """Return Gwet's weights (2014, chapter 3) of each two labels, 1 for the same: AC2's.

    Ordinal weights go by the labels between, interval ones (quadratic) by the levels' differences.
    """
    if metric == "nominal" or labels < 2:
        return np.eye(labels)
    if metric == "interval":
        assert levels is not None
        apart = np.square(levels[:, None] - levels)
    else:
        steps = np.abs(np.arange(labels)[:, None] - np.arange(labels))
        apart = steps * (steps + 1) / 2
    weights: Floats = 1 - apart / apart.max()
    return weights


def cohen(tables: Floats) -> Floats:
    """Return Cohen's kappa (1960) of tables of two people's labels: (..., labels, labels)."""
    firsts, seconds = tables.sum(axis=-1), tables.sum(axis=-2)
    total = firsts.sum(axis=-1)
    agree = np.einsum("...ii->...", tables)
    expected = (firsts * seconds).sum(axis=-1)
    # All times the square of the total, so that only the last step divides.
    return _ratio(agree * total - expected, np.square(total) - expected, total)


def _chance_corrected(
    chance: Callable[[Floats], Floats], weights: Floats | None = None, *, singles: bool = True
) -> Coefficient:
    """Return (observed - chance) / (1 - chance), each item counting as much as another.

    Args:
        chance: (..., labels) of shares of labels to the agreement by chance.
        singles: whether items with one answer take part in the shares of labels.
    """

    def sums(counts: Ints) -> Floats:
        sizes = counts.sum(axis=1)
        shared = sizes > 1
        near = counts if weights is None else counts @ weights
        pairs = (counts * (near - 1)).sum(axis=1)
        same = np.where(shared, pairs / np.maximum(sizes * (sizes - 1), 1), 0)
        counted = sizes > 0 if singles else shared
        shares = np.where(counted[:, None], counts / np.maximum(sizes, 1)[:, None], 0)
        return np.column_stack([same, shared, counted, shares])

    def value(sums: Floats) -> Floats:
        same, shared, counted = sums[..., 0], sums[..., 1], sums[..., 2]
        with np.errstate(invalid="ignore", divide="ignore"):
            expected = chance(sums[..., 3:] / counted[..., None])
            return _ratio(same / shared - expected, 1 - expected, np.ones_like(same))

    return Coefficient(sums, value)


def _ratio(above: Floats, below: Floats, scale: Floats) -> Floats:
    """Return a quotient, NaN where the lower part is nothing but rounding beside `scale`."""
    with np.errstate(invalid="ignore", divide="ignore"):
        values: Floats = np.where(below > _TINY * np.square(scale), above / below, np.nan)
    return values
