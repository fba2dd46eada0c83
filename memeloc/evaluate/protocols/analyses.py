"""The analyses that a run names. In: a training. Out: further figures and cards of its report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memeloc.evaluate.error_analysis import confusion_figures
from memeloc.evaluate.explaining.figures import (
    explanation_card,
    explanation_figures,
    telling_words,
)
from memeloc.evaluate.explaining.local import Explanation, explain
from memeloc.evaluate.metrics import confusion, measure
from memeloc.evaluate.protocols.run_file import ExplainSettings, ProtocolRun, severities_of
from memeloc.evaluate.protocols.shifting import over_time, transferring
from memeloc.evaluate.protocols.targets import target_task
from memeloc.evaluate.scores.join import join
from memeloc.evaluate.training.models import Trained, Trainer
from memeloc.evaluate.training.report import languages_together
from memeloc.evaluate.training.training import Training
from memeloc.evaluate.training.vectors import OnProgress
from memeloc.reports.figures import joined
from memeloc.reports.report import Card

if TYPE_CHECKING:
    import pandas as pd


def analyze(
    training: Training,
    run: ProtocolRun,
    folder: Path,
    on_progress: OnProgress = lambda what, more, total: None,
) -> tuple[pd.DataFrame, dict[str, tuple[Card, ...]]]:
    """Return the figures of the analyses that a run names, and cards by analysis.

    Args:
        folder: where vectors are kept.

    Raises:
        InputError: an analysis cannot be made; the sentence says why.
        MissingError: what it needs is not installed.
    """
    parts: list[pd.DataFrame] = []
    cards: dict[str, tuple[Card, ...]] = {}
    if run.confusion is not None:
        severity = severities_of(run, training.dataset.labels)
        data = join(languages_together(training.answers), training.dataset.gold)
        parts.append(confusion_figures(data, severity))
    if run.target is not None:
        parts.append(target_task(training, run.target, on_progress))
    if run.explain is not None:
        models = _unaware(training, run.explain)
        kept = {model.name: model for model in (*models, *training.models)}
        parts.append(telling_words(tuple(kept.values()), run.explain.words))
        explanations = list(_explanations(training, models, run.explain, on_progress))
        parts.append(explanation_figures(explanations))
        cards["explanations"] = tuple(map(explanation_card, explanations))
    if run.temporal is not None:
        parts.append(over_time(training, run.temporal, on_progress))
    if run.transfer is not None:
        parts.append(transferring(training, run.transfer, folder, on_progress))
    return joined(parts), cards


def _unaware(training: Training, settings: ExplainSettings) -> list[Trained]:
    """Return models of the first split, which have not learned from the items that it tests.

    Those that are kept of folds have learned from all items. Without names it is the model with
    the best macro F1 on the common items, of those that look at them.
    """
    dataset, run, split = training.dataset, training.run, training.splits.splits[0]
    models = [model for model in run.models if model.features]
    if settings.models:
        models = [model for model in models if model.name in settings.models]
    elif models:
        gold, labels = dataset.classes[training.common], len(dataset.labels)
        given = [training.predictions[model.name][training.common] for model in models]
        f1s = [float(measure(confusion(gold, each, labels)).f1) for each in given]
        models = [models[int(np.argmax(f1s))]]
    trainer = Trainer(
        training.features, dataset.classes, dataset.labels, weights=run.class_weights, seed=run.seed
    )
    is_kept = training.splits.method != "folds"
    kept = {model.name: model for model in training.models if is_kept}
    return [kept.get(model.name) or trainer.fit(model, split.train) for model in models]


def _explanations(
    training: Training,
    models: list[Trained],
    settings: ExplainSettings,
    on_progress: OnProgress,
) -> Iterator[Explanation]:
    """Explain examples of the first split's tests, half of them wrongly predicted if there are."""
    dataset, run = training.dataset, training.run
    tests = training.splits.splits[0].test
    for model in models:
        predicted = training.predictions[model.name]
        tested = tests[predicted[tests] >= 0]
        order = np.random.default_rng(run.seed).permutation(tested)
        is_right = predicted[order] == dataset.classes[order]
        wrong = order[~is_right][: settings.items // 2]
        right = order[is_right][: settings.items - len(wrong)]
        for row in (*right, *wrong):
            yield explain(
                model,
                run.features,
                dataset.examples[row],
                samples=settings.samples,
                regions=settings.regions,
                seed=run.seed,
            )
            on_progress("explanations", 1, len(models) * settings.items)
