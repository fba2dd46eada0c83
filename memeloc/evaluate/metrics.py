"""Metrics of a classifier. In: counts of gold by predicted label. Out: accuracy, F1, MAE and more.

All of them follow from the confusion counts, so a bootstrap needs only counts of its resamples:
the functions take any number of leading axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memeloc.arrays import Floats, Ints


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
