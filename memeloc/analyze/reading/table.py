"""Reading answers. In: a table of answers, as a file or a data frame. Out: `Answers`, with notes.

CSV, workbooks, JSON Lines and Parquet, a row an answer (`memeloc.tables`). Rows that cannot be
used are left out, and a note has their number, the first row and why; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.analyze.answers import ITEM_COLUMNS, Answers
from memeloc.analyze.reading.items_and_people import (
    known_items,
    known_people,
    note_silent,
    people_apart,
)
from memeloc.analyze.reading.labels import (
    abstentions_in,
    in_order,
    note_spelling,
    numbered_levels,
    with_labels,
    with_names,
)
from memeloc.analyze.reading.mapping import AnswersMap, ColumnNames, read_map
from memeloc.analyze.reading.notes import Notes, listed
from memeloc.errors import InputError
from memeloc.tables import Table, read_table
from memeloc.tables.frames import Frame, as_file

if TYPE_CHECKING:
    import pandas as pd

_MOST_NAMES = 100
"""Labels, and cultures, that a table may have; with more it is another column that is meant."""


def read_answers(
    table: str | Path | Frame,
    *,
    item: str = "",
    annotator: str = "",
    culture: str = "",
    label: str = "",
    category: str | Path | Frame | None = None,
    demographics: Sequence[str] = (),
    mapping: AnswersMap | Mapping[str, Any] | str | Path | None = None,
) -> Answers:
    """The answers of a table on disk or in memory, a row an answer.

    Args:
        table: a file, or a frame of pandas, polars or pyarrow.
        item, annotator, culture, label: columns; they go before those of the map.
        category: a table of items with the same `item` column and any of `category`, `topic` and
            `template`, where these do not stand in `table` itself.
        demographics: columns with facts about the annotators.
        mapping: what columns, labels and cultures mean, or the TOML file that has it.

    Returns:
        Answers whose `notes` say what was left out and what was not mapped. Labels that are all
        numbers, three or more, are a scale. An annotator id that two cultures share is taken for
        a person in each (`CULTURE/ID`). Of two answers of a person to an item the earlier counts.

    Raises:
        InputError: a file cannot be read, a column is missing, or no row is an answer.
    """
    answers_map = read_map(mapping)
    given = {"item": item, "annotator": annotator, "culture": culture, "label": label}
    names = answers_map.columns.model_copy(
        update={name: column for name, column in given.items() if column}
        | ({"demographics": tuple(demographics)} if demographics else {})
    )
    notes = Notes()
    with as_file(table) as path:
        rows = _rows(path, names, notes)
    wanted = _complete(rows, answers_map, notes)
    items = known_items(rows, names, category, set(wanted["item"]), notes)
    wanted = with_labels(wanted, answers_map, notes)
    wanted["culture"] = with_names(wanted["culture"], answers_map.cultures, "culture", notes)
    of_models = wanted["annotator"].isin(answers_map.models)
    models, people = wanted[of_models], people_apart(wanted[~of_models].copy(), notes)
    people = _first_answers(people, notes)
    if people.empty:
        raise InputError(
            "no row is an answer: item, annotator, culture and label have to be filled in"
            + "".join(f"; {note}" for note in notes.lines()[:1]),
            file=str(table) if isinstance(table, str | Path) else "the data frame",
        )
    for name in ("label", "culture"):
        if (number := people[name].nunique()) > _MOST_NAMES:
            raise InputError(
                f"has {number:,} different values; at most {_MOST_NAMES} can be a {name}",
                column=getattr(names, name),
            )
    abstentions = abstentions_in(wanted["label"], answers_map)
    voting = [name for name in in_order(people["label"], answers_map) if name not in abstentions]
    scale = {name: answers_map.scale[name] for name in voting if name in answers_map.scale}
    levels = scale or numbered_levels(voting, notes)
    note_spelling(people["label"], voting, answers_map, notes)
    note_silent(items, people, notes)
    return Answers.of(
        _as_table(people),
        labels=sorted(voting, key=levels.__getitem__) if levels else voting,
        abstentions=abstentions,
        levels=levels or None,
        items=items,
        people=known_people(people, names.demographics, notes),
        models=_as_table(_first_answers(models, notes)),
        notes=notes.lines(),
    )


def _rows(path: Path, names: ColumnNames, notes: Notes) -> pd.DataFrame:
    """The cells of the columns that are used, as text, and `row`: where each stands."""
    import pandas as pd

    required = [names.item, names.annotator, names.culture, names.label, *names.demographics]
    explicit = [name for name in (names.time, *(getattr(names, c) for c in ITEM_COLUMNS)) if name]
    table = read_table(path, [*required, *explicit])
    if table.note:
        notes.add(table.note)
    columns = _columns(table, names)
    unused = [name for name in table.columns if name and name not in columns.values()]
    if unused:
        notes.add(f"not used: {listed('column', unused)}")
    cells: dict[str, list[str]] = {name: [] for name in columns}
    appenders = [(cells[name].append, column) for name, column in columns.items()]
    numbers: list[int] = []
    known: dict[str, str] = {}  # a text once in memory, not once a row
    for row in table.rows:
        if row.reason:
            notes.add(row.error, [row.number])
            continue
        numbers.append(row.number)
        for append, column in appenders:
            text = row[column]
            append(known.setdefault(text, text))
    return pd.DataFrame({**cells, "row": numbers}).astype(dict.fromkeys(cells, object))


def _columns(table: Table, names: ColumnNames) -> dict[str, str]:
    """By our name the column of the table, as the table spells it."""
    spelt = {column.casefold(): column for column in reversed(table.columns)}
    columns = {name: getattr(names, name) for name in ("item", "annotator", "culture", "label")}
    for name in ("time", *ITEM_COLUMNS):
        column = getattr(names, name) or name
        if column.casefold() in spelt and column not in columns.values():
            columns[name] = column
    columns |= {f"fact {column}": column for column in names.demographics}
    return {name: spelt[column.casefold()] for name, column in columns.items()}


def _complete(rows: pd.DataFrame, answers_map: AnswersMap, notes: Notes) -> pd.DataFrame:
    """The rows that have an item, an annotator and a culture; a model needs no culture."""
    missing = (rows[["item", "annotator"]] == "").any(axis=1)
    missing |= (rows["culture"] == "") & ~rows["annotator"].isin(answers_map.models)
    if missing.any():
        notes.add("left out: item, annotator or culture is empty", rows.loc[missing, "row"])
    return rows[~missing].copy()


def _first_answers(rows: pd.DataFrame, notes: Notes) -> pd.DataFrame:
    """Of a person's answers to an item the earliest; without times the first in the table."""
    import pandas as pd

    if "time" in rows.columns:
        # Each time by itself, so that what a column mixes does not depend on its first row.
        times = pd.to_datetime(rows["time"], errors="coerce", utc=True, format="mixed")
        unread = times.isna() & (rows["time"] != "")
        if unread.any():
            text = rows.loc[unread, "time"].iloc[0]
            sentence = f"{text[:40]!r} is not a time that can be read, such as 2026-03-01T09:30Z"
            notes.add(sentence, rows.loc[unread, "row"])
        rows = rows.assign(time=times).sort_values(["time", "row"])
    twice = rows.duplicated(["item", "annotator", "culture"])
    again = twice & rows.duplicated(["item", "annotator", "culture", "label"])
    if again.any():
        notes.add("the same answer once more; it counts once", rows.loc[again, "row"])
    if (twice & ~again).any():
        sentence = "another answer of the same person to the same item; the earlier one counts"
        notes.add(sentence, rows.loc[twice & ~again, "row"])
    return rows[~twice].sort_values("row")


def _as_table(rows: pd.DataFrame) -> pd.DataFrame:
    columns = ["item", "culture", "annotator", "label", *(["time"] if "time" in rows else [])]
    return rows[columns].rename(columns={"annotator": "participant"})
