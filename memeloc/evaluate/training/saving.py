"""Models on disk. In: `Trained` models. Out: a folder each, with skops' file and a card; and back.

A file of skops holds no code: reading it builds objects of the types that it names, and only of
types of scikit-learn, numpy and XGBoost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from memeloc.embedding.models import first_line, library
from memeloc.errors import InputError, MemelocError
from memeloc.evaluate.training.classifiers import Classifier
from memeloc.evaluate.training.examples import Example
from memeloc.evaluate.training.features import EXTRA, FittedBlock, compute_features
from memeloc.evaluate.training.models import Part, Trained
from memeloc.evaluate.training.settings import FeatureSettings, ModelSettings
from memeloc.files import file_sha256, replacing
from memeloc.version import __version__

MODEL, CARD, ABOUT = "model.skops", "README.md", "model.json"
"""The files of a model: what it learned, what it is for people, and its settings."""
_TRUSTED = {
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "xgboost.core.Booster",
    "xgboost.sklearn.XGBClassifier",
}
"""Types that are read beside those that skops itself trusts: scikit-learn's and numpy's."""
_BETWEEN = "\n"
"""Between terms; none has a line's end, for white space in texts is single spaces."""


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A model that was read back, with the settings of its features."""

    trained: Trained
    features: Mapping[str, FeatureSettings]

    def predict(self, examples: Sequence[Example], folder: str | Path) -> list[str]:
        """By example its label; empty where it has nothing that the model looks at.

        Args:
            examples: whose labels are not looked at.
            folder: where vectors are kept.

        Raises:
            InputError: a picture cannot be read, or the features are others than in training.
            MissingError: what the features need is not installed.
        """
        features = compute_features(examples, self.features, Path(folder))
        rows = self.trained.usable(features)
        labels = [""] * len(examples)
        for row, place in zip(rows, self.trained.predict(features, rows), strict=True):
            labels[row] = self.trained.labels[place]
        return labels


def save_model(
    trained: Trained, features: Mapping[str, FeatureSettings], folder: Path, card: str
) -> Path:
    """Write a model into a folder; its file.

    Raises:
        InputError: it cannot be written.
        MissingError: skops is not installed.
    """
    skops = library("skops.io", EXTRA)
    content = [
        {
            "blocks": [_block(block) for block in part.blocks],
            "fitted": part.classifier.fitted,
            "classes": part.classifier.classes,
            "dense": part.classifier.dense,
        }
        for part in trained.parts
    ]
    with replacing(folder / MODEL) as temporary:
        temporary.write_bytes(skops.dumps(content))
    own = {name: features[name].model_dump(mode="json") for name in trained.settings.features}
    about = {
        "memeloc": __version__,
        "sha256": file_sha256(folder / MODEL),
        "model": trained.settings.model_dump(mode="json"),
        "features": own,
        "labels": trained.labels,
        "counts": trained.counts,
        "seed": trained.seed,
    }
    for name, text in ((CARD, card), (ABOUT, json.dumps(about, ensure_ascii=False, indent=2))):
        with replacing(folder / name) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8", newline="\n")
    return folder / MODEL


def load_model(folder: str | Path) -> SavedModel:
    """A model that `memeloc evaluate train` saved.

    Raises:
        InputError: the folder holds none, or its file was changed or holds other types.
        MissingError: skops, scikit-learn or XGBoost is not installed.
    """
    folder = Path(folder)
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        if file_sha256(folder / MODEL) != about["sha256"]:
            raise InputError("is not the file that was saved (its SHA-256).", file=folder / MODEL)
        settings = TypeAdapter(ModelSettings).validate_python(about["model"])
        features = TypeAdapter(dict[str, FeatureSettings]).validate_python(about["features"])
        labels, counts = tuple(map(str, about["labels"])), tuple(map(int, about["counts"]))
        seed = int(about["seed"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"holds no model ({first_line(error)}).", file=folder) from error
    parts = tuple(map(_part, _objects(folder / MODEL)))
    return SavedModel(Trained(settings, labels, parts, counts, seed), features)


def _objects(path: Path) -> list[Mapping[str, Any]]:
    """What a file of skops holds, if it is of types that our models are made of."""
    skops = library("skops.io", EXTRA)
    content = path.read_bytes()
    try:
        unknown = skops.get_untrusted_types(data=content)
        if wrong := [name for name in unknown if name not in _TRUSTED]:
            raise InputError(f"holds objects of other types: {wrong[0][:80]}.", file=path)
        objects: list[Mapping[str, Any]] = skops.loads(content, trusted=unknown)
    except MemelocError:
        raise
    except Exception as error:  # of a broken file anything may come
        raise InputError(f"cannot be read ({first_line(error)}).", file=path) from error
    return objects


def folder_name(number: int, name: str) -> str:
    """The folder of a model: its number in the run, and its name in plain letters.

    >>> folder_name(3, "Words + pictures (score)")
    '03-words-pictures-score'
    """
    plain = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")
    return f"{number:02}-{plain}".strip("-")


def _block(block: FittedBlock) -> dict[str, Any]:
    return {
        "name": block.name,
        # As one text: a list would be an object a term.
        "terms": None if block.terms is None else _BETWEEN.join(block.terms),
        "scaling": block.scaling,
        "reduction": block.reduction,
    }


def _part(content: Mapping[str, Any]) -> Part:
    blocks = tuple(
        FittedBlock(
            block["name"],
            None
            if block["terms"] is None
            else np.array(block["terms"].split(_BETWEEN), dtype=object),
            block["scaling"],
            block["reduction"],
        )
        for block in content["blocks"]
    )
    fitted = Classifier(content["fitted"], np.asarray(content["classes"]), bool(content["dense"]))
    return Part(blocks, fitted)
