"""Answers and settings of an analysis. In: data frames. Out: `Answers`, their votes; `Settings`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from memeloc.arrays import Ints, majority
from memeloc.counts import counted
from memeloc.errors import InputError

COLUMNS = ("item", "culture", "participant", "label")
"""Columns of a table of answers; others do not matter."""
ITEM_COLUMNS = ("category", "topic", "template")
"""Facts about items, each optional, that the analyses are repeated by."""
VERSION_COLUMNS = ("item", "culture", "language", "text", "picture")
"""An item as one culture saw it; `picture` is a file's path, empty for none."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of an analysis; they stand in the report.

    Attributes:
        seed: of everything drawn at random. Each use derives its own generator with
            `numpy.random.default_rng([seed, number])`, so that results do not depend on order.
        repetitions: of random annotator groups (multi3hate 4.2).
        group_size: answers a random group (multi3hate 4.2: five).
        least_answers: votes that an item should have in a culture (multi3hate 3.3: five).
        permutations: of people between cultures, behind a p-value.
        confidence: of the intervals.
        smallest_cell: people whom a cell of a demographic table must have to be shown.
        pair: two cultures whose differing items are listed; None for the pair that agrees least.
    """

    seed: int = 0
    repetitions: int = 10_000
    group_size: int = 5
    least_answers: int = 5
    permutations: int = 1_999
    confidence: float = 0.95
    smallest_cell: int = 5
    pair: tuple[str, str] | None = None


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of people, and of models; made with `Answers.of`.

    Attributes:
        table: a row an answer, with `COLUMNS` as text; an item and participant have one row.
        labels: the labels that take part in the vote, in the order of the scale.
        abstentions: labels that are stored and left out of the vote, such as "I don't know".
        levels: by label its place on the scale, where the labels have an order.
        items: a row an item, indexed by it, with those of `ITEM_COLUMNS` that are known.
        people: a row a participant, indexed by it: `culture`, then a column a demographic question.
        versions: with `VERSION_COLUMNS`; empty where texts and pictures are not known.
        models: what models answered, like `table`; the model is the `participant`, and its
            `culture` the one that it was asked as, empty for none. Never part of a vote.
    """

    table: pd.DataFrame
    labels: tuple[str, ...]
    abstentions: frozenset[str]
    levels: Mapping[str, float] | None
    items: pd.DataFrame
    people: pd.DataFrame
    versions: pd.DataFrame
    models: pd.DataFrame
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def of(
        cls,
        table: pd.DataFrame,
        *,
        labels: Sequence[str] = (),
        abstentions: Iterable[str] = (),
        levels: Mapping[str, float] | None = None,
        items: pd.DataFrame | None = None,
        people: pd.DataFrame | None = None,
        versions: pd.DataFrame | None = None,
        models: pd.DataFrame | None = None,
        notes: Sequence[str] = (),
    ) -> Answers:
        """Return the tables, checked and in order; `notes` are those of whoever read them.

        Cells without a label are no answers, and rows that are there twice count once. Without
        `labels` they are those of the table that are no abstentions, sorted; with them, answers
        with other labels take no part, and are noted.

        Raises:
            InputError: a column is missing, a participant gave an item two different labels, or an
                item has two rows in `items`.
        """
        if lacking := [name for name in COLUMNS if name not in table.columns]:
            message = f"a table of answers has the columns {', '.join(COLUMNS)}"
            raise InputError(message, column=lacking[0])
        given = table.loc[table["label"].notna() & (table["label"] != ""), list(COLUMNS)]
        given = given.astype(str).drop_duplicates()
        twice = given.duplicated(["item", "participant"])
        if twice.any():
            row = given[twice].iloc[0]
            raise InputError(
                f"{row['participant']!r} gave {row['item']!r} two answers; keep the one that counts"
            )
        given = given.sort_values(["item", "culture", "participant"], ignore_index=True)
        if items is not None:
            items = items.set_axis(items.index.astype(str), axis="index")
            if items.index.has_duplicates:
                name = items.index[items.index.duplicated()][0]
                message = f"the table of items has two rows for {name[:60]!r}"
                raise InputError(message, column="item")
        left_out = frozenset(abstentions)
        names = tuple(labels) or tuple(sorted(set(given["label"]) - left_out))
        unknown = given.loc[~given["label"].isin([*names, *left_out]), "label"].tolist()
        if unknown:
            answers, label = counted(len(unknown), "answer"), unknown[0][:60]
            notes = [*notes, f"{answers} with other labels, such as {label!r}, took no part"]
        return cls(
            table=given,
            labels=names,
            abstentions=left_out,
            levels=levels,
            items=pd.DataFrame(index=given["item"].unique()) if items is None else items,
            people=given.groupby("participant")[["culture"]].first() if people is None else people,
            versions=pd.DataFrame(columns=list(VERSION_COLUMNS)) if versions is None else versions,
            models=pd.DataFrame(columns=list(COLUMNS)) if models is None else models,
            notes=tuple(notes),
        )

    def of_items(self, names: Collection[str]) -> Answers:
        """Return the answers to some of the items; cultures that gave none are not among them."""
        return replace(self, table=self.table[self.table["item"].isin(names)])

    @cached_property
    def cultures(self) -> tuple[str, ...]:
        """Return the cultures that answered, sorted."""
        return tuple(sorted(set(self.table["culture"])))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the items that were answered, sorted."""
        return tuple(sorted(set(self.table["item"])))

    @cached_property
    def votes(self) -> Ints:
        """Return how many gave which label: (items, cultures, labels), in the order of names."""
        counts = np.zeros((len(self.names), len(self.cultures), len(self.labels)), np.int64)
        voting = self.table[self.table["label"].isin(self.labels)]
        sides = {"item": self.names, "culture": self.cultures, "label": self.labels}
        where = (
            pd.Index(names).get_indexer(pd.Index(voting[side])) for side, names in sides.items()
        )
        np.add.at(counts, tuple(where), 1)
        return counts

    @cached_property
    def majority(self) -> Ints:
        """Return the label of each item in each culture by its place in `labels`, or `NO_LABEL`.

        Multi3Hate, 3.3 and A.6: of a tie, or without answers that vote, there is no label.
        """
        return majority(self.votes)
