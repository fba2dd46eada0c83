"""Whom harmful items harm. In: a training, settings. Out: rows: how right targets are.

harmeme asks for a target of harmful items only (4.2), and its Table 5 scores targets on those that
people found harmful. A system has only its own prediction of harm; so this scores both.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np
import pandas as pd

from memeloc.errors import InputError
from memeloc.evaluate.protocols.run_file import TargetSettings
from memeloc.evaluate.shift.fitting import scored
from memeloc.evaluate.training.models import Trainer
from memeloc.evaluate.training.training import NOT_TESTED, Training
from memeloc.evaluate.training.vectors import OnProgress
from memeloc.reports.figures import gap, tidy
from memeloc.statistics.bootstrap import Resampling

_COLUMNS = ["model", "harm", "target", "given_harm", "given_target"]
NO_TARGET = "(no target)"
"""Of an item that is not harmful, or was not predicted to be."""


def target_task(
    training: Training,
    settings: TargetSettings,
    on_progress: OnProgress = lambda what, more, total: None,
) -> pd.DataFrame:
    """Train the run's models on the targets of harmful examples, and return how right they are.

    The same features, splits, weights and seed as in the run; a model is asked about all items
    that it was tested on, for which of them it found harmful is not known here.

    Raises:
        InputError: a harmful example has a target that the settings do not name.
    """
    dataset, run, features = training.dataset, training.run, training.features
    right = [""] * len(dataset.examples)
    for row, example in enumerate(dataset.examples):
        named = example.other.get(settings.column, "").strip()
        target = settings.map.get(named, named)
        if example.label in settings.harmless or not target:
            continue
        if target not in settings.order:
            raise InputError(
                f"The target {target[:60]!r} of the item {example.item[:60]!r} is none of "
                f"{', '.join(settings.order)}; say in [target.map] which it is, or '' for none."
            )
        right[row] = target
    known = np.array([bool(target) for target in right])
    trainer = Trainer(
        features,
        np.array([settings.order.index(target) if target else 0 for target in right]),
        settings.order,
        # Numbers by label are for the run's own labels.
        weights=run.class_weights if run.class_weights == "none" else "balanced",
        seed=run.seed,
    )
    rows: list[tuple[str, ...]] = []
    splits = training.splits.splits
    for number, split in enumerate(splits):
        trainer.forget()
        for model in run.models:
            trained = trainer.fit(model, split.train[known[split.train]])
            harm = training.predictions[model.name]
            asked = np.flatnonzero((harm != NOT_TESTED) & (training.fold_of == number))
            rows += [
                (
                    model.name,
                    dataset.examples[row].label,
                    right[row],
                    dataset.labels[harm[row]],
                    settings.order[place],
                )
                for row, place in zip(asked, trained.predict(features, asked), strict=True)
            ]
            on_progress("targets", 1, len(run.models) * len(splits))
    levels = [settings.levels[target] for target in settings.order] if settings.levels else None
    answers = pd.DataFrame(rows, columns=_COLUMNS)
    return target_figures(answers, settings.order, levels, {*settings.harmless}, run)


def target_figures(
    answers: pd.DataFrame,
    targets: Sequence[str],
    levels: Sequence[float] | None,
    harmless: AbstractSet[str],
    resampling: Resampling,
) -> pd.DataFrame:
    """Return rows of each model after true harm, after true and predicted harm, and on all items.

    Args:
        answers: a row a model and item: model, harm and target (empty where it is not known), both
            as they are, and as given_harm and given_target.
        targets: all, in order.
        levels: of the targets, for distances.
        harmless: labels that harm nobody; without an answer an item counts as harmless.
    """
    rows = []
    for model, own in answers.groupby("model", sort=False):
        alarm = ~own["given_harm"].isin(harmless | {""})
        harmful = ~own["harm"].isin(harmless)
        true = own[harmful & own["target"].isin(targets)]
        whole = own.assign(
            target=own["target"].where(harmful, NO_TARGET),
            given_target=own["given_target"].where(alarm, NO_TARGET),
        )
        whole = whole[whole["target"].isin([*targets, NO_TARGET])]
        for after, items, names, numbers in (
            ("true harm", true, targets, levels),
            ("both", true[alarm[true.index]], targets, levels),
            ("predicted harm", whole, (*targets, NO_TARGET), None),
        ):
            figures = scored(items["target"], items["given_target"], names, resampling, numbers)
            rows.append({"group": model, "item": after, **figures})
    if not rows:
        return gap("targets", "No model answered both what is harmful and whom it harms.")
    return tidy("targets", pd.DataFrame(rows), "percentile bootstrap of items")
