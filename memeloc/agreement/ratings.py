"""Answers as numbers. In: a long table. Out: `Ratings`, the arrays that all measures rest on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from memeloc.arrays import Ints
from memeloc.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


COLUMNS = ("item", "participant", "label")
"""What a table has: which item, who, and the label given; further columns do not matter."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """Who gave which item which label.

    Attributes:
        participants, labels: their names, sorted; `items` is how many items there are.
        item, participant, label: a place an answer, sorted by item: which item, and the places of
            the participant and the label in their names.
    """

    items: int
    participants: tuple[str, ...]
    labels: tuple[str, ...]
    item: Ints
    participant: Ints
    label: Ints

    @classmethod
    def of(cls, table: pd.DataFrame) -> Ratings:
        """The answers of a long table with `COLUMNS`, in any order.

        A cell without a label is no answer, and a row that is there twice counts once.

        Raises:
            InputError: a column is missing, or a person gave an item two different labels.
        """
        import pandas as pd

        for name in COLUMNS:
            if name not in table.columns:
                columns = ", ".join(COLUMNS)
                raise InputError(f"a table of answers has the columns {columns}", column=name)
        given = table[list(COLUMNS)]
        given = given[given["label"].notna() & (given["label"] != "")].astype(str).drop_duplicates()
        twice = given.duplicated(["item", "participant"])
        if twice.any():
            item, who, _ = given[twice].iloc[0]
            raise InputError(
                f"{who[:60]!r} gave two different labels to {item[:60]!r}; keep the one that counts"
            )
        given = given.sort_values(["item", "participant"])
        (item, items), (who, people), (label, labels) = (
            pd.factorize(given[name], sort=True) for name in COLUMNS
        )
        return cls(len(items), tuple(people), tuple(labels), item, who, label)

    @cached_property
    def counts(self) -> Ints:
        """How often each label was given to each item: a row an item, a column a label."""
        places = self.item * len(self.labels) + self.label
        flat = np.bincount(places, minlength=self.items * len(self.labels))
        return flat.reshape(self.items, len(self.labels))

    def pairs(self) -> Iterator[tuple[Ints, Ints]]:
        """All pairs of answers to one item, as places of answers; items with as many at a time."""
        sizes = self.counts.sum(axis=1)
        starts = np.cumsum(sizes) - sizes
        for size in np.unique(sizes[sizes > 1]):
            first, second = np.triu_indices(size, 1)
            start = starts[sizes == size][:, None]
            yield (start + first).ravel(), (start + second).ravel()
