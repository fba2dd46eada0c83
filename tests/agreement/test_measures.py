"""Measures of agreement: against the peers' implementations, and worked by hand."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import krippendorff
import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from memeloc.agreement import (
    against_rest,
    fleiss_kappa,
    krippendorff_alpha,
    observed_agreement,
    pairwise_kappa,
)
from memeloc.errors import InputError
from tests.agreement.answers import drawn, table
from tests.each import each

SEVERITY = {"a": 0, "b": 1, "c": 2}
HAND = table({"m1": "aaa", "m2": "aab", "m3": "bbb", "m4": "abb"})
"""Worked out below: twelve answers, six of each label."""


def matrix(answers: pd.DataFrame) -> np.ndarray:
    """People by items, labels as numbers, NaN where there is none: as the peers take it."""
    codes = answers.assign(label=answers["label"].map(SEVERITY))
    return codes.pivot(index="participant", columns="item", values="label").to_numpy(dtype=float)


def test_alpha_of_the_example_worked_by_hand() -> None:
    # Of the 12 answers 6 are a, 6 b. Pairs that differ: m2 and m4 have two of three each, in both
    # orders 4, divided by m - 1 = 2: 2 an item, 4 in all, of 12. By chance: 2 * 6 * 6 / (12 * 11).
    expected = 1 - Fraction(4, 12) / Fraction(2 * 6 * 6, 12 * 11)
    assert krippendorff_alpha(HAND) == pytest.approx(float(expected))
    assert float(expected) == pytest.approx(0.3888888889)


def test_fleiss_kappa_of_the_example_worked_by_hand() -> None:
    # Pairs of answers that agree, by item: 3, 1, 3 and 1 of 3. By chance: 1/2 squared, twice.
    observed = Fraction(3 + 1 + 3 + 1, 12)
    expected = (observed - Fraction(1, 2)) / (1 - Fraction(1, 2))
    assert fleiss_kappa(HAND) == pytest.approx(float(expected)) == pytest.approx(1 / 3)
    assert observed_agreement(HAND) == pytest.approx(float(observed))


def test_pairwise_kappa_of_the_example_worked_by_hand() -> None:
    # ann: a a b a; ben: a a b b; cem: a b b b.
    # ann and ben agree on 3 of 4; by chance 3/4 * 1/2 + 1/4 * 1/2 = 1/2: (3/4 - 1/2) / (1/2).
    # ann and cem agree on 2 of 4; by chance 3/4 * 1/4 + 1/4 * 3/4 = 3/8: (1/2 - 3/8) / (5/8).
    pairs = pairwise_kappa(HAND)
    assert list(zip(pairs["first"], pairs["second"], strict=True)) == [
        ("ann", "ben"), ("ann", "cem"), ("ben", "cem"),
    ]  # fmt: skip
    assert pairs["kappa"].tolist() == pytest.approx([0.5, 0.2, 0.5])
    assert pairs["items"].tolist() == [4, 4, 4]


def test_each_against_the_rest_worked_by_hand() -> None:
    # ann beside ben and cem: a/a, -, b/b, a/b; of m2 the others are tied.
    rest = against_rest(HAND).set_index("participant")
    assert rest.loc["ann", "items"] == 3
    assert rest.loc["ann", "agreement"] == pytest.approx(2 / 3)
    # By chance 2/3 * 1/3 + 1/3 * 2/3 = 4/9: (2/3 - 4/9) / (5/9).
    assert rest.loc["ann", "kappa"] == pytest.approx(0.4)


@each("missing", [0.0, 0.3, 0.6])
@each("seed", range(5))
def test_alpha_is_krippendorffs(seed: int, missing: float) -> None:
    answers = drawn(seed, missing=missing)
    for levels, measurement in ((None, "nominal"), (SEVERITY, "ordinal")):
        peer = krippendorff.alpha(
            reliability_data=matrix(answers),
            level_of_measurement=measurement,
            value_domain=[0, 1, 2],
        )
        assert krippendorff_alpha(answers, levels) == pytest.approx(peer)


@each("seed", range(5))
def test_fleiss_kappa_is_that_of_statsmodels(seed: int) -> None:
    answers = drawn(seed)
    counts = pd.crosstab(answers["item"], answers["label"]).to_numpy()
    assert fleiss_kappa(answers) == pytest.approx(statsmodels_fleiss(counts, method="fleiss"))


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_pairwise_kappa_is_that_of_statsmodels(missing: float) -> None:
    answers = drawn(7, missing=missing)
    wide = answers.pivot(index="item", columns="participant", values="label")
    pairs = pairwise_kappa(answers).set_index(["first", "second"])
    for first, second in combinations(sorted(wide.columns), 2):
        both = wide[[first, second]].dropna()
        square = pd.crosstab(both[first], both[second]).reindex(
            index=list("abc"), columns=list("abc"), fill_value=0
        )
        peer = cohens_kappa(square.to_numpy(), return_results=False)
        assert pairs.loc[(first, second), "kappa"] == pytest.approx(peer)
        assert pairs.loc[(first, second), "items"] == len(both)


def test_against_rest_is_that_counted_apart() -> None:
    answers = drawn(3, missing=0.3)
    given = {(row.item, row.participant): row.label for row in answers.itertuples()}
    rest = against_rest(answers).set_index("participant")
    for who in sorted(set(answers["participant"])):
        pairs = []
        for item in sorted(set(answers["item"])):
            others = Counter(
                label for (one, other), label in given.items() if one == item and other != who
            ).most_common()
            ahead = others and (len(others) == 1 or others[0][1] > others[1][1])
            if ahead and (item, who) in given:
                pairs.append((given[item, who], others[0][0]))
        square = pd.crosstab(*map(pd.Series, zip(*pairs, strict=True))).reindex(
            index=list("abc"), columns=list("abc"), fill_value=0
        )
        assert rest.loc[who, "items"] == len(pairs)
        assert rest.loc[who, "agreement"] == pytest.approx(np.mean([a == b for a, b in pairs]))
        assert rest.loc[who, "kappa"] == pytest.approx(
            cohens_kappa(square.to_numpy(), return_results=False)
        )


def test_labels_of_one_severity_are_the_same_to_the_ordinal_alpha() -> None:
    answers = table({"m1": "ab", "m2": "ba", "m3": "cc", "m4": "cc"})
    assert krippendorff_alpha(answers, {"a": 1, "b": 1, "c": 0}) == pytest.approx(1.0)
    assert (krippendorff_alpha(answers) or 0) < 0.6


def test_ordinal_alpha_forgives_neighbours_more_than_extremes() -> None:
    near = table({"m1": "ab", "m2": "bc", "m3": "aa", "m4": "cc", "m5": "bb"})
    far = table({"m1": "ac", "m2": "ca", "m3": "aa", "m4": "cc", "m5": "bb"})
    assert (krippendorff_alpha(near, SEVERITY) or 0) > (krippendorff_alpha(far, SEVERITY) or 0)


@each(
    ("name", "rows"),
    [
        ("no answers", {}),
        ("one rater", {"m1": "a", "m2": "b"}),
        ("nobody shares an item", {"m1": "a..", "m2": ".b.", "m3": "..a"}),
        ("one label", {"m1": "aaa", "m2": "aaa"}),
    ],
)
def test_no_measure_without_pairs_or_variance(name: str, rows: dict[str, str]) -> None:
    answers = table(rows)
    assert krippendorff_alpha(answers) is None
    assert krippendorff_alpha(answers, SEVERITY) is None
    assert fleiss_kappa(answers) is None
    assert pairwise_kappa(answers)["kappa"].isna().all()
    assert against_rest(answers)["kappa"].isna().all()


def test_one_label_still_has_an_observed_agreement() -> None:
    answers = table({"m1": "aaa", "m2": "aaa"})
    assert observed_agreement(answers) == 1.0
    assert pairwise_kappa(answers)["agreement"].tolist() == [1.0, 1.0, 1.0]


def test_items_with_one_answer_do_not_count() -> None:
    more = pd.concat([HAND, table({"m5": "a", "m6": "b"})])
    assert fleiss_kappa(more) == fleiss_kappa(HAND)
    assert krippendorff_alpha(more) == krippendorff_alpha(HAND)


def test_full_agreement_is_one() -> None:
    answers = table({"m1": "aaa", "m2": "bbb"})
    assert krippendorff_alpha(answers) == fleiss_kappa(answers) == 1.0
    assert pairwise_kappa(answers)["kappa"].tolist() == [1.0, 1.0, 1.0]


def test_order_of_rows_and_repeated_rows_change_nothing() -> None:
    answers = drawn(1, missing=0.2)
    other = pd.concat([answers, answers]).sample(frac=1, random_state=1)
    assert krippendorff_alpha(other) == krippendorff_alpha(answers)
    pd.testing.assert_frame_equal(pairwise_kappa(other), pairwise_kappa(answers))
    pd.testing.assert_frame_equal(against_rest(other), against_rest(answers))


def test_two_labels_of_one_person_are_refused() -> None:
    answers = pd.concat([HAND, HAND.iloc[:1].assign(label="b")])
    with pytest.raises(InputError, match="'ann' gave two different labels to 'm1'"):
        fleiss_kappa(answers)


def test_missing_column_is_named() -> None:
    with pytest.raises(InputError, match="item, participant, label"):
        fleiss_kappa(HAND.rename(columns={"label": "answer"}))


def test_label_without_a_level_is_named() -> None:
    with pytest.raises(InputError, match="'b' has no level"):
        krippendorff_alpha(HAND, {"a": 0})
