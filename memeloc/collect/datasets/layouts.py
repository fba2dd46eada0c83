"""Layouts of published tables. In: data/layouts.toml. Out: layouts by name, and which one it is."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePath
from typing import Any, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict

from memeloc.errors import InputError
from memeloc.settings import read_toml, validate
from memeloc.tables import text_of
from memeloc.tables.column_map import ColumnMap

ANY = "any"
"""The layout of a table that no other is recognised in: its columns are guessed by their names."""

ROLES = (
    "image", "text", "id", "split", "language", "created", "year", "template", "post", "problem",
    "meme", "label",
)  # fmt: skip
"""Those of `memeloc.tables.column_map.ROLES` that a column of a published table may have."""


class Joined(BaseModel):
    """A second table, whose cells are added to the rows with the same value in column `on`.

    `columns` names those of a file without headings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: str
    on: str
    columns: tuple[str, ...] = ()


class Layout(ColumnMap):
    """A map of the columns of a dataset's tables, and what else these are; see `data/layouts.toml`.

    In `columns` stand by role names that its column may have, best first; of labels patterns.

    Attributes:
        title, described: what it is, and where that is written down.
        tables: patterns of the ends of the tables' paths; empty is every table.
        named_by: the role that the names of the tables tell, such as the template's.
        known_by: columns that all of them have, and others rarely.
        known_values: by column what one of its values is, where others have such columns, too.
        required: roles without which a table is refused.
        questions: of one column whose cells are lists of labels, what each of them answers.
        several: whether the last of the questions may have several answers.
        details: columns that are kept beside those with a role, of nested cells as `column.name`;
            None keeps all.
        only: by column the values of the rows that are read, an empty one where it has none.
        without_picture: rows that name no picture are not memes, and left out without a word.
        beside: whether a JSON file beside each picture may say what else a table does.
        keys: a meme is known by its id or picture (`ids`), or by its table's file and its id or row
            there (`rows`): several rows may then be about one picture.
        source: the source that reads it, where that is another.
        json_cells: columns whose cells are JSON where a table holds texts only.
        has_others: tables of other kinds stand beside its own, and are no refusals.
        joined: further tables.
    """

    name: str
    title: str
    described: str = ""
    tables: tuple[str, ...] = ()
    named_by: str = ""
    known_by: tuple[str, ...] = ()
    known_values: Mapping[str, tuple[str, ...]] = {}
    required: tuple[str, ...] = ("image",)
    questions: tuple[str, ...] = ()
    several: bool = False
    details: tuple[str, ...] | None = None
    only: Mapping[str, tuple[str, ...]] = {}
    without_picture: bool = False
    beside: bool = False
    keys: Literal["ids", "rows"] = "ids"
    source: str = ""
    json_cells: tuple[str, ...] = ()
    has_others: bool = False
    joined: tuple[Joined, ...] = ()

    def has_table(self, path: Path) -> bool:
        plain = PurePath(str(path).casefold())
        return not self.tables or any(plain.match(each.casefold()) for each in self.tables)

    def names(self, role: str) -> tuple[str, ...]:
        """Return the names that a role's column may have, best first."""
        names = self.columns.get(role, ())
        return (names,) if isinstance(names, str) else tuple(names)


@cache
def layouts() -> dict[str, Layout]:
    path = Path(__file__).parents[1] / "data" / "layouts.toml"
    tables = tomllib.loads(path.read_text("utf-8"))
    return {name: Layout(name=name, **values) for name, values in tables.items()}


def layout_of(name: str) -> Layout:
    """Return the layout of that name, or of a TOML file, which has the settings of one."""
    path = Path(name)
    if path.suffix == ".toml":
        values = {"name": path.stem, "title": path.stem} | read_toml(path)
        columns = {role: values[role] for role in ROLES if role in values}
        if isinstance(values.get("labels"), list):
            columns["label"] = values["labels"]
        if columns:
            language = {"fixed": {"language": values.get("language_tag")}}
            sections = {"columns": columns} | (language if "language_tag" in values else {})
            raise InputError(
                "columns stand in a section of their own, under the other settings; write\n\n"
                + tomli_w.dumps(sections),
                file=path,
            )
        return validate(Layout, values, "a layout", file=path)
    try:
        return layouts()[name]
    except KeyError:
        names = ", ".join(layouts())
        raise InputError(f"there is no layout {name[:40]!r}; there are {names}") from None


def recognise(columns: Iterable[str], rows: Callable[[], Sequence[Mapping[str, Any]]]) -> Layout:
    """Return the layout of a table: of several the one known by most columns; else `any`."""
    names = {column.casefold() for column in columns}
    candidates = [
        layout
        for layout in layouts().values()
        if layout.known_by and names >= {column.casefold() for column in layout.known_by}
    ]
    for layout in sorted(candidates, key=lambda layout: len(layout.known_by), reverse=True):
        if all(
            any(value in text_of(row.get(column)) for row in rows() for value in values)
            for column, values in layout.known_values.items()
        ):
            return layout
    return layouts()[ANY]
