"""Models that are trained many times. In: a way to train. Out: metrics on each set of tests.

How features are made and which classifiers there are is not known here: `Fit` hides it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memeloc.evaluate.gold import Gold
from memeloc.evaluate.metrics import Floats, confusion, measure

Predict = Callable[[Sequence[str]], Sequence[str]]
"""Of items the labels that a model gives them, in their order."""
Fit = Callable[[Sequence[str]], Mapping[str, Predict]]
"""Of items to train on, by name the models that learned from them."""

RESAMPLES = 1000
"""Of the bootstrap; the project's choice."""
_TAILS = (2.5, 97.5)


@dataclass(frozen=True, slots=True)
class Task:
    """Labels at one level of detail: those of the gold, or coarser ones by mapping.

    Attributes:
        name: of the level, as `11 classes`.
        labels: in the order in which the gold's labels name them first.
        place: by label of the gold the place of its label here.
    """

    name: str
    labels: tuple[str, ...]
    place: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Score:
    """How right a model is; the interval is the middle 95 % of bootstraps over items."""

    items: int
    accuracy: float
    f1: float
    low: float
    high: float


def tasks_of(gold: Gold) -> tuple[Task, ...]:
    """The gold's own labels, then each coarser task."""
    levels = {f"{len(gold.labels)} classes": {label: label for label in gold.labels}}
    for name, mapping in gold.coarser.items():
        levels[name] = {label: mapping[label] for label in gold.labels if label in mapping}
    tasks = []
    for name, mapping in levels.items():
        labels = tuple(dict.fromkeys(mapping.values()))
        place = {label: labels.index(coarse) for label, coarse in mapping.items()}
        tasks.append(Task(name, labels, place))
    return tuple(tasks)


def score(gold: Sequence[str], predicted: Sequence[str], task: Task, seed: int = 0) -> Score:
    """Accuracy and macro F1; items whose gold label the task leaves out do not count.

    Args:
        gold: labels of items.
        predicted: labels of the same items; one that the task does not have is invalid.
        task: the level of detail.
        seed: of the bootstrap.
    """
    pairs = [
        (task.place[right], task.place.get(given, -1))
        for right, given in zip(gold, predicted, strict=True)
        if right in task.place
    ]
    if not pairs:
        return Score(0, np.nan, np.nan, np.nan, np.nan)
    right, given = np.array(pairs, dtype=np.int64).T
    counts = confusion(right, given, len(task.labels))
    metrics = measure(counts)
    low, high = np.percentile(measure(_resampled(counts, seed)).f1, _TAILS)
    return Score(len(pairs), float(metrics.accuracy), float(metrics.f1), float(low), float(high))


def _resampled(counts: Floats, seed: int) -> Floats:
    """Counts of samples of the same size, drawn with replacement: cells are multinomial."""
    total = int(counts.sum())
    drawn = np.random.default_rng(seed).multinomial(total, counts.ravel() / total, size=RESAMPLES)
    return np.asarray(drawn.reshape(RESAMPLES, *counts.shape), dtype=np.float64)
