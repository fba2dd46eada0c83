"""Periods, samples, and models that read a number off the item's name: what they score is known."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memeloc.evaluate.scores import ScoreSettings
from memeloc.evaluate.training import (
    Dataset,
    Example,
    Fold,
    load_label_map,
    periods_of,
    temporal_figures,
    transfer_figures,
)
from memeloc.evaluate.training.shifts import scored
from memeloc.reports.figures import gaps, wide
from tests.each import each

SETTINGS = ScoreSettings(bootstraps=50, seed=1)
LABELS = ("safe", "hate", "nsfw")
COARSER = {"2 classes": {"safe": "safe", "hate": "harmful", "nsfw": "harmful"}}


def drawn(items: int = 1000, seed: int = 1) -> Dataset:
    """Items of templates of 1 to 6 items, years and labels by template and item."""
    generator = random.Random(seed)
    examples: list[Example] = []
    while len(examples) < items:
        year, template = generator.randint(2007, 2025), f"t{len(examples)}"
        for _ in range(generator.randint(1, 6)):
            (label,) = generator.choices(LABELS, (0.7, 0.2, 0.1))
            examples.append(Example(f"i{len(examples)}", label, group=template, year=year))
    return Dataset(tuple(examples), LABELS)


def rows_of(period: Fold) -> np.ndarray:
    return np.union1d(period.train, period.test)


@each("seed", range(5))
def test_periods_are_consecutive_and_near_equal(seed: int) -> None:
    dataset = drawn(seed=seed)
    periods = periods_of(dataset, seed=seed)
    count = len(dataset.examples)
    assert sorted(np.concatenate([rows_of(each) for each in periods])) == list(range(count))
    years = [sorted(dataset.examples[row].year or 0 for row in rows_of(each)) for each in periods]
    assert all(later[0] - earlier[-1] in (0, 1) for earlier, later in pairwise(years))
    assert max(map(len, years)) - min(map(len, years)) <= 0.1 * count / 5
    for period in periods:
        assert len(period.test) == pytest.approx(0.1 * len(rows_of(period)), abs=7)


def test_no_template_is_in_two_periods_or_parts() -> None:
    dataset = drawn()
    homes: dict[str, tuple[str, int]] = {}
    for period in periods_of(dataset):
        for part, rows in enumerate(period[1:]):
            for row in rows:
                home = (period.name, part)
                assert homes.setdefault(dataset.examples[row].group, home) == home


def test_a_label_that_is_none_of_the_labels_is_wrong() -> None:
    right, given = ["safe", "hate", "nsfw", "hate"], ["safe", "nsfw", "hate", ""]
    assert scored(right, given, LABELS, SETTINGS)["accuracy"] == 0.25
    coarse = [["safe", "harmful", "harmful", "harmful"], ["safe", "harmful", "harmful", ""]]
    figures = scored(*coarse, ("safe", "harmful"), SETTINGS)
    assert (figures["accuracy"], figures["n"]) == (0.75, 4)
    # Harmful: 2 of 2 predictions right, 2 of 3 items; safe: all.
    assert figures["f1"] == pytest.approx((1 + 0.8) / 2)
    assert figures["f1_low"] <= figures["f1"] <= figures["f1_high"]


class Known:
    """An estimator that works by names: `predict` of what `fit` saw first."""

    def __sklearn_clone__(self) -> Known:
        return type(self)()

    def fit(self, frame: pd.DataFrame, labels: Any) -> None:
        self.first = frame.index[0]


class Memory(Known):
    """Is right on items of the period it learned from, and else says safe."""

    def predict(self, frame: pd.DataFrame) -> list[str]:
        return [
            LABELS[int(item.split("-")[1]) % 3] if item[0] == self.first[0] else "safe"
            for item in frame.index
        ]


@pytest.fixture(scope="module")
def over_time() -> pd.DataFrame:
    examples = [
        Example(f"{period}-{n}", LABELS[n % 3], year=2000 + period)
        for period in range(3)
        for n in range(30)
    ]
    dataset = Dataset(tuple(examples), LABELS, coarser=COARSER)
    return temporal_figures(dataset, {"memory": Memory()}, SETTINGS, count=3, held_out=0.2)


def test_a_model_does_best_on_the_period_it_learned_from(over_time: pd.DataFrame) -> None:
    matrix = wide(over_time, "temporal").set_index(["group", "item"])
    first = matrix.loc["memory, 3 classes · 2000"]
    assert first["f1"].tolist() == pytest.approx([1, 1 / 6, 1 / 6])
    assert first["distance"].tolist() == [0, 1, 2]
    assert first["train_items"].tolist() == [24, 24, 24]
    assert first["n"].tolist() == [6, 30, 30]
    # Of coarser labels the predictions are mapped: those of nsfw and hate are harmful.
    assert matrix.loc[("memory, 2 classes · 2000", "2001"), "accuracy"] == pytest.approx(1 / 3)


def corpus(name: str, train: int, test: int, *, one_year: str = "") -> list[Example]:
    """Harmful items have even numbers in the first dataset, odd ones in others."""
    examples = []
    for number in range(train + test):
        label = "harmful" if (number % 2 == 0) == (name == "large") else "safe"
        year = 2015 + number % 5
        if one_year:
            year = 2015 if label == one_year else 2016
        split = "train" if number < train else "test"
        item = f"{name}/{number}"
        examples.append(Example(item, label, split=split, year=year, other={"dataset": name}))
    return examples


class Parity(Known):
    """Learns whether even numbers are harmful."""

    def predict(self, frame: pd.DataFrame) -> list[str]:
        even = self.first.startswith("large")
        numbers = [int(item.split("/")[1]) for item in frame.index]
        return ["harmful" if (number % 2 == 0) == even else "safe" for number in numbers]


def transferred(*corpora: list[Example], window: tuple[int, int]) -> pd.DataFrame:
    dataset = Dataset(tuple(each for own in corpora for each in own), ("safe", "harmful"))
    return transfer_figures(dataset, {"parity": Parity()}, SETTINGS, windows={"small": window})


def test_deltas_are_those_of_the_papers_table() -> None:
    large, small = corpus("large", 200, 50), corpus("small", 40, 20)
    figures = transferred(large, small, window=(2016, 2017))
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


def test_the_shipped_map_knows_labels_of_the_shipped_taxonomies() -> None:
    from memeloc.taxonomy import load_taxonomy

    labels = load_label_map("harmful")
    for name in ("charmemes", "harmeme", "araharmeme", "multi3hate"):
        for label in load_taxonomy(name).of_role("vote", "abstain"):
            shared = labels.of(name, label.id)
            assert (shared == "harmful") == (label.severity > 0), label.id
