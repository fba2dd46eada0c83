"""Metrics of a classifier. In: counts of gold by predicted label. Out: accuracy, F1, MAE, ratios.

All of them follow from the confusion counts, so a bootstrap needs only counts of its resamples:
the functions take any number of leading axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memeloc.arrays import Floats, Ints
from memeloc.statistics.bootstrap import Estimates, Resampling, estimate


@dataclass(frozen=True, slots=True, eq=False)
class Metrics:
    """Metrics, each with the leading axes of the counts; NaN where nothing defines it.

    An invalid answer is wrong, and as far off as its gold label allows. Macro averages are over all
    labels of the task, one that does not occur or was never predicted counting 0 (scikit-learn's
    `zero_division=0`). MMAE is the mean over the labels that occur of the MAE within each (harmeme
    6, Baccianella 2009). `precisions`, `recalls` and `f1s` are by label, one axis more.
    """

    accuracy: Floats
    precision: Floats
    recall: Floats
    f1: Floats
    mae: Floats
    mmae: Floats
    precisions: Floats
    recalls: Floats
    f1s: Floats


def confusion(gold: Ints, predicted: Ints, labels: int, weights: Floats | None = None) -> Floats:
    """Return counts of gold (rows) by predicted label (columns), the last one for no answer.

    Args:
        gold, predicted: by item the place of its label, from 0; negative for an invalid answer.
        weights: of items, (..., items); the result has its leading axes.
    """
    columns = np.where(predicted < 0, labels, predicted)
    cells = gold * (labels + 1) + columns
    one_hot = np.zeros((len(cells), labels * (labels + 1)))
    one_hot[np.arange(len(cells)), cells] = 1
    counts = one_hot.sum(axis=0) if weights is None else weights @ one_hot
    return np.asarray(counts.reshape(*counts.shape[:-1], labels, labels + 1), dtype=np.float64)


def measure(counts: Floats, levels: Sequence[float] | None = None) -> Metrics:
    """Return metrics of confusion counts (..., labels, labels + 1); without levels, no errors."""
    labels = counts.shape[-2]
    support = counts.sum(-1)
    total = support.sum(-1)
    right = np.diagonal(counts[..., :labels], axis1=-2, axis2=-1)
    predicted = counts[..., :labels].sum(-2)
    precisions = _share(right, predicted, total)
    recalls = _share(right, support, total)
    f1s = _share(2 * right, predicted + support, total)
    at = np.full(labels, np.nan) if levels is None else np.asarray(levels, dtype=np.float64)
    distance = np.abs(at[:, None] - at)
    apart = (counts * np.column_stack([distance, distance.max(axis=1)])).sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        accuracy, mae = right.sum(-1) / total, apart.sum(-1) / total
        mmae = np.where(support > 0, apart / support, 0).sum(-1) / (support > 0).sum(-1)
    macro = precisions.mean(-1), recalls.mean(-1), f1s.mean(-1)
    return Metrics(accuracy, *macro, mae, mmae, precisions, recalls, f1s)


def _share(count: Floats, total: Floats, items: Floats) -> Floats:
    """Return count by total, 0 where there is nothing of a label, NaN where there are no items."""
    nothing = np.where(items[..., None] > 0, np.zeros(count.shape), np.nan)
    return np.divide(count, total, out=nothing, where=total > 0)


def unit_sums(values: NDArray[Any], units: Ints) -> NDArray[Any]:
    """Return the sums of the items of each unit; `units` has the number of each item's."""
    sums: NDArray[Any] = np.zeros((int(units.max()) + 1, *values.shape[1:]), dtype=values.dtype)
    np.add.at(sums, units, values)
    return sums


def ratio(
    right: NDArray[Any],
    asked: NDArray[Any],
    units: Ints | None,
    settings: Resampling,
    stream: str,
    then: Callable[[Floats], Floats] = lambda shares: shares,
) -> Estimates:
    """Return means over prompts of ratios of sums, with intervals that draw units anew.

    Args:
        right, asked: (items, figures, prompts), the last may be missing. Units of whole numbers
            are few patterns; of others each is one.
        units: by item its unit, of which those without anything are not drawn; None if rows are.
        stream: the name of the random numbers, see `memeloc.statistics.bootstrap.generator`.
        then: of the ratios (resamples, figures) what is wanted.
    """
    sums = np.stack([right, asked], axis=-1)
    if units is not None:
        sums = unit_sums(sums, units)
        sums = sums[sums.reshape(len(sums), -1).any(axis=1)]
    shape = (-1, right.shape[1], int(np.prod(right.shape[2:])), 2)
    rows = sums.reshape(len(sums), int(np.prod(shape[1:])))
    are_whole = rows.dtype.kind == "i"

    def shares(patterns: Ints, weights: Floats) -> Floats:
        each = (weights @ (patterns if are_whole else rows[patterns[:, 0]])).reshape(shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            return then(mean_of_defined(np.moveaxis(each[..., 0] / each[..., 1], 2, 1)))

    return estimate(rows if are_whole else np.arange(len(rows))[:, None], shares, settings, stream)


def mean_of_defined(values: Floats) -> Floats:
    """Return the mean over prompts, (resamples, prompts, ...), of what is defined; else NaN."""
    defined = np.isfinite(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(defined, values, 0).sum(axis=1) / defined.sum(axis=1))
