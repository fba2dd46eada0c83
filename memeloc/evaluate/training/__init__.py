"""Trained baselines. In: a dataset with labels, a run file. Out: models, and what they predict.

1. `examples` has what models learn from, `reading` makes it of tables and releases.
2. `features` computes what is known of each example, once; `vectors` keeps what takes long.
3. `splitting` says which examples are trained and which tested on.
4. `models` trains: `Trainer.fit` gives a `Trained`, made of `classifiers`.
5. `training` does all of it by a run (`run_file`): `train` gives a `Training`.
6. `comparing` counts, `sections` and `report` show it, `saving` keeps the models with a card.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.training.examples import Dataset, Example
    from memeloc.evaluate.training.features import Features, compute_features
    from memeloc.evaluate.training.models import Trained, Trainer
    from memeloc.evaluate.training.reading import read_dataset
    from memeloc.evaluate.training.report import write_training
    from memeloc.evaluate.training.run_file import TrainingRun, read_run
    from memeloc.evaluate.training.saving import SavedModel, load_model
    from memeloc.evaluate.training.settings import FeatureSettings, ModelSettings
    from memeloc.evaluate.training.training import Training, train

__all__ = [
    "Dataset",
    "Example",
    "FeatureSettings",
    "Features",
    "ModelSettings",
    "SavedModel",
    "Trained",
    "Trainer",
    "Training",
    "TrainingRun",
    "compute_features",
    "load_model",
    "read_dataset",
    "read_run",
    "train",
    "write_training",
]

__getattr__, __dir__ = lazy_package(
    __name__,
    {
        "memeloc.evaluate.training.examples": ["Dataset", "Example"],
        "memeloc.evaluate.training.features": ["Features", "compute_features"],
        "memeloc.evaluate.training.models": ["Trained", "Trainer"],
        "memeloc.evaluate.training.reading": ["read_dataset"],
        "memeloc.evaluate.training.report": ["write_training"],
        "memeloc.evaluate.training.run_file": ["TrainingRun", "read_run"],
        "memeloc.evaluate.training.saving": ["SavedModel", "load_model"],
        "memeloc.evaluate.training.training": ["Training", "train"],
        "memeloc.evaluate.training.settings": ["FeatureSettings", "ModelSettings"],
    },
)
