"""One map of columns. In: a table from outside, and the roles that a stage needs. Out: its rows.

A map says which column has which role and what its values mean. It is a TOML file, a mapping or
keyword arguments, the same for every stage:

    order = ["fine", "rude", "very rude"]  # labels that are a scale, lowest first; or [levels]
    abstentions = ["unsure"]               # labels that are kept, and take no part in a vote

    [columns]
    item = "meme"                          # a column, or several names, of which one is there
    demographics = ["age", "gender"]       # a role of many columns
    label = { US = "US_label", DE = "DE_label" }  # a column a culture: a row becomes one for each

    [labels]                               # as written = the label; "" is no answer
    "RUDE!" = "rude"
    9 = ""

    [cultures]
    "United States" = "US"

    [fixed]                                # what all rows have where no column says it
    language = "de"
"""

from __future__ import annotations

import difflib
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.settings import read_toml, validate
from memeloc.tables.cells import folded
from memeloc.tables.frames import Frame, as_file
from memeloc.tables.reading import read_table, read_tables
from memeloc.tables.rows import Row, Table

if TYPE_CHECKING:
    import pandas as pd

ROLES: Mapping[str, str] = {
    "item": "the id of the meme or other item",
    "annotator": "who answered",
    "culture": "the culture of who answered",
    "label": "the answer of a person, or what is right",
    "time": "when it was answered",
    "category": "of the item",
    "topic": "of the item",
    "template": "of the item",
    "demographics": "facts about annotators, a column each",
    "question": "answers to further questions, a column each",
    "answer": "the words of a model",
    "prompt": "the number or text of the prompt",
    "model": "which model answered",
    "language": "of the item, a BCP 47 tag",
    "input": "what a model was given: picture, text, both or none",
    "dimension": "what a question is about",
    "meme": "the meme that a question is about",
    "correct": "the right option",
    "option": "options of multiple choice, a column each",
    "gold_item": "the item in a table of what is right",
    "id": "of the meme",
    "image": "a picture's file, address or bytes",
    "picture": "a picture's file",
    "text": "of the meme",
    "post": "a text beside the picture",
    "problem": "why there is no picture",
    "split": "of the dataset",
    "group": "what stays in one split",
    "created": "when the meme was made",
    "year": "when the meme or its template was made",
}
"""The roles that columns have anywhere in memeloc: one map serves several stages."""

ABSTENTIONS = frozenset(
    (
        *("i don't know", "i dont know", "don't know", "dont know", "idk"),
        *("لا أعرف", "জানি না", "weiss ich nicht", "δεν ξέρω", "no lo sé", "je ne sais pas"),
        *("לא יודע/ת", "मुझे नहीं पता", "non lo so", "わからない", "모르겠음", "não sei"),
        *("не знаю", "ไม่ทราบ", "bilmiyorum", "tôi không biết", "不知道"),
    )
)
"""Labels that are taken for abstentions where a map names none, folded: that of multi3hate (3.3),
as English spells it and as our surveys ask in other languages."""

MISSING = ("nan", "na", "n/a", "#n/a", "<na>", "nat", "null")
"""What programs write where there is no value, folded. `none` is not among them: it is a label in
published tables ("none", "some", "much"), and a person's answer is not to be lost."""

NAMED_CASES = 5
"""Labels, cultures or columns that a sentence names; of more it says how many there are."""

_MOST_CODES = 2
"""Labels that may be numbers without a question: 0 and 1 need no scale, and their order does not
matter. A third may be one ("2" for don't know, -1, 9 for refused) as well as a step."""

_ZERO_FRACTION = re.compile(r"([+-]?\d+)[.,]0+")

Columns = str | tuple[str, ...] | dict[str, str]


@dataclass(frozen=True, slots=True)
class Role:
    """What a stage needs of a table.

    Attributes:
        name: one of `ROLES`.
        known: names that its column may have where no map names it, best first; in a role of many
            columns also patterns, such as `label*`.
        required: whether a table without it is refused.
        many: whether several columns have it.
        values: what its cells are: `label` and `culture` are mapped, of a `fact` missing values
            are empty, and `text` is as it stands.
        shared: whether a known name may be that of a column which has another role.
        option: of the command line, where it is not called as the role.
    """

    name: str
    known: tuple[str, ...] = ()
    required: bool = False
    many: bool = False
    values: Literal["text", "fact", "label", "culture"] = "text"
    shared: bool = False
    option: str = ""


class ColumnMap(BaseModel):
    """What the columns of a table are, and what their values mean."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    columns: dict[str, Columns] = Field(default={}, description="which column has which role")
    fixed: dict[str, str] = Field(
        default={}, description="by role what all rows have where no column says it"
    )
    labels: dict[str, str] = Field(default={}, description="labels, by what the table has")
    cultures: dict[str, str] = Field(default={}, description="codes, by what the table has")
    order: tuple[str, ...] = Field(default=(), description="the scale, lowest label first")
    levels: dict[str, float] = Field(default={}, description="by label its place on the scale")
    scale: bool = Field(default=False, description="whether labels that are numbers are a scale")
    abstentions: tuple[str, ...] | None = Field(
        default=None, description="labels that are left out of the vote"
    )
    missing: tuple[str, ...] = Field(default=MISSING, description="what stands for no value")
    models: tuple[str, ...] = Field(default=(), description="annotators that are programs")

    @field_validator("columns", "fixed")
    @classmethod
    def _known_roles(cls, values: dict[str, Any]) -> dict[str, Any]:
        for name in values:
            if name not in ROLES:
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

    @field_validator("levels")
    @classmethod
    def _finite(cls, levels: dict[str, float]) -> dict[str, float]:
        if not all(map(math.isfinite, levels.values())):
            raise ValueError("a place on the scale is a number")
        return levels

    @property
    def places(self) -> dict[str, float]:
        """By label its place on the scale; empty where the labels have no order."""
        return self.levels or {label: float(place) for place, label in enumerate(self.order)}

    @cached_property
    def label_names(self) -> dict[str, str]:
        """Labels by what may stand for them, folded: their own names, and `labels`."""
        names = [*self.labels.values(), *self.places, *(self.abstentions or ())]
        return {_key(name): name for name in names if name} | {
            _key(written): name for written, name in self.labels.items()
        }

    def label_of(self, written: str) -> str:
        """Return the label that a text stands for, the text itself where the map has none.

        What is missing is empty.
        """
        key = _key(written)
        absent = "" if key in map(folded, self.missing) else written
        return self.label_names.get(key, absent)

    def abstains(self, label: str) -> bool:
        """Whether a label is left out of the vote: the map's, else one that is known as such."""
        if self.abstentions is not None:
            return label in self.abstentions
        return folded(label) in ABSTENTIONS


@dataclass
class Notes:
    """What was noticed: of each sentence the rows it is about."""

    rows: dict[str, list[int]] = field(default_factory=dict)

    def add(self, sentence: str, rows: Iterable[int] = ()) -> None:
        """Count rows for a sentence; one about the whole table has none."""
        self.rows.setdefault(sentence, []).extend(int(row) for row in rows)

    def lines(self) -> list[str]:
        """Return the sentences as they came, each with its first row and how many there are."""
        return [
            f"{_place(rows)}: {sentence}" if rows else sentence
            for sentence, rows in self.rows.items()
        ]


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
        return self.frame[[f"{role}: {key}" for key in self.columns.get(role, ())]].rename(
            columns=lambda name: name.removeprefix(f"{role}: ")
        )

    def wrong(self, message: str, role: str = "", row: int | None = None) -> InputError:
        """Return an error that names the file, the row and the role's column."""
        column = next(iter(self.columns.get(role, {}).values()), role)
        return InputError(message, file=self.file, row=row, column=column or None)


def read_map(
    source: ColumnMap | Mapping[str, Any] | str | Path | None = None, **given: Any
) -> ColumnMap:
    """Return a map as it is, from plain values, or from a TOML file.

    Args:
        given: further settings, which go before the source's: columns by role, and whatever else a
            map has (`labels`, `scale`, ...). What is empty is not given.

    Raises:
        InputError: it cannot be read, or a setting is unknown or has a value that it cannot have.
    """
    if isinstance(source, ColumnMap):
        read = source
    elif isinstance(source, str | Path):
        read = validate(ColumnMap, read_toml(Path(source)), "the map", file=Path(source))
    else:
        read = validate(ColumnMap, source or {}, "the map")
    settings: dict[str, Any] = {}
    for name, value in given.items():
        if not value:
            continue
        if name in ColumnMap.model_fields:
            before = getattr(read, name)
            settings[name] = {**before, **value} if isinstance(before, dict) else value
        else:
            settings.setdefault("columns", dict(read.columns))[name] = value
    if not settings:
        return read
    return validate(ColumnMap, read.model_dump(exclude_unset=True) | settings, "the map")


def columns_of(
    names: Sequence[str], column_map: ColumnMap, roles: Sequence[Role], file: str | Path = ""
) -> dict[str, dict[str, str]]:
    """Return by role its columns, by key: the heading itself, or the name that the map gives it.

    A role without a column is not in it. `list(columns[role])` are its columns, best first, where
    the map gives them no names. Of a column a culture, as the map names them, the key is the
    culture. Case, width, white space and underscores of headings do not matter.

    Raises:
        InputError: a column that the map names is not there, or is there twice, or one that is
            required has no known name.
    """
    found: dict[str, dict[str, str]] = {}
    for role in roles:
        if role.name in column_map.columns:
            found[role.name] = _named(column_map.columns[role.name], role, names, file)
    is_wide = any(
        isinstance(column_map.columns.get(role.name), dict) for role in roles if not role.many
    )
    for role in roles:
        if role.name not in found and not (is_wide and role.name in ("annotator", "culture")):
            taken = set[str]()
            if not role.shared:
                taken = {column for columns in found.values() for column in columns.values()}
            if known := _known(role, names, taken, file):
                found[role.name] = {column: column for column in known}
            elif role.required and role.name not in column_map.fixed:
                raise _without(role, names, file)
    return found


def _named(wanted: Columns, role: Role, names: Sequence[str], file: str | Path) -> dict[str, str]:
    """The columns that a map names for a role, by key."""
    if isinstance(wanted, str):
        wanted = (wanted,)
    if isinstance(wanted, tuple) and not role.many:
        there = [column for name in wanted if (column := _heading(name, names, file))]
        if not there:
            raise _absent(wanted[0] if wanted else "", role, names, file)
        return {there[0]: there[0]}
    if isinstance(wanted, dict) and not role.many and role.name != "label":
        raise InputError(f"the role {role.name} has one column", file=file or None)
    by_key = wanted if isinstance(wanted, dict) else {name: name for name in wanted}
    columns: dict[str, str] = {}
    for key, name in by_key.items():
        column = _heading(name, names, file)
        if not column:
            raise _absent(name, role, names, file)
        columns[key] = column
    return columns


def _known(role: Role, names: Sequence[str], taken: set[str], file: str | Path) -> list[str]:
    """The headings that are known for a role, best first; of a role with one column the best."""
    columns: dict[str, None] = {}
    for known in role.known:
        if "*" in known:
            matches = [name for name in names if fnmatchcase(_plain(name), _plain(known))]
        else:
            matches = [_heading(known, names, file)]
        columns.update({name: None for name in matches if name and name not in taken})
    return list(columns) if role.many else list(columns)[:1]


def _heading(wanted: str, names: Sequence[str], file: str | Path) -> str:
    """The heading of that name, empty for none; of several that differ in case the one as named."""
    same = [name for name in names if name == wanted]
    same = same or [name for name in names if name and _plain(name) == _plain(wanted)]
    if len(same) > 1:
        shown = " and ".join(dict.fromkeys(map(repr, same)))
        message = f"{len(same)} columns have this heading ({shown}): rename or remove one"
        raise InputError(message, file=file or None, column=wanted[:60])
    return same[0] if same else ""


def _plain(heading: str) -> str:
    return folded(heading.replace("_", " "))


def _absent(name: str, role: Role, names: Sequence[str], file: str | Path) -> InputError:
    near = difflib.get_close_matches(name.casefold(), [n.casefold() for n in names], 1)
    meant = next((f" Did you mean {n!r}?" for n in names if near and n.casefold() == near[0]), "")
    return InputError(
        f"The table has no column {name[:60]!r} for the {role.name}.{meant} "
        f"Its columns are {_shown(names)}.",
        file=file or None,
        column=name[:60],
    )


def _without(role: Role, names: Sequence[str], file: str | Path) -> InputError:
    option = role.option or role.name.replace("_", "-")
    hint = f'Name it: --{option} COLUMN, or {role.name} = "COLUMN" in [columns] of a map (--map).'
    if role.values in ("label", "culture"):
        hint += ' Where each culture has a column: label = { US = "COLUMN", DE = "COLUMN" }.'
    return InputError(
        f"No column is known to be the {role.name} ({ROLES[role.name]}). "
        f"The columns are {_shown(names)}. {hint}",
        file=file or None,
    )


def _shown(names: Sequence[str]) -> str:
    return ", ".join(repr(name[:40]) for name in names[:12] if name) or "none"


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
    answered, the `annotator` is the column.

    Args:
        table: a file, or a frame of pandas, polars or pyarrow.
        encodings: see `read_tables`.

    Raises:
        InputError: the file cannot be read, or see `columns_of`.
    """
    import pandas as pd

    with as_file(table) as path:
        opened = _opened(path, column_map, roles, encodings)
        columns = columns_of(opened.columns, column_map, roles, path)
        many = {role.name for role in roles if role.many}
        wide = columns.keys() & {
            role.name
            for role in roles
            if not role.many and isinstance(column_map.columns.get(role.name), dict)
        }
        texts: dict[str, list[str]] = {}
        appenders = []
        for name, by_key in columns.items():
            for key, column in by_key.items():
                cells = texts[f"{name}: {key}" if name in many | wide else name] = []
                appenders.append((cells.append, column))
        numbers: list[int] = []
        broken: list[Row] = []
        known: dict[str, str] = {}  # a text once in memory, not once a row
        for row in opened.rows:
            if row.reason:
                broken.append(row)
                continue
            numbers.append(row.number)
            for append, column in appenders:
                text = row[column]
                append(known.setdefault(text, text))
    frame = pd.DataFrame({**texts, "row": numbers}).astype(dict.fromkeys(texts, object))
    notes = Notes()
    if opened.note:
        notes.add(opened.note)
    for role in roles:
        if value := column_map.fixed.get(role.name):
            filled = frame[role.name].replace("", value) if role.name in frame else value
            frame[role.name] = filled
    for name in wide:
        if "annotator" not in frame:
            notes.add("no column says who answered: each column of labels is taken for a person")
        frame = _long(frame, name, columns[name])
    for role in roles:
        for column in [c for c in frame.columns if c.partition(": ")[0] == role.name]:
            frame[column] = _values(frame[[column, "row"]], role, column_map, notes)
    file = str(table) if isinstance(table, str | Path) else "the data frame"
    used = {column for by_key in columns.values() for column in by_key.values()}
    unused = tuple(name for name in opened.columns if name and name not in used)
    return MappedRows(frame, columns, unused, tuple(broken), notes, file)


def _opened(
    path: Path, column_map: ColumnMap, roles: Sequence[Role], encodings: Sequence[str]
) -> Table:
    """The table that has the columns, of several in a file; else the first, whatever it has."""

    def is_header(names: Sequence[str]) -> bool:
        try:
            return bool(columns_of(names, column_map, roles))
        except InputError:
            return False

    tables = read_tables(path, is_header=is_header, encodings=encodings)
    return next(tables, None) or read_table(path, encodings=encodings)


def _long(frame: pd.DataFrame, role: str, columns: Mapping[str, str]) -> pd.DataFrame:
    """A row a culture, of a row with a column a culture."""
    import pandas as pd

    parts = []
    others = frame.drop(columns=[f"{role}: {key}" for key in columns])
    for culture, column in columns.items():
        part = others.assign(culture=culture)
        part[role] = frame[f"{role}: {culture}"]
        if "annotator" not in part:
            part["annotator"] = column
        parts.append(part)
    return pd.concat(parts).sort_values("row", kind="stable", ignore_index=True)


def _values(cells: pd.DataFrame, role: Role, column_map: ColumnMap, notes: Notes) -> pd.Series[Any]:
    """A column's values as the map has them."""
    values, rows = cells.iloc[:, 0], cells["row"]
    if role.values == "text":
        return values
    missing = {folded(text) for text in column_map.missing}
    if role.values == "fact":
        return values.map({text: "" if folded(text) in missing else text for text in set(values)})
    if role.values == "label":
        names = column_map.label_names
        absent = [text for text in values.unique() if folded(text) in missing - names.keys()]
        for text in absent:
            notes.add(f"{text[:60]!r} is taken for no answer", rows[values == text])
        names |= {_key(text): "" for text in absent}
    else:
        names = {_key(name): name for name in column_map.cultures.values()}
        names |= {_key(written): name for written, name in column_map.cultures.items()}
    joined = _one_spelling(values, names, role.values, rows, notes)
    return values.map(joined).astype(object)


def _one_spelling(
    values: pd.Series[Any], names: dict[str, str], what: str, rows: pd.Series[Any], notes: Notes
) -> dict[str, str]:
    """By text its name, else the most frequent of its spellings."""
    counts = values.value_counts(sort=False)
    spellings: dict[str, Counter[str]] = {}
    for text, number in counts.items():
        spellings.setdefault(_key(str(text)), Counter())[str(text)] += int(number)
    joined: dict[str, str] = {}
    for key, texts in spellings.items():
        (most, _), *others = texts.most_common()
        for text in texts:
            joined[text] = names.get(key, _whole(most))
        for text, _ in others if key not in names else ():
            if _whole(text) != _whole(most):
                sentence = f"{text[:60]!r} is taken for {most[:60]!r}, another spelling of a {what}"
                notes.add(sentence, rows[values == text])
    return joined


def levels_of(
    labels: pd.Series[Any], column_map: ColumnMap, mapped: MappedRows
) -> dict[str, float]:
    """Return by label its place on the scale; empty where the labels have no order.

    Args:
        labels: those that vote, one an answer.
        mapped: where they are from, for errors.

    Raises:
        InputError: three or more labels are numbers that the map does not explain; or they are
            said to be a scale, and one is no number.
    """
    if column_map.places:
        return column_map.places
    counts = labels.value_counts()
    numbers = {str(label): number for label in counts.index if (number := _number(str(label)))[0]}
    codes = sorted(numbers, key=lambda label: numbers[label][1])
    if column_map.scale:
        if text := next((str(label) for label in counts.index if label not in numbers), ""):
            message = f"{text[:60]!r} is no number, and scale = true takes labels for numbers. "
            message += f'Name it: {_toml(text)} = "" in [labels] of a map, or among abstentions.'
            raise mapped.wrong(message, "label")
        return {label: numbers[label][1] for label in codes}
    unexplained = [code for code in codes if _key(code) not in column_map.label_names]
    if len(unexplained) <= _MOST_CODES:
        return {}
    shown = ", ".join(f"{code} ({counts[code]:,})" for code in codes[:20])
    lines = "\n".join(f'{_toml(code)} = "..."' for code in codes[:20])
    steps = ", ".join(f'"{code}"' for code in codes[:20])
    raise mapped.wrong(
        f"The labels are numbers: {shown}. Numbers may be steps of a scale, or codes, of which one "
        f"may mean that there is no answer. Say which in a map (--map), by what they mean:\n"
        f'[labels]  # "" is no answer\n{lines}\n'
        f"or, where they are steps, by order = [{steps}], or scale = true (--scale).",
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


def _place(rows: list[int]) -> str:
    return f"row {rows[0]}" if len(rows) == 1 else f"{len(rows):,} rows, the first is {min(rows)}"


def _number(text: str) -> tuple[bool, float]:
    try:
        number = float(text.replace(",", ".", 1))
    except ValueError:
        return False, 0.0
    return math.isfinite(number), number


def _whole(text: str) -> str:
    """A whole number as it was typed: 1.0, which programs make of it, is 1."""
    match = _ZERO_FRACTION.fullmatch(text)
    return match[1] if match else text


def _key(text: str) -> str:
    return folded(_whole(text))


def _toml(key: str) -> str:
    """A key of TOML, in quotation marks where it needs them."""
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else '"' + key.replace('"', '\\"') + '"'
