"""Trained baselines. In: a dataset with labels, a run file. Out: models, and what they predict.

1. `examples` has what models learn from, `reading` makes it of tables and releases.
2. `features` computes what is known of each example, once; `vectors` keeps what takes long.
3. `splitting` says which examples are trained and which tested on.
4. `models` trains: `Trainer.fit` gives a `Trained`, made of `classifiers`.
5. `training` does all of it by a run (`run_file`): `train` gives a `Training`.
6. `report` has its figures and shows them, `saving` keeps the models with a card.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.training.examples import Dataset as Dataset
    from memeloc.evaluate.training.examples import Example as Example
    from memeloc.evaluate.training.features import Features as Features
    from memeloc.evaluate.training.features import compute_features as compute_features
    from memeloc.evaluate.training.models import Trained as Trained
    from memeloc.evaluate.training.models import Trainer as Trainer
    from memeloc.evaluate.training.reading import read_dataset as read_dataset
    from memeloc.evaluate.training.report import write_training as write_training
    from memeloc.evaluate.training.run_file import TrainingRun as TrainingRun
    from memeloc.evaluate.training.run_file import read_run as read_run
    from memeloc.evaluate.training.saving import SavedModel as SavedModel
    from memeloc.evaluate.training.saving import load_model as load_model
    from memeloc.evaluate.training.settings import FeatureSettings as FeatureSettings
    from memeloc.evaluate.training.settings import ModelSettings as ModelSettings
    from memeloc.evaluate.training.training import Training as Training
    from memeloc.evaluate.training.training import train as train

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
