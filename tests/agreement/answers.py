"""Tables of answers for tests: drawn with missing cells, and written by hand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd


def table(rows: Mapping[str, str]) -> pd.DataFrame:
    """By item the labels of the people ann, ben, cem, dot, eli, a letter each; `.` for none."""
    people = ("ann", "ben", "cem", "dot", "eli")
    return pd.DataFrame(
        [
            (item, who, label)
            for item, labels in rows.items()
            for who, label in zip(people, labels, strict=False)
            if label != "."
        ],
        columns=["item", "participant", "label"],
        dtype=object,
    )


def drawn(
    seed: int, *, items: int = 40, people: int = 5, labels: str = "abc", missing: float = 0.0
) -> pd.DataFrame:
    """People who give an item's own label in two answers of three, else any; cells missing."""
    random = np.random.default_rng(seed)
    true = random.integers(len(labels), size=items)
    given = np.where(
        random.random((items, people)) < 0.67,
        true[:, None],
        random.integers(len(labels), size=(items, people)),
    )
    there = random.random((items, people)) >= missing
    return pd.DataFrame(
        [
            (f"m{item:03d}", f"p{who}", labels[given[item, who]])
            for item in range(items)
            for who in range(people)
            if there[item, who]
        ],
        columns=["item", "participant", "label"],
        dtype=object,
    )
