"""Items that divide: entropies worked by hand and against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from memeloc.analyze import Settings
from memeloc.analyze.cultures.dividing import dividing_items, entropies_of, most_dividing
from memeloc.reports.figures import value_of, wide
from tests.analyze.cultures.answers import written


@given(arrays(np.int64, (4, 2, 3), elements=st.integers(0, 5)))
def test_entropies_are_those_of_scipy(votes: np.ndarray) -> None:
    pooled, within, divergence = entropies_of(votes)
    for item, counts in enumerate(votes):
        present = counts[counts.sum(axis=1) > 0]
        if not len(present):
            assert np.isnan([pooled[item], within[item], divergence[item]]).all()
            continue
        shares = present / present.sum(axis=1, keepdims=True)
        assert pooled[item] == pytest.approx(entropy(shares.mean(axis=0), base=2), abs=1e-9)
        assert within[item] == pytest.approx(entropy(shares, axis=1, base=2).mean(), abs=1e-9)
        if len(present) == 2:
            distance = jensenshannon(*shares, base=2)
            expected = 0 if np.isnan(distance) else distance**2
            assert divergence[item] == pytest.approx(expected, abs=1e-9)
        else:
            assert np.isnan(divergence[item])


def test_items_that_divide_cultures_come_before_those_that_divide_people() -> None:
    answers = written(
        {
            "agreed": {"US": "aaaa", "DE": "aaaa"},
            "cultures": {"US": "aaaa", "DE": "bbbb"},
            "people": {"US": "aabb", "DE": "aabb"},
            "silent": {"US": "??", "DE": "?"},
        },
        abstentions=["?"],
    )
    rows = dividing_items(answers, Settings())
    frame = wide(rows, "dividing-items", "divergence", "entropy", "within").query("item != ''")
    frame = frame.set_index("item")
    assert list(frame.index) == ["cultures", "people", "agreed", "silent"]
    assert frame.loc["cultures", ["divergence", "entropy", "within"]].tolist() == [1, 1, 0]
    assert frame.loc["people", ["divergence", "entropy", "within"]].tolist() == [0, 1, 1]
    assert most_dividing(rows, 12) == ["cultures"]
    assert value_of(rows, "dividing-items", "differing") == 1
    assert value_of(rows, "dividing-items", "votes: b", "DE", "cultures") == 4
