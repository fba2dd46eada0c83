"""Models that are trained many times. In: a way to train. Out: metrics on each set of tests.

How features are made and which classifiers there are is not known here: `Fit` hides it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memeloc.evaluate.metrics import confusion, measure
from memeloc.evaluate.training.comparing import Task

Predict = Callable[[Sequence[str]], Sequence[str]]
"""Of items the labels that a model gives them, in their order."""
Fit = Callable[[Sequence[str]], Mapping[str, Predict]]
"""Of items to train on, by name the models that learned from them."""

RESAMPLES = 1000
"""Of the bootstrap; the project's choice."""
_TAILS = (2.5, 97.5)


@dataclass(frozen=True, slots=True)
class Score:
    """How right a model is; the interval is the middle 95 % of bootstraps over items."""

    items: int
    accuracy: float
    f1: float
    low: float
    high: float


def score(
    gold: Sequence[str], predicted: Sequence[str], labels: Sequence[str], task: Task, seed: int = 0
) -> Score:
    """Accuracy and macro F1; coarser tasks map what was predicted.

    Args:
        gold: labels of items, one or more.
        predicted: labels of the same items; one that is not among the labels is invalid.
        labels: all that there are, in order.
        task: see `memeloc.evaluate.training.comparing.tasks_of`.
        seed: of the bootstrap.
    """
    place = {label: number for number, label in enumerate(labels)}
    right = np.array([place[label] for label in gold], dtype=np.int64)
    given = np.array([place.get(label, -1) for label in predicted], dtype=np.int64)
    fine = confusion(right, given, len(place))
    # Resampling items with replacement draws the cells of their counts from a multinomial.
    drawn = np.random.default_rng(seed).multinomial(
        len(right), fine.ravel() / fine.sum(), size=RESAMPLES
    )
    resampled = drawn.reshape(RESAMPLES, *fine.shape).astype(np.float64)
    metrics = measure(task.counts(fine))
    low, high = np.percentile(measure(task.counts(resampled)).f1, _TAILS)
    return Score(len(right), float(metrics.accuracy), float(metrics.f1), float(low), float(high))
