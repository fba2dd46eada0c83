"""One map of columns. In: a table from outside, and the roles that a stage needs. Out: its rows.

A map says which column has which role and what its values mean; it is a TOML file, a mapping or
keyword arguments, the same for every stage. guides/analysis.md says what stands in it.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, field_validator

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.settings import read_toml, validate
from memeloc.tables.cells import folded
from memeloc.tables.reading import read_table, read_tables
from memeloc.tables.rows import Frame, Row

if TYPE_CHECKING:
    import pandas as pd

ROLES = (
    "item", "annotator", "culture", "label", "time", "category", "topic", "template",
    "demographics", "question", "answer", "prompt", "model", "language", "input", "dimension",
    "meme", "correct", "option", "gold_item", "id", "image", "picture", "text", "post", "problem",
    "split", "group", "created", "year", "other",
)  # fmt: skip
"""The roles that columns have anywhere in memeloc: one map may serve several stages."""

ABSTENTIONS = (
    "i don't know", "i dont know", "don't know", "dont know", "idk", "لا أعرف", "জানি না",
    "weiss ich nicht", "δεν ξέρω", "no lo sé", "je ne sais pas", "לא יודע/ת", "मुझे नहीं पता",
    "non lo so", "わからない", "모르겠음", "não sei", "не знаю", "ไม่ทราบ", "bilmiyorum",
    "tôi không biết", "不知道",
)  # fmt: skip
"""Labels that are taken for abstentions where a map names none, folded: that of multi3hate (3.3),
as English spells it and as our surveys ask in other languages."""

MISSING = ("nan", "na", "n/a", "#n/a", "<na>", "nat", "null")
"""Words that programs write for no value, folded. `none` is not among them: it is a label in
published tables ("none", "some", "much"), and a person's answer is not to be lost."""

NAMED_CASES = 5
"""Labels, cultures or columns that a sentence names; of more it says how many there are."""

_MOST_CODES = 2
"""Labels that may be numbers without a question: 0 and 1 need no scale, and their order does not
matter. A third may be one ("2" for don't know, -1, 9 for refused) as well as a step."""

_ZERO_FRACTION = re.compile(r"\A([+-]?\d+)[.,]0+\Z")

Columns = str | tuple[str, ...] | dict[str, str]
"""A role's column; several names, of which one is there, or of a role of many its columns; or the
columns by names of their own, such as one of labels a culture: a row becomes one for each."""


@dataclass(frozen=True, slots=True)
class Role:
    """A role that a stage needs of a table.

    Attributes:
        name: one of `ROLES`.
        names: those that its column may have where no map names it, best first; in a role of many
            columns also patterns, such as `label*`.
        required: whether a table without it is refused.
        many: whether several columns have it.
        values: what its cells are: `label` and `culture` are mapped, of a `fact` missing values
            are empty, and `text` is as it stands.
        shared: whether a known name may be that of a column which has another role.
    """

    name: str
    names: tuple[str, ...] = ()
    required: bool = False
    many: bool = False
    values: Literal["text", "fact", "label", "culture"] = "text"
    shared: bool = False


class ColumnMap(BaseModel):
    """Roles of a table's columns, and meanings of their values."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    columns: dict[str, Columns] = Field(default={}, description="which column has which role")
    fixed: dict[str, str] = Field(default={}, description="what rows have where no column says it")
    labels: dict[str, str] = Field(default={}, description="labels, by what the table has")
    cultures: dict[str, str] = Field(default={}, description="codes, by what the table has")
    order: tuple[str, ...] = Field(default=(), description="the scale, lowest label first")
    levels: dict[str, FiniteFloat] = Field(default={}, description="labels' places on the scale")
    scale: bool = Field(default=False, description="whether labels that are numbers are a scale")
    abstentions: tuple[str, ...] | None = Field(default=None, description="labels without a vote")
    missing: tuple[str, ...] = Field(default=MISSING, description="what stands for no value")
    models: tuple[str, ...] = Field(default=(), description="annotators that are programs")

    @field_validator("columns", "fixed")
    @classmethod
    def _known_roles(cls, values: dict[str, Any]) -> dict[str, Any]:
        for name in values.keys() - set(ROLES):
            near = difflib.get_close_matches(name[:60], ROLES, 1)
            meant = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(ROLES)}"
            raise ValueError(f"there is no role {name[:60]!r}; {meant}")
        return values

    @field_validator("order")
    @classmethod
    def _each_once(cls, order: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(order)) < len(order):
            raise ValueError("a label stands in it twice")
        return order

    @property
    def places(self) -> dict[str, float]:
        """Return by label its place on the scale; empty where the labels have no order."""
        return self.levels or {label: float(place) for place, label in enumerate(self.order)}

    @cached_property
    def label_names(self) -> dict[str, str]:
        """Labels by what may stand for them, folded: `labels`, and the names of all."""
        names = (*self.places, *(self.abstentions or ()))
        return {_key(name): name for name in names} | _names(self.labels)

    def label_of(self, written: str) -> str:
        """Return the label that a text stands for, the text itself where the map has none. What is
        missing is empty."""
        key = _key(written)
        absent = "" if key in map(folded, self.missing) else written
        return self.label_names.get(key, absent)

    def abstains(self, label: str) -> bool:
        """Return whether a label is left out of the vote: the map's, else a known one."""
        is_one = folded(label) in ABSTENTIONS
        return is_one if self.abstentions is None else label in self.abstentions


@dataclass
class Notes:
    """Sentences on what was noticed, with the rows that each is about."""

    rows: dict[str, list[int]] = field(default_factory=dict)

    def add(self, sentence: str, rows: Iterable[int] | None = None) -> None:
        """Count rows for a sentence, which is left out for no rows; None is the whole table."""
        numbers = [int(row) for row in rows] if rows is not None else []
        if numbers or rows is None:
            self.rows.setdefault(sentence, []).extend(numbers)

    def lines(self) -> list[str]:
        """Return the sentences as they came, each with its first row and how many there are."""
        lines = []
        for sentence, rows in self.rows.items():
            many = f"{len(rows):,} rows, the first is {min(rows, default=0)}: "
            place = many if len(rows) > 1 else "".join(f"row {row}: " for row in rows)
            lines.append(place + sentence)
        return lines


@dataclass(frozen=True, slots=True, eq=False)
class MappedRows:
    """The rows of a table by role.

    Attributes:
        frame: a row an answer: `row`, its number as the user counts, and a column of text for each
            role that the table has, empty where a cell is; of a role with many `ROLE: KEY`.
        columns: as `columns_of` returns them.
        unused: the headings of columns that have no role.
        broken: rows that cannot be trusted, each with its `reason` and `error`.
        notes: on spellings that were joined and values that are missing; a stage adds its own.
        file: the table's path, or "the data frame", for errors.
    """

    frame: pd.DataFrame
    columns: Mapping[str, Mapping[str, str]]
    unused: tuple[str, ...]
    broken: tuple[Row, ...]
    notes: Notes
    file: str

    def many(self, role: str) -> pd.DataFrame:
        """Return the columns of a role with many, each by its key."""
        keys = list(self.columns.get(role, ()))
        return self.frame[[f"{role}: {key}" for key in keys]].set_axis(keys, axis=1)

    def wrong(self, message: str, role: str = "", row: int | None = None) -> InputError:
        """Return an error that names the file, the row and the role's column."""
        column = next(iter(self.columns.get(role, {}).values()), role)
        return InputError(message, file=self.file, row=row, column=column or None)


def read_map(
    source: ColumnMap | Mapping[str, Any] | str | Path | None = None, **changes: Any
) -> ColumnMap:
    """Return a map as it is, from plain values, or from a TOML file; `changes` go before its own
    settings, unless they are empty: columns by role, and whatever else a map has. Raise InputError
    if it cannot be read, or a setting is unknown or has a value that it cannot have."""
    if isinstance(source, ColumnMap):
        read = source
    elif isinstance(source, str | Path):
        read = validate(ColumnMap, read_toml(Path(source)), "the map", file=Path(source))
    else:
        read = validate(ColumnMap, source or {}, "the map")
    settings = read.model_dump(exclude_unset=True)
    for name, value in changes.items():
        if value and name in ColumnMap.model_fields:
            before = settings.get(name)
            settings[name] = {**before, **value} if isinstance(before, dict) else value
        elif value:
            settings["columns"] = {**settings.get("columns", {}), name: value}
    return validate(ColumnMap, settings, "the map")


def columns_of(
    names: Sequence[str], column_map: ColumnMap, roles: Sequence[Role], file: str | Path = ""
) -> dict[str, dict[str, str]]:
    """Return by role its columns, by key: the heading itself, or the name that the map gives it.

    A role without a column is not in it. `list(columns[role])` are its columns, best first, where
    the map gives them no names. Of a column a culture, as the map names them, the key is the
    culture. Case, width, white space and underscores of headings do not matter. Raise InputError if
    a column that the map names is not there, or is there twice, or one that is required has no
    known name.
    """

    def wrong(message: str, hint: str = "", column: str = "") -> InputError:
        shown = ", ".join(repr(name[:40]) for name in names[:12] if name) or "none"
        sentence = f"{message} Its columns are {shown}. {hint}".strip()
        return InputError(sentence, file=file or None, column=column[:60] or None)

    def find(wanted: str) -> str:
        """Return the heading of that name, empty for none; of those that differ in case, the one
        named."""
        same = [name for name in names if name == wanted]
        same = same or [name for name in names if name and _plain(name) == _plain(wanted)]
        if len(same) > 1:
            shown = " and ".join(dict.fromkeys(map(repr, same)))
            message = f"{len(same)} columns have this heading ({shown}): rename or remove one"
            raise InputError(message, file=file or None, column=wanted[:60])
        return same[0] if same else ""

    found: dict[str, dict[str, str]] = {}
    for role in roles:
        if not (wanted := column_map.columns.get(role.name)):
            continue
        has_names = isinstance(wanted, dict)
        if has_names and not role.many and role.name != "label":
            raise InputError(f"the role {role.name} has one column", file=file or None)
        named = (wanted,) if isinstance(wanted, str) else wanted
        by_key = named if isinstance(named, dict) else {name: name for name in named}
        columns = {key: find(name) for key, name in by_key.items()}
        first = next(filter(None, columns.values()), "")
        if first and not role.many and not has_names:
            columns, by_key = {first: first}, {}
        for key, name in by_key.items():
            if not columns[key]:
                near = difflib.get_close_matches(name, names, 1)
                meant = f" Did you mean {near[0]!r}?" if near else ""
                message = f"The table has no column {name[:60]!r} for the {role.name}.{meant}"
                raise wrong(message, column=name)
        found[role.name] = columns
    is_wide = _is_wide(column_map, roles)
    for role in roles:
        if role.name in found or (is_wide and role.name == "culture"):
            continue
        taken = {column for each in found.values() for column in each.values()} - {""}
        found_columns: dict[str, str] = {}
        for name in role.names:
            alike = (each for each in names if fnmatchcase(_plain(each), _plain(name)))
            for match in alike if "*" in name else [find(name)]:
                if match and (role.shared or match not in taken):
                    found_columns[match] = match
        if found_columns:
            found[role.name] = (
                found_columns if role.many else dict([next(iter(found_columns.items()))])
            )
        elif role.required and role.name not in column_map.fixed:
            if is_wide and role.name == "annotator":
                continue  # each column is taken for a person
            hint = f'Name it: --map {role.name}=COLUMN, or {role.name} = "COLUMN" in [columns] of '
            hint += "the map's file."
            if role.name in ("label", "culture"):
                hint += " Where each culture has a column: --map label.US=COLUMN,label.DE=..."
            raise wrong(f"No column is known to be the {role.name}.", hint)
    return found


def _is_wide(column_map: ColumnMap, roles: Sequence[Role]) -> bool:
    is_one = any(role.name == "label" and not role.many for role in roles)
    return is_one and isinstance(column_map.columns.get("label"), dict)


def _plain(heading: str) -> str:
    return folded(heading.replace("_", " "))


def read_rows(
    table: str | Path | Frame,
    column_map: ColumnMap,
    roles: Sequence[Role],
    *,
    encodings: Sequence[str] = (),
) -> MappedRows:
    """Read a table on disk or in memory, its columns by role and its values as the map has them.

    Labels and cultures of one spelling but for case and white space become one, with a note. Of a
    table with a column a culture each row becomes one for each of them; where no column says who
    answered, the `annotator` is the column; `encodings` as of `read_tables`. Raise InputError if
    the file cannot be read, or as `columns_of`.
    """
    import pandas as pd

    def is_header(names: Sequence[str]) -> bool:
        try:
            return bool(columns_of(names, column_map, roles))
        except InputError:
            return False

    # Of several tables in a file the first that has the columns; else the first, whatever it has.
    tables = read_tables(table, is_header=is_header, encodings=encodings)
    opened = next(tables, None) or read_table(table, encodings=encodings)
    is_wide = _is_wide(column_map, roles)
    many = {role.name for role in roles if role.many or (role.name == "label" and is_wide)}
    columns = columns_of(opened.columns, column_map, roles, opened.path)
    by_name = {
        f"{role}: {key}" if role in many else role: column
        for role, by_key in columns.items()
        for key, column in by_key.items()
    }
    texts: dict[str, list[str]] = {name: [] for name in by_name}
    numbers: list[int] = []
    broken: list[Row] = []
    for row in opened.rows:
        if row.reason:
            broken.append(row)
            continue
        numbers.append(row.number)
        for key, column in by_name.items():
            texts[key].append(sys.intern(row[column]))  # a text once in memory, not once a row
    frame = pd.DataFrame({**texts, "row": numbers}).astype(dict.fromkeys(texts, object))
    notes = Notes({opened.note: []} if opened.note else {})
    for role in roles:
        if value := column_map.fixed.get(role.name):
            filled = frame[role.name].replace("", value) if role.name in frame else value
            frame[role.name] = filled
    if is_wide:
        if "annotator" not in frame:
            notes.add("no column says who answered: each column of labels is taken for a person")
        others = frame.drop(columns=[f"label: {culture}" for culture in columns["label"]])
        parts = []
        for culture, column in columns["label"].items():
            part = others.assign(culture=culture, label=frame[f"label: {culture}"])
            parts.append(part if "annotator" in part else part.assign(annotator=column))
        frame = pd.concat(parts).sort_values("row", kind="stable", ignore_index=True)
    for role in roles:
        for name in [name for name in frame if str(name).partition(": ")[0] == role.name]:
            frame[name] = _mapped(frame[name], frame["row"], role, column_map, notes)
    unused = tuple(name for name in opened.columns if name and name not in by_name.values())
    return MappedRows(frame, columns, unused, tuple(broken), notes, str(opened.path))


def _mapped(
    values: pd.Series[Any], rows: pd.Series[Any], role: Role, column_map: ColumnMap, notes: Notes
) -> pd.Series[Any]:
    """Return a column's values as the map has them; labels and cultures in one spelling each."""
    if role.values == "text":
        return values
    missing = {folded(text) for text in column_map.missing}
    if role.values == "fact":
        return values.map({text: "" if folded(text) in missing else text for text in set(values)})
    names = _names(column_map.cultures) if role.values == "culture" else column_map.label_names
    spellings: dict[str, list[str]] = {}
    for text, _ in Counter(values).most_common():
        spellings.setdefault(_key(text), []).append(text)
    renamed: dict[str, str] = {}
    for key, (most, *others) in spellings.items():
        is_missing = role.values == "label" and key in missing - names.keys()
        name = "" if is_missing else names.get(key, whole_number(most))
        renamed |= dict.fromkeys((most, *others), name)
        if is_missing:
            notes.add(f"{most[:60]!r} is taken for no answer", rows[values.isin([most, *others])])
        for text in others if key not in names and not is_missing else ():
            if whole_number(text) != name:
                sentence = f"{text[:60]!r} is taken for {name[:60]!r}, another spelling of a "
                notes.add(sentence + role.values, rows[values == text])
    return values.map(renamed).astype(object)


def levels_of(
    labels: pd.Series[Any], column_map: ColumnMap, mapped: MappedRows
) -> dict[str, float]:
    """Return by label its place on the scale, of those that vote, one an answer; empty where the
    labels have no order. Raise InputError if three or more labels are numbers that the map does not
    explain; or they are said to be a scale, and one is no number."""
    import pandas as pd
    import tomli_w

    if column_map.places:
        return column_map.places
    counts = labels.value_counts()
    numbers = pd.to_numeric(pd.Series(counts.index, counts.index), errors="coerce").sort_values()
    codes = [str(label) for label in numbers.dropna().index]
    if column_map.scale and len(codes) < len(counts):
        text = numbers.index[-1]  # those that are no numbers come last
        message = f"{text[:60]!r} is no number, and scale = true takes labels for numbers; say what"
        raise mapped.wrong(f'{message} it is in [labels] of a map: "" is no answer', "label")
    if column_map.scale:
        return {code: float(numbers[code]) for code in codes}
    if len([code for code in codes if _key(code) not in column_map.label_names]) <= _MOST_CODES:
        return {}
    shown = ", ".join(f"{code} ({counts[code]:,})" for code in codes)
    raise mapped.wrong(
        f"The labels are numbers: {shown}. Numbers may be steps of a scale, or codes, of which one "
        f"may mean that there is no answer. Say which in a map (--map), by what they mean:\n"
        f"{tomli_w.dumps({'labels': dict.fromkeys(codes, '...')})}"
        f'where "" is no answer; or, where they are steps, by order = {json.dumps(codes)}, or '
        "scale = true (--scale).",
        "label",
    )


def listed(noun: str, names: Sequence[str]) -> str:
    """Return names in a sentence, at most `NAMED_CASES` of them.

    >>> listed("column", ["age"])
    "1 column ('age')"
    """
    shown = ", ".join(repr(name[:60]) for name in names[:NAMED_CASES])
    more = ", ..." if len(names) > NAMED_CASES else ""
    return f"{counted(len(names), noun)} ({shown}{more})"


def whole_number(text: str) -> str:
    """Return a number as it was typed where a program made a float of it: `1.0` was `1`."""
    text = text.strip()
    return _ZERO_FRACTION.sub(r"\1", text) if text.endswith("0") else text


def _names(renamed: Mapping[str, str]) -> dict[str, str]:
    """New names by what may stand for them, folded: the old ones, and themselves."""
    names = {_key(name): name for name in renamed.values() if name}
    return names | {_key(written): name for written, name in renamed.items()}


def _key(text: str) -> str:
    return folded(whole_number(text))
