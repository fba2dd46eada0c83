"""Features and classifiers: what a model learns, and that what is shared changes nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memeloc.errors import InputError
from memeloc.evaluate.training import (
    Features,
    FeatureSettings,
    ModelSettings,
    Trainer,
    compute_features,
)
from memeloc.evaluate.training.vectors import VectorStore
from tests.evaluate.training.examples import examples

DATASET = examples()
TRAIN, TEST = np.arange(110), np.arange(110, 150)
FEATURES = {
    "words": FeatureSettings(kind="words"),
    "letters": FeatureSettings(kind="characters"),
    "vectors": FeatureSettings(kind="texts", model="ngrams:3"),
}


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> Features:
    return compute_features(DATASET.examples, FEATURES, tmp_path_factory.mktemp("features"))


def trainer(features: Features, **settings: object) -> Trainer:
    return Trainer(features, DATASET.classes, DATASET.labels, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
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
def test_models_learn_words_of_a_class(features: Features, settings: dict[str, object]) -> None:
    model = trainer(features).fit(ModelSettings(name="m", **settings), TRAIN)  # type: ignore[arg-type]
    right = model.predict(features, TEST) == DATASET.classes[TEST]
    assert right.mean() > 0.75


def test_tfidf_is_that_of_scikit_learn(features: Features) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    model = trainer(features).fit(ModelSettings(name="m", features=("words",)), TRAIN)
    texts = [example.text.casefold() for example in DATASET.examples]
    vectorizer = TfidfVectorizer(
        token_pattern=r"\S+", ngram_range=(1, 2), min_df=2, sublinear_tf=True, dtype=np.float32
    ).fit([texts[row] for row in TRAIN])
    (part,) = model.parts
    assert list(part.blocks[0].terms) == list(vectorizer.get_feature_names_out())
    expected = vectorizer.transform([texts[row] for row in TEST])
    assert abs(part.matrix(features, TEST) - expected).max() < 1e-6


def test_sharing_parts_changes_no_score(features: Features) -> None:
    alone = ModelSettings(name="a", features=("words",))
    fused = ModelSettings(name="f", features=("words", "vectors"), fusion="score")
    shared = trainer(features)
    shared.fit(alone, TRAIN)
    together = shared.fit(fused, TRAIN).scores(features, TEST)
    assert (together == trainer(features).fit(fused, TRAIN).scores(features, TEST)).all()


def test_majority_and_random_are_computed(features: Features) -> None:
    rows = np.array([row for row in TRAIN if DATASET.classes[row] != 2 or row < 50])
    fitted = trainer(features)
    majority = fitted.fit(ModelSettings(name="m", classifier="majority"), rows)
    assert set(majority.predict(features, TEST)) == {0}
    guesser = fitted.fit(ModelSettings(name="r", classifier="random"), rows)
    every = guesser.predict(features, np.arange(150))
    assert set(every) == {0, 1, 2}
    assert (guesser.predict(features, TEST) == every[TEST]).all()


def test_class_weights_help_the_rare_class(features: Features) -> None:
    rows = np.array([row for row in TRAIN if DATASET.classes[row] != 2 or row % 30 == 2])
    settings = ModelSettings(name="m", features=("words",), settings={"C": 1.0})
    found = {
        weights: (trainer(features, weights=weights).fit(settings, rows).predict(features, TEST))
        for weights in ("none", "balanced")
    }
    assert (found["balanced"] == 2).sum() > (found["none"] == 2).sum()


def test_an_example_without_text_is_left_out(tmp_path: Path) -> None:
    empty = replace(DATASET.examples[0], text="!")
    dataset = replace(DATASET, examples=(empty, *DATASET.examples[1:]))
    features = compute_features(dataset.examples, {"words": FEATURES["words"]}, tmp_path)
    model = Trainer(features, dataset.classes, dataset.labels).fit(
        ModelSettings(name="m", features=("words",)), TRAIN
    )
    assert sum(model.counts) == len(TRAIN) - 1
    assert model.usable(features)[0] == 1


def test_a_class_without_examples_gets_no_score(features: Features) -> None:
    rows = TRAIN[DATASET.classes[TRAIN] != 1]
    scores = trainer(features).fit(ModelSettings(name="m", features=("words",)), rows)
    assert (scores.scores(features, TEST)[:, 1] == 0).all()


def test_wrong_parameters_are_a_sentence(features: Features) -> None:
    wrong = ModelSettings(name="m", features=("words",), settings={"C": "much"})
    with pytest.raises(InputError, match="logistic cannot be trained"):
        trainer(features).fit(wrong, TRAIN)
    with pytest.raises(InputError, match=r"needs \[features.nothing\]"):
        trainer(features).fit(ModelSettings(name="m", features=("nothing",)), TRAIN)


def test_vectors_are_computed_once(tmp_path: Path) -> None:
    asked: list[str] = []

    class Lengths:
        name = "lengths"

        def embed(self, things: list[str]) -> np.ndarray:
            if "stop" in things:
                raise InputError("stopped")
            asked.extend(things)
            return np.array([[len(thing), 1] for thing in things], dtype=np.float32)

    store = VectorStore(tmp_path / "vectors.sqlite")
    texts = [f"text {number}" for number in range(40)]
    with pytest.raises(InputError, match="stopped"):
        store.embed(Lengths(), [*texts, "stop"])
    kept = len(asked)
    vectors = store.embed(Lengths(), [*texts, texts[0]])
    assert kept == 32
    assert sorted(asked) == sorted(texts)
    assert vectors[:, 0].tolist() == [len(text) for text in [*texts, texts[0]]]
