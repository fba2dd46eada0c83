"""By category, topic and template: each part as if it were alone, and what is left out."""

from __future__ import annotations

import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency
from statsmodels.stats.multitest import multipletests

from memeloc.analyze import Settings
from memeloc.analyze.cultures.between import agreement_between
from memeloc.analyze.cultures.breakdowns import by_category, by_template, by_topic
from memeloc.errors import InputError
from tests.analyze.cultures.answers import simulated, written

FAST = Settings(bootstraps=100)


def test_a_category_is_what_its_items_are_alone() -> None:
    answers = simulated(4, items=45)
    agreement, pairs, agree, tests, _, within = (
        table.frame for table in by_category(answers, FAST).tables
    )
    places = np.flatnonzero(answers.items["category"].to_numpy() == "tea")
    labels = answers.majority[places]
    tea = agreement.set_index("category").loc["tea"]
    each = {
        f"{answers.cultures[one]}–{answers.cultures[other]}": (
            labels[:, one] == labels[:, other]
        ).mean()
        for one, other in ((0, 1), (0, 2), (1, 2))
    }
    assert tea["agreement"] == pytest.approx(np.mean(list(each.values())))
    assert tea["highest_agreement"] == max(each.values()) == each[tea["highest"]]
    assert tea["lowest_agreement"] == min(each.values()) == each[tea["lowest"]]
    every = agree[(agree["category"] == "tea") & (agree["cultures"] == 3)]
    assert every["share"].tolist() == [(labels == labels[:, :1]).all(axis=1).mean()]
    assert pairs[pairs["category"] == "tea"]["agreement"].tolist() == list(each.values())
    tests = tests.set_index(["category", "counted"])
    table = answers.votes[places].sum(axis=0)
    assert tests.loc[("tea", "answers"), "p"] == pytest.approx(chi2_contingency(table).pvalue)
    corrected = multipletests(tests.xs("answers", level=1)["p"], method="holm")[1]
    assert tests.xs("answers", level=1)["p_holm"].tolist() == pytest.approx(corrected.tolist())
    alpha = krippendorff.alpha(
        value_counts=answers.votes[places, 0], level_of_measurement="nominal"
    )
    assert within.set_index(["category", "culture"]).loc[("tea", "DE"), "alpha"] == pytest.approx(
        alpha
    )


def test_the_last_row_is_of_all_items() -> None:
    answers = simulated(4, items=30)
    section = by_topic(answers, FAST)
    whole = agreement_between(answers, FAST).figures["mean"][0]
    assert section.tables[0].frame["agreement"].iloc[-1] == pytest.approx(whole)
    for table in section.tables:
        assert list(table.columns) == list(table.frame.columns)


def test_items_without_a_category_are_counted() -> None:
    about = pd.DataFrame({"category": ["tea", "cats"]}, index=["m000", "m001"])
    section = by_category(simulated(items=9, about=about), FAST)
    assert section.gaps == ("7 items without a category left out.",)
    assert section.tables[0].frame["category"].tolist() == ["cats", "tea", "all items"]


@pytest.mark.parametrize(
    ("about", "sentence"),
    [
        (None, "the template of items is not known"),
        (pd.DataFrame({"template": ["", None]}, index=["m1", "m2"]), "is not known"),
        (pd.DataFrame({"template": ["a", "a"]}, index=["m1", "m2"]), "all items have one template"),
    ],
)
def test_one_template_only_is_one_sentence(about: pd.DataFrame | None, sentence: str) -> None:
    votes = {"m1": {"US": "ab", "DE": "aa"}, "m2": {"US": "bb", "DE": "bb"}}
    with pytest.raises(InputError, match=sentence):
        by_template(written(votes, items=about), FAST)


def test_one_culture_keeps_its_labels_by_category() -> None:
    section = by_category(simulated(items=12, cultures=["US"]), FAST)
    assert section.gaps == ("All answers are of one culture, US.",)
    assert [table.name for table in section.tables] == ["category-labels", "category-within"]
