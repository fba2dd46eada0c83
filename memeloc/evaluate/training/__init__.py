"""Training. In: a dataset with labels, a run file or estimators. Out: models, what they predict.

1. `run_file` reads a run: data, labels, split, and classifiers on features or networks.
2. `dataset` has what models learn from, of tables and releases; `folds` divides it.
3. `baselines` are estimators on `features`, `networks` such on PyTorch (the extra `torch`).
4. `training` has `train`, for any estimator and folds, and `train_run`.
5. `report` writes page, predictions and cards. `shifts` compares periods and datasets, and
   `memeloc.evaluate.confusion` has where models go wrong; examples/papers use them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.training.baselines import Baseline as Baseline
    from memeloc.evaluate.training.baselines import load_model as load_model
    from memeloc.evaluate.training.baselines import telling_words as telling_words
    from memeloc.evaluate.training.dataset import Dataset as Dataset
    from memeloc.evaluate.training.dataset import Example as Example
    from memeloc.evaluate.training.dataset import frame_of as frame_of
    from memeloc.evaluate.training.dataset import read_dataset as read_dataset
    from memeloc.evaluate.training.features import compute_features as compute_features
    from memeloc.evaluate.training.folds import Fold as Fold
    from memeloc.evaluate.training.folds import folds_of as folds_of
    from memeloc.evaluate.training.folds import periods_of as periods_of
    from memeloc.evaluate.training.networks import load_encoder as load_encoder
    from memeloc.evaluate.training.report import write_training as write_training
    from memeloc.evaluate.training.run_file import FeatureSettings as FeatureSettings
    from memeloc.evaluate.training.run_file import ModelSettings as ModelSettings
    from memeloc.evaluate.training.run_file import read_run as read_run
    from memeloc.evaluate.training.run_file import shipped_runs as shipped_runs
    from memeloc.evaluate.training.shifts import aligned_sample as aligned_sample
    from memeloc.evaluate.training.shifts import load_label_map as load_label_map
    from memeloc.evaluate.training.shifts import share_labels as share_labels
    from memeloc.evaluate.training.shifts import temporal_figures as temporal_figures
    from memeloc.evaluate.training.shifts import transfer_figures as transfer_figures
    from memeloc.evaluate.training.training import Training as Training
    from memeloc.evaluate.training.training import train as train
    from memeloc.evaluate.training.training import train_run as train_run

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
