"""Models that read a number off the item's name: what they score is known."""

from dataclasses import replace

import pandas as pd
import pytest

from memeloc.errors import InputError
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.scores import ScoreSettings
from memeloc.evaluate.shift import (
    Corpus,
    Period,
    load_label_map,
    temporal_figures,
    transfer_figures,
)
from memeloc.evaluate.shift.fitting import scored
from memeloc.reports.figures import gaps, wide

SETTINGS = ScoreSettings(bootstraps=50, seed=1)
LABELS = ("safe", "hate", "nsfw")
COARSER = {"2 classes": {"safe": "safe", "hate": "harmful", "nsfw": "harmful"}}


def gold_of(labels):
    table = pd.DataFrame({"gold": pd.Series(labels, dtype=object)})
    return Gold(table, LABELS, {}, COARSER)


def test_a_label_that_is_none_of_the_labels_is_wrong():
    right, given = ["safe", "hate", "nsfw", "hate"], ["safe", "nsfw", "hate", ""]
    assert scored(right, given, LABELS, SETTINGS)["accuracy"] == 0.25
    coarse = [["safe", "harmful", "harmful", "harmful"], ["safe", "harmful", "harmful", ""]]
    figures = scored(*coarse, ("safe", "harmful"), SETTINGS)
    assert (figures["accuracy"], figures["n"]) == (0.75, 4)
    # Harmful: 2 of 2 predictions right, 2 of 3 items; safe: all.
    assert figures["f1"] == pytest.approx((1 + 0.8) / 2)
    assert figures["f1_low"] <= figures["f1"] <= figures["f1_high"]


@pytest.fixture(scope="module")
def over_time():
    """A model that is right on items of the period it learned from, and else says safe."""
    labels = {f"{period}-{n}": LABELS[n % 3] for period in range(3) for n in range(30)}
    periods = []
    for number in range(3):
        own = tuple(item for item in labels if item.startswith(f"{number}-"))
        periods.append(Period(2000 + number, 2000 + number, own[:24], own[24:]))

    def fit(items):
        known = items[0][0]
        return {"memory": lambda asked: [labels[i] if i[0] == known else "safe" for i in asked]}

    return temporal_figures(periods, gold_of(labels), fit, SETTINGS)


def test_a_model_does_best_on_the_period_it_learned_from(over_time):
    matrix = wide(over_time, "temporal").set_index(["group", "item"])
    first = matrix.loc["memory, 3 classes · 2000"]
    assert first["f1"].tolist() == pytest.approx([1, 1 / 6, 1 / 6])
    assert first["distance"].tolist() == [0, 1, 2]
    assert first["train_items"].tolist() == [24, 24, 24]
    assert first["n"].tolist() == [6, 30, 30]
    # Of coarser labels the predictions are mapped: those of nsfw and hate are harmful.
    assert matrix.loc[("memory, 2 classes · 2000", "2001"), "accuracy"] == pytest.approx(1 / 3)


def test_later_and_earlier_periods_are_summed_up(over_time):
    summary = wide(over_time, "temporal-summary").set_index("group").loc["memory, 3 classes"]
    assert summary["within"] == 1
    assert summary["later"] == summary["earlier"] == pytest.approx(0.5 / 3)
    assert summary["later_delta"] == pytest.approx(0.5 / 3 - 1)
    means = wide(over_time, "temporal-distance").set_index(["group", "item"])
    assert means.loc[("memory, 3 classes", "-1"), "f1"] == pytest.approx(1 / 6)
    assert means.loc[("memory, 3 classes", "0"), "n"] == 3


def test_periods_of_the_same_year_are_numbered():
    labels = {f"{period}-{n}": LABELS[n % 3] for period in range(2) for n in range(6)}
    items = tuple(labels)
    periods = [Period(2000, 2000, items[:4], items[4:6]), Period(2000, 2000, items[6:9], items[9:])]
    figures = temporal_figures(
        periods,
        gold_of(labels),
        lambda items: {"m": lambda asked: ["safe"] * len(asked)},
        SETTINGS,
    )
    assert set(wide(figures, "temporal")["item"]) == {"2000, part 1", "2000, part 2"}


def corpus(name, train, test, first=2015, **more):
    """Harmful items have even numbers in the first dataset, odd ones in others."""
    items = [f"{name}/{number}" for number in range(train + test)]
    even = name == "large"
    labels = {
        item: "harmful" if (number % 2 == 0) == even else "safe"
        for number, item in enumerate(items)
    }
    years = {item: first + number % 5 for number, item in enumerate(items)}
    return Corpus(name, tuple(items[:train]), tuple(items[train:]), labels, years, **more)


def parity(items):
    """Learns whether even numbers are harmful."""
    even = items[0].startswith("large") == (int(items[0].split("/")[1]) >= 0)

    def predict(asked):
        return [
            "harmful" if (int(item.split("/")[1]) % 2 == 0) == even else "safe" for item in asked
        ]

    return {"parity": predict}


def test_deltas_are_those_of_the_papers_table():
    large, small = corpus("large", 200, 50), corpus("small", 40, 20, window=(2016, 2017))
    figures = transfer_figures(large, [small], ("safe", "harmful"), parity, SETTINGS)
    rows = wide(figures, "transfer").set_index("item")
    assert list(rows.index) == ["base", "aligned", "reverse", "full"]
    assert set(rows["group"]) == {"small · parity"}
    assert rows["f1"].to_dict() == {"base": 1, "aligned": 0, "reverse": 0, "full": 0}
    assert rows["delta"].to_dict() == {"base": 0, "aligned": -1, "reverse": -1, "full": -1}
    assert rows["train_items"].tolist() == [40, 40, 40, 200]
    assert rows.loc["aligned", ["train: safe", "train: harmful"]].tolist() == [20, 20]
    assert rows.loc["aligned", ["first_year", "last_year"]].tolist() == [2016, 2017]
    assert rows.loc["reverse", "n"] == 20
    assert gaps(figures) == []


def test_a_window_without_enough_items_is_noted():
    large, small = corpus("large", 30, 50), corpus("small", 40, 20, window=(2016, 2016))
    figures = transfer_figures(large, [small], ("safe", "harmful"), parity, SETTINGS)
    (note,) = gaps(figures)
    assert "large lacks" in note
    assert "2016 to 2016" in note
    assert "6 items" in note


def test_a_window_with_one_label_leaves_aligned_out():
    large, small = corpus("large", 200, 50), corpus("small", 40, 20, window=(2015, 2015))
    years = {item: 2015 if label == "safe" else 2016 for item, label in large.labels.items()}
    source = replace(large, years=years)
    figures = transfer_figures(source, [small], ("safe", "harmful"), parity, SETTINGS)
    assert wide(figures, "transfer")["item"].tolist() == ["base", "reverse", "full"]
    assert "20 of 'harmful'" in gaps(figures)[0]


def test_a_dataset_without_tests_is_an_error():
    large, small = corpus("large", 9, 9), corpus("small", 9, 0)
    with pytest.raises(InputError, match="small has no items in its split 'test'"):
        transfer_figures(large, [small], ("safe", "harmful"), parity, SETTINGS)


def test_the_shipped_map_knows_labels_of_the_shipped_taxonomies():
    from memeloc.taxonomy import load_taxonomy

    labels = load_label_map("harmful")
    for name in ("charmemes", "harmeme", "araharmeme", "multi3hate"):
        for label in load_taxonomy(name).of_role("vote", "abstain"):
            shared = labels.of(name, label.id)
            assert (shared == "harmful") == (label.severity > 0), label.id


def test_labels_that_a_map_lacks_are_named(tmp_path):
    labels = load_label_map("harmful")
    with pytest.raises(InputError, match="'odd' of harmeme is"):
        labels.of("harmeme", "odd")
    with pytest.raises(InputError, match="has no dataset 'x'"):
        labels.of("x", "odd")
    path = tmp_path / "map.toml"
    path.write_text('name = "m"\nlabels = ["a", "b"]\n[maps.x]\ny = "c"\n')
    with pytest.raises(InputError, match="'c', which is not in labels"):
        load_label_map(str(path))
