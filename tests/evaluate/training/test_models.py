"""Features and classifiers: what a model learns, and that only what it sees counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from memeloc.errors import InputError
from memeloc.evaluate.training import (
    Baseline,
    Dataset,
    Example,
    FeatureSettings,
    Fold,
    ModelSettings,
    compute_features,
    telling_words,
    train,
)
from memeloc.reports.figures import wide
from tests.each import each
from tests.evaluate.training.examples import examples

DATASET = examples()
TRAIN, TEST = np.arange(110), np.arange(110, 150)
FEATURES = {
    "words": FeatureSettings(kind="words"),
    "letters": FeatureSettings(kind="characters"),
    "vectors": FeatureSettings(kind="texts", model="ngrams:3"),
}


@pytest.fixture(scope="module")
def frame(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    compute_features(DATASET.frame, FEATURES, tmp_path_factory.mktemp("features"))
    return DATASET.frame


def fitted(frame: pd.DataFrame, rows: np.ndarray = TRAIN, **settings: object) -> Baseline:
    more = {key: settings.pop(key) for key in ("weights", "seed") if key in settings}
    model = ModelSettings(name="m", **settings)  # type: ignore[arg-type]
    learned = frame.iloc[rows]
    return Baseline(model, FEATURES, DATASET.labels, **more).fit(learned, learned["label"])


@each(
    "settings",
    [
        {"features": ("words",)},
        {"features": ("letters",)},
        {"features": ("vectors",)},
        {"features": ("words", "vectors")},
        {"features": ("words", "vectors"), "fusion": "score"},
        {"features": ("words", "vectors"), "components": 10},
        {
            "features": ("words",),
            "classifier": "boosting",
            "settings": {"max_iter": 20, "max_bins": 8, "min_samples_leaf": 3},
        },
        {
            "features": ("words", "vectors"),
            "classifier": "boosting",
            "components": 10,
            "settings": {"max_iter": 20, "max_bins": 8},
        },
    ],
)
def test_models_learn_words_of_a_class(frame: pd.DataFrame, settings: dict[str, object]) -> None:
    right = fitted(frame, **settings).predict(frame.iloc[TEST]) == frame["label"].iloc[TEST]
    assert right.mean() > 0.75


def test_tfidf_is_that_of_scikit_learn(frame: pd.DataFrame) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    ((_, pipeline),) = fitted(frame, features=("words",)).parts_
    texts = [example.text.casefold() for example in DATASET.examples]
    vectorizer = TfidfVectorizer(
        token_pattern=r"\S+", ngram_range=(1, 2), min_df=2, sublinear_tf=True, dtype=np.float32
    ).fit([texts[row] for row in TRAIN])
    terms = pipeline[0].transformer_list[0][1].terms_.split("\n")
    assert terms == list(vectorizer.get_feature_names_out())
    expected = vectorizer.transform([texts[row] for row in TEST])
    assert abs(pipeline[0].transform(frame.iloc[TEST]) - expected).max() < 1e-6


def test_class_weights_help_the_rare_class(frame: pd.DataFrame) -> None:
    rows = np.array([row for row in TRAIN if row % 3 != 2 or row % 30 == 2])
    found = {}
    for weights in ("none", "balanced"):
        model = fitted(frame, rows, features=("words",), settings={"C": 1.0}, weights=weights)
        found[weights] = model.predict(frame.iloc[TEST]).count(DATASET.labels[2])
    assert found["balanced"] > found["none"]


def test_any_estimator_is_trained_and_asked() -> None:
    from sklearn.dummy import DummyClassifier

    (trained,) = train(DATASET, DummyClassifier(strategy="most_frequent"), [Fold("", TRAIN, TEST)])
    assert set(trained.answers.values()) == {DATASET.labels[0]}
    assert sum(trained.trained_on.values()) == len(TRAIN)


def test_wrong_parameters_are_a_sentence(frame: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="logistic cannot be trained"):
        fitted(frame, features=("words",), settings={"C": "much"})
    with pytest.raises(InputError, match=r"needs \[features.nothing\]"):
        fitted(frame, features=("nothing",))


def test_the_words_that_tell_labels_come_first(tmp_path: Path) -> None:
    nouns = ("cat", "office", "rain", "tea", "cup", "bus", "desk", "cloud")
    made = []
    for number in range(40):
        label = ("alpha", "beta")[number % 2]
        noise = [nouns[(number // 2 + step) % len(nouns)] for step in range(3)]
        made.append(Example(str(number), label, " ".join([*noise, label]), language="en"))
    dataset = Dataset(tuple(made), ("alpha", "beta"))
    features = {"words": FeatureSettings(kind="words", ngrams=(1, 1))}
    compute_features(dataset.frame, features, tmp_path)
    model = Baseline(ModelSettings(name="m", features=("words",)), features, dataset.labels)
    model.fit(dataset.frame, dataset.frame["label"])
    table = wide(telling_words({"words": model}, 3), "telling-words")
    first = table[table["rank"] == 1].set_index("group")["item"].to_dict()
    assert first == {"words · words · alpha": "alpha", "words · words · beta": "beta"}
    assert (table["weight"] > 0).all()
