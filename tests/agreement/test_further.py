"""What another answer would bring: by hand, and where the truth is known by simulation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from memeloc.agreement import fleiss_kappa, further_answers, last_answer
from tests.agreement.answers import table
from tests.each import each


def crowd(seed: int, *, items: int, answers: int, spread: float) -> np.ndarray:
    """Items by answers, of items whose shares of labels are drawn from a Dirichlet distribution."""
    random = np.random.default_rng(seed)
    shares = random.dirichlet([0.5 * spread, 0.3 * spread, 0.2 * spread], size=items)
    return np.array([random.choice(3, size=answers, p=row) for row in shares])


def long(given: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(
        [(f"m{i}", f"p{j}", "abc"[label]) for (i, j), label in np.ndenumerate(given)],
        columns=["item", "participant", "label"],
    )


def majority(given: np.ndarray) -> np.ndarray:
    counts = np.array([np.bincount(row, minlength=3) for row in given])
    best = counts == counts.max(axis=1, keepdims=True)
    return np.where(best.sum(axis=1) == 1, best.argmax(axis=1), 3)


def test_last_answer_worked_by_hand() -> None:
    # aaa: never changes. aab: without an a it is tied, two times of three. ab: tied, and has a
    # label without either. c: a single answer, not counted.
    answers = table({"m1": "aaa", "m2": "aab", "m3": "ab", "m4": "c"})
    assert last_answer(answers) == pytest.approx((0 + 2 / 3 + 1) / 3)


def test_further_answer_worked_by_hand() -> None:
    answers = table({"m1": "aaaa", "m2": "aabb", "m3": "bbbb", "m4": "abb."})
    kappa = fleiss_kappa(answers)
    assert kappa is not None
    shares = {"a": (1 + 1 / 2 + 0 + 1 / 3) / 4, "b": (0 + 1 / 2 + 1 + 2 / 3) / 4}
    further = further_answers(answers)
    assert further is not None
    assert further.open == pytest.approx(1 / 4)
    assert further.decided == pytest.approx(1 / 4)  # whatever comes breaks the tie of m2
    # Only m4 can lose its label: by another a.
    chance = (kappa * 1 + (1 - kappa) * shares["a"]) / (kappa * 3 + 1 - kappa)
    assert further.undone == pytest.approx(chance / 4)
    assert further.overturned == 0
    assert further.changed == pytest.approx(1 / 4 + chance / 4)


@each("more", [1, 2])
@each(("answers", "spread"), [(3, 1.0), (4, 1.0), (5, 3.0), (6, 8.0)])
def test_expected_changes_are_those_that_come(answers: int, spread: float, more: int) -> None:
    given = crowd(11, items=6000, answers=answers + more, spread=spread)
    further = further_answers(long(given[:, :answers]), more)
    assert further is not None
    now, then = majority(given[:, :answers]), majority(given)
    assert further.open == pytest.approx((now == 3).mean())
    # Four standard errors of a share of 6000.
    assert further.decided == pytest.approx(((now == 3) & (then != 3)).mean(), abs=0.026)
    assert further.undone == pytest.approx(((now != 3) & (then == 3)).mean(), abs=0.026)
    changed = ((now != 3) & (then != 3) & (now != then)).mean()
    assert further.overturned == pytest.approx(changed, abs=0.026)


@pytest.mark.parametrize("rows", [{}, {"m1": "a", "m2": "b"}, {"m1": "aa"}])
def test_nothing_is_expected_where_kappa_is_not_defined(rows: dict[str, str]) -> None:
    assert further_answers(table(rows)) is None
