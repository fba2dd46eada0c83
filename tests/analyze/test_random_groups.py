"""Random groups of annotators: what is drawn, with which probability, and cultures beside it."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_hypergeom

from memeloc.analyze import Answers, Settings
from memeloc.analyze.cultures.random_groups import (
    agreement_chances,
    compared,
    random_groups,
    repeated_groups,
)
from memeloc.errors import InputError
from memeloc.reports.figures import value_of, wide
from tests.each import each

FAST = Settings(permutations=199, repetitions=1_000)


def _answers(
    seed: int, *, items: int = 60, cultures: str = "ABC", people: int = 5, shift: float = 0.0
) -> Answers:
    """Items that more or fewer people find funny; the last culture by `shift` more."""
    random = np.random.default_rng(seed)
    chance = random.beta(1, 1, size=items)
    rows = []
    for culture in cultures:
        moved = np.clip(chance + (shift if culture == cultures[-1] else 0), 0, 1)
        given = random.random((items, people)) < moved[:, None]
        rows += [
            (f"m{item:03d}", culture, f"{culture}{who}", "funny" if given[item, who] else "not")
            for item in range(items)
            for who in range(people)
        ]
    return Answers.of(pd.DataFrame(rows, columns=["item", "culture", "participant", "label"]))


def _drawn_by_hand(pools: np.ndarray, size: int, repetitions: int, seed: int) -> np.ndarray:
    """Groups drawn answer by answer with numpy's multivariate hypergeometric distribution."""
    random = np.random.default_rng(seed)
    agreements, labelled = np.zeros(repetitions), np.zeros(repetitions)
    for pool in pools:
        first = random.multivariate_hypergeometric(pool, size, size=repetitions)
        second = np.array([random.multivariate_hypergeometric(pool - f, size) for f in first])
        both = np.ones(repetitions, dtype=bool)
        for counts in (first, second):
            both &= (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) == 1
        labelled += both
        agreements += both & (first.argmax(axis=1) == second.argmax(axis=1))
    return agreements / labelled


POOLS = np.array([(13, 12, 0), (20, 3, 2), (9, 8, 8), (5, 5, 5), (24, 1, 0), (10, 9, 2)] * 5)


def test_drawn_distribution_is_that_of_drawn_groups() -> None:
    """Mean and deviation against groups drawn literally, ties among them."""
    groups, _ = repeated_groups(POOLS, 5, Settings(repetitions=20_000, seed=1))
    literal = _drawn_by_hand(POOLS, 5, 700, seed=2)
    error = literal.std() / np.sqrt(len(literal))
    assert not groups["exact"]
    assert groups["mean"] == pytest.approx(literal.mean(), abs=4 * error)
    assert groups["deviation"] == pytest.approx(literal.std(), rel=0.1)


def test_each_group_has_as_many_answers_as_its_culture() -> None:
    """Drawn answer by answer, of all answers to an item as many as each culture has there."""
    random = np.random.default_rng(3)
    counts = random.multinomial([[3, 6, 4]] * 40, [0.6, 0.4]).astype(np.int64)
    frame = compared(counts, 0.95)
    labels = counts[..., 0] > counts[..., 1]
    tied = counts[..., 0] == counts[..., 1]
    both = ~tied[:, 0] & ~tied[:, 1]
    expected = []
    for pool in counts[both].sum(axis=1):
        first = random.hypergeometric(pool[0], pool[1], 3, 4_000)
        rest = pool[0] - first, pool[1] - (3 - first)
        second = random.hypergeometric(*rest, 6)
        known = second != 3
        expected.append(((first > 1.5) == (second > 3))[known].mean())
    assert frame["n"][0] == both.sum()
    assert frame["agreement"][0] == pytest.approx((labels[:, 0] == labels[:, 1])[both].mean())
    assert frame["expected"][0] == pytest.approx(np.mean(expected), abs=0.005)


def test_p_is_that_of_the_number_of_items_that_agree() -> None:
    """Three items, each with three of six answers a label: all groups counted by hand."""
    counts = np.array([[[3, 0], [0, 3]]] * 3)
    frame = compared(counts, 0.95)
    # Of 20 ways to draw three of six one leaves the first group with all of a label, and so on: the
    # groups' majorities are always apart.
    assert frame["expected"][0] == pytest.approx(0)
    assert np.isnan(frame["p"][0])
    counts = np.array([[[3, 0], [0, 3], [2, 1], [1, 2]]] * 3)
    frame = compared(counts, 0.95)
    chance = frame["expected"][0]
    assert frame["p"][0] == pytest.approx(min(1, 2 * (1 - chance) ** 3))


def test_shifted_culture_agrees_less_than_random_groups() -> None:
    rows = random_groups(_answers(4, items=300, shift=0.5), replace(FAST, permutations=1_999))
    frame = wide(rows, "random-groups").set_index("group")
    assert frame.loc["A–C", "p_holm"] < 0.001
    assert frame.loc["A–C", "p_people_holm"] < 0.05
    assert frame.loc["A–B", "agreement"] > frame.loc["A–C", "agreement"]
    assert frame.loc["A–C", "agreement"] < frame.loc["A–C", "expected_low"]
    mean = value_of(rows, "multi3hate-groups", "mean_of_pairs")
    assert mean == pytest.approx(frame["agreement"].mean())


@each("pool", [(14, 11), (12, 9, 4), (25, 0), (8, 7, 6, 4)])
def test_chances_agree_with_scipys_distribution(pool: tuple[int, ...]) -> None:
    """Both groups' counts are multivariate hypergeometric, the second's given the first's."""
    counts = [count for count in product(range(6), repeat=len(pool)) if sum(count) == 5]
    same = apart = 0.0
    for first in counts:
        chance = multivariate_hypergeom.pmf(first, pool, 5)
        if not chance > 0:
            continue
        rest = np.subtract(pool, first)
        chances = multivariate_hypergeom.pmf(np.array(counts), rest, 5)
        for second, given in zip(counts, chances, strict=True):
            tops = [[label for label, n in enumerate(c) if n == max(c)] for c in (first, second)]
            if len(tops[0]) == len(tops[1]) == 1 and given > 0:
                same += chance * given * (tops[0] == tops[1])
                apart += chance * given * (tops[0] != tops[1])
    (found,) = agreement_chances(np.array([pool]), 5, 5)
    assert found == pytest.approx((same, apart), abs=1e-10)


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [((5, 5), "groups of 5 and 5 answers need 10"), ((0, 3), "1 answer or more, not 0")],
)
def test_groups_that_cannot_be_are_refused(sizes: tuple[int, int], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        agreement_chances(np.array([(5, 4)]), *sizes)
