"""The second task of a run: whom harmful items harm. In: a training, settings. Out: a section."""

from __future__ import annotations

from typing import Any

import numpy as np

from memeloc.errors import InputError
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.protocols.run_file import TargetSettings
from memeloc.evaluate.targets import target_section
from memeloc.evaluate.training.examples import Ints
from memeloc.evaluate.training.models import Trainer
from memeloc.evaluate.training.training import NOT_TESTED, Training
from memeloc.evaluate.training.vectors import OnProgress
from memeloc.reports.sections import Section

_NONE = -1
"""Of an item without a target."""


def target_task(training: Training, settings: TargetSettings, on_progress: OnProgress) -> Section:
    """Train the run's models on the targets of harmful examples, and score them.

    The same features, splits, weights and seed as in the run; a model is asked about all items
    that it was tested on, for which of them it found harmful is not known here.

    Raises:
        InputError: a harmful example has a target that the settings do not name.
    """
    import pandas as pd

    dataset, run, features = training.dataset, training.run, training.features
    targets = _targets(training, settings)
    trainer = Trainer(
        features,
        np.maximum(targets, 0),
        settings.order,
        # Numbers by label are for the run's own labels.
        weights=run.class_weights if run.class_weights == "none" else "balanced",
        seed=run.seed,
    )
    rows: list[dict[str, Any]] = []
    splits = training.splits.splits
    for number, split in enumerate(splits):
        trainer.forget()
        for model in run.models:
            own = split.train[targets[split.train] != _NONE]
            trained = trainer.fit(model, own)
            tested = (training.predictions[model.name] != NOT_TESTED) & (training.fold_of == number)
            asked = np.flatnonzero(tested)
            for row, place in zip(asked, trained.predict(features, asked), strict=True):
                item, choice = dataset.examples[row].item, settings.order[place]
                rows.append({"model": model.name, "item": item, "choice": choice})
            on_progress("targets", 1, len(run.models) * len(splits))
    named = np.array([*settings.order, None], dtype=object)[targets]
    table = pd.DataFrame({"gold": named}, index=dataset.gold.table.index)
    answers = ModelAnswers.of(pd.DataFrame(rows), settings.order)
    return target_section(
        (training.answers, dataset.gold),
        (answers, Gold(table, settings.order, settings.levels)),
        frozenset(settings.harmless),
    )


def _targets(training: Training, settings: TargetSettings) -> Ints:
    """By example the place of its target; none of harmless examples, and without one."""
    places = {target: place for place, target in enumerate(settings.order)}
    targets = np.full(len(training.dataset.examples), _NONE, dtype=np.int64)
    for row, example in enumerate(training.dataset.examples):
        named = example.other.get(settings.column, "").strip()
        name = settings.map.get(named, named)
        if example.label in settings.harmless or not name:
            continue
        if name not in places:
            raise InputError(
                f"The target {name[:60]!r} of the item {example.item[:60]!r} is none of "
                f"{', '.join(settings.order)}; say in [target.map] which it is, or '' for none."
            )
        targets[row] = places[name]
    return targets
