"""A run over time and on other datasets. In: a training, settings. Out: rows of figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.protocols.run_file import TemporalSettings, TransferSettings
from memeloc.evaluate.shift.fitting import Fit, Predict
from memeloc.evaluate.shift.label_maps import LabelMap, load_label_map
from memeloc.evaluate.shift.periods import consecutive_periods
from memeloc.evaluate.shift.temporal import temporal_figures
from memeloc.evaluate.shift.transfer import Corpus, transfer_figures
from memeloc.evaluate.training.examples import Dataset, Example
from memeloc.evaluate.training.features import Features, compute_features
from memeloc.evaluate.training.models import Trained, Trainer
from memeloc.evaluate.training.reading import read_dataset
from memeloc.evaluate.training.run_file import LabelSettings, TrainingRun
from memeloc.evaluate.training.settings import ModelSettings
from memeloc.evaluate.training.splitting import SplitSettings, split_dataset
from memeloc.evaluate.training.training import Training, fitted
from memeloc.evaluate.training.vectors import OnProgress
from memeloc.reports.figures import gap, joined

if TYPE_CHECKING:
    import pandas as pd


def over_time(
    training: Training, settings: TemporalSettings, on_progress: OnProgress
) -> pd.DataFrame:
    """Train on each period and test on all, on the items that all models can look at.

    Raises:
        InputError: too few items have a year, or a model cannot be trained on a period.
    """
    run, dataset = training.run, training.dataset
    models = _chosen(run, settings.models)
    seen = _seen(dataset, training.features, models)
    examples = [each for each in dataset.examples if each.item in seen and each.year is not None]
    if not examples:
        raise InputError(
            "No example has a year; name the column in [data.columns] year, or leave [temporal] "
            "out."
        )
    periods = consecutive_periods(
        {example.item: example.year for example in examples if example.year is not None},
        {example.item: example.label for example in examples},
        {example.item: example.group for example in examples},
        count=settings.periods,
        held_out=settings.held_out,
        seed=run.seed,
    )
    figures = temporal_figures(
        periods,
        dataset.gold,
        _fit_of(dataset, training.features, run, models),
        run,
        on_progress=partial(on_progress, "periods"),
    )
    left_out = len(dataset.examples) - len(examples)
    reason = f"{counted(left_out, 'example')} without a year, or without what a model looks at."
    return joined([figures, gap("temporal", reason)]) if left_out else figures


def transferring(
    training: Training, settings: TransferSettings, folder: Path, on_progress: OnProgress
) -> pd.DataFrame:
    """Train and test between the run's dataset and others, on items all models can look at.

    Args:
        settings: the others, and labels that all share.
        folder: where vectors are kept.

    Raises:
        InputError: a dataset cannot be read or has no items to learn from, or a label no map.
    """
    run, labels = training.run, load_label_map(settings.labels)
    names = [settings.dataset, *(target.dataset or target.name for target in settings.targets)]
    datasets = [
        training.dataset,
        *(
            read_dataset(target.data, LabelSettings(), folder / f"transfer-{number}")
            for number, target in enumerate(settings.targets, 1)
        ),
    ]
    # Shared labels, and ids that no other dataset has.
    parts = [
        [
            replace(example, item=f"{place}/{example.item}", label=label)
            for example in dataset.examples
            if (label := labels.of(name, example.label))
        ]
        for place, (dataset, name) in enumerate(zip(datasets, names, strict=True))
    ]
    joint = Dataset(tuple(example for part in parts for example in part), labels.labels)
    models = _chosen(run, settings.models)
    used = {name for model in models for name in model.features}
    features = compute_features(
        joint.examples,
        {name: run.features[name] for name in run.features if name in used},
        folder,
        on_progress,
    )
    seen = _seen(joint, features, models)
    source, *others = ([example for example in part if example.item in seen] for part in parts)
    figures = transfer_figures(
        _corpus(run.name, source, labels, run.split, run.seed),
        [
            replace(_corpus(each.name, part, labels, each.split, run.seed), window=each.window)
            for each, part in zip(settings.targets, others, strict=True)
        ],
        labels.labels,
        _fit_of(joint, features, run, models),
        run,
        on_progress=partial(on_progress, "transfers"),
    )
    left_out = len(joint.examples) - len(seen)
    reason = f"{left_out:,} examples have nothing for one of the models to look at."
    return joined([figures, gap("transfer", reason)]) if left_out else figures


def _chosen(run: TrainingRun, names: Sequence[str]) -> list[ModelSettings]:
    return [model for model in run.models if not names or model.name in names]


def _seen(dataset: Dataset, features: Features, models: Sequence[ModelSettings]) -> set[str]:
    """Return the items that have something for every model to look at."""
    present = np.logical_and.reduce([features.present(model.features) for model in models])
    return {dataset.examples[row].item for row in np.flatnonzero(present)}


def _fit_of(
    dataset: Dataset, features: Features, run: TrainingRun, models: Sequence[ModelSettings]
) -> Fit:
    """Return a way to train the models of a run on items of a dataset, by their ids."""
    rows = {example.item: row for row, example in enumerate(dataset.examples)}
    trainer = Trainer(
        features, dataset.classes, dataset.labels, weights=run.class_weights, seed=run.seed
    )

    def predict(trained: Trained, items: Sequence[str]) -> list[str]:
        own = np.array([rows[item] for item in items], dtype=np.int64)
        return [trained.labels[place] for place in trained.predict(features, own)]

    def fit(items: Sequence[str]) -> Mapping[str, Predict]:
        trainer.forget()
        own = np.array([rows[item] for item in items], dtype=np.int64)
        return {model.name: partial(predict, fitted(trainer, model, own)) for model in models}

    return fit


def _corpus(
    name: str, examples: Sequence[Example], labels: LabelMap, split: SplitSettings, seed: int
) -> Corpus:
    dataset = Dataset(tuple(examples), labels.labels)
    own = {example.split for example in examples}
    if split.method in ("auto", "folds") and not (own & set(split.train) and own & set(split.test)):
        split = split.model_copy(update={"method": "seeded"})
    (parts,) = split_dataset(dataset, split, seed=seed).splits
    items = np.array([example.item for example in examples])
    return Corpus(
        name,
        tuple(map(str, items[parts.train])),
        tuple(map(str, items[parts.test])),
        {example.item: example.label for example in examples},
        {example.item: example.year for example in examples if example.year is not None},
    )
