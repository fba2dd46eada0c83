"""Measures of counts. In: labels counted by item, and how much items weigh. Out: coefficients.

Each measure is a ratio of sums over items, so a row of weights, such as how often a resample drew
each item, gives its value at once; a row of ones gives that of the items as they are. NaN where a
measure is not defined.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from memeloc.arrays import Floats, Ints

Metric = Literal["nominal", "ordinal", "interval"]
"""How far two labels lie apart: not at all or fully; by the answers between; by their values."""

_TINY = 1e-12
"""Where chance alone would agree throughout, rounding must not make a number of it."""


def alpha(
    counts: Ints, weights: Floats, metric: Metric = "nominal", levels: Floats | None = None
) -> Floats:
    """Krippendorff's alpha (2011, "Computing Krippendorff's Alpha-Reliability"), a row of weights.

    Args:
        counts: items by labels; of the ordinal metric in the order of the labels. Items with one
            answer do not count.
        weights: rows by items.
        levels: of the interval metric the labels' values.
    """
    sizes = counts.sum(axis=1)
    counts, weights, sizes = counts[sizes > 1], weights[:, sizes > 1], sizes[sizes > 1]
    per_pair = 1 / (sizes - 1)
    margin = weights @ counts
    total = margin.sum(axis=1)
    if metric == "nominal":
        same = (counts * (counts - 1)).sum(axis=1) * per_pair
        observed = total - weights @ same
        expected = np.square(total) - np.square(margin).sum(axis=1)
    elif metric == "interval":
        assert levels is not None
        # Between 0 and 1, so that rounding is small beside the largest distance.
        places = (levels - levels.min()) / max(float(np.ptp(levels)), 1e-300)
        squares = sizes * (counts @ np.square(places)) - np.square(counts @ places)
        observed = weights @ (2 * squares * per_pair)
        expected = 2 * (total * (margin @ np.square(places)) - np.square(margin @ places))
    else:
        # The ordinal metric: answers that lie between, of all answers (Krippendorff 2011, 3d).
        places = np.cumsum(margin, axis=1) - margin / 2
        observed = 2 * (margin * np.square(places)).sum(axis=1)
        observed -= 2 * _products(counts, weights, per_pair, places)
        weighted = (margin * places).sum(axis=1)
        expected = 2 * (total * (margin * np.square(places)).sum(axis=1) - np.square(weighted))
    return _ratio(expected - (total - 1) * observed, expected, total)


def fleiss(counts: Ints, weights: Floats) -> Floats:
    """Fleiss' kappa (1971), a row of weights; each item counts as much as another.

    Where items have different numbers of answers, the observed agreement and the shares of labels
    are means over items (as in Gwet 2014, chapter 2). Items with one answer do not count.
    """
    sizes = counts.sum(axis=1, keepdims=True)
    several = sizes[:, 0] > 1
    counts, weights, sizes = counts[several], weights[:, several], sizes[several]
    items = weights.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = np.square(weights @ (counts / sizes) / items[:, None]).sum(axis=1)
    return _ratio(observed(counts, weights) - expected, 1 - expected, np.ones_like(items))


def observed(counts: Ints, weights: Floats) -> Floats:
    """The share of pairs of answers to an item that are the same, a mean over items."""
    sizes = counts.sum(axis=1)
    counts, weights, sizes = counts[sizes > 1], weights[:, sizes > 1], sizes[sizes > 1]
    shares = (np.square(counts).sum(axis=1) - sizes) / (sizes * (sizes - 1))
    items = weights.sum(axis=1)
    return _ratio(weights @ shares, items, items)


def cohen(tables: Floats) -> Floats:
    """Cohen's kappa (1960) of two people's labels-by-labels tables: (labels, labels, tables)."""
    firsts, seconds = tables.sum(axis=1), tables.sum(axis=0)
    total = firsts.sum(axis=0)
    agree = np.einsum("iit->t", tables)
    expected = (firsts * seconds).sum(axis=0)
    # All times the square of the total, so that only the last step divides.
    return _ratio(agree * total - expected, np.square(total) - expected, total)


def _products(counts: Ints, weights: Floats, per_pair: Floats, places: Floats) -> Floats:
    """By row of weights the sum over pairs of answers of the product of their labels' places.

    An item has (sum of places) squared less the sum of squares, over its answers but one. Places
    follow from the row's weights, hence rows one after the other.
    """
    sums = np.empty(len(weights))
    for row, (weight, place) in enumerate(zip(weights, places, strict=True)):
        pairs = np.square(counts @ place) - counts @ np.square(place)
        sums[row] = (weight * per_pair) @ pairs
    return sums


def _ratio(above: Floats, below: Floats, scale: Floats) -> Floats:
    """A quotient; NaN where the lower part is nothing but rounding beside `scale`."""
    with np.errstate(invalid="ignore", divide="ignore"):
        values: Floats = np.where(below > _TINY * np.square(scale), above / below, np.nan)
    return values
