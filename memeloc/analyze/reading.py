"""Reading answers. In: a table of answers, as a file or a data frame. Out: `Answers`, with notes.

Columns, labels and cultures are read by the one map (`memeloc.tables.column_map`). Rows that cannot
be used are left out, and a note has their number, the first row and why; nothing is guessed.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from memeloc.analyze.answers import ITEM_COLUMNS, Answers
from memeloc.counts import counted
from memeloc.tables.column_map import (
    NAMED_CASES,
    ColumnMap,
    Notes,
    Role,
    levels_of,
    listed,
    read_map,
    read_rows,
)
from memeloc.tables.rows import Frame

_ITEM = Role("item", ("item", "item id", "meme", "meme id"), required=True)
_OF_ITEMS = tuple(Role(name, (name,), values="fact") for name in ITEM_COLUMNS)
ROLES = (
    _ITEM,
    Role("annotator", ("annotator", "annotator id", "worker", "participant"), required=True),
    Role("culture", ("culture", "country"), required=True, values="culture"),
    Role("label", ("label", "answer"), required=True, values="label"),
    Role("time", ("time",), values="fact"),
    Role("demographics", many=True, values="fact"),
)

_MOST_NAMES = 100
"""Labels, and cultures, that a table may have; with more it is another column that is meant."""

_MISSPELT_SHARE = 0.05
"""A label this rare beside one that is spelt nearly the same may be a mistake in typing."""


def read_answers(
    table: str | Path | Frame,
    mapping: ColumnMap | Mapping[str, Any] | str | Path | None = None,
    *,
    category: str | Path | Frame | None = None,
    **columns: Any,
) -> Answers:
    """Read the answers of a table on disk or in memory, a row an answer. Raise InputError if a file
    cannot be read, a column is missing, three or more labels are numbers that nobody explained, or
    no row is an answer.

    Args:
        table: a file, or a frame of pandas, polars or pyarrow.
        mapping: what columns, labels and cultures mean, or the TOML file that has it.
        category: a table of items with the same column of items and any of `category`, `topic` and
            `template`, where these do not stand in `table` itself.
        columns: further settings of the map, which go before its own: columns by role (`item`,
            `annotator`, `culture`, `label`, `time`, `demographics`, ...), `labels`, `scale`, ...

    Returns:
        Answers whose `notes` say what was left out and what was not mapped. An annotator id that
        two cultures share is taken for a person in each (`CULTURE/ID`). Of two answers of a person
        to an item the earlier counts.
    """
    column_map = read_map(mapping, **columns)
    mapped = read_rows(table, column_map, ROLES if category is not None else ROLES + _OF_ITEMS)
    rows, notes = mapped.frame, mapped.notes
    for row in mapped.broken:
        notes.add(row.error, [row.number])
    if mapped.unused:
        notes.add(f"not used: {listed('column', mapped.unused)}")
    missing = (rows[["item", "annotator"]] == "").any(axis=1)
    # A model need not have been asked as somebody of a culture.
    missing |= (rows["culture"] == "") & ~rows["annotator"].isin(column_map.models)
    notes.add("left out: item, annotator or culture is empty", rows.loc[missing, "row"])
    rows = rows[~missing]
    item_rows = mapped
    if category is not None:
        # The columns of this table may be called as those of the answers.
        named = {name: each for name, each in column_map.columns.items() if isinstance(each, str)}
        roles = [replace(r, names=(named.get(r.name, ""), *r.names)) for r in (_ITEM, *_OF_ITEMS)]
        item_rows = read_rows(category, column_map.model_copy(update={"columns": {}}), roles)
        if len(item_rows.columns) == 1:
            raise item_rows.wrong(f"a table of items has a column of {', '.join(ITEM_COLUMNS)}")
    about = {name: name for name in ITEM_COLUMNS if name in item_rows.frame}
    items = _first_values(item_rows.frame[item_rows.frame["item"] != ""], "item", about, notes)
    for name in items:
        if without := sorted(set(rows["item"]) - set(items.index[items[name].notna()])):
            answered = counted(len(without), "answered item")
            notes.add(f"{answered}, such as {without[0][:60]!r}, without a {name}")
    rows = _with_labels(rows, column_map, notes)
    unmapped = sorted(set(rows["culture"]) - {"", *column_map.cultures.values()})
    if column_map.cultures and unmapped:
        notes.add(f"the map does not name, and they are kept: {listed('culture', unmapped)}")
    of_models = rows["annotator"].isin(column_map.models)
    models = _first_answers(rows[of_models], notes)
    of_people = rows[~of_models].copy()
    cultures = of_people.groupby("annotator")["culture"].nunique()
    if several := list(cultures.index[cultures > 1]):
        shared = of_people["annotator"].isin(several)
        notes.add(
            f"{counted(len(several), 'annotator id')} such as "
            f"{of_people.loc[shared, 'annotator'].iloc[0][:60]!r} stand in more than one culture; "
            "each "
            "is taken for a person in each culture"
        )
        of_people.loc[shared, "annotator"] = of_people["culture"] + "/" + of_people["annotator"]
    answers = _first_answers(of_people, notes)
    if answers.empty:
        raise mapped.wrong(
            "no row is an answer: item, annotator, culture and label have to be filled in"
            + "".join(f"; {note}" for note in notes.lines()[:1])
        )
    for name in ("label", "culture"):
        if (number := answers[name].nunique()) > _MOST_NAMES:
            raise mapped.wrong(
                f"has {number:,} different values; at most {_MOST_NAMES} can be a {name}", name
            )
    abstentions = {label for label in rows["label"].unique() if column_map.abstains(label)}
    votes = answers["label"][~answers["label"].isin(abstentions)]
    levels = levels_of(votes, column_map, mapped)
    # In the order of the scale, with steps that nobody gave; else as the map has them.
    names = levels or {name: 0 for name in column_map.labels.values() if name in set(votes)}
    labels = [name for name in sorted(names, key=names.__getitem__) if name not in abstentions]
    labels += sorted(set(votes) - set(labels))
    counts = votes.value_counts(sort=False)
    for label in () if column_map.places or column_map.labels else counts.index:
        frequent = [name for name in counts.index if counts[label] < _MISSPELT_SHARE * counts[name]]
        near = difflib.get_close_matches(label[:100], [name[:100] for name in frequent], 1, 0.75)
        if near:
            notes.add(
                f"the label {label[:60]!r} has only {counted(int(counts[label]), 'answer')}; if "
                f"{near[0][:60]!r} is meant, name both in the section [labels] of a map"
            )
    if silent := sorted(set(items.index) - set(answers["item"])):
        notes.add(f"no answers to {listed('item', silent)}")
    facts = {f"demographics: {name}": name for name in mapped.columns.get("demographics", {})}
    people = _first_values(answers, "annotator", {"culture": "culture"} | facts, notes)
    people = people.sort_index().fillna("")
    for fact in facts.values():
        a_culture = people.groupby("culture")[fact].nunique()
        if len(people) > 2 * len(a_culture) and len(a_culture) > 1 and (a_culture <= 1).all():
            notes.add(
                f"{fact!r} is the same for all annotators of each culture: it may be a fact of the "
                "survey, not of people"
            )
    columns = {"item": "item", "culture": "culture", "annotator": "participant", "label": "label"}
    return Answers.of(
        answers[list(columns)].rename(columns=columns),
        labels=labels,
        abstentions=abstentions.union(column_map.abstentions or ()),
        levels={label: levels[label] for label in labels if label in levels} or None,
        items=items,
        people=people,
        models=models[list(columns)].rename(columns=columns),
        notes=notes.lines(),
    )


def _with_labels(rows: pd.DataFrame, column_map: ColumnMap, notes: Notes) -> pd.DataFrame:
    """Return the rows with a label; where the map has a scale, with one of its labels."""
    empty = rows["label"] == ""
    notes.add("no answer: the label is empty", rows.loc[empty, "row"])
    rows = rows[~empty]
    names = {name for name in column_map.label_names.values() if name}
    unknown = [name for name in set(rows["label"]) - names if not column_map.abstains(name)]
    if not column_map.places and (column_map.scale or not column_map.labels):
        return rows
    fate = "left out" if column_map.places else "kept as it is"
    for label in sorted(unknown)[:NAMED_CASES]:
        near = difflib.get_close_matches(label[:100], [name[:100] for name in names], 1)
        meant = f"; did you mean {near[0][:60]!r}?" if near else ""
        sentence = f"the map does not name the label {label[:60]!r}, which is {fate}{meant}"
        notes.add(sentence, rows.loc[rows["label"] == label, "row"])
    if len(unknown) > NAMED_CASES:
        notes.add(f"the map does not name {listed('label', sorted(unknown))}: {fate}")
    return rows[~rows["label"].isin(unknown)] if column_map.places else rows


def _first_answers(rows: pd.DataFrame, notes: Notes) -> pd.DataFrame:
    """Return a person's earliest answer to an item; without times the first in the table."""
    if "time" in rows.columns:
        # Each time by itself, so that what a column mixes does not depend on its first row.
        times = pd.to_datetime(rows["time"], errors="coerce", utc=True, format="mixed")
        unread = times.isna() & (rows["time"] != "")
        text = next(iter(rows.loc[unread, "time"]), "")
        sentence = f"{text[:40]!r} is not a time that can be read, such as 2026-03-01T09:30Z"
        notes.add(sentence, rows.loc[unread, "row"])
        rows = rows.assign(time=times).sort_values(["time", "row"])
    twice = rows.duplicated(["item", "annotator", "culture"])
    again = twice & rows.duplicated(["item", "annotator", "culture", "label"])
    notes.add("the same answer once more; it counts once", rows.loc[again, "row"])
    sentence = "another answer of the same person to the same item; the earlier one counts"
    notes.add(sentence, rows.loc[twice & ~again, "row"])
    return rows[~twice].sort_values("row")


def _first_values(
    rows: pd.DataFrame, by: str, columns: Mapping[str, str], notes: Notes
) -> pd.DataFrame:
    """Return by item or annotator the first value of each fact; NaN for none.

    Args:
        columns: the names of the facts by column.
    """
    values = pd.DataFrame(index=pd.Index(rows[by].unique(), name=by, dtype=object))
    for column, name in columns.items():
        first = rows[rows[column] != ""].groupby(by)[column]
        counts = first.nunique()
        if several := list(counts.index[counts > 1]):
            notes.add(
                f"{name!r} changes between the rows of {counted(len(several), by)}, such as "
                f"{several[0][:60]!r}; the first value counts"
            )
        values[name] = first.first()
    return values
