"""Items and annotators of a table of answers. In: rows. Out: what is known of either."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.analyze.answers import ITEM_COLUMNS
from memeloc.analyze.reading.mapping import ColumnNames
from memeloc.analyze.reading.notes import Notes, listed
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.tables import read_table
from memeloc.tables.frames import Frame, as_file

if TYPE_CHECKING:
    import pandas as pd


def known_items(
    rows: pd.DataFrame,
    names: ColumnNames,
    category: str | Path | Frame | None,
    asked: set[str],
    notes: Notes,
) -> pd.DataFrame:
    """What is known of items: of the table of items, else of the answers' own columns."""
    import pandas as pd

    if category is not None:
        with as_file(category) as path:
            rows = _item_rows(path, names)
    known = [name for name in ITEM_COLUMNS if name in rows.columns]
    rows = rows[rows["item"] != ""]
    frame = pd.DataFrame(index=pd.Index(rows["item"].unique(), name="item", dtype=object))
    for name in known:
        filled = rows[rows[name] != ""]
        varied = filled.groupby("item")[name].nunique()
        if (varied > 1).any():
            which = str(varied.index[varied > 1][0])
            notes.add(f"{which[:60]!r} has more than one {name}; the first counts")
        frame[name] = filled.drop_duplicates("item").set_index("item")[name]
        without = asked - set(filled["item"])
        if without:
            items = counted(len(without), "answered item")
            notes.add(f"{items}, such as {min(without)[:60]!r}, without a {name}")
    return frame


def _item_rows(path: Path, names: ColumnNames) -> pd.DataFrame:
    import pandas as pd

    table = read_table(path)
    spelt = {column.casefold(): column for column in reversed(table.columns)}
    item = next((c for c in (names.item, "item") if c.casefold() in spelt), "")
    if not item:
        table = read_table(path, [names.item])  # raises, with the columns that there are
    columns = {"item": spelt[item.casefold()]}
    for name in ITEM_COLUMNS:
        column = (getattr(names, name) or name).casefold()
        if column in spelt:
            columns[name] = spelt[column]
    if len(columns) == 1:
        columns_of_items = ", ".join(ITEM_COLUMNS)
        raise InputError(
            f"a table of items has a column of {columns_of_items}", file=path, column="category"
        )
    cells = [{name: row[c] for name, c in columns.items()} for row in table.rows if not row.reason]
    return pd.DataFrame(cells, columns=list(columns), dtype=object)


def note_silent(items: pd.DataFrame, people: pd.DataFrame, notes: Notes) -> None:
    """Note the items that are known, and that nobody answered."""
    silent = sorted(set(items.index) - set(people["item"]))
    if silent:
        notes.add(f"no answers to {listed('item', silent)}")


def people_apart(rows: pd.DataFrame, notes: Notes) -> pd.DataFrame:
    """Annotator ids of several cultures as a person in each."""
    cultures = rows.groupby("annotator")["culture"].nunique()
    shared = rows["annotator"].isin(cultures.index[cultures > 1])
    if shared.any():
        first = rows.loc[shared, "annotator"].iloc[0]
        notes.add(
            f"{counted(int((cultures > 1).sum()), 'annotator id')} such as {first[:60]!r} "
            "stand in more than one culture; each is taken for a person in each culture"
        )
        people = rows.loc[shared, "culture"] + "/" + rows.loc[shared, "annotator"]
        rows.loc[shared, "annotator"] = people
    return rows


def known_people(rows: pd.DataFrame, facts: Sequence[str], notes: Notes) -> pd.DataFrame:
    """A row a person: `culture`, and the first value of each fact that is filled in."""
    people = rows.groupby("annotator")[["culture"]].first()
    for fact in facts:
        column = f"fact {fact}"
        filled = rows[rows[column] != ""]
        values = filled.groupby("annotator")[column]
        varied = values.nunique()
        if (varied > 1).any():
            number = counted(int((varied > 1).sum()), "annotator")
            which = str(varied.index[varied > 1][0])
            notes.add(
                f"{fact!r} changes between the rows of {number}, such as {which[:60]!r}; "
                "the first value counts"
            )
        people[fact] = values.first().reindex(people.index).fillna("")
        a_culture = people.groupby("culture")[fact].nunique()
        if len(people) > 2 * len(a_culture) and len(a_culture) > 1 and (a_culture <= 1).all():
            notes.add(
                f"{fact!r} is the same for all annotators of each culture: it may be a fact of the "
                "survey, not of people"
            )
    return people
