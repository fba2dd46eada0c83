"""By category, topic and template: each part as if it were alone, and what is left out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency
from statsmodels.stats.multitest import multipletests

from memeloc.analyze import Settings
from memeloc.analyze.cultures.breakdowns import breakdowns
from memeloc.errors import InputError
from memeloc.reports.figures import of_analysis, value_of
from tests.analyze.cultures.answers import simulated, written

FAST = Settings(permutations=99)


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return breakdowns(simulated(4, items=45), FAST)


def test_a_category_is_what_its_items_are_alone(rows: pd.DataFrame) -> None:
    answers = simulated(4, items=45)
    places = np.flatnonzero(answers.items["category"].to_numpy() == "tea")
    labels = answers.majority[places]
    same = (labels[:, 0] == labels[:, 2]).mean()
    assert value_of(rows, "breakdowns", "agreement", "category: tea · DE–US") == same
    hate = (labels[:, 1] == answers.labels.index("hate")).mean()
    assert value_of(rows, "breakdowns", "share_of_items", "category: tea · IN", "hate") == hate
    p = chi2_contingency(answers.votes[places].sum(axis=0)).pvalue
    assert (of_analysis(rows, "breakdowns", "p")["value"] - p).abs().min() < 1e-12


def test_p_values_are_corrected_for_the_number_of_parts(rows: pd.DataFrame) -> None:
    of_topics = rows[rows["group"].str.startswith("topic: ")]
    p = of_topics[of_topics["figure"] == "p"].sort_values(["group", "item"])
    corrected = of_topics[of_topics["figure"] == "p_holm"].sort_values(["group", "item"])
    kind = p["group"].str.replace(r"^topic: topic \d", "", regex=True) + p["item"]
    for _, own in p.groupby(kind):
        theirs = multipletests(own["value"], method="holm")[1]
        ours = corrected.set_index(["group", "item"])["value"]
        assert [ours[row.group, row.item] for row in own.itertuples()] == pytest.approx(theirs)


@pytest.mark.parametrize(
    ("about", "sentence"),
    [
        (None, "no category, topic or template of items is known"),
        (pd.DataFrame({"template": ["", None]}, index=["m1", "m2"]), "no category, topic"),
        (pd.DataFrame({"template": ["a", "a"]}, index=["m1", "m2"]), "All items have one template"),
    ],
)
def test_one_template_only_is_one_sentence(about: pd.DataFrame | None, sentence: str) -> None:
    votes = {"m1": {"US": "ab", "DE": "aa"}, "m2": {"US": "bb", "DE": "bb"}}
    with pytest.raises(InputError, match=sentence):
        breakdowns(written(votes, items=about), FAST)
