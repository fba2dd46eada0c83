"""The analyses that a run names. In: a training. Out: further sections and cards of its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from memeloc.evaluate.error_analysis import confusion_sections
from memeloc.evaluate.explaining.local import explain
from memeloc.evaluate.explaining.sections import explanation_sections
from memeloc.evaluate.metrics import confusion, measure
from memeloc.evaluate.protocols.run_file import ExplainSettings, ProtocolRun, severities_of
from memeloc.evaluate.protocols.shifting import over_time, transferring
from memeloc.evaluate.protocols.target_task import target_task
from memeloc.evaluate.training.examples import Example
from memeloc.evaluate.training.models import Trained, Trainer
from memeloc.evaluate.training.training import Training
from memeloc.evaluate.training.vectors import OnProgress
from memeloc.reports.report import Card
from memeloc.reports.sections import Section


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
        training: what the run trained and tested.
        run: which analyses.
        folder: where vectors are kept.
        on_progress: see `OnProgress`.

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
        training.features,
        dataset.classes,
        dataset.labels,
        weights=run.class_weights,
        seed=run.seed,
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
