"""Trained models. In: features and classes of rows. Out: `Trained`, which labels other rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from memeloc.arrays import Floats, Ints
from memeloc.errors import InputError
from memeloc.evaluate.training.classifiers import (
    Classifier,
    ClassWeights,
    fit_classifier,
    row_weights,
)
from memeloc.evaluate.training.examples import Rows
from memeloc.evaluate.training.features import Features, FittedBlock, fit_block
from memeloc.evaluate.training.settings import WITHOUT_FEATURES, ModelSettings


@dataclass(frozen=True, eq=False)
class Part:
    """A classifier, and what it learned of the features it takes; a fusion by score has several."""

    blocks: tuple[FittedBlock, ...]
    classifier: Classifier

    def matrix(self, features: Features, rows: Rows) -> Any:
        """What the classifier takes: the features of rows, joined."""
        return _joined(self.blocks, features, rows)


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained model.

    Attributes:
        settings: of the run file.
        labels: all, in order.
        parts: one, or of a fusion by score one a feature; none of majority and random.
        counts: by label the examples it was trained on.
        seed: of what was drawn.
    """

    settings: ModelSettings
    labels: tuple[str, ...]
    parts: tuple[Part, ...]
    counts: tuple[int, ...]
    seed: int = 0

    @property
    def name(self) -> str:
        """Of the model, in every table."""
        return self.settings.name

    def usable(self, features: Features) -> Rows:
        """The rows that have any of the features that it looks at."""
        return np.flatnonzero(features.present(self.settings.features))

    def scores(self, features: Features, rows: Rows) -> Floats:
        """Probabilities (rows, labels).

        Scores of a fusion are the mean over the features that a row has (harmeme 5.2).
        """
        labels = len(self.labels)
        if self.settings.classifier == "majority":
            scores = np.zeros((len(rows), labels))
            scores[:, int(np.argmax(self.counts))] = 1
            return scores
        if self.settings.classifier == "random":
            # A row's guess is its own, whatever rows are asked about beside it.
            guesses = np.random.default_rng(self.seed).integers(labels, size=features.examples)
            return np.asarray(np.eye(labels)[guesses[rows]], dtype=np.float64)
        if len(self.parts) == 1:
            (part,) = self.parts
            return part.classifier.scores(part.matrix(features, rows), labels)
        total, seen = np.zeros((len(rows), labels)), np.zeros((len(rows), 1))
        for part in self.parts:
            own = features.present((part.blocks[0].name,))[rows]
            matrix = part.matrix(features, rows[own])
            total[own] += part.classifier.scores(matrix, labels)
            seen[own] += 1
        return np.asarray(total / np.maximum(seen, 1), dtype=np.float64)

    def predict(self, features: Features, rows: Rows) -> Ints:
        """By row the place of the label with the highest score."""
        return np.asarray(self.scores(features, rows).argmax(axis=1), dtype=np.int64)


class Trainer:
    """Fits models on rows of one dataset; what several of them share is fitted once.

    A fusion by score shares its parts with the models of one feature, and all of them share what
    is learned of a feature on the same rows; `forget` frees that memory.
    """

    def __init__(
        self,
        features: Features,
        classes: Ints,
        labels: tuple[str, ...],
        *,
        weights: ClassWeights = "balanced",
        seed: int = 0,
    ) -> None:
        """Args: features of all examples, by example the place of its label, the labels."""
        self._features, self._classes, self._labels = features, classes, labels
        self._weights: ClassWeights = weights
        self._seed = seed
        self._blocks: dict[Any, FittedBlock] = {}
        self._parts: dict[Any, Part] = {}

    def fit(self, settings: ModelSettings, rows: Rows) -> Trained:
        """A model, trained on those of the rows that have any of its features.

        Raises:
            InputError: a feature is not there, no row has it, or all rows are of one class.
            MissingError: scikit-learn or XGBoost is not installed.
        """
        for name in settings.features:
            if name not in self._features.blocks:
                raise InputError(f"The model {settings.name} needs [features.{name}].")
        rows = rows[self._features.present(settings.features)[rows]]
        counts = np.bincount(self._classes[rows], minlength=len(self._labels))
        parts: tuple[Part, ...] = ()
        if settings.classifier not in WITHOUT_FEATURES:
            groups = [settings.features]
            if settings.fusion == "score":
                groups = [(name,) for name in settings.features]
            parts = tuple(self._part(settings, names, rows) for names in groups)
        elif not len(rows):
            raise InputError("There is no example to train on.")
        return Trained(settings, self._labels, parts, tuple(map(int, counts)), self._seed)

    def forget(self) -> None:
        """Let go of what was kept to be shared."""
        self._blocks.clear()
        self._parts.clear()

    def _part(self, settings: ModelSettings, names: tuple[str, ...], rows: Rows) -> Part:
        own = rows[self._features.present(names)[rows]]
        what = (names, settings.classifier, settings.most_components, repr(settings.settings))
        key = (what, own.tobytes())
        if key not in self._parts:
            blocks = tuple(self._block(name, own, settings.most_components) for name in names)
            classes = self._classes[own]
            classifier = fit_classifier(
                settings.classifier,
                _joined(blocks, self._features, own),
                classes,
                weights=row_weights(classes, self._labels, self._weights),
                settings=settings.settings,
                seed=self._seed,
            )
            self._parts[key] = Part(blocks, classifier)
        return self._parts[key]

    def _block(self, name: str, rows: Rows, components: int) -> FittedBlock:
        block = self._features.blocks[name]
        own = rows[block.present[rows]]
        key = (name, components, own.tobytes())
        if key not in self._blocks:
            self._blocks[key] = fit_block(block, own, components=components, seed=self._seed)
        return self._blocks[key]


def _joined(blocks: tuple[FittedBlock, ...], features: Features, rows: Rows) -> Any:
    parts = [block.apply(features, rows) for block in blocks]
    if len(parts) == 1:
        return parts[0]
    if not any(hasattr(part, "tocsr") for part in parts):
        return np.hstack(parts)
    from scipy.sparse import hstack

    return hstack(parts, format="csr")
