"""Answers and settings of an analysis. In: data frames. Out: `Answers`, their votes; `Settings`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from memeloc.arrays import Ints, majority
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.reports.figures import gap, joined, tidy
from memeloc.tables import read_table

NAME = "demographics"
OTHER = "other values"
"""The group of the values that too few people gave."""
NOT_GIVEN = "not given"
"""The group of those who did not answer a question."""

_MOST_NUMBERS = 12
"""Different numbers, such as ages, beyond which they are put into bands."""
_BAND = 10
"""Width of a band."""


def large_groups(people: Mapping[str, int], smallest: int) -> dict[str, str]:
    """Return by value the group it is shown in: itself, or `OTHER`; empty if all are too few.

    >>> large_groups({"woman": 20, "man": 9, "another": 2}, 5)
    {'woman': 'woman', 'man': 'other values', 'another': 'other values'}
    """
    if sum(people.values()) < smallest:
        return {}
    merged: set[str] = set()
    together = 0
    for value in sorted(people, key=lambda value: (people[value], value)):
        if people[value] < smallest or 0 < together < smallest:
            merged.add(value)
            together += people[value]
    return {value: OTHER if value in merged else value for value in people}


def demographics(answers: Answers, settings: Settings) -> pd.DataFrame:
    """Return people by question, culture and value, and what labels they gave.

    The group is `QUESTION · CULTURE`, the item a value or `OTHER`: `people`, their `share` of the
    culture's, `answers` that vote, and `share: LABEL` of these. Of a culture `people`, where they
    are enough to be shown. Raise InputError if nothing is known of people but their culture.
    """
    people = answers.people[answers.people.index.isin(answers.table["participant"])]
    questions = [str(name) for name in people.columns if name != "culture"]
    if not questions:
        raise InputError("nothing is known of the people who answered but their culture")
    smallest = settings.smallest_cell
    culture = people["culture"].astype(str)
    facts = [
        pd.DataFrame(
            {"place": place, "group": f"{name} · " + culture, "item": _values(people[name])}
        )
        for place, name in enumerate(questions)
    ]
    groups = pd.concat(facts)
    by_group = groups.groupby(["place", "group"])["item"]
    groups["item"] = by_group.transform(
        lambda column: column.map(large_groups(dict(column.value_counts()), smallest))
    )
    keys = ["place", "group", "item"]
    counts = groups.groupby(keys).size().reset_index(name="people")
    counts["share_n"] = counts.groupby("group")["people"].transform("sum")
    counts["share"] = counts["people"] / counts["share_n"]
    voting = answers.table[answers.table["label"].isin(answers.labels)]
    grouped = voting[["participant", "label"]].join(groups.dropna(), on="participant", how="inner")
    labels = pd.crosstab([grouped[key] for key in keys], grouped["label"])
    labels = labels.reindex(columns=list(answers.labels), fill_value=0)
    counts = counts.join(labels.sum(axis=1).rename("answers"), on=keys)
    shares = labels.div(labels.sum(axis=1), axis="index").add_prefix("share: ")
    counts = counts.join(shares, on=keys)
    order = counts.assign(last=counts["item"] == OTHER, most=-counts["people"])
    order = order.sort_values(["place", "group", "last", "most", "item"])
    frame = counts.loc[order.index].drop(columns="place")
    frame = frame.assign(**{f"share: {label}_n": frame["answers"] for label in answers.labels})
    # A culture's number of people is a cell, too.
    people_of = culture.value_counts().sort_index()
    sizes = people_of[people_of >= smallest].rename_axis("group").reset_index(name="people")
    whole = pd.DataFrame([{"people": len(people), "questions": len(questions)}])
    parts = [tidy(NAME, each, "counted") for each in (whole, sizes, frame)]
    for question, code in product(questions, people_of.index):
        group = f"{question} · {code}"
        values = groups.loc[groups["group"] == group, "item"]
        if values.isna().all():
            reason = f"{code} has fewer than {smallest} people, so none are shown."
        elif (values == OTHER).all():
            reason = f"in {code} no value was given by {smallest} people."
        else:
            continue
        parts.append(gap(NAME, f"{question}: {reason}", group))
    return joined(parts)


def _values(facts: pd.Series[str]) -> pd.Series[str]:
    """Return facts as text; many different numbers in bands of ten."""
    text = facts.astype("string").str.strip()
    text = text.mask(text == "")
    numbers = pd.to_numeric(text, errors="coerce")
    if numbers.count() == text.count() and numbers.nunique() > _MOST_NUMBERS:
        low = (numbers // _BAND * _BAND).astype("Int64")
        text = low.astype("string") + "–" + (low + _BAND - 1).astype("string")
    values: pd.Series[str] = text.fillna(NOT_GIVEN).astype(object)
    return values


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
        with other labels take no part, and are noted. Raise InputError if a column is missing, a
        participant gave an item two different labels, or an item has two rows in `items`.
        """
        if lacking := [name for name in COLUMNS if name not in table.columns]:
            message = f"a table of answers has the columns {', '.join(COLUMNS)}"
            raise InputError(message, column=lacking[0])
        rows = table.loc[table["label"].notna() & (table["label"] != ""), list(COLUMNS)]
        rows = rows.astype(str).drop_duplicates()
        twice = rows.duplicated(["item", "participant"])
        if twice.any():
            row = rows[twice].iloc[0]
            raise InputError(
                f"{row['participant']!r} gave {row['item']!r} two answers; keep the one that counts"
            )
        rows = rows.sort_values(["item", "culture", "participant"], ignore_index=True)
        if items is not None:
            items = items.set_axis(items.index.astype(str), axis="index")
            if items.index.has_duplicates:
                name = items.index[items.index.duplicated()][0]
                message = f"the table of items has two rows for {name[:60]!r}"
                raise InputError(message, column="item")
        left_out = frozenset(abstentions)
        names = tuple(labels) or tuple(sorted(set(rows["label"]) - left_out))
        unknown = rows.loc[~rows["label"].isin([*names, *left_out]), "label"].tolist()
        if unknown:
            answers, label = counted(len(unknown), "answer"), unknown[0][:60]
            notes = [*notes, f"{answers} with other labels, such as {label!r}, took no part"]
        return cls(
            table=rows,
            labels=names,
            abstentions=left_out,
            levels=levels,
            items=pd.DataFrame(index=rows["item"].unique()) if items is None else items,
            people=rows.groupby("participant")[["culture"]].first() if people is None else people,
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


_MODEL_COLUMNS = ("meme_id", "model", "label")


def read_model_labels(
    path: Path,
    survey: str,
    *,
    memes: Collection[str],
    cultures: Collection[str],
    labels: Collection[str],
) -> pd.DataFrame:
    """Return what models answered, of a table with `meme_id`, `model`, `label` and optionally
    `culture`; raise InputError if the survey has no such meme, culture or label."""
    allowed = {"meme_id": memes, "culture": {"", *cultures}, "label": labels}
    table, rows = read_table(path, _MODEL_COLUMNS), []
    has_culture = "culture" in table.columns
    for row in table.rows:
        cells = {name: row[name].strip() for name in _MODEL_COLUMNS}
        cells["culture"] = row["culture"].strip() if has_culture else ""
        for name, values in allowed.items():
            if cells[name] not in values:
                message = f"{survey} has no {name.removesuffix('_id')} {cells[name][:60]!r}"
                raise InputError(message, file=path, row=row.number, column=name)
        rows.append((cells["meme_id"], cells["culture"], cells["model"], cells["label"]))
    return pd.DataFrame(rows, columns=["item", "culture", "participant", "label"])
