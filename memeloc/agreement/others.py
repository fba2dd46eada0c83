"""Each person beside the others on the same items. In: a long table. Out: agreement and its chance.

If a person answers as the others do, their answer to an item is any of the item's answers with the
same probability. So what they agree with the others has an expected value and a spread that follow
from the items alone: whoever got the items that people differ on is not blamed for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memeloc.agreement.ratings import Ratings
from memeloc.arrays import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd


def agreement_by_label(counts: Ints) -> Floats:
    """By item and label the share of the other answers that are the same, 0 to 1.

    NaN for labels that an item has not, and for items with one answer.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = (counts - 1) / (counts.sum(axis=1, keepdims=True) - 1)
    defined: Floats = np.where((counts > 0) & np.isfinite(shares), shares, np.nan)
    return defined


def beside_others(answers: pd.DataFrame | Ratings) -> pd.DataFrame:
    """How far each person agrees with the others, and how far anyone in their place would.

    Raises as `Ratings.of`.

    Returns:
        `participant` (sorted); `items` that others answered, too; `agreement`: of the others'
        answers to an item the share that are the same, as a mean over items; `expected`: that
        mean for somebody who answers as the others do; `z`: by how many standard deviations the
        person lies above it (NaN where all would agree as much); `skewness` of that distribution,
        for its tails: answers apart from the rest are rare, so it leans to the left.
    """
    import pandas as pd

    ratings = answers if isinstance(answers, Ratings) else Ratings.of(answers)
    people, counts = len(ratings.participants), ratings.counts
    score = agreement_by_label(counts)
    filled = np.nan_to_num(score)
    chance = counts / counts.sum(axis=1, keepdims=True)
    expected = (chance * filled).sum(axis=1)
    away = filled - expected[:, None]
    variance, third = ((chance * away**power).sum(axis=1) for power in (2, 3))
    shared = counts.sum(axis=1)[ratings.item] > 1

    def total(values: Floats) -> Floats:
        sums = np.bincount(ratings.participant[shared], values[shared], minlength=people)
        return sums.astype(np.float64)

    items = total(np.ones(len(ratings.item)))
    observed = total(filled[ratings.item, ratings.label])
    middle, spread = total(expected[ratings.item]), np.sqrt(total(variance[ratings.item]))
    lean = total(third[ratings.item])
    with np.errstate(invalid="ignore", divide="ignore"):
        certain = spread < 1e-9
        return pd.DataFrame(
            {
                "participant": np.array(ratings.participants, dtype=object),
                "items": items.astype(np.int64),
                "agreement": observed / items,
                "expected": middle / items,
                "z": np.where(certain, np.nan, (observed - middle) / spread),
                "skewness": np.where(certain, np.nan, lean / spread**3),
            }
        )
