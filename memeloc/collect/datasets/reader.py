"""Reading the tables of a dataset. In: a folder or table, and a layout. Out: finished memes.

A meme that several tables have comes once. Tables with labels are read first, so that a meme has
its label where any of them gives it; then the training split. What is not read is refused with its
reason, and the rest goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.collect.datasets.columns import as_text, map_columns
from memeloc.collect.datasets.layouts import Layout, recognise
from memeloc.collect.datasets.memes import Memes, OpenTable, TableOptions
from memeloc.collect.datasets.pictures import Pictures
from memeloc.collect.datasets.records import (
    TABLES,
    Records,
    beside_pictures,
    open_records,
    sidecars,
    unread_tables,
    without_headings,
)
from memeloc.collect.protocol import TablePreview
from memeloc.collect.sources.dataset_files import Dataset
from memeloc.errors import InputError
from memeloc.items import FoundPicture, FoundTemplate, Refusal
from memeloc.tables import text_of

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

_INNER = frozenset({"annotations", "split dataset"})
"""Folders of tables that name pictures beside that folder."""

_LINKED = (
    "is a link that leads out of the folder, as in the cache of the Hugging Face Hub: download the "
    "dataset with --local-dir and give that folder"
)

Found = FoundPicture | FoundTemplate | Refusal


class DatasetTables:
    """The tables of a dataset.

    Args:
        source: the name of the source that reads them.
        path: the folder, or one table.
        options: what was asked.
        layouts: those that are looked for, by the names of tables; none recognises the tables'.
        terms: of use; empty is what the folder says.
        pictures: the folder with the pictures of one table, where it is not the table's own.

    Raises:
        InputError: there is no such folder or file.
    """

    def __init__(
        self,
        source: str,
        path: Path,
        options: TableOptions,
        layouts: Sequence[Layout] = (),
        terms: str = "",
        pictures: Path | None = None,
    ) -> None:
        self._path = path
        self._options = options
        self._layouts = layouts
        what = f"a folder or a table of {layouts[0].title if layouts else 'memes'}"
        if pictures is not None and not path.is_file():
            raise InputError("give one table where its pictures are in another folder", file=path)
        self.dataset = Dataset(source, pictures or folder_of(path), terms, what)
        self.pictures_read: set[Path] = set()

    @cached_property
    def _all_files(self) -> list[Path]:
        return list(self.dataset.files())

    @cached_property
    def _files(self) -> list[Path]:
        return [path for path in self._all_files if not self.dataset.is_outside(path)]

    @cached_property
    def tables(self) -> list[Path]:
        """The tables' files, and links to some."""
        if self._path.is_file():
            return [self._path.resolve()]
        # JSON files beside pictures are not tables of their own.
        beside = sidecars(self._files).keys()
        tables = [path for path in self._all_files if path.suffix.lower() in TABLES]
        return [path for path in tables if path not in beside and self._is_wanted(path)]

    def preview(self) -> list[TablePreview]:
        """How each table would be read; nothing is fetched.

        Raises:
            InputError: there is no table.
        """
        opened, problems = self._opened
        same: dict[str, list[OpenTable]] = {}
        for table in opened:
            same.setdefault(f"{table.layout.name} {table.columns}", []).append(table)
        return [*map(self._preview, same.values()), *problems]

    def read(self, fetcher: Fetcher, *, strict: bool = True) -> Iterator[Found]:
        """The memes in all tables; `pictures_read` has their pictures' files in the end.

        Raises:
            InputError: there is no table, or, where that is `strict`, the only one cannot be read.
        """
        opened, problems = self._opened
        if strict and not opened and len(problems) == 1:
            raise InputError(problems[0].problem, file=self.dataset.root / problems[0].tables[0])
        for problem in problems:
            file = problem.tables[0]
            yield Refusal(self.dataset.source, file, "not readable", problem.problem)
        pictures = Pictures(self.dataset, lambda: self._files, fetcher, self.pictures_read)
        memes = Memes(self.dataset, self._options, pictures)
        for table in opened:
            try:
                rows = fetcher.look_ahead(table.records.rows(), partial(memes.addresses, table))
                for record in rows:
                    yield from self.dataset.taken(record.place, memes.row(table, record))
            except InputError as error:
                file = self.dataset.key_of(table.records.path)
                yield Refusal(self.dataset.source, file, "not readable", error.message)
        yield from self.unread(opened)

    def unread(self, opened: Sequence[OpenTable] = ()) -> Iterator[Refusal]:
        """The tables beside the pictures that are of another layout; of a folder only."""
        if not self._path.is_file() and not any(table.layout.has_others for table in opened):
            joined = {join.table.casefold() for table in opened for join in table.layout.joined}
            read = {path for path in self._files if path.name.casefold() in joined}
            read |= {*self.tables}
            if any(table.layout.beside or table.records.have_pictures for table in opened):
                read |= sidecars(self._files).keys()
            yield from unread_tables(self.dataset, self._all_files, read)

    @cached_property
    def _opened(self) -> tuple[list[OpenTable], list[TablePreview]]:
        """The tables in the order in which they are read, and what is wrong with others."""
        opened, problems = [], []
        for path in self.tables:
            try:
                if self.dataset.is_outside(path):
                    raise InputError(_LINKED)
                opened.append(self._table(open_records(self.dataset, path)))
            except InputError as error:
                name = self.dataset.key_of(path)
                problems.append(TablePreview((name,), problem=error.message))
        if not opened and not self._path.is_file():
            pairs = sidecars(self._files)
            if pairs and (not self._layouts or any(layout.beside for layout in self._layouts)):
                records = beside_pictures(self.dataset, pairs.items(), self.dataset.root)
                opened.append(self._table(records))
        if not opened and not problems:
            named = " or ".join(name for layout in self._layouts for name in layout.tables)
            raise InputError(
                f"there is no {named or 'table'} file in it; give the folder with the tables",
                file=self._path,
            )
        return sorted(opened, key=_order), problems

    def _is_wanted(self, path: Path) -> bool:
        return not self._layouts or any(layout.has_table(path) for layout in self._layouts)

    def _table(self, records: Records) -> OpenTable:
        if self._layouts:
            named = (layout for layout in self._layouts if layout.has_table(records.path))
            layout = next(named, self._layouts[0])
        else:
            layout = recognise(records.columns, lambda: [row.cells for row in records.first])
        if layout.source:
            raise InputError(
                f"this is {layout.title}: `memeloc collect {layout.source}` reads it",
                file=records.path,
            )
        joined: dict[str, dict[str, Mapping[str, Any]]] = {}
        names: list[str] = []
        for further in layout.joined:
            for path in self._files:
                if path.name.casefold() == further.table.casefold():
                    table = (
                        without_headings(self.dataset, path, further.columns)
                        if further.columns
                        else open_records(self.dataset, path)
                    )
                    names += table.columns
                    joined.setdefault(further.on, {}).update(
                        (text_of(row.cells.get(further.on)), row.cells) for row in table.rows()
                    )
        columns = map_columns(
            layout, records, self._options.columns, self._options.labels, joined=names
        )
        return OpenTable(records, layout, columns, joined)

    def _preview(self, same: Sequence[OpenTable]) -> TablePreview:
        """How tables with the same columns would be read."""
        table = same[0]
        names = table.records.columns
        columns = {role: ", ".join(columns) for role, columns in table.columns.roles.items()}
        labels = table.columns.labels
        if table.layout.questions and len(labels) == 1:
            labels = {" and ".join(table.layout.questions): next(iter(labels.values()))}
        asked, used = table.layout.details, table.columns.used
        kept = (name not in used if asked is None else name in asked for name in names)
        first = next((row for row in table.records.rows() if not row.error), None)
        return TablePreview(
            tuple(self.dataset.key_of(other.records.path) for other in same),
            table.layout.title,
            columns,
            dict(labels),
            tuple(compress(names, kept)),
            {name: as_text(cell)[:60] for name, cell in first.cells.items()} if first else {},
        )


def folder_of(path: Path) -> Path:
    """The folder of a dataset of which that or one table is given."""
    if not path.is_file():
        return path
    folder = path.resolve().parent
    return folder.parent if folder.name.casefold() in _INNER else folder


def _order(table: OpenTable) -> tuple[bool, bool, str]:
    path = table.records.path
    return not table.columns.labels, not path.stem.lower().startswith("train"), str(path)
