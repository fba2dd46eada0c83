"""Reading answers. In: a table of answers, as a file or a data frame. Out: `Answers`, with notes.

CSV, workbooks, JSON Lines and Parquet, a row an answer (`memeloc.tables`). Rows that cannot be
used are left out, and a note has their number, the first row and why; nothing is guessed.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.analyze.answers import ITEM_COLUMNS, Answers
from memeloc.analyze.mapping import ABSTENTIONS, AnswersMap, ColumnNames, read_map
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.tables import Table, read_table
from memeloc.tables.frames import Frame, as_file

if TYPE_CHECKING:
    import pandas as pd

_NAMED_CASES = 5
"""Labels, cultures or columns that are named one by one in notes; of more, how many there are."""
_MISSPELT_SHARE = 0.05
"""A label this rare beside one that is spelt nearly the same may be a mistake in typing."""
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
    notes = _Notes()
    with as_file(table) as path:
        rows = _rows(path, names, notes)
    wanted = _complete(rows, answers_map, notes)
    items = _items(rows, names, category, set(wanted["item"]), notes)
    wanted = _labelled(wanted, answers_map, notes)
    wanted["culture"] = _renamed(wanted["culture"], answers_map.cultures, "culture", notes)
    of_models = wanted["annotator"].isin(answers_map.models)
    models, people = wanted[of_models], _people_apart(wanted[~of_models].copy(), notes)
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
    abstentions = _abstentions(wanted["label"], answers_map)
    voting = [name for name in _ordered(people["label"], answers_map) if name not in abstentions]
    scale = {name: answers_map.scale[name] for name in voting if name in answers_map.scale}
    levels = scale or _numbers(voting, notes)
    _note_spelling(people["label"], voting, answers_map, notes)
    _note_silent(items, people, notes)
    return Answers.of(
        _as_table(people),
        labels=sorted(voting, key=levels.__getitem__) if levels else voting,
        abstentions=abstentions,
        levels=levels or None,
        items=items,
        people=_people(people, names.demographics, notes),
        models=_as_table(_first_answers(models, notes)),
        notes=notes.lines(),
    )


@dataclass
class _Notes:
    """What was noticed: of each sentence how many rows it is about, and the first."""

    rows: dict[str, list[int]] = field(default_factory=dict)

    def add(self, sentence: str, rows: Iterable[int] = ()) -> None:
        known = self.rows.setdefault(sentence, [])
        known.extend(int(row) for row in rows)

    def lines(self) -> list[str]:
        return [
            f"{_place(rows)}: {sentence}" if rows else sentence
            for sentence, rows in self.rows.items()
        ]


def _place(rows: list[int]) -> str:
    return f"row {rows[0]}" if len(rows) == 1 else f"{len(rows):,} rows, the first is {min(rows)}"


def _rows(path: Path, names: ColumnNames, notes: _Notes) -> pd.DataFrame:
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
        notes.add(f"not used: {_listed('column', unused)}")
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


def _complete(rows: pd.DataFrame, answers_map: AnswersMap, notes: _Notes) -> pd.DataFrame:
    """The rows that have an item, an annotator and a culture; a model needs no culture."""
    missing = (rows[["item", "annotator"]] == "").any(axis=1)
    missing |= (rows["culture"] == "") & ~rows["annotator"].isin(answers_map.models)
    if missing.any():
        notes.add("left out: item, annotator or culture is empty", rows.loc[missing, "row"])
    return rows[~missing].copy()


def _labelled(rows: pd.DataFrame, answers_map: AnswersMap, notes: _Notes) -> pd.DataFrame:
    """The rows with a label, renamed; where the map names all labels, of those only."""
    empty = rows["label"] == ""
    if empty.any():
        notes.add("no answer: the label is empty", rows.loc[empty, "row"])
    rows = rows[~empty].copy()
    scale, abstentions = answers_map.scale, answers_map.abstentions or ()
    names = [*answers_map.labels.values(), *scale, *abstentions]
    renames = {_plain(name): name for name in names}
    renames |= {_plain(key): name for key, name in answers_map.labels.items()}
    rows["label"] = _mapped(rows["label"], lambda text: renames.get(_plain(text), text))
    if scale:
        allowed = {*scale, *abstentions}
        allowed |= {name for name in rows["label"].unique() if _abstains(name, answers_map)}
        for label in [name for name in rows["label"].unique() if name not in allowed]:
            sentence = f"left out: {label[:60]!r} is not a label of the map{_meant(label, allowed)}"
            notes.add(sentence, rows.loc[rows["label"] == label, "row"])
        return rows[rows["label"].isin(allowed)].copy()
    if answers_map.labels:
        unmapped = sorted(set(rows["label"]) - set(renames.values()))
        for label in unmapped[:_NAMED_CASES]:
            sentence = f"the map does not name the label {label[:60]!r}; it is kept as it is"
            notes.add(sentence + _meant(label, names), rows.loc[rows["label"] == label, "row"])
        if len(unmapped) > _NAMED_CASES:
            notes.add(f"the map does not name {counted(len(unmapped), 'label')}; they are kept")
    return rows


def _renamed(
    values: pd.Series[Any], names: Mapping[str, str], what: str, notes: _Notes
) -> pd.Series[Any]:
    renames = {_plain(name): name for name in names.values()}
    renames |= {_plain(key): name for key, name in names.items()}
    if names:
        unmapped = sorted(v for v in set(values) if v and _plain(v) not in renames)
        if unmapped:
            listed = _listed(what, unmapped)
            notes.add(f"the map does not name, and they are kept as they are: {listed}")
    return _mapped(values, lambda text: renames.get(_plain(text), text))


def _people_apart(rows: pd.DataFrame, notes: _Notes) -> pd.DataFrame:
    """Annotator ids of several cultures as a person in each."""
    cultures = rows.groupby("annotator")["culture"].nunique()
    shared = rows["annotator"].isin(cultures.index[cultures > 1])
    if shared.any():
        first = rows.loc[shared, "annotator"].iloc[0]
        notes.add(
            f"{counted(int((cultures > 1).sum()), 'annotator id')} such as {first[:60]!r} "
            "stand in more than one culture; each is taken for a person in each culture",
        )
        people = rows.loc[shared, "culture"] + "/" + rows.loc[shared, "annotator"]
        rows.loc[shared, "annotator"] = people
    return rows


def _first_answers(rows: pd.DataFrame, notes: _Notes) -> pd.DataFrame:
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


def _ordered(labels: pd.Series[Any], answers_map: AnswersMap) -> list[str]:
    """Names of labels: as the map has them, then those that only the table has."""
    used = set(labels)
    named = dict.fromkeys([*answers_map.scale, *answers_map.labels.values()])
    # A step of the scale that nobody gave is a step all the same.
    first = [name for name in named if name in used or name in answers_map.scale]
    return first + sorted(used - set(first), key=_by_number)


def _by_number(label: str) -> tuple[float, str]:
    try:
        return float(label), label
    except ValueError:
        return float("inf"), label


def _abstains(label: str, answers_map: AnswersMap) -> bool:
    return answers_map.abstentions is None and _plain(label) in ABSTENTIONS


def _abstentions(labels: pd.Series[Any], answers_map: AnswersMap) -> frozenset[str]:
    if answers_map.abstentions is not None:
        return frozenset(answers_map.abstentions)
    return frozenset(label for label in labels.unique() if _abstains(label, answers_map))


def _numbers(labels: Sequence[str], notes: _Notes) -> dict[str, float]:
    """The scale of labels that are all numbers; of two the order does not matter."""
    levels = {label: _by_number(label)[0] for label in labels}
    if len(levels) < 3 or not all(abs(level) < float("inf") for level in levels.values()):
        return {}
    notes.add("the labels are numbers, and are taken for a scale")
    return levels


def _note_spelling(
    labels: pd.Series[Any], voting: Sequence[str], answers_map: AnswersMap, notes: _Notes
) -> None:
    """Note labels without a map that are rare, and spelt nearly as a frequent one."""
    if answers_map.scale or answers_map.labels:
        return
    counts = labels.value_counts()
    for label in voting:
        frequent = [n for n in voting if counts[label] < _MISSPELT_SHARE * counts[n]]
        near = difflib.get_close_matches(label[:100], [n[:100] for n in frequent], 1, 0.75)
        if near and _by_number(label)[0] == float("inf"):
            notes.add(
                f"the label {label[:60]!r} has only {counted(int(counts[label]), 'answer')}; if "
                f"{near[0][:60]!r} is meant, name both in the section [labels] of a map"
            )


def _items(
    rows: pd.DataFrame,
    names: ColumnNames,
    category: str | Path | Frame | None,
    asked: set[str],
    notes: _Notes,
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
        listed = ", ".join(ITEM_COLUMNS)
        raise InputError(f"a table of items has a column of {listed}", file=path, column="category")
    cells = [{name: row[c] for name, c in columns.items()} for row in table.rows if not row.reason]
    return pd.DataFrame(cells, columns=list(columns), dtype=object)


def _note_silent(items: pd.DataFrame, people: pd.DataFrame, notes: _Notes) -> None:
    silent = sorted(set(items.index) - set(people["item"]))
    if silent:
        notes.add(f"no answers to {_listed('item', silent)}")


def _people(rows: pd.DataFrame, facts: Sequence[str], notes: _Notes) -> pd.DataFrame:
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


def _as_table(rows: pd.DataFrame) -> pd.DataFrame:
    columns = ["item", "culture", "annotator", "label", *(["time"] if "time" in rows else [])]
    return rows[columns].rename(columns={"annotator": "participant"})


def _mapped(values: pd.Series[Any], rename: Callable[[str], str]) -> pd.Series[Any]:
    return values.map({text: rename(text) for text in values.unique()}).astype(object)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _meant(label: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(label[:100], [name[:100] for name in names], 1)
    return f"; did you mean {near[0][:60]!r}?" if near else ""


def _listed(noun: str, names: Sequence[str]) -> str:
    """Names in a sentence, at most `_NAMED_CASES` of them.

    >>> _listed("column", ["age"])
    "1 column ('age')"
    """
    shown = ", ".join(repr(name[:60]) for name in names[:_NAMED_CASES])
    more = ", ..." if len(names) > _NAMED_CASES else ""
    return f"{counted(len(names), noun)} ({shown}{more})"
