"""Chi-squared on answers and labels: against the peers and textbook examples; gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats.contingency import association
from statsmodels.stats.contingency_tables import Table as StatsmodelsTable
from statsmodels.stats.contingency_tables import cochrans_q
from statsmodels.stats.effect_size import _noncentrality_chisquare

from memeloc.analyze import Settings
from memeloc.analyze.cultures.chi_squared import chi_squared, chi_squared_of, residuals_of
from memeloc.errors import InputError
from tests.analyze.cultures.answers import simulated, written

TABLES = arrays(
    np.int64, st.tuples(st.integers(2, 4), st.integers(2, 4)), elements=st.integers(1, 60)
)


def test_agresti_gender_and_party() -> None:
    # Agresti 2007, "An Introduction to Categorical Data Analysis", Table 2.5: chi-squared 30.1,
    # 2 degrees of freedom; standardized residual of the first cell 4.50.
    table = np.array([[762, 327, 468], [484, 239, 477]])
    test = chi_squared_of(table, 0.95)
    assert test.statistic == pytest.approx(30.07, abs=5e-3)
    assert test.dof == 2
    assert residuals_of(table)[1][0, 0] == pytest.approx(4.50, abs=5e-3)


@given(TABLES)
def test_a_table_is_tested_as_by_the_peers(table: np.ndarray) -> None:
    test = chi_squared_of(table, 0.95)
    peer = StatsmodelsTable(table, shift_zeros=False)
    nominal = peer.test_nominal_association()
    assert test.statistic == pytest.approx(nominal.statistic, abs=1e-9)
    assert test.dof == nominal.df
    assert test.p == pytest.approx(nominal.pvalue, abs=1e-9)
    assert test.cramers_v == pytest.approx(association(table, method="cramer"), abs=1e-9)
    assert np.allclose(residuals_of(table)[1], peer.standardized_resids)


@given(TABLES)
def test_the_interval_is_of_the_noncentral_distribution(table: np.ndarray) -> None:
    test = chi_squared_of(table, 0.9)
    assert test.low <= test.cramers_v <= max(test.high, test.cramers_v)
    if test.statistic > 2 * test.dof + 4:
        peer = _noncentrality_chisquare(test.statistic, test.dof, 0.1).confint
        largest = test.n * (min(table.shape) - 1)
        expected = np.sqrt(np.minimum(np.array(peer) / largest, 1))
        assert (test.low, test.high) == pytest.approx(tuple(expected), abs=1e-6)


def test_answers_and_labels_are_tested_as_by_pingouin() -> None:
    import pingouin  # takes a second to import

    answers = simulated(2, cultures=("DE", "IN", "MX", "US"))
    tests, _ = chi_squared(answers, Settings()).tables
    _, _, results = pingouin.chi2_independence(answers.table, "culture", "label", correction=False)
    pearson = results.set_index("test").loc["pearson"]
    row = tests.frame.iloc[0]
    columns = ["chi2", "dof", "cramer"]
    assert row[["statistic", "dof", "cramers_v"]].tolist() == pytest.approx(
        pearson[columns].tolist()
    )
    labels = np.stack([(answers.majority == label).sum(axis=0) for label in (0, 1)], axis=1)
    assert tests.frame["statistic"].iloc[1] == pytest.approx(chi_squared_of(labels, 0.95).statistic)
    assert tests.frame["n"].tolist() == [1200, 240, 60]
    assert list(tests.columns) == list(tests.frame.columns)


def test_labels_of_the_same_items_are_compared_by_cochrans_q() -> None:
    answers = simulated(2)
    row = chi_squared(answers, Settings()).tables[0].frame.iloc[2]
    peer = cochrans_q(answers.majority)
    assert (row["statistic"], row["dof"], row["p"]) == pytest.approx(
        (peer.statistic, peer.df, peer.pvalue)
    )


def test_a_label_that_nobody_gave_changes_nothing() -> None:
    table = np.array([[10, 0, 20], [15, 0, 9], [0, 0, 0]])
    assert chi_squared_of(table, 0.95) == chi_squared_of(table[:2][:, [0, 2]], 0.95)


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
        chi_squared(written(votes), Settings())


def test_ties_leave_the_test_of_answers() -> None:
    section = chi_squared(written({"m1": {"US": "ab", "DE": "aab"}}), Settings())
    assert list(section.figures) == ["answers"]
    assert section.gaps[0].startswith("Chi-squared on answers is rough")
    assert section.gaps[1] == "Chi-squared on labels: two cultures are needed, and there is 1."
