"""The audit: kappas as other programs compute them, outliers, and a page."""

from __future__ import annotations

import random

import pandas as pd
import pytest
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss

from memeloc.label.rounds import audit
from memeloc.reports.figures import gaps, value_of, wide

CATEGORIES = ["safe", "offensive", "nsfw"]


@pytest.fixture(scope="module")
def people() -> tuple[pd.DataFrame, dict[str, str]]:
    """Three people who mostly agree with a model on 60 items, and one who seldom does."""
    chance = random.Random(3)
    labels = {f"m{number}": chance.choice(CATEGORIES) for number in range(60)}
    rows = [
        (meme, person, label if chance.random() < right else chance.choice(CATEGORIES))
        for person, right in (("a-1", 0.9), ("a-2", 0.9), ("a-3", 0.8), ("a-4", 0.1))
        for meme, label in labels.items()
    ]
    return pd.DataFrame(rows, columns=["item", "participant", "label"]), labels


@pytest.fixture(scope="module")
def result(people: tuple[pd.DataFrame, dict[str, str]]) -> pd.DataFrame:
    return audit(*people, "tiny", ["a-4"])


def test_kappas_are_those_of_statsmodels(
    people: tuple[pd.DataFrame, dict[str, str]], result: pd.DataFrame
) -> None:
    answers, labels = people
    for person, kappa in wide(result, "audit-people").set_index("item")["kappa"].items():
        own = answers[answers["participant"] == person].set_index("item")["label"]
        table = pd.crosstab(own, pd.Series(labels)[own.index]).to_numpy()
        assert kappa == pytest.approx(cohens_kappa(table, return_results=False))
        assert kappa == value_of(result, "audit-pairs", "kappa", f"tiny–{person}")
    answered = answers[answers["participant"] != "a-4"].pivot_table(
        index="item", columns="participant", values="label", aggfunc="first"
    )
    expected = fleiss(aggregate_raters(answered.to_numpy())[0])
    assert value_of(result, "audit", "fleiss_kept") == pytest.approx(expected)


def test_who_stands_out_is_named_and_counted_apart(result: pd.DataFrame) -> None:
    people = wide(result, "audit-people").set_index("item")
    assert people["outlier"].to_dict() == {"a-1": 0, "a-2": 0, "a-3": 0, "a-4": 1}
    assert people.index[-1] == "a-4"
    assert value_of(result, "audit", "kappa") == pytest.approx(people["kappa"].iloc[:3].mean())


def test_sample_that_nobody_labelled_is_said() -> None:
    nobody = pd.DataFrame(columns=["item", "participant", "label"])
    assert gaps(audit(nobody, {"m1": "safe"}, "tiny")) == ["Nobody has labelled the sample yet."]
