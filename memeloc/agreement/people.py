"""People beside each other. In: a long table of answers. Out: tables of people, and all measures.

If a person answers as the others do (`beside_others`), their answer to an item is any of the item's
answers with the same probability. So what they agree with the others has an expected value and a
spread that follow from the items alone: whoever got items that people differ on is not blamed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memeloc.agreement.coefficients import (
    Ratings,
    fleiss_kappa,
    further_answers,
    krippendorff_alpha,
    last_answer,
    observed_agreement,
)
from memeloc.arrays import NO_LABEL, Floats, Ints, majority

if TYPE_CHECKING:
    import pandas as pd


def measure(table: pd.DataFrame, levels: Mapping[str, float] | None = None) -> dict[str, Any]:
    """Return all measures of one culture's answers to one question.

    `shared` items have two answers or more; `cohen` is the mean over `pairs` of which kappa is
    defined; `further` is what one and two more answers an item would bring; `rest` and `pairs` are
    the rows of `against_rest`, of people who have items, and of `pairwise_kappa`. Raise InputError
    as `Ratings.of`, or if a label has no level.

    Args:
        levels: the labels' order, see `krippendorff_alpha`; None where they have none.
    """
    ratings = Ratings.of(table)
    pairs = pairwise_kappa(ratings)
    rest = against_rest(ratings).query("items > 0")
    kappas = pairs["kappa"].dropna()
    added = (further_answers(ratings, more) for more in (1, 2))
    return {
        "items": ratings.items,
        "shared": int((ratings.counts.sum(axis=1) > 1).sum()),
        "answers": len(ratings.item),
        "annotators": len(ratings.participants),
        "agreement": observed_agreement(ratings),
        "alpha": krippendorff_alpha(ratings),
        "alpha_ordinal": None if levels is None else krippendorff_alpha(ratings, levels),
        "fleiss": fleiss_kappa(ratings),
        "cohen": float(kappas.mean()) if len(kappas) else None,
        "last": last_answer(ratings),
        "further": tuple(filter(None, added)),
        "rest": _rows(rest),
        "pairs": _rows(pairs),
    }


def _rows(table: pd.DataFrame) -> tuple[dict[str, Any], ...]:
    """Return the rows in Python's own types, None for NaN."""
    rows: Any = table.astype(object).where(table.notna(), None).to_dict("records")
    return tuple(rows)


class Pairs(NamedTuple):
    """Each two people who answered a common item, and each two answers of theirs to one."""

    people: tuple[Ints, Ints]
    """Places of the participants, a pair of people."""
    pair: Ints
    """The pair of people of each two answers."""
    answers: tuple[Ints, Ints]
    """Places of the answers of the first and of the second."""


def pairs_of(ratings: Ratings) -> Pairs:
    """Return all pairs of answers to one item, each by the order of the participants."""
    people, sizes = len(ratings.participants), np.bincount(ratings.item, minlength=ratings.items)
    starts = np.cumsum(sizes) - sizes
    sides = [np.zeros((2, 0), np.int64)]
    for size in np.unique(sizes[sizes > 1]):
        start = starts[sizes == size][:, None]
        sides.append(np.stack([(start + side).ravel() for side in np.triu_indices(size, 1)]))
    first, second = np.concatenate(sides, axis=1)
    both, pair = np.unique(
        ratings.participant[first] * people + ratings.participant[second], return_inverse=True
    )
    return Pairs(np.divmod(both, max(people, 1)), pair, (first, second))


def pairwise_kappa(answers: pd.DataFrame | Ratings) -> pd.DataFrame:
    """Return Cohen's kappa (1960) of each two people, over the items that both answered.

    By `first` and `second` (participants, sorted): `items`, `agreement` (the share with the same
    label) and `kappa` (NaN where both gave one label only); pairs without a common item are left
    out. Raises as `Ratings.of`.
    """
    import pandas as pd

    ratings = Ratings.of(answers)
    people, pair, sides = pairs_of(ratings)
    first, second = (ratings.label[side] for side in sides)
    measured = _compared(pair, first, second, len(people[0]), len(ratings.labels))
    names = np.array(ratings.participants, dtype=object)
    return pd.DataFrame({"first": names[people[0]], "second": names[people[1]], **measured})


def against_rest(answers: pd.DataFrame | Ratings) -> pd.DataFrame:
    """Return each person beside the majority of the others, over items on which those have one.

    By `participant` (sorted): `items`, `agreement` (the share of items with the label of most
    others; of a tie there is none) and `kappa` (Cohen's, of the person and that label; NaN where it
    is not defined). Raises as `Ratings.of`.
    """
    import pandas as pd

    ratings = Ratings.of(answers)
    people, labels = len(ratings.participants), len(ratings.labels)
    others = ratings.counts[ratings.item] - (np.arange(labels) == ratings.label[:, None])
    most = majority(others)
    decided = most != NO_LABEL
    decided_votes = ratings.participant[decided], ratings.label[decided]
    measured = _compared(*decided_votes, most[decided], people, labels)
    return pd.DataFrame({"participant": np.array(ratings.participants, object), **measured})


def _compared(
    group: Ints, first: Ints, second: Ints, groups: int, labels: int
) -> dict[str, NDArray[Any]]:
    """Return Cohen's kappa of two rows of labels in each group; a group without any has none."""

    def shares(label: Ints) -> Floats:
        counts = np.bincount(group * labels + label, minlength=groups * labels)
        return counts.reshape(groups, labels) / items[:, None]

    # Not by tables of two labels: sets of answers are thousands of labels.
    items: Ints = np.bincount(group, minlength=groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        agreement = np.bincount(group, first == second, minlength=groups) / items
        expected = (shares(first) * shares(second)).sum(axis=1)
        # Where chance alone would agree throughout, rounding must not make a number of it.
        kappa = np.where(expected < 1 - 1e-12, (agreement - expected) / (1 - expected), np.nan)
    return {"items": items, "agreement": agreement, "kappa": kappa}


def beside_others(answers: pd.DataFrame | Ratings) -> pd.DataFrame:
    """Return how far each person agrees with the others, and how far anyone in their place would.

    By `participant` (sorted): `items` that others answered, too; `agreement`: of the others'
    answers to an item the share that are the same, as a mean over items; `expected`: that mean for
    somebody who answers as the others do; `z`: by how many standard deviations the person lies
    above it (NaN where all would agree as much); `skewness` of that distribution, for its tails:
    answers apart from the rest are rare, so it leans to the left. Raises as `Ratings.of`.
    """
    import pandas as pd

    ratings = Ratings.of(answers)
    people, counts = len(ratings.participants), ratings.counts
    sizes = counts.sum(axis=1, keepdims=True)
    score = np.where(counts > 0, counts - 1, 0) / np.maximum(sizes - 1, 1)
    chance = counts / sizes
    expected = (chance * score).sum(axis=1)
    away = score - expected[:, None]
    variance, third = ((chance * away**power).sum(axis=1) for power in (2, 3))
    shared = sizes[ratings.item, 0] > 1

    def total(values: Floats) -> Floats:
        sums = np.bincount(ratings.participant[shared], values[shared], people)
        return sums.astype(np.float64)

    items = np.bincount(ratings.participant[shared], minlength=people)
    found = total(score[ratings.item, ratings.label])
    middle, spread = total(expected[ratings.item]), np.sqrt(total(variance[ratings.item]))
    certain = spread < 1e-9
    with np.errstate(invalid="ignore", divide="ignore"):
        return pd.DataFrame(
            {
                "participant": np.array(ratings.participants, dtype=object),
                "items": items,
                "agreement": found / items,
                "expected": middle / items,
                "z": np.where(certain, np.nan, (found - middle) / spread),
                "skewness": np.where(certain, np.nan, total(third[ratings.item]) / spread**3),
            }
        )
