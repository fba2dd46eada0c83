"""Chi-squared and other analyses of cultures: whatever the answers, and by category."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2_contingency
from scipy.stats.contingency import association
from statsmodels.stats.contingency_tables import Table as StatsmodelsTable
from statsmodels.stats.effect_size import _noncentrality_chisquare
from statsmodels.stats.multitest import multipletests

from memeloc.analyze import Answers, Settings, figures
from memeloc.analyze.analysis import ANALYSES
from memeloc.analyze.cultures.breakdowns import breakdowns
from memeloc.analyze.cultures.chi_squared import chi_squared, pearson_test, residuals_of
from memeloc.errors import InputError
from memeloc.reports.figures import gaps, of_analysis, value_of, wide
from tests.analyze.cultures.answers import simulated, written

FAST = Settings(permutations=199)


TABLES = arrays(
    np.int64, st.tuples(st.integers(2, 4), st.integers(2, 4)), elements=st.integers(1, 60)
)


@given(TABLES)
def test_a_table_is_tested_as_by_the_peers(table: np.ndarray) -> None:
    test = pearson_test(table, 0.95)
    peer = StatsmodelsTable(table, shift_zeros=False)
    nominal = peer.test_nominal_association()
    assert test["statistic"] == pytest.approx(nominal.statistic, abs=1e-9)
    assert test["dof"] == nominal.df
    assert test["p"] == pytest.approx(nominal.pvalue, abs=1e-9)
    assert test["cramers_v"] == pytest.approx(association(table, method="cramer"), abs=1e-9)
    assert np.allclose(residuals_of(table)[1], peer.standardized_resids)


@given(TABLES)
def test_the_interval_is_of_the_noncentral_distribution(table: np.ndarray) -> None:
    test = pearson_test(table, 0.9)
    assert (
        test["cramers_v_low"] <= test["cramers_v"] <= max(test["cramers_v_high"], test["cramers_v"])
    )
    if test["statistic"] > 2 * test["dof"] + 4:
        peer = _noncentrality_chisquare(test["statistic"], test["dof"], 0.1).confint
        largest = test["n"] * (min(table.shape) - 1)
        expected = np.sqrt(np.minimum(np.array(peer) / largest, 1))
        assert (test["cramers_v_low"], test["cramers_v_high"]) == pytest.approx(
            tuple(expected), abs=1e-6
        )


def test_answers_and_labels_are_tested_as_by_pingouin() -> None:
    import pingouin  # takes a second to import

    answers = simulated(2, cultures=("DE", "IN", "MX", "US"))
    frame = wide(chi_squared(answers, FAST), "chi-squared").set_index("group")
    _, _, results = pingouin.chi2_independence(answers.table, "culture", "label", correction=False)
    columns = ["statistic", "dof", "cramers_v"]
    peer = results.set_index("test").loc["pearson", ["chi2", "dof", "cramer"]]
    assert frame.loc["answers", columns].tolist() == pytest.approx(peer.tolist())
    labels = np.stack([(answers.majority == label).sum(axis=0) for label in (0, 1)], axis=1)
    statistic = pearson_test(labels, 0.95)["statistic"]
    assert frame.loc["labels of items", "statistic"] == pytest.approx(statistic)
    assert frame["n"].tolist() == [1200, 240, 60]


def test_people_who_differ_are_no_cultures_that_differ() -> None:
    """One of five people of a culture sees hate everywhere: more answers, but one person."""
    votes = {f"m{item}": {"DE": "hnnnn"[::1], "US": "nnnnn"} for item in range(60)}
    rows = chi_squared(written(votes), FAST)
    assert value_of(rows, "chi-squared", "p", "answers") < 1e-12
    assert value_of(rows, "chi-squared", "p_permuted", "answers") > 0.5


def test_too_few_people_cannot_differ_and_it_is_said() -> None:
    rows = chi_squared(written({f"m{n}": {"DE": "hh", "US": "nnn"} for n in range(20)}), FAST)
    assert value_of(rows, "chi-squared", "smallest_p", "answers") == pytest.approx(0.1)
    assert (
        "5 people can be shared out among the cultures in so few ways that p is 0.1"
        in gaps(rows)[0]
    )


@pytest.mark.parametrize(
    ("votes", "sentence"),
    [
        ({"m1": {"US": "ab"}}, "two cultures are needed, and there is 1"),
        ({"m1": {"US": "aa", "DE": "aa"}}, "two labels are needed, and there is 1"),
    ],
)
def test_one_culture_or_label_cannot_be_tested(
    votes: dict[str, dict[str, str]], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        chi_squared(written(votes), FAST)


ROWS = st.dictionaries(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("12345")),
    st.tuples(st.sampled_from(["no", "some", "yes", "?"]), st.sampled_from(["tea", "cats", ""])),
    min_size=1,
    max_size=20,
)


@settings(max_examples=10, deadline=None)
@example({("a", "1"): ("?", ""), ("a", "2"): ("?", "tea")}, 2, False)
@example({("a", "1"): ("no", "cats"), ("b", "2"): ("yes", "tea")}, 2, True)
@example(
    {("a", "1"): ("no", "cats"), ("a", "2"): ("yes", "cats"), ("b", "1"): ("yes", "tea")}, 1, True
)
@given(ROWS, st.integers(1, 3), st.booleans())
def test_every_analysis_has_rows_or_says_why_not(
    rows: dict[tuple[str, str], tuple[str, str]], cultures: int, scale: bool
) -> None:
    table = pd.DataFrame(
        [
            (item, f"culture {int(person) % cultures}", person, label)
            for (item, person), (label, _) in rows.items()
        ],
        columns=["item", "culture", "participant", "label"],
    )
    about = pd.DataFrame({"category": {item: about for (item, _), (_, about) in rows.items()}})
    answers = Answers.of(
        table,
        labels=["no", "some", "yes"],
        abstentions=["?"],
        levels={"no": 0, "some": 1, "yes": 2} if scale else None,
        items=about,
    )
    # The models of annotators take a second an example; tests/agreement has them.
    names = [name for name in ANALYSES if name != "further-measures"]
    found = figures(answers, Settings(permutations=19, repetitions=20), names)
    assert set(found["analysis"]) >= set(names)
    assert not found["method"].str.contains("nan").any()
    assert not found.duplicated(["analysis", "group", "item", "figure", "method"]).any()
    shares = found[found["figure"].str.match("share|agreement")]
    assert not (shares[["value", "low", "high"]] > 1).any(axis=None)
    inside = found.dropna(subset=["value", "low"])
    assert ((inside["low"] <= inside["value"] + 1e-9) | (inside["figure"] == "expected")).all()
    assert ((inside["value"] <= inside["high"] + 1e-9) | (inside["figure"] == "expected")).all()


FASTER = Settings(permutations=99)


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return breakdowns(simulated(4, items=45), FASTER)


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
        breakdowns(written(votes, items=about), FASTER)
