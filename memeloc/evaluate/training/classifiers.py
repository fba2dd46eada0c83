"""Classifiers. In: features of rows, and their classes. Out: a fitted classifier, and its scores.

scikit-learn's logistic regression and gradient boosting (on histograms), and XGBoost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from memeloc.arrays import Floats, Ints
from memeloc.embedding.models import first_line, library
from memeloc.errors import InputError
from memeloc.evaluate.training.settings import ClassifierName

ClassWeights = Literal["balanced", "none"] | Mapping[str, float]
"""What an example weighs: n / (classes * examples of its class), 1, or a number by its label."""

_LOGISTIC: dict[str, Any] = {"C": 10.0, "max_iter": 1000, "tol": 1e-3}
"""Rows have a length near 1, so scikit-learn's own C = 1 would leave classes hardly apart."""
_BOOSTING: dict[str, Any] = {"early_stopping": False, "max_iter": 100, "max_bins": 63}
"""Most of the time of a small node goes into its histograms: a quarter of the bins, half of it."""
_FEW = 1_000_000
"""Numbers of a matrix up to which one thread is as fast as more."""
_XGBOOST: dict[str, Any] = {"tree_method": "hist", "n_estimators": 100}


@dataclass(frozen=True, eq=False)
class Classifier:
    """A fitted classifier.

    Attributes:
        fitted: scikit-learn's or XGBoost's object.
        classes: the places of the labels that its columns of scores stand for.
        dense: whether it takes no sparse features.
    """

    fitted: Any
    classes: Ints
    dense: bool

    def scores(self, matrix: Any, labels: int) -> Floats:
        """Probabilities (rows, labels); 0 for labels that no row of training has."""
        scores = np.zeros((matrix.shape[0], labels))
        if matrix.shape[0]:
            with _threads_for(matrix):
                taken = _as_taken(matrix, self.dense)
                scores[:, self.classes] = self.fitted.predict_proba(taken)
        return scores


def fit_classifier(
    name: ClassifierName,
    matrix: Any,
    classes: Ints,
    *,
    weights: Floats,
    settings: Mapping[str, Any],
    seed: int,
) -> Classifier:
    """Fit a classifier.

    Args:
        name: which; of those with features.
        matrix: features, a row an example.
        classes: by row the place of its label.
        weights: of the rows.
        settings: parameters that replace ours, by scikit-learn's or XGBoost's names.
        seed: of what the classifier draws.

    Raises:
        InputError: a setting is wrong, or all rows are of one class.
        MissingError: scikit-learn or XGBoost is not installed.
    """
    known, own = np.unique(classes, return_inverse=True)
    if len(known) < 2:
        raise InputError("All examples of training have the same label, so nothing can be learned.")
    try:
        classifier = _built(name, settings, seed)
        dense = name == "boosting"
        with _threads_for(matrix):
            classifier.fit(_as_taken(matrix, dense), own, sample_weight=weights)
    except (TypeError, ValueError) as error:
        raise InputError(f"The classifier {name} cannot be trained: {first_line(error)}") from error
    return Classifier(classifier, known.astype(np.int64), dense)


def row_weights(classes: Ints, labels: tuple[str, ...], weights: ClassWeights) -> Floats:
    """What each row weighs; see `ClassWeights`."""
    if weights == "none":
        return np.ones(len(classes))
    if isinstance(weights, Mapping):
        return np.array([float(weights.get(label, 1.0)) for label in labels])[classes]
    return balanced_weights(classes, len(labels))[classes]


def balanced_weights(classes: Ints, labels: int) -> Floats:
    """Return weights of labels by how rare they are: examples / (labels that occur x its examples).

    That is scikit-learn's `balanced`; their mean over the examples is 1. A label that does not
    occur has weight 0.
    """
    counts = np.bincount(classes, minlength=labels)
    shares = np.count_nonzero(counts) * counts
    weights = np.zeros(labels)
    np.divide(len(classes), shares, out=weights, where=counts > 0)
    return weights


def _built(name: ClassifierName, settings: Mapping[str, Any], seed: int) -> Any:
    if name == "logistic":
        module = library("sklearn.linear_model", "training")
        return module.LogisticRegression(**{**_LOGISTIC, "random_state": seed, **settings})
    if name == "boosting":
        module = library("sklearn.ensemble", "training")
        parameters = {**_BOOSTING, "random_state": seed, **settings}
        return module.HistGradientBoostingClassifier(**parameters)
    module = library("xgboost", "xgboost")
    return module.XGBClassifier(**{**_XGBOOST, "random_state": seed, **settings})


@contextmanager
def _threads_for(matrix: Any) -> Iterator[None]:
    """One thread for few numbers.

    A tree of a few hundred rows takes less time than OpenMP's threads take to wait for each other;
    where other programs are at work, too, that is minutes for milliseconds.
    """
    if getattr(matrix, "nnz", np.prod(matrix.shape)) > _FEW:
        yield
        return
    with library("threadpoolctl", "training").threadpool_limits(1):
        yield


def _as_taken(matrix: Any, dense: bool) -> Any:
    return matrix.toarray() if dense and hasattr(matrix, "toarray") else matrix
