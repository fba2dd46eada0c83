"""Models that read a number off the item's name: what they score is known."""

from dataclasses import replace

import pandas as pd
import pytest

from memeloc.errors import InputError
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.shift import (
    Corpus,
    Period,
    cross_dataset,
    load_label_map,
    temporal_matrix,
    temporal_section,
    transfer_section,
)
from memeloc.evaluate.shift.fitting import score
from memeloc.evaluate.training.comparing import tasks_of

LABELS = ("safe", "hate", "nsfw")
COARSER = {"2 classes": {"safe": "safe", "hate": "harmful", "nsfw": "harmful"}}


def gold_of(labels):
    table = pd.DataFrame({"gold": pd.Series(labels, dtype=object)})
    return Gold(table, LABELS, {}, COARSER)


def test_coarser_tasks_score_mapped_predictions():
    fine, coarse = tasks_of(LABELS, {}, COARSER)
    assert (fine.name, coarse.name) == ("3 classes", "2 classes")
    assert coarse.labels == ("safe", "harmful")
    right, given = ["safe", "hate", "nsfw", "hate"], ["safe", "nsfw", "hate", ""]
    assert score(right, given, LABELS, fine).accuracy == 0.25
    coarse_score = score(right, given, LABELS, coarse)
    assert coarse_score.accuracy == 0.75
    # Harmful: 2 of 2 predictions right, 2 of 3 items; safe: all.
    assert coarse_score.f1 == pytest.approx((1 + 0.8) / 2)
    assert coarse_score.low <= coarse_score.f1 <= coarse_score.high


@pytest.fixture(scope="module")
def matrix():
    """A model that is right on items of the period it learned from, and else says safe."""
    labels = {f"{period}-{n}": LABELS[n % 3] for period in range(3) for n in range(30)}
    periods = []
    for number in range(3):
        own = tuple(item for item in labels if item.startswith(f"{number}-"))
        periods.append(Period(2000 + number, 2000 + number, own[:24], own[24:]))

    def fit(items):
        known = items[0][0]
        return {"memory": lambda asked: [labels[i] if i[0] == known else "safe" for i in asked]}

    return temporal_matrix(periods, gold_of(labels), fit)


def test_the_section_of_periods_sums_up_later_and_earlier(matrix):
    section = temporal_section(matrix, seed=7)
    summary = section.tables[1].frame.set_index("task").loc["3 classes"]
    assert summary["within"] == 1
    assert summary["later"] == summary["earlier"] == pytest.approx(0.5 / 3)
    assert summary["later_delta"] == pytest.approx(0.5 / 3 - 1)
    assert [plot.name for plot in section.plots] == [
        "temporal-1",
        "temporal-2",
        "temporal-distance-1",
        "temporal-distance-2",
    ]
    heatmap = section.plots[0].values
    assert heatmap.loc["2000"].tolist() == pytest.approx([1, 1 / 6, 1 / 6])


def test_periods_of_the_same_year_are_numbered():
    labels = {f"{period}-{n}": LABELS[n % 3] for period in range(2) for n in range(6)}
    items = tuple(labels)
    periods = [Period(2000, 2000, items[:4], items[4:6]), Period(2000, 2000, items[6:9], items[9:])]
    matrix = temporal_matrix(
        periods, gold_of(labels), lambda items: {"m": lambda asked: ["safe"] * len(asked)}
    )
    assert set(matrix["trained_on"]) == {"2000, part 1", "2000, part 2"}
    assert temporal_section(matrix, 0).sentences[0].startswith("In 3 classes the macro F1 of m was")


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
    transfer = cross_dataset(large, [small], ("safe", "harmful"), parity, seed=1)
    rows = transfer.table.set_index("configuration")
    assert list(rows.index) == ["base", "aligned", "reverse", "full"]
    assert rows["f1"].to_dict() == {"base": 1, "aligned": 0, "reverse": 0, "full": 0}
    assert rows["delta"].to_dict() == {"base": 0, "aligned": -1, "reverse": -1, "full": -1}
    assert rows["train_items"].tolist() == [40, 40, 40, 200]
    assert rows.loc["aligned", ["train_safe", "train_harmful"]].tolist() == [20, 20]
    assert rows.loc["aligned", "years"] == "2016-2017"
    assert rows.loc["reverse", "tested_on"] == "large"
    assert rows.loc["reverse", "items"] == 20
    assert transfer.notes == ()
    section = transfer_section(transfer, "large", 1)
    assert section.sentences[1] == (
        "Macro F1 of parity, aligned, learned from 40 items of large and tested on 20 of small: "
        "0.000 (-1.000)."
    )
    assert list(section.plots[0].frame.columns) == ["base", "aligned", "reverse", "full"]


def test_a_window_without_enough_items_is_noted():
    large, small = corpus("large", 30, 50), corpus("small", 40, 20, window=(2016, 2016))
    transfer = cross_dataset(large, [small], ("safe", "harmful"), parity)
    (note,) = transfer.notes
    assert "large lacks" in note
    assert "2016 to 2016" in note
    assert "6 items" in note


def test_a_window_with_one_label_leaves_aligned_out():
    large, small = corpus("large", 200, 50), corpus("small", 40, 20, window=(2015, 2015))
    years = {item: 2015 if label == "safe" else 2016 for item, label in large.labels.items()}
    transfer = cross_dataset(replace(large, years=years), [small], ("safe", "harmful"), parity)
    assert transfer.table["configuration"].tolist() == ["base", "reverse", "full"]
    assert "20 of 'harmful'" in transfer.notes[0]


def test_a_dataset_without_tests_is_an_error():
    with pytest.raises(InputError, match="small has no items in its split 'test'"):
        cross_dataset(corpus("large", 9, 9), [corpus("small", 9, 0)], ("safe", "harmful"), parity)


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
