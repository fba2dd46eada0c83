"""Models compared on their common items. In: a `Training`. Out: metrics with their intervals."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from memeloc.arrays import Floats
from memeloc.errors import InputError
from memeloc.evaluate.metrics import Metrics, confusion, measure
from memeloc.evaluate.training.examples import Rows
from memeloc.evaluate.training.training import NOT_TESTED, Training

CONFIDENCE = 0.95
"""Of the intervals."""


@dataclass(frozen=True)
class Task:
    """A set of labels that predictions are compared in.

    Attributes:
        name: as `11 classes`.
        labels: in order.
        places: by label of the dataset the place of its label here.
        levels: of the labels, where they are ordered; None where not.
    """

    name: str
    labels: tuple[str, ...]
    places: tuple[int, ...]
    levels: tuple[int, ...] | None

    def counts(self, fine: Floats) -> Floats:
        """Confusion counts (..., labels, labels + 1) of those of the dataset's labels."""
        to = np.zeros((len(self.places), len(self.labels)))
        to[range(len(self.places)), self.places] = 1
        columns = np.zeros((len(self.places) + 1, len(self.labels) + 1))
        columns[:-1, :-1], columns[-1, -1] = to, 1
        return np.asarray(to.T @ fine @ columns, dtype=np.float64)


def tasks_of(
    labels: Sequence[str], levels: Mapping[str, int], coarser: Mapping[str, Mapping[str, str]]
) -> tuple[Task, ...]:
    """The labels themselves, then the coarser ones, by mapping (charmemes 5.1, harmeme 6.1).

    A coarser label's level is its rank by the least level of its labels.
    """
    tasks = []
    every = {f"{len(labels)} classes": {label: label for label in labels}, **coarser}
    for name, mapping in every.items():
        own = tuple(dict.fromkeys(mapping[label] for label in labels))
        ranks = None
        if levels:
            least = [min(levels[fine] for fine in labels if mapping[fine] == each) for each in own]
            ranks = tuple(least if len(own) == len(labels) else map(sorted(least).index, least))
        tasks.append(Task(name, own, tuple(own.index(mapping[label]) for label in labels), ranks))
    return tuple(tasks)


@dataclass(frozen=True, eq=False)
class ModelScores:
    """A model in a task, on some items.

    Attributes:
        metrics: see `Metrics`; no leading axes.
        resampled: the same of resamples of the items, with one leading axis.
        by_fold: macro-F1 by split; NaN where a split has none of the items.
    """

    model: str
    task: Task
    items: int
    counts: Floats
    metrics: Metrics
    resampled: Metrics
    by_fold: Floats

    def interval(self, metric: str) -> tuple[float, float]:
        """The percentile interval of a metric over items; NaN where it is not defined."""
        values = getattr(self.resampled, metric)
        tail = (1 - CONFIDENCE) / 2
        if np.isnan(values).any():
            return float("nan"), float("nan")
        low, high = np.quantile(values, [tail, 1 - tail], axis=0)
        return float(low), float(high)


@dataclass(frozen=True)
class Comparison:
    """All models of a training in all of its tasks, on the items that all were tested on."""

    training: Training

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """See `tasks_of`."""
        dataset = self.training.dataset
        return tasks_of(dataset.labels, dataset.levels, dataset.coarser)

    @cached_property
    def scores(self) -> tuple[ModelScores, ...]:
        """By task, then by model, on the common items.

        Raises:
            InputError: there are no such items.
        """
        rows = self.training.common
        if not len(rows):
            raise InputError("No example was tested by all models, so they cannot be compared.")
        models = self.training.predictions
        return tuple(self.scored(model, task, rows) for task in self.tasks for model in models)

    def scored(self, model: str, task: Task, rows: Rows) -> ModelScores:
        """A model in a task, on rows that it was tested on."""
        run, dataset = self.training.run, self.training.dataset
        gold, predicted = dataset.classes[rows], self.training.predictions[model][rows]
        labels = len(dataset.labels)
        fine = confusion(gold, predicted, labels)
        # What resampling items with replacement does to counts is one multinomial draw of cells.
        random = np.random.default_rng([run.seed, zlib.crc32(f"{model} {len(rows)}".encode())])
        shares = fine.ravel() / fine.sum()
        drawn = random.multinomial(len(rows), shares, size=run.bootstraps)
        resampled = drawn.reshape(-1, labels, labels + 1).astype(np.float64)
        folds = self.training.fold_of[rows]
        by_fold = [
            float(measure(task.counts(confusion(gold[own], predicted[own], labels))).f1)
            if (own := folds == number).any()
            else float("nan")
            for number in range(len(self.training.splits.splits))
        ]
        counts = task.counts(fine)
        return ModelScores(
            model,
            task,
            len(rows),
            counts,
            measure(counts, task.levels),
            measure(task.counts(resampled), task.levels),
            np.array(by_fold),
        )

    def tested(self, model: str) -> Rows:
        """The rows that a model was tested on."""
        return np.flatnonzero(self.training.predictions[model] != NOT_TESTED)
