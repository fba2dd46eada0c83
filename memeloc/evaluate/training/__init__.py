"""Trained baselines. In: a dataset with labels, a run file. Out: models, and what they predict.

1. `examples` has what models learn from, `reading` makes it of tables and releases.
2. `features` computes what is known of each example, once; `vectors` keeps what takes long.
3. `splitting` says which examples are trained and which tested on.
4. `models` trains: `Trainer.fit` gives a `Trained`, made of `classifiers`.
5. `run` does all of it by a run file, `results` makes sections of it, `saving` keeps the models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.training.examples import Dataset, Example
    from memeloc.evaluate.training.features import Features, compute_features
    from memeloc.evaluate.training.models import Trained, Trainer
    from memeloc.evaluate.training.settings import FeatureSettings, ModelSettings

__all__ = [
    "Dataset",
    "Example",
    "FeatureSettings",
    "Features",
    "ModelSettings",
    "Trained",
    "Trainer",
    "compute_features",
]

__getattr__, __dir__ = lazy_package(
    __name__,
    {
        "memeloc.evaluate.training.examples": ["Dataset", "Example"],
        "memeloc.evaluate.training.features": ["Features", "compute_features"],
        "memeloc.evaluate.training.models": ["Trained", "Trainer"],
        "memeloc.evaluate.training.settings": ["FeatureSettings", "ModelSettings"],
    },
)
