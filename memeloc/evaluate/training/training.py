"""Training by a run. In: a dataset, a run, a folder. Out: `Training`: models and predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memeloc.arrays import Ints
from memeloc.errors import InputError
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.training.examples import Dataset, Rows
from memeloc.evaluate.training.features import Features, compute_features
from memeloc.evaluate.training.models import Trained, Trainer
from memeloc.evaluate.training.run_file import TrainingRun
from memeloc.evaluate.training.settings import ModelSettings
from memeloc.evaluate.training.splitting import Splits, split_dataset
from memeloc.evaluate.training.vectors import OnProgress

if TYPE_CHECKING:
    import pandas as pd

NOT_TESTED = -1
"""The prediction of a row that a model was not asked about, in `Training.predictions`."""


@dataclass(frozen=True, eq=False)
class Training:
    """What a run gave.

    Attributes:
        features: of all examples.
        predictions: by model the place of the predicted label of each example, or `NOT_TESTED`.
        fold_of: by example the place of the split that it was tested in, or `NOT_TESTED`.
        models: to be kept: trained on what the run trains on, of folds on all examples.
    """

    run: TrainingRun
    dataset: Dataset
    features: Features
    splits: Splits
    predictions: Mapping[str, Ints]
    fold_of: Ints
    models: tuple[Trained, ...]

    @property
    def common(self) -> Rows:
        """The rows that all models were tested on."""
        tested = [predicted != NOT_TESTED for predicted in self.predictions.values()]
        return np.flatnonzero(np.logical_and.reduce(tested))

    @property
    def answers(self) -> ModelAnswers:
        """The predictions as answers of models, a row a model and tested example."""
        import pandas as pd

        frames = [self._answers(model) for model in self.run.models]
        return ModelAnswers.of(pd.concat(frames, ignore_index=True), self.dataset.labels)

    def _answers(self, model: ModelSettings) -> pd.DataFrame:
        import pandas as pd

        predicted = self.predictions[model.name]
        rows = np.flatnonzero(predicted != NOT_TESTED)
        examples = [self.dataset.examples[row] for row in rows]
        choices = [self.dataset.labels[place] for place in predicted[rows]]
        return pd.DataFrame(
            {
                "model": model.name,
                "item": [example.item for example in examples],
                "input": input_of(model, self.features),
                "language": [example.language for example in examples],
                "answer": choices,
                "choice": choices,
                "rule": "trained",
            }
        )


def input_of(model: ModelSettings, features: Features) -> str:
    """What a model looks at: `text`, `picture`, `both`, or nothing (empty)."""
    kinds = {features.blocks[name].modality for name in model.features}
    return "both" if len(kinds) == 2 else "".join(kinds)


def train(
    dataset: Dataset,
    run: TrainingRun,
    folder: Path,
    on_progress: OnProgress = lambda what, more, total: None,
) -> Training:
    """Train and test all models of a run; the same run and dataset give the same predictions.

    Args:
        run: features, models, splits, class weights, seed.
        folder: where vectors are kept, so that a run that was stopped goes on.
        on_progress: see `OnProgress`; counts vectors, then models.

    Raises:
        InputError: a feature or model cannot be made; the sentence says why.
        MissingError: what the run needs is not installed.
    """
    # Before anything takes long: a split that cannot be made is known at once.
    splits = split_dataset(dataset, run.split, seed=run.seed)
    used = {name for model in run.models for name in model.features}
    settings = {name: each for name, each in run.features.items() if name in used}
    features = compute_features(dataset.examples, settings, folder, on_progress)
    return train_on(features, splits, dataset, run, on_progress)


def train_on(
    features: Features,
    splits: Splits,
    dataset: Dataset,
    run: TrainingRun,
    on_progress: OnProgress = lambda what, more, total: None,
) -> Training:
    """The same on features and splits that are there; raises what `train` does."""
    trainer = Trainer(
        features, dataset.classes, dataset.labels, weights=run.class_weights, seed=run.seed
    )
    predictions = {
        model.name: np.full(len(dataset.examples), NOT_TESTED, dtype=np.int64)
        for model in run.models
    }
    fold_of = np.full(len(dataset.examples), NOT_TESTED, dtype=np.int64)
    kept = {model.name for model in run.models if run.save == "all" or model.name in run.save}
    refit = splits.method == "folds" and bool(kept)
    total = len(run.models) * len(splits.splits) + refit * len(kept)
    models: list[Trained] = []
    for number, split in enumerate(splits.splits):
        trainer.forget()
        fold_of[split.test] = number
        for model in run.models:
            trained = fitted(trainer, model, split.train)
            tested = np.intersect1d(trained.usable(features), split.test)
            if len(tested):
                predictions[model.name][tested] = trained.predict(features, tested)
            if not refit and model.name in kept:
                models.append(trained)
            on_progress("models", 1, total)
    if refit:
        trainer.forget()
        for model in run.models:
            if model.name in kept:
                models.append(fitted(trainer, model, np.arange(len(dataset.examples))))
                on_progress("models", 1, total)
    return Training(run, dataset, features, splits, predictions, fold_of, tuple(models))


def fitted(trainer: Trainer, model: ModelSettings, rows: Rows) -> Trained:
    """A model trained on rows; errors name it.

    Raises:
        InputError: it cannot be trained on them.
    """
    try:
        return trainer.fit(model, rows)
    except InputError as error:
        raise InputError(f"The model {model.name}: {error}") from error
