"""A run over time and on other datasets. In: a training, settings. Out: sections."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.evaluate.protocols.run_file import TemporalSettings, TransferSettings
from memeloc.evaluate.shift.fitting import Fit, Predict
from memeloc.evaluate.shift.label_maps import LabelMap, load_label_map
from memeloc.evaluate.shift.periods import consecutive_periods
from memeloc.evaluate.shift.temporal import temporal_matrix, temporal_section
from memeloc.evaluate.shift.transfer import Corpus, cross_dataset, transfer_section
from memeloc.evaluate.training.examples import Dataset, Example, Rows
from memeloc.evaluate.training.features import Features, compute_features
from memeloc.evaluate.training.models import Trained, Trainer
from memeloc.evaluate.training.reading import read_dataset
from memeloc.evaluate.training.run_file import LabelSettings, TrainingRun
from memeloc.evaluate.training.settings import ModelSettings
from memeloc.evaluate.training.splitting import SplitSettings, split_dataset
from memeloc.evaluate.training.training import Training, fitted
from memeloc.evaluate.training.vectors import OnProgress
from memeloc.reports.sections import Section


def chosen_models(run: TrainingRun, names: Sequence[str]) -> tuple[ModelSettings, ...]:
    """The models of a run that have these names; all for no names."""
    return tuple(model for model in run.models if not names or model.name in names)


def common_rows(features: Features, models: Sequence[ModelSettings]) -> Rows:
    """The rows that have something for every model to look at."""
    present = [features.present(model.features) for model in models]
    return np.flatnonzero(np.logical_and.reduce(present))


def fit_of(
    dataset: Dataset, features: Features, run: TrainingRun, models: Sequence[ModelSettings]
) -> Fit:
    """A way to train the models of a run on items of a dataset, by their ids."""
    rows = {example.item: row for row, example in enumerate(dataset.examples)}
    trainer = Trainer(
        features, dataset.classes, dataset.labels, weights=run.class_weights, seed=run.seed
    )

    def fit(items: Sequence[str]) -> Mapping[str, Predict]:
        trainer.forget()
        own = np.array([rows[item] for item in items], dtype=np.int64)
        trained = [fitted(trainer, model, own) for model in models]
        return {each.name: partial(_predict, each, features, rows) for each in trained}

    return fit


def _predict(
    trained: Trained, features: Features, rows: Mapping[str, int], items: Sequence[str]
) -> list[str]:
    own = np.array([rows[item] for item in items], dtype=np.int64)
    return [trained.labels[place] for place in trained.predict(features, own)]


def over_time(training: Training, settings: TemporalSettings, on_progress: OnProgress) -> Section:
    """Train on each period and test on all, on the items that all models can look at.

    Raises:
        InputError: too few items have a year, or a model cannot be trained on a period.
    """
    run, dataset = training.run, training.dataset
    models = chosen_models(run, settings.models)
    rows = common_rows(training.features, models)
    examples = [dataset.examples[row] for row in rows if dataset.examples[row].year is not None]
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
    matrix = temporal_matrix(
        periods,
        dataset.gold,
        fit_of(dataset, training.features, run, models),
        seed=run.seed,
        on_progress=lambda more, total: on_progress("periods", more, total),
    )
    section = temporal_section(matrix, run.seed)
    left_out = len(dataset.examples) - len(examples)
    if not left_out:
        return section
    gap = f"{counted(left_out, 'example')} without a year, or without what a model looks at."
    return dataclasses.replace(section, gaps=(gap,))


_SOURCE = 0
"""The place of the run's own dataset."""


def transferring(
    training: Training, settings: TransferSettings, folder: Path, on_progress: OnProgress
) -> Section:
    """Train and test between the run's dataset and others, on items all models can look at.

    Args:
        settings: the others, and labels that all share.
        folder: where vectors are kept.

    Raises:
        InputError: a dataset cannot be read or has no items to learn from, or a label no map.
    """
    run, labels = training.run, load_label_map(settings.labels)
    targets = [
        read_dataset(target.data, LabelSettings(), folder / f"transfer-{number}")
        for number, target in enumerate(settings.targets, 1)
    ]
    names = [settings.dataset, *(target.dataset or target.name for target in settings.targets)]
    parts = [
        _mapped(dataset.examples, labels, name, place)
        for place, (dataset, name) in enumerate(
            zip([training.dataset, *targets], names, strict=True)
        )
    ]
    joint = Dataset(tuple(example for part in parts for example in part), labels.labels)
    models = chosen_models(run, settings.models)
    used = {name for model in models for name in model.features}
    features = compute_features(
        joint,
        {name: run.features[name] for name in run.features if name in used},
        folder,
        on_progress,
    )
    common = {joint.examples[row].item for row in common_rows(features, models)}
    kept = [[example for example in part if example.item in common] for part in parts]
    source = _corpus(run.name, kept[_SOURCE], labels, run.split, run.seed)
    others = [
        replace(_corpus(target.name, part, labels, target.split, run.seed), window=target.window)
        for target, part in zip(settings.targets, kept[_SOURCE + 1 :], strict=True)
    ]
    transfer = cross_dataset(
        source,
        others,
        labels.labels,
        fit_of(joint, features, run, models),
        seed=run.seed,
        on_progress=lambda more, total: on_progress("transfers", more, total),
    )
    section = transfer_section(transfer, source.name, run.seed)
    left_out = len(joint.examples) - len(common)
    gap = f"{left_out:,} examples have nothing for one of the models to look at."
    return replace(section, gaps=(*section.gaps, gap)) if left_out else section


def _mapped(
    examples: Sequence[Example], labels: LabelMap, dataset: str, place: int
) -> list[Example]:
    """Examples with shared labels, and ids that no other dataset has."""
    shared = [labels.of(dataset, example.label) for example in examples]
    return [
        replace(example, item=f"{place}/{example.item}", label=label)
        for example, label in zip(examples, shared, strict=True)
        if label
    ]


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
