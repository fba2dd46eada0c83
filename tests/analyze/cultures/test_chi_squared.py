"""Chi-squared on answers and labels: against the peers and textbook examples; gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats.contingency import association
from statsmodels.stats.contingency_tables import Table as StatsmodelsTable
from statsmodels.stats.effect_size import _noncentrality_chisquare

from memeloc.analyze import Settings
from memeloc.analyze.cultures.chi_squared import chi_squared, pearson_test, residuals_of
from memeloc.errors import InputError
from memeloc.reports.figures import gaps, value_of, wide
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
