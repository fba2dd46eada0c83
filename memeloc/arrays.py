"""Numpy's arrays. In: counts. Out: types of arrays of any shape, and which label most gave."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NO_LABEL = -1
"""The place of the label of an item that has none: of a tie, or without answers that vote."""


def majority(counts: Ints) -> Ints:
    """Return by (..., labels) of counts the place of the highest, or `NO_LABEL`: (...).

    >>> majority(np.array([[1, 3], [2, 2], [0, 0]])).tolist()
    [1, -1, -1]
    """
    # One column more, so that a label alone is no special case.
    best = np.pad(
        counts == counts.max(axis=-1, keepdims=True, initial=1),
        [(0, 0)] * (counts.ndim - 1) + [(0, 1)],
    )
    winners: Ints = np.where(best.sum(axis=-1) == 1, best.argmax(axis=-1), NO_LABEL)
    return winners
