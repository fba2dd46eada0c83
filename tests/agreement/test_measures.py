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
    pairwise_kappa,
)
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
