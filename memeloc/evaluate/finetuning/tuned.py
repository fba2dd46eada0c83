"""What a run of fine-tuning gave. In: folds of its models. Out: `Tuned`, to be scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.finetuning.kept import Fold
from memeloc.evaluate.finetuning.run_file import FineTuningRun, LoraRun
from memeloc.evaluate.gold import Gold

MODELS = "models"
"""The folder of the models that are kept, within that of the run."""


@dataclass(frozen=True, slots=True)
class TunedModel:
    """A trained model: what it gave, and where it is kept.

    Attributes:
        built_of: names of the encoders or of the model that it began as.
        training: its settings, as the run file names them.
    """

    fold: Fold
    folder: Path
    input: str
    built_of: tuple[str, ...]
    training: Mapping[str, object]


@dataclass(frozen=True, eq=False)
class Tuned:
    """What a run gave.

    Attributes:
        answers: of all models, an answer a row.
        gold: what is right, by culture where there are several.
        models: in the order in which they were trained.
        about: the dataset and how it was divided, by name.
        notes: what was noticed, a sentence each.
    """

    run: FineTuningRun | LoraRun
    answers: ModelAnswers
    gold: Gold
    models: tuple[TunedModel, ...]
    about: Mapping[str, str]
    notes: tuple[str, ...] = ()
