"""Sources whose memes are rows of tables. In: a folder or table, and layouts. Out: finished memes.

A meme that several tables have comes once. Tables with labels are read first, so that a meme has
its label where any of them gives it; then the training split. What is not read is refused with its
reason, and the rest goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.collect.datasets.folder import DatasetFolder, looks_like_picture
from memeloc.collect.datasets.layouts import ANY, ROLES, Layout, layout_of, recognise
from memeloc.collect.datasets.memes import Memes, OpenTable, as_text
from memeloc.collect.datasets.records import (
    BESIDE,
    TABLES,
    Records,
    beside_pictures,
    open_records,
    read_records,
    sidecars,
    unread_tables,
)
from memeloc.collect.protocol import Dataset, TablePreview, dataset_at
from memeloc.errors import InputError
from memeloc.items import FoundPicture, FoundTemplate, Refusal
from memeloc.tables import text_of
from memeloc.tables.column_map import ColumnMap, Role, columns_of

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

_INNER = frozenset({"annotations", "split dataset"})
"""Folders of tables that name pictures beside that folder."""

_LINKED = (
    "is a link that leads out of the folder, as in the cache of the Hugging Face Hub: download the "
    "dataset with --local-dir and give that folder"
)

Found = FoundPicture | FoundTemplate | Refusal


class TablesSource:
    """A source whose memes are rows of tables.

    Its options may be roles, by which a column is named, and `label`, columns that are labels as
    COLUMN or QUESTION=COLUMN.
    """

    name: str
    path: Path
    language: str
    terms: str
    pictures: Path | None = None
    label: tuple[str, ...] = ()
    language_column = ""

    @cached_property
    def layouts(self) -> Sequence[Layout]:
        """Those that are looked for, by the names of tables; none recognises the tables'."""
        return [layout_of(self.name)]

    def dataset(self) -> Dataset:
        """Return the folder; of one table, the folder of the dataset that it belongs to."""
        return dataset_at(folder_of(self.path))

    def collect(self, fetcher: Fetcher) -> Iterator[Found]:
        """Read the tables; only pictures that a table has the address of are fetched."""
        problems = self._opened[1]
        if not self._opened[0] and len(problems) == 1:
            raise InputError(problems[0].problem, file=self.folder.root / problems[0].tables[0])
        yield from self.read_tables(fetcher)

    def preview(self) -> list[TablePreview]:
        """Return how each table would be read, tables with the same columns as one."""
        opened, problems = self._opened
        same: dict[str, list[OpenTable]] = {}
        for table in opened:
            same.setdefault(f"{table.layout.name} {table.columns} {table.labels}", []).append(table)
        return [*map(self._preview, same.values()), *problems]

    @cached_property
    def folder(self) -> DatasetFolder:
        """The folder in which pictures are."""
        if self.pictures is not None and not self.path.is_file():
            sentence = "give one table where its pictures are in another folder"
            raise InputError(sentence, file=self.path)
        what = f"a folder or a table of {self.layouts[0].title if self.layouts else 'memes'}"
        return DatasetFolder(self.name, self.pictures or folder_of(self.path), self.terms, what)

    @cached_property
    def _sidecars(self) -> dict[Path, Path]:
        return sidecars(self.folder.files_inside)

    @cached_property
    def tables(self) -> list[Path]:
        """The tables' files, and links to some."""
        if self.path.is_file():
            return [self.path.resolve()]
        tables = [path for path in self.folder.files if path.suffix.lower() in TABLES]
        return [
            path
            for path in tables
            if path not in self._sidecars
            and (not self.layouts or any(layout.has_table(path) for layout in self.layouts))
        ]

    def read_tables(self, fetcher: Fetcher) -> Iterator[Found]:
        """Yield the memes in all tables, and refusals of what cannot be read."""
        opened, problems = self._opened
        for problem in problems:
            yield Refusal(self.name, problem.tables[0], "not readable", problem.problem)
        memes = Memes(self.folder, self.language, fetcher)
        for table in opened:
            path = table.records.path
            rows = fetcher.look_ahead(table.records.rows(), partial(memes.addresses, table))
            yield from read_records(self.folder, path, rows, partial(memes.row, table))
        yield from self.unread(opened)

    def unread(self, opened: Sequence[OpenTable] = ()) -> Iterator[Refusal]:
        """Yield refusals of the tables of a folder that are of another layout."""
        if not self.path.is_file() and not any(table.layout.has_others for table in opened):
            joined = {join.table.casefold() for table in opened for join in table.layout.joined}
            read = {path for path in self.folder.files_inside if path.name.casefold() in joined}
            read |= {*self.tables}
            if any(table.layout.beside or BESIDE in table.records.columns for table in opened):
                read |= self._sidecars.keys()
            yield from unread_tables(self.folder, read)

    @cached_property
    def _opened(self) -> tuple[list[OpenTable], list[TablePreview]]:
        """The tables in the order in which they are read, and what is wrong with others."""
        opened, problems = [], []
        for path in self.tables:
            try:
                if self.folder.leads_out(path):
                    raise InputError(_LINKED)
                opened.append(self._open(open_records(self.folder, path)))
            except InputError as error:
                problems.append(TablePreview((self.folder.key_of(path),), problem=error.message))
        may_be_beside = not self.layouts or any(layout.beside for layout in self.layouts)
        if not opened and not self.path.is_file() and self._sidecars and may_be_beside:
            opened.append(self._open(beside_pictures(self.folder, self._sidecars)))
        if not opened and not problems:
            named = " or ".join(name for layout in self.layouts for name in layout.tables)
            raise InputError(
                f"there is no {named or 'table'} file in it; give the folder with the tables",
                file=self.path,
            )
        return sorted(opened, key=_order), problems

    def _open(self, records: Records) -> OpenTable:
        if self.layouts:
            named = (layout for layout in self.layouts if layout.has_table(records.path))
            layout = next(named, self.layouts[0])
        else:
            layout = recognise(records.columns, lambda: [row.cells for row in records.first])
        if layout.source:
            raise InputError(
                f"this is {layout.title}: `memeloc collect {layout.source}` reads it",
                file=records.path,
            )
        joined: dict[str, dict[str, Mapping[str, Any]]] = {}
        names = dict.fromkeys(name for name in records.columns if name != BESIDE)
        for further in layout.joined:
            for path in self.folder.files_inside:
                if path.name.casefold() == further.table.casefold():
                    table = open_records(self.folder, path, headings=further.columns)
                    names |= dict.fromkeys(table.columns)
                    joined.setdefault(further.on, {}).update(
                        (text_of(row.cells.get(further.on)), row.cells) for row in table.rows()
                    )
        columns = self._columns(layout, records, tuple(names))
        return OpenTable(records, layout, columns, columns.pop("label", {}), joined)

    def _columns(
        self, layout: Layout, records: Records, names: Sequence[str]
    ) -> dict[str, dict[str, str]]:
        """The columns of a table by role as asked, else as its layout names them."""
        asked: dict[str, Any] = {role: getattr(self, role, "") for role in ROLES}
        asked["language"] = self.language_column
        asked["label"] = {
            question: column or question
            for label in self.label
            for question, _, column in [(label, "", "") if label in names else label.partition("=")]
        }
        asked = {role: value for role, value in asked.items() if value}
        roles = [
            Role(role, layout.names(role), many=True, shared=role != "label") for role in ROLES
        ]
        columns = columns_of(names, ColumnMap(columns=asked), roles, records.path)
        if not self.label and "label" in columns:
            columns["label"] = {name: name for name in names if name in columns["label"]}
        if BESIDE in records.columns:
            columns["image"] = {BESIDE: BESIDE}
        if layout.name == ANY and "image" not in columns:
            columns |= {"image": {name: name for name in _of_pictures(records)}}
        for role in layout.required:
            if not columns.get(role) and BESIDE not in records.columns:
                name = next(iter(layout.names(role)), role)
                shown = ", ".join(repr(name[:40]) for name in records.columns[:12]) or "none"
                hint = f" Name it: --{role} COLUMN." if layout.name == ANY else ""
                raise InputError(
                    f"The table has no column {name!r}. Its columns are {shown}.{hint}",
                    file=records.path,
                    column=name,
                )
        return columns

    def _preview(self, same: Sequence[OpenTable]) -> TablePreview:
        table = same[0]
        labels, questions = dict(table.labels), table.layout.questions
        if questions and len(labels) == 1:
            labels = {" and ".join(questions): next(iter(labels.values()))}
        details, used = table.layout.details, table.used
        kept = details if details is not None else set(table.records.columns) - used
        first = next((row for row in table.records.rows() if not row.error), None)
        return TablePreview(
            tuple(self.folder.key_of(other.records.path) for other in same),
            table.layout.title,
            {role: ", ".join(names.values()) for role, names in table.columns.items() if names},
            labels,
            tuple(name for name in table.records.columns if name in kept),
            {name: as_text(cell)[:60] for name, cell in first.cells.items()} if first else {},
        )


def _of_pictures(records: Records) -> list[str]:
    """The column in which most cells name pictures, if most do."""
    cells = [row.cells for row in records.first]
    counts = {
        name: sum(looks_like_picture(row.get(name)) for row in cells) for name in records.columns
    }
    best = sorted(counts, key=lambda name: -counts[name])[:1]
    return [name for name in best if counts[name] * 2 > len(cells)]


def folder_of(path: Path) -> Path:
    """Return the folder of a dataset of which that or one table is given."""
    if not path.is_file():
        return path
    folder = path.resolve().parent
    return folder.parent if folder.name.casefold() in _INNER else folder


def _order(table: OpenTable) -> tuple[bool, bool, str]:
    path = table.records.path
    return not table.labels, not path.stem.lower().startswith("train"), str(path)
