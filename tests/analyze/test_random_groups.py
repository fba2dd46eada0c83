"""Random groups of annotators: what is drawn, and cultures compared with it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

from memeloc.analyze import Answers, Settings
from memeloc.analyze.cultures.random_groups import draw_groups, random_groups
from memeloc.errors import InputError
from memeloc.statistics.significance import holm


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
    """Mean, deviation and quartiles against groups drawn literally, ties among them."""
    groups = draw_groups(POOLS, size=5, repetitions=20_000, seed=1)
    literal = _drawn_by_hand(POOLS, 5, 700, seed=2)
    error = literal.std() / np.sqrt(len(literal))
    assert not groups.exact
    assert groups.mean == pytest.approx(literal.mean(), abs=4 * error)
    assert groups.deviation == pytest.approx(literal.std(), rel=0.1)
    assert np.quantile(groups.repetitions, [0.25, 0.75]) == pytest.approx(
        np.quantile(literal, [0.25, 0.75]), abs=0.02
    )


def test_exact_mean_and_deviation_are_those_of_repetitions() -> None:
    pools = np.array([(13, 12), (20, 5), (9, 8), (5, 5), (24, 1)] * 20)
    groups = draw_groups(pools, size=5, repetitions=40_000, seed=1)
    assert groups.exact
    assert groups.mean == pytest.approx(groups.repetitions.mean(), abs=1e-3)
    assert groups.deviation == pytest.approx(groups.repetitions.std(), rel=0.02)


def test_approximate_moments_are_near_those_of_repetitions() -> None:
    groups = draw_groups(np.tile(POOLS, (10, 1)), size=5, repetitions=20_000, seed=1)
    mean, deviation = groups.expected()
    assert mean == pytest.approx(groups.mean, abs=0.001)
    assert deviation == pytest.approx(groups.deviation, rel=0.03)


def test_pair_is_set_against_groups_on_its_own_items() -> None:
    """Four people a culture are often tied, and the items that are left are the easy ones."""
    frame = random_groups(_answers(4, items=300, people=4), Settings(group_size=5)).tables[0].frame
    assert (frame["items"] < 270).all()
    assert (frame["z_same_items"] < frame["z"]).all()


def test_items_with_too_few_answers_are_left_out_and_counted() -> None:
    pools = np.array([(6, 4), (5, 4), (20, 0)])
    groups = draw_groups(pools, size=5, repetitions=10, seed=0)
    assert groups.drawn.tolist() == [True, False, True]
    assert len(groups.chances) == 2


def test_abstentions_are_not_drawn() -> None:
    table = _answers(3).table.copy()
    table.loc[table["participant"] == "A0", "label"] = "don't know"
    answers = Answers.of(table, abstentions=["don't know"])
    section = random_groups(answers, Settings(group_size=7, repetitions=50))
    assert section.figures["items"] == 60
    with pytest.raises(InputError, match="no item has 16 answers"):
        random_groups(answers, Settings(group_size=8, repetitions=50))


def test_cultures_without_difference_lie_within_the_groups() -> None:
    section = random_groups(_answers(4, items=300), Settings(repetitions=1_000))
    frame = section.tables[0].frame
    assert len(frame) == 3
    assert (frame["p_holm"] > 0.05).all()
    assert frame["z"].abs().max() < 2.5


def test_shifted_culture_agrees_less_than_random_groups() -> None:
    section = random_groups(_answers(4, items=300, shift=0.5), Settings(repetitions=1_000))
    frame = section.tables[0].frame.set_index(["first", "second"])
    assert frame.loc[("A", "C"), "p_holm"] < 0.001
    assert frame.loc[("A", "C"), "p_drawn"] == pytest.approx(1 / 1_001)
    assert frame.loc[("A", "B"), "agreement"] > frame.loc[("A", "C"), "agreement"]
    assert section.figures["mean_of_pairs"] == pytest.approx(frame["agreement"].mean())
    assert section.plots[0].marks["A–C"] == frame.loc[("A", "C"), "agreement"]


def test_p_values_are_scipys_and_correction_statsmodels() -> None:
    frame = random_groups(_answers(9, shift=0.3), Settings(repetitions=200)).tables[0].frame
    assert frame["p"].tolist() == pytest.approx(2 * norm.sf(frame["z"].abs()), rel=1e-9)
    assert frame["p_holm"].tolist() == pytest.approx(multipletests(frame["p"], method="holm")[1])


def test_holm_is_statsmodels_and_leaves_undefined_out() -> None:
    p = np.random.default_rng(1).random(40) ** 3
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])
    given = holm([0.01, float("nan"), 0.02])
    assert given[[0, 2]] == pytest.approx([0.02, 0.02])
    assert np.isnan(given[1])


def test_normality_holds_for_many_items_and_fails_for_one() -> None:
    many = draw_groups(np.array([(13, 12)] * 400), size=5, repetitions=2_000, seed=3)
    single = draw_groups(np.array([(13, 12)]), size=5, repetitions=2_000, seed=3)
    assert many.normality()[1] > 0.01
    assert single.normality()[1] < 1e-6


def test_unanimous_answers_leave_no_scale_and_a_gap() -> None:
    table = _answers(3).table.assign(label="funny")
    section = random_groups(Answers.of(table), Settings(repetitions=100))
    assert "always agree" in section.gaps[0]
    assert section.figures["mean_of_pairs_z"] is None
