"""Answers as numbers. In: a long table. Out: `Ratings`, the arrays that all measures rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from memeloc.arrays import Ints
from memeloc.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


COLUMNS = ("item", "participant", "label")
"""Columns of a table: the item, who answered, and the label; others do not matter."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """Answers as numbers: the places of each, sorted by item, then person.

    Names of participants and labels are sorted; of items only the number is kept.
    """

    items: int
    participants: tuple[str, ...]
    labels: tuple[str, ...]
    item: Ints
    participant: Ints
    label: Ints

    @classmethod
    def of(cls, table: pd.DataFrame | Ratings, labels: Sequence[str] = ()) -> Ratings:
        """Return the answers of a long table with `COLUMNS`, in any order.

        A cell without a label is no answer, and a row that is there twice counts once. `labels` are
        those that could be given, too.

        Raises:
            InputError: a column is missing, or a person gave an item two different labels.
        """
        if isinstance(table, Ratings):
            return table
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
        item, items = pd.factorize(given["item"], sort=True)
        who, people = pd.factorize(given["participant"], sort=True)
        names = sorted({*labels, *given["label"]})
        label = pd.Index(names, dtype=object).get_indexer(given["label"].to_numpy(object))
        return cls(len(items), tuple(people), tuple(names), item, who, label)

    @cached_property
    def counts(self) -> Ints:
        """Return how often each label was given to each item: (items, labels)."""
        places = self.item * len(self.labels) + self.label
        flat = np.bincount(places, minlength=self.items * len(self.labels))
        return flat.reshape(self.items, len(self.labels))
