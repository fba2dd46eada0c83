"""Classifiers on features, as estimators of scikit-learn. In: a table of examples, their labels.

`Feature` learns numbers of a feature, `Baseline` a classifier on one or several of them. Both take
the tables of `Dataset.frame` with the columns of `compute_features`.

A saved model is a file of skops, which holds no code: reading it builds objects of the types that
it names, and only of types of scikit-learn, numpy and XGBoost, and `Feature`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from memeloc.arrays import Floats, Ints
from memeloc.embedding.models import first_line, library
from memeloc.errors import InputError, MemelocError
from memeloc.evaluate.training.dataset import Example, frame_of
from memeloc.evaluate.training.features import EXTRA, NGRAMS, column_of, compute_features
from memeloc.evaluate.training.run_file import (
    WITHOUT_FEATURES,
    ClassWeights,
    FeatureSettings,
    ModelSettings,
)
from memeloc.files import file_sha256, replacing
from memeloc.reports.figures import gap, joined, tidy
from memeloc.version import __version__

BaseEstimator: Any = library("sklearn.base", EXTRA).BaseEstimator
TransformerMixin: Any = library("sklearn.base", EXTRA).TransformerMixin

_DEFAULTS: dict[str, dict[str, Any]] = {
    # Rows have a length near 1, so scikit-learn's own C = 1 would leave classes hardly apart.
    "logistic": {"C": 10.0, "max_iter": 1000, "tol": 1e-3},
    # Most of the time of a small node goes into its histograms: a quarter of the bins, half of it.
    "boosting": {"early_stopping": False, "max_iter": 100, "max_bins": 63},
    "xgboost": {"tree_method": "hist", "n_estimators": 100},
    "majority": {"strategy": "most_frequent"},
    "random": {"strategy": "uniform"},
}
_CLASSES = {
    "logistic": ("sklearn.linear_model", "LogisticRegression"),
    "boosting": ("sklearn.ensemble", "HistGradientBoostingClassifier"),
    "xgboost": ("xgboost", "XGBClassifier"),
    "majority": ("sklearn.dummy", "DummyClassifier"),
    "random": ("sklearn.dummy", "DummyClassifier"),
}
_FEW = 2_000
"""Examples up to which one thread is as fast as more.

A tree of a few hundred rows takes less time than OpenMP's threads take to wait for each other;
where other programs are at work, too, that is minutes for milliseconds."""
_MODEL, _CARD, _ABOUT = "model.skops", "README.md", "model.json"
_TRUSTED = {
    "memeloc.evaluate.training.baselines.Feature",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "xgboost.core.Booster",
    "xgboost.sklearn.XGBClassifier",
}
"""Types that are read beside those that skops itself trusts: scikit-learn's and numpy's."""


class Feature(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Numbers of a feature: tf-idf of words or characters, or standardised vectors.

    Texts get tf-idf of length 1 (1 + ln of the count, smooth idf), as by scikit-learn's
    TfidfVectorizer with `sublinear_tf`; numbers of vectors are standardised and divided by the root
    of their count. Either kind has a row's length near 1, so joined features weigh alike. What is
    learned is learned of examples that have the feature; others have zeros.

    Args:
        name: of the feature.
        kind: words, characters, or that of vectors.
        ngrams: of tf-idf: the fewest and most in a row.
        fewest, most: of tf-idf: texts that have a term at least, and how many terms, those of most
            texts.
        components: to how many numbers it is reduced, unless it has fewer; 0 for none.
        dense: whether the classifier takes no sparse numbers.
    """

    def __init__(
        self, name: str, kind: str = "words", ngrams: Sequence[int] = (1, 2), fewest: int = 2,
        most: int = 50_000, components: int = 0, dense: bool = False, seed: int = 0,
    ) -> None:  # fmt: skip
        self.name, self.kind, self.ngrams = name, kind, ngrams
        self.fewest, self.most, self.components = fewest, most, components
        self.dense, self.seed = dense, seed

    def fit(self, frame: pd.DataFrame, labels: Any = None) -> Feature:
        """Learn which terms are frequent enough and their idf, or means and scales."""
        self.fit_transform(frame, labels)
        return self

    def fit_transform(self, frame: pd.DataFrame, labels: Any = None, **_: Any) -> Any:
        """Learn, and return the numbers of what was learned from. Raise InputError if no example
        has the feature, or no term stands in enough texts."""
        column = frame[column_of(self.name)]
        present = column.notna().to_numpy()
        if not present.any():
            raise InputError(f"No example of training has the feature {self.name}.")
        if self.kind in NGRAMS:
            counter = self._counter()
            matrix = counter.fit_transform(column.fillna(""))
            texts = np.diff(matrix.tocsc().indptr)
            frequent = np.flatnonzero(texts >= self.fewest)
            if not len(frequent):
                raise InputError(
                    f"No term of {self.name} stands in {self.fewest} texts of training; set "
                    "fewest = 1."
                )
            if len(frequent) > self.most:
                # The sort is stable: of equals the first in the order of the alphabet.
                order = np.argsort(-texts[frequent], kind="stable")[: self.most]
                frequent = np.sort(frequent[order])
            matrix = matrix[:, frequent]
            # As one text: skops would make an object a term. None has a line's end, for white space
            # in texts is single spaces.
            self.terms_ = "\n".join(counter.get_feature_names_out()[frequent])
            extraction = library("sklearn.feature_extraction.text", EXTRA)
            self.scaling_ = extraction.TfidfTransformer(sublinear_tf=True).fit(matrix[present])
        else:
            matrix = self._vectors(column)
            scaling = library("sklearn.preprocessing", EXTRA).StandardScaler()
            self.scaling_ = scaling.fit(matrix[present])
            self.scaling_.scale_ = self.scaling_.scale_ * np.sqrt(matrix.shape[1])
        self.reduction_ = None
        if 0 < self.components < min(present.sum(), matrix.shape[1]):
            decomposition = library("sklearn.decomposition", EXTRA)
            self.reduction_ = decomposition.TruncatedSVD(self.components, random_state=self.seed)
            self.reduction_.fit(self.scaling_.transform(matrix[present]))
        return self._scaled(matrix, present)

    def transform(self, frame: pd.DataFrame) -> Any:
        """Return the numbers of examples. Raise InputError if the features were made by another
        embedding model."""
        column = frame[column_of(self.name)]
        if self.kind in NGRAMS:
            matrix = self._counter(self.terms_.split("\n")).transform(column.fillna(""))
        else:
            matrix = self._vectors(column, self.scaling_.n_features_in_)
            if matrix.shape[1] != self.scaling_.n_features_in_:
                raise InputError(f"The feature {self.name!r} is of another embedding model.")
        return self._scaled(matrix, column.notna().to_numpy())

    def get_feature_names_out(self, names: Any = None) -> Any:
        """Return the terms; of vectors and reduced features, which have none, empty texts."""
        if self.reduction_ is not None:
            return np.full(self.reduction_.n_components, "", dtype=object)
        if self.kind not in NGRAMS:
            return np.full(self.scaling_.n_features_in_, "", dtype=object)
        return np.array(self.terms_.split("\n"), dtype=object)

    def _scaled(self, matrix: Any, present: Any) -> Any:
        scaled = self.scaling_.transform(matrix)
        if self.kind not in NGRAMS:
            scaled[~present] = 0
        if self.reduction_ is not None:
            return self.reduction_.transform(scaled)
        return scaled.toarray() if self.dense and hasattr(scaled, "toarray") else scaled

    def _counter(self, terms: Sequence[str] | None = None) -> Any:
        extraction = library("sklearn.feature_extraction.text", EXTRA)
        return extraction.CountVectorizer(
            # Characters in a row within a word, with the space at each of its ends.
            analyzer="word" if self.kind == "words" else "char_wb",
            token_pattern=r"\S+" if self.kind == "words" else None,
            lowercase=False,
            ngram_range=tuple(self.ngrams),
            vocabulary=terms,
            dtype=np.float32,
        )

    @staticmethod
    def _vectors(column: pd.Series[Any], width: int = 0) -> Any:
        vectors = column.dropna()
        matrix = np.zeros((len(column), len(vectors.iloc[0]) if len(vectors) else width), "<f4")
        if len(vectors):
            matrix[column.notna()] = np.stack(list(vectors))
        return matrix


class Baseline(BaseEstimator):  # type: ignore[misc]
    """A classifier on features.

    Args:
        settings: the classifier, and which features it takes.
        features: settings of these, by name.
        labels: all, in order.
        weights: what an example weighs: `balanced` is n / (classes * examples of its class), `none`
            1; or a number by its label.
        seed: of what the classifier draws.
    """

    def __init__(
        self, settings: ModelSettings, features: Mapping[str, FeatureSettings],
        labels: Sequence[str], weights: ClassWeights = "balanced", seed: int = 0,
    ) -> None:  # fmt: skip
        self.settings, self.features, self.labels = settings, features, labels
        self.weights, self.seed = weights, seed

    @property
    def needs(self) -> tuple[str, ...]:
        """Columns of which an example has at least one, or the model does not see it."""
        return tuple(map(column_of, self.settings.features))

    def fit(self, frame: pd.DataFrame, labels: Sequence[str]) -> Baseline:
        """Learn from examples that have any of the features. Raise InputError if a setting is
        wrong, or there are no examples, or those of one label only; MissingError if scikit-learn or
        XGBoost is not installed."""
        settings = self.settings
        for name in settings.features:
            if name not in self.features or column_of(name) not in frame:
                raise InputError(f"The model {settings.name} needs [features.{name}].")
        if not len(frame):
            raise InputError("There is no example to train on.")
        is_blind = settings.classifier in WITHOUT_FEATURES
        place = {label: number for number, label in enumerate(self.labels)}
        classes = np.array([place[label] for label in labels], dtype=np.int64)
        groups = [settings.features]
        if settings.fusion == "score":
            groups = [(name,) for name in settings.features]
        weigh = library("sklearn.utils.class_weight", EXTRA).compute_sample_weight
        self.parts_: list[tuple[Ints, Any]] = []
        for names in groups:
            rows = self._present(frame, names)
            targets = classes[rows]
            present, target = np.unique(targets, return_inverse=True)
            if len(present) < 2 and not is_blind:
                raise InputError(
                    "All examples of training have the same label, so nothing can be learned."
                    if len(present)
                    else f"No example of training has the feature {' or '.join(names)}."
                )
            balance: Any = None if self.weights == "none" else self.weights
            if isinstance(balance, Mapping):
                balance = {place: balance.get(self.labels[place], 1) for place in present}
            weights = {"classifier__sample_weight": weigh(balance, targets)}
            try:
                pipeline = self._pipeline(names)
                with _threads_for(frame):
                    pipeline.fit(frame[rows], target, **({} if is_blind else weights))
            except (TypeError, ValueError) as error:
                raise InputError(
                    f"The classifier {settings.classifier} cannot be trained: {first_line(error)}"
                ) from error
            self.parts_.append((present, pipeline))
        return self

    def predict_proba(self, frame: pd.DataFrame) -> Floats:
        """Return probabilities (rows, labels), 0 for labels that no example of training has.

        Scores of a fusion are the mean over the features that a row has (harmeme 5.2).
        """
        scores, seen = np.zeros((len(frame), len(self.labels))), np.zeros((len(frame), 1))
        for present, pipeline in self.parts_:
            rows = np.ones(len(frame), dtype=bool)
            if len(self.parts_) > 1:
                rows = self._present(frame, (pipeline[0].transformer_list[0][0],))
            if rows.any():
                with _threads_for(frame):
                    scores[np.ix_(rows, present)] += pipeline.predict_proba(frame[rows])
            seen[rows] += 1
        return np.asarray(scores / np.maximum(seen, 1), dtype=np.float64)

    def predict(self, frame: pd.DataFrame) -> list[str]:
        """Return by example the label with the highest score; of `random` one at random."""
        if self.settings.classifier == "random":
            ((present, pipeline),) = self.parts_
            places = present[pipeline.predict(frame)]
        else:
            places = self.predict_proba(frame).argmax(axis=1)
        return [self.labels[place] for place in places]

    def _present(self, frame: pd.DataFrame, names: Sequence[str]) -> Any:
        columns = frame[list(map(column_of, names))]
        return columns.notna().any(axis=1).to_numpy() | (not names)

    def _pipeline(self, names: Sequence[str]) -> Any:
        module = library("sklearn.pipeline", EXTRA)
        name, settings = self.settings.classifier, self.settings
        home, kind = _CLASSES[name]
        parameters = {**_DEFAULTS[name], "random_state": self.seed, **settings.settings}
        extra = "xgboost" if name == "xgboost" else EXTRA
        steps = [("classifier", getattr(library(home, extra), kind)(**parameters))]
        # It takes no sparse features, and a tree looks at each number.
        components = 50 if name == "boosting" else 0
        features = [
            (
                feature,
                Feature(
                    feature,
                    (each := self.features[feature]).kind,
                    each.ngrams or NGRAMS.get(each.kind, (1, 1)),
                    each.fewest,
                    each.most,
                    components if settings.components is None else settings.components,
                    name == "boosting",
                    self.seed,
                ),
            )
            for feature in names
        ]
        if features:
            steps.insert(0, ("features", module.FeatureUnion(features)))
        return module.Pipeline(steps)


def _threads_for(frame: pd.DataFrame) -> Any:
    if len(frame) > _FEW:
        return nullcontext()
    return library("threadpoolctl", EXTRA).threadpool_limits(1)


class SavedModel:
    """A model that was read back, with the settings of its features."""

    def __init__(self, estimator: Baseline) -> None:
        self.estimator = estimator

    def predict(self, examples: Sequence[Example], folder: str | Path) -> list[str]:
        """Return by example its label; empty where it has nothing that the model looks at. Raise
        InputError if a picture cannot be read, or the features are others than in training,
        MissingError if what the features need is not installed.

        Args:
            examples: whose labels are not looked at.
            folder: where vectors are kept.
        """
        frame = frame_of(examples)
        compute_features(frame, self.estimator.features, Path(folder))
        rows = self.estimator._present(frame, self.estimator.settings.features)
        labels = np.full(len(frame), "", dtype=object)
        labels[rows] = self.estimator.predict(frame[rows])
        return list(labels)


def save_model(model: Baseline, counts: Mapping[str, int], folder: Path, card: str) -> None:
    """Write a model into a folder, with its settings and card. Raise InputError if it cannot be
    written; MissingError if skops is not installed.

    Args:
        counts: by label the examples that it was trained on.
    """
    skops = library("skops.io", EXTRA)
    with replacing(folder / _MODEL) as temporary:
        temporary.write_bytes(skops.dumps(model.parts_))
    names = model.settings.features
    about = {
        "memeloc": __version__,
        "sha256": file_sha256(folder / _MODEL),
        "model": model.settings.model_dump(mode="json"),
        "features": {name: model.features[name].model_dump(mode="json") for name in names},
        "labels": model.labels,
        "counts": list(counts.values()),
        "seed": model.seed,
    }
    for name, text in ((_CARD, card), (_ABOUT, json.dumps(about, ensure_ascii=False, indent=2))):
        with replacing(folder / name) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8", newline="\n")


def load_model(folder: str | Path) -> SavedModel:
    """Return a model that `memeloc evaluate train` saved. Raise InputError if the folder holds
    none, or its file was changed or holds other types; MissingError if skops, scikit-learn or
    XGBoost is not installed."""
    skops = library("skops.io", EXTRA)
    path = Path(folder) / _MODEL
    try:
        about = json.loads((Path(folder) / _ABOUT).read_text(encoding="utf-8"))
        if file_sha256(path) != about["sha256"]:
            raise InputError("is not the file that was saved (its SHA-256).", file=path)
        features = {
            name: FeatureSettings.model_validate(each) for name, each in about["features"].items()
        }
        settings = ModelSettings.model_validate(about["model"])
        model = Baseline(settings, features, tuple(about["labels"]), seed=int(about["seed"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"holds no model ({first_line(error)}).", file=folder) from error
    content = path.read_bytes()
    try:
        types = skops.get_untrusted_types(data=content)
        if wrong := [name for name in types if name not in _TRUSTED]:
            raise InputError(f"holds objects of other types: {wrong[0][:80]}.", file=path)
        model.parts_ = [(present, pipeline) for present, pipeline in skops.loads(content, types)]
    except MemelocError:
        raise
    except Exception as error:  # of a broken file anything may come
        raise InputError(f"cannot be read ({first_line(error)}).", file=path) from error
    return SavedModel(model)


def telling_words(models: Mapping[str, Baseline], count: int = 5) -> pd.DataFrame:
    """Return rows of the terms with the largest positive weights of each label.

    harmeme's Table 3 lists the words of highest tf-idf by label; these are those the model goes by.
    Groups are `MODEL · FEATURE · LABEL`, items the terms, with _ for the end of a word. Models
    without weights of words (of vectors, trees, and reduced features) are a gap.

    Args:
        count: terms a label and feature, 5 as in harmeme.
    """
    rows: list[dict[str, Any]] = []
    for name, model in models.items():
        for present, pipeline in model.parts_:
            weights = getattr(pipeline[-1], "coef_", None)
            if weights is None:
                continue
            if len(weights) == 1:  # of two classes there is one row, for the second
                weights = np.vstack([-weights, weights])
            terms = [term.split("__", 1) for term in pipeline[0].get_feature_names_out()]
            for feature in dict.fromkeys(feature for feature, term in terms if term):
                at = [place for place, (of, term) in enumerate(terms) if of == feature and term]
                for place, of_label in zip(present, weights[:, at], strict=True):
                    best = [
                        number
                        for number in np.argsort(-of_label, kind="stable")
                        if of_label[number] > 0
                    ]
                    group = f"{name} · {feature} · {model.labels[place]}"
                    rows += [
                        {"group": group, "item": _ends(terms[at[number]][1]), "rank": rank,
                            "weight": of_label[number]}
                        for rank, number in enumerate(best[:count], 1)
                    ]  # fmt: skip
    named = {row["group"].partition(" · ")[0] for row in rows}
    without = ", ".join(n for n, each in models.items() if each.needs and n not in named)
    reason = f"No weights of words, for they are no linear models of words: {without}."
    words = tidy("telling-words", pd.DataFrame(rows), "weight of a linear model")
    return joined([words, *([gap("telling-words", reason)] if without else [])])


def _ends(term: str) -> str:
    """Return a term with _ for the space at an end of a word that characters may have."""
    start, end = len(term) - len(term.lstrip()), len(term) - len(term.rstrip())
    return "_" * start + term.strip() + "_" * end
