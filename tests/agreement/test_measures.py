"""Measures of agreement: against the peers' implementations, and worked by hand."""

from __future__ import annotations

from collections import Counter

import krippendorff
import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from memeloc.agreement import (
    against_rest,
    fleiss_kappa,
    krippendorff_alpha,
    pairwise_kappa,
)
from tests.agreement.answers import drawn, table
from tests.each import each

SEVERITY = {"a": 0, "b": 1, "c": 2}


def matrix(answers: pd.DataFrame) -> np.ndarray:
    """People by items, labels as numbers, NaN where there is none: as the peers take it."""
    codes = answers.assign(label=answers["label"].map(SEVERITY))
    return codes.pivot(index="participant", columns="item", values="label").to_numpy(dtype=float)


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
