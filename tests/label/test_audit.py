"""The audit: kappas as other programs compute them, outliers, and a page."""

from __future__ import annotations

import random

import pandas as pd
import pytest
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss

from memeloc.label.audit import Audit, audit, audit_section

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
def result(people: tuple[pd.DataFrame, dict[str, str]]) -> Audit:
    return audit(*people, "tiny", ["a-4"])


def test_kappas_are_those_of_statsmodels(
    people: tuple[pd.DataFrame, dict[str, str]], result: Audit
) -> None:
    answers, labels = people
    for person in result.people:
        own = answers[answers["participant"] == person.participant].set_index("item")["label"]
        model = pd.Series(labels)[own.index]
        table = pd.crosstab(own, model).to_numpy()
        assert person.kappa == pytest.approx(cohens_kappa(table, return_results=False))
    wide = answers[answers["participant"] != "a-4"].pivot_table(
        index="item", columns="participant", values="label", aggfunc="first"
    )
    assert result.fleiss_kept == pytest.approx(fleiss(aggregate_raters(wide.to_numpy())[0]))


def test_who_stands_out_is_named_and_counted_apart(result: Audit) -> None:
    assert [person.participant for person in result.people if person.outlier] == ["a-4"]
    assert result.people[-1].participant == "a-4"
    kept = [person.kappa for person in result.people if not person.outlier]
    assert result.kappa == pytest.approx(sum(map(float, filter(None, kept))) / 3)
    assert "a-4 stands out from the others" in " ".join(audit_section(result).sentences)
