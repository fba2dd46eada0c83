import numpy as np
import pytest
from PIL import Image, ImageDraw

from memeloc.errors import InputError
from memeloc.evaluate.explaining import (
    explain,
    explanation_card,
    explanation_figures,
    find_regions,
    telling_words,
)
from memeloc.evaluate.training import (
    Dataset,
    Example,
    FeatureSettings,
    ModelSettings,
    Trainer,
    compute_features,
)
from memeloc.reports.figures import wide

NOUNS = ("cat", "office", "rain", "tea", "cup", "bus", "desk", "cloud")
SETTINGS = {"words": FeatureSettings(kind="words", ngrams=(1, 1))}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A model for which `alpha` and `beta` alone tell the labels."""
    examples = []
    for number in range(40):
        label = ("alpha", "beta")[number % 2]
        noise = [NOUNS[(number // 2 + step) % len(NOUNS)] for step in range(3)]
        examples.append(Example(str(number), label, " ".join([*noise, label]), language="en"))
    dataset = Dataset(tuple(examples), ("alpha", "beta"))
    features = compute_features(dataset.examples, SETTINGS, tmp_path_factory.mktemp("features"))
    trainer = Trainer(features, dataset.classes, dataset.labels)
    return trainer.fit(ModelSettings(name="words", features=("words",)), np.arange(40))


def test_the_words_that_tell_labels_come_first(trained):
    table = wide(telling_words([trained], 3), "telling-words")
    first = table[table["rank"] == 1].set_index("group")["item"].to_dict()
    assert first == {"words · words · alpha": "alpha", "words · words · beta": "beta"}
    assert (table["weight"] > 0).all()


def test_the_word_that_decides_has_the_largest_weight(trained):
    example = Example("x", "alpha", "The cat, Alpha, drinks tea!", language="en")
    explanation = explain(trained, SETTINGS, example, samples=100)
    assert explanation.words == ("The", "cat,", "Alpha,", "drinks", "tea!")
    assert explanation.predicted == "alpha"
    weights = explanation.word_weights("alpha")
    assert weights.argmax() == 2
    assert weights == pytest.approx(-explanation.word_weights("beta"))
    again = explain(trained, SETTINGS, example, samples=100)
    assert (again.surrogate.weights == explanation.surrogate.weights).all()
    parts = wide(explanation_figures([explanation]), "explanations")
    assert parts.loc[0, ["group", "item", "rank"]].tolist() == ["words · x", "word 3: Alpha,", 1]
    assert "Alpha, +" in explanation_card(explanation).about[2]


def test_an_item_without_text_cannot_be_explained_by_words(trained):
    with pytest.raises(InputError, match="nothing to explain"):
        explain(trained, SETTINGS, Example("x", "alpha"))


def two_halves(width=120, height=80):
    picture = Image.new("RGB", (width, height), (230, 30, 30))
    ImageDraw.Draw(picture).rectangle((width // 2, 0, width, height), fill=(30, 30, 230))
    return picture


def test_regions_do_not_cross_a_sharp_edge():
    regions = find_regions(two_halves(), 8)
    assert 4 <= regions.count <= 8
    left, right = regions.numbers[:, :58], regions.numbers[:, 62:]
    assert not set(left.ravel()) & set(right.ravel())


def test_a_picture_of_one_colour_is_one_region():
    assert find_regions(Image.new("RGB", (50, 20), (9, 9, 9)), 8).count >= 1


def test_regions_left_out_take_their_mean_colour():
    regions = find_regions(two_halves(), 2)
    assert regions.count == 2
    kept = np.zeros(2, dtype=bool)
    assert np.asarray(regions.keeping(~kept)).tolist() == regions.pixels.tolist()
    gone = np.asarray(regions.keeping(kept))
    for number in (0, 1):
        here = regions.numbers == number
        assert len(np.unique(gone[here], axis=0)) == 1
        assert gone[here][0] == pytest.approx(regions.pixels[here].mean(axis=0), abs=1)


def test_weights_colour_the_picture_green_and_magenta():
    regions = find_regions(two_halves(), 2)
    first = regions.numbers[0, 0]
    weights = np.where(np.arange(2) == first, 1.0, -1.0)
    shown = np.asarray(regions.weighted(weights)).astype(int)
    red, green, _ = shown[0, 0]
    assert green > red
    red, green, _ = shown[0, -1]
    assert red > green
