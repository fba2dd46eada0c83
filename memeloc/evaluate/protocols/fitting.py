"""Models of a run as the analyses of shift take them. In: features, a run. Out: a `Fit`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from memeloc.errors import InputError
from memeloc.evaluate.shift.fitting import Fit, Predict
from memeloc.evaluate.training.examples import Dataset, Rows
from memeloc.evaluate.training.features import Features
from memeloc.evaluate.training.models import Trained, Trainer
from memeloc.evaluate.training.run_file import TrainingRun
from memeloc.evaluate.training.settings import ModelSettings


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
        trained = [_fitted(trainer, model, own) for model in models]
        return {each.name: partial(_predict, each, features, rows) for each in trained}

    return fit


def _fitted(trainer: Trainer, model: ModelSettings, rows: Rows) -> Trained:
    try:
        return trainer.fit(model, rows)
    except InputError as error:
        raise InputError(f"The model {model.name}: {error}") from error


def _predict(
    trained: Trained, features: Features, rows: Mapping[str, int], items: Sequence[str]
) -> list[str]:
    own = np.array([rows[item] for item in items], dtype=np.int64)
    return [trained.labels[place] for place in trained.predict(features, own)]
