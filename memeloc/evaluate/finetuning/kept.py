"""What a training gave, kept. In: a folder, what it depends on. Out: answers by item, once.

A training takes minutes to days, so what it gave is written when it is done, with the hash of all
that it depends on; a run that was stopped takes it from there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.finetuning.run_file import FineTuningRun, LoraRun
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.training.examples import Example
from memeloc.files import file_sha256, replacing

_FILE = "answers.json"
MODELS = "models"
"""The folder of the models that are kept, within that of the run."""


@dataclass(frozen=True, slots=True)
class Fold:
    """What one training gave.

    Attributes:
        model: its name.
        part: of the dataset, that it was tested on.
        trained_on: examples by label.
        answers: by item what it answered: a label, or words.
        history: by epoch its number, mean loss and last learning rate.
    """

    model: str
    part: str
    trained_on: Mapping[str, int]
    answers: Mapping[str, str]
    history: Sequence[Mapping[str, float]]


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


def content_key(example: Example) -> str:
    """A short name for what a model can see of an example; a picture by its content.

    Raises:
        InputError: the picture cannot be read.
    """
    picture = ""
    if example.picture is not None:
        try:
            picture = file_sha256(example.picture)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=example.picture) from error
    return _hash([example.item, example.text, picture])


def run_key(settings: Any, train: Sequence[tuple[str, str]], test: Sequence[str]) -> str:
    """The hash of all that a training depends on.

    Args:
        settings: plain values.
        train: key and label of each example of training, in order.
        test: keys of those that are asked about.
    """
    return _hash([settings, train, test])


def read_fold(folder: Path, key: str) -> Fold | None:
    """What a training of this key gave; None where there is none in the folder."""
    try:
        content = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        return Fold(**content["fold"]) if content["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_fold(folder: Path, key: str, fold: Fold) -> None:
    """Keep what a training gave; it is the last file that is written.

    Raises:
        InputError: the file cannot be written.
    """
    content = json.dumps({"key": key, "fold": asdict(fold)}, ensure_ascii=False, indent=1)
    with replacing(folder / _FILE) as temporary:
        temporary.write_text(content, encoding="utf-8")


def _hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()
