"""The analyses that a run names. In: a training. Out: further sections and cards of its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from memeloc.arrays import Ints
from memeloc.errors import InputError
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.error_analysis import confusion_sections
from memeloc.evaluate.explaining.local import explain
from memeloc.evaluate.explaining.sections import explanation_sections
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.metrics import confusion, measure
from memeloc.evaluate.protocols.run_file import (
    ExplainSettings,
    ProtocolRun,
    TargetSettings,
    severities_of,
)
from memeloc.evaluate.protocols.shifting import over_time, transferring
from memeloc.evaluate.targets import target_section
from memeloc.evaluate.training.examples import Example
from memeloc.evaluate.training.models import Trained, Trainer
from memeloc.evaluate.training.training import NOT_TESTED, Training
from memeloc.evaluate.training.vectors import OnProgress
from memeloc.reports.sections import Card, Section


@dataclass(frozen=True, slots=True, eq=False)
class Analyses:
    """Further sections of a report, and by section the cards of `Report.cards`."""

    sections: tuple[Section, ...]
    cards: Mapping[str, tuple[Card, ...]] = field(default_factory=dict)


def analyze(
    training: Training,
    run: ProtocolRun,
    folder: Path,
    on_progress: OnProgress = lambda what, more, total: None,
) -> Analyses:
    """Make the analyses that a run names.

    Args:
        folder: where vectors are kept.

    Raises:
        InputError: an analysis cannot be made; the sentence says why.
        MissingError: what it needs is not installed.
    """
    sections: list[Section] = []
    cards: Mapping[str, tuple[Card, ...]] = {}
    if run.confusion is not None:
        severities = severities_of(run, training.dataset.labels)
        sections += confusion_sections(training.answers, training.dataset.gold, severities)
    if run.target is not None:
        sections.append(target_task(training, run.target, on_progress))
    if run.explain is not None:
        explained, cards = _explained(training, run.explain, on_progress)
        sections += explained
    if run.temporal is not None:
        sections.append(over_time(training, run.temporal, on_progress))
    if run.transfer is not None:
        sections.append(transferring(training, run.transfer, folder, on_progress))
    return Analyses(tuple(sections), cards)


def _explained(
    training: Training, settings: ExplainSettings, on_progress: OnProgress
) -> tuple[tuple[Section, ...], Mapping[str, tuple[Card, ...]]]:
    chosen = _unaware(training, settings.models or _best(training))
    explanations = []
    for model in chosen:
        for example in _drawn(training, model, settings.items):
            explanations.append(
                explain(
                    model,
                    training.run.features,
                    example,
                    samples=settings.samples,
                    regions=settings.regions,
                    seed=training.run.seed,
                )
            )
            on_progress("explanations", 1, len(chosen) * settings.items)
    kept = {model.name: model for model in (*chosen, *training.models) if model.parts}
    return explanation_sections(tuple(kept.values()), explanations, settings.words)


def _unaware(training: Training, names: Sequence[str]) -> list[Trained]:
    """Models of the first split, which have not learned from the items that it tests.

    Those that are kept of folds have learned from all items.
    """
    dataset, run, split = training.dataset, training.run, training.splits.splits[0]
    trainer = Trainer(
        training.features, dataset.classes, dataset.labels, weights=run.class_weights, seed=run.seed
    )
    is_kept = training.splits.method != "folds"
    kept = {model.name: model for model in training.models if is_kept}
    return [
        kept[model.name] if model.name in kept else trainer.fit(model, split.train)
        for model in run.models
        if model.name in names and model.features
    ]


def _best(training: Training) -> tuple[str, ...]:
    """The model with the best macro F1 on the common items, of those that look at them."""
    common, labels = training.common, len(training.dataset.labels)
    gold = training.dataset.classes[common]
    scores = {
        model.name: float(
            measure(confusion(gold, training.predictions[model.name][common], labels)).f1
        )
        for model in training.run.models
        if model.features
    }
    return (max(scores, key=scores.__getitem__),) if scores else ()


def _drawn(training: Training, model: Trained, count: int) -> list[Example]:
    """Examples of the first split's tests, half of them wrongly predicted where there are any."""
    predicted, classes = training.predictions[model.name], training.dataset.classes
    tests = training.splits.splits[0].test
    tested = tests[predicted[tests] >= 0]
    order = np.random.default_rng(training.run.seed).permutation(tested)
    is_right = predicted[order] == classes[order]
    wrong = order[~is_right][: count // 2]
    right = order[is_right][: count - len(wrong)]
    return [training.dataset.examples[row] for row in (*right, *wrong)]


_NONE = -1
"""Of an item without a target."""


def target_task(training: Training, settings: TargetSettings, on_progress: OnProgress) -> Section:
    """Train the run's models on the targets of harmful examples, and score them.

    The same features, splits, weights and seed as in the run; a model is asked about all items
    that it was tested on, for which of them it found harmful is not known here.

    Raises:
        InputError: a harmful example has a target that the settings do not name.
    """
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
