"""Models that are trained many times. In: a way to train. Out: figures on each set of tests.

How features are made and which classifiers there are is not known here: `Fit` hides it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from memeloc.arrays import Floats, Ints
from memeloc.evaluate.metrics import confusion, measure
from memeloc.statistics.bootstrap import Resampling, estimate

Predict = Callable[[Sequence[str]], Sequence[str]]
"""Of items the labels that a model gives them, in their order."""
Fit = Callable[[Sequence[str]], Mapping[str, Predict]]
"""Of items to train on, by name the models that learned from them."""

_MACRO = ("accuracy", "precision", "recall", "f1", "mae", "mmae")


def scored(
    right: Iterable[str],
    given: Iterable[str],
    labels: Sequence[str],
    settings: Resampling,
    levels: Sequence[float] | None = None,
) -> dict[str, float]:
    """Return how right labels are, with intervals over items, as cells of a wide frame.

    Args:
        right: labels of items.
        given: labels of the same items; one that is not among the labels is invalid.
        labels: all that there are, in order.
        levels: of the labels, where they are ordered; without them there are no distances.
    """
    place = {label: number for number, label in enumerate(labels)}
    places = [[place[label] for label in right], [place.get(label, -1) for label in given]]
    rows = np.array(places, dtype=np.int64).T
    names = _MACRO if levels else _MACRO[:4]

    def figures(rows: Ints, weights: Floats) -> Floats:
        metrics = measure(confusion(rows[:, 0], rows[:, 1], len(labels), weights), levels)
        return np.column_stack([getattr(metrics, name) for name in names])

    estimates = estimate(rows, figures, settings, "scored")
    ends = {"": estimates.value, "_low": estimates.low, "_high": estimates.high}
    cells = {
        f"{name}{end}": float(value)
        for end, values in ends.items()
        for name, value in zip(names, values, strict=True)
    }
    return {**cells, "n": len(rows)}
