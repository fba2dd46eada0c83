"""The new manifest. In: where the rows of each meme are. Out: one table, by language.

Rows are read a few row groups at a time, and written as soon as they are complete, so that memory
stays flat. As long as all rows are those of the manifest before, nothing is written. Of each
language come first the memes of the table, then what earlier runs made that is no longer in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

import pyarrow as pa

from memeloc.render.sets.earlier import Earlier, EarlierPicture, Place
from memeloc.render.sets.manifest import MANIFEST, SCHEMA, SOURCES
from memeloc.render.sets.manifest_files import NewFile, RowReader
from memeloc.render.sets.row_groups import RowGroup
from memeloc.temporary_database import temporary_database

_COPIED = 8192
"""Unchanged rows that are copied at a time."""


@dataclass(slots=True)
class MemeRows:
    """Where the rows of a meme are.

    Attributes:
        places: of each picture, None while it is being made and when it could not be; last that of
            the source caption when it gets no picture.
        source: which of them is the source caption's, None for none of them.
        in_table: whether the table has it; otherwise it is of an earlier run.
        compared: whether sizes are compared with the source's anew, rather than kept.
        earlier: by the index of a place that is None: the picture that is to be replaced.
    """

    places: list[Place | None]
    source: int | None = None
    in_table: bool = True
    compared: bool = True
    earlier: dict[int, EarlierPicture] = field(default_factory=dict)


class NewManifest:
    """The manifest that a run writes, as far as its rows are known, and in the end whole.

    Args:
        earlier: the files that places are in; they may become more.
        out: the folder.
        source_apart: whether source captions get no picture; their rows stand in SOURCES then.
        on_rows: if any, is given the manifest's rows, a table at a time, in the memes' order.
    """

    def __init__(
        self,
        earlier: Earlier,
        out: Path,
        *,
        source_apart: bool,
        on_rows: Callable[[pa.Table], None] | None,
    ) -> None:
        self._earlier = earlier
        self._reader = RowReader(earlier.files)
        self._paths = [out / MANIFEST, out / SOURCES][: 1 + source_apart]
        self._source_apart = source_apart
        self._on_rows = on_rows or (lambda _: None)
        self._unchanged = [0, 0]  # rows that the files before have in the same way
        self._following = [*map(_Following, earlier.groups)]
        self._places = temporary_database("CREATE TABLE place (file INTEGER, row INTEGER)")
        self._files: list[NewFile] = []

    def add(self, memes: Sequence[MemeRows]) -> None:
        """Add the rows of the next memes."""
        if not self._files:
            if self._go_on_unchanged(memes):
                return
            self._begin()
        tables = self._tables(memes)
        for file, table in zip(self._files, tables, strict=False):
            file.add(table)
        self._on_rows(tables[0])

    def finish(self, *, anew: bool) -> bool:
        """Put the manifest in the place of the one before; False if that stays as it is.

        Args:
            anew: write it even if it is the same.
        """
        if not self._files:
            before = self._earlier
            if before.is_current and not anew and self._unchanged == before.rows:
                return False
            self._begin()
        for file in reversed(self._files):  # the manifest last
            file.keep()
        self._files.clear()
        if not self._source_apart:
            self._earlier.files[1].unlink(missing_ok=True)
        return True

    def drop(self) -> None:
        """Leave nothing behind of what was not finished."""
        while self._files:
            self._files.pop().drop()

    def _go_on_unchanged(self, memes: Sequence[MemeRows]) -> bool:
        """Count rows that follow the unchanged ones in the files before; False if any does not.

        The order of those that the table has no longer is of no account.
        """
        places: list[Place] = []
        for meme in memes:
            for number, place in enumerate(meme.places):
                file = int(self._source_apart and number == meme.source)
                if place is None or place[0] != file:
                    return False
                if file == 0 and bool(self._earlier.in_table[place[1]]) != meme.in_table:
                    return False
                if meme.in_table and not self._following[file].take(place[1]):
                    return False
                places.append(place)
        self._places.executemany("INSERT INTO place VALUES (?, ?)", places)
        for file, _ in places:
            self._unchanged[file] += 1
        return True

    def _begin(self) -> None:
        """Open the new files, and copy what is unchanged."""
        self._files = [NewFile(path) for path in self._paths]
        rows = self._places.execute("SELECT file, row FROM place ORDER BY rowid")
        while places := rows.fetchmany(_COPIED):
            for number, file in enumerate(self._files):
                table = self._reader.take([place for place in places if place[0] == number])
                file.add(table)
                if number == 0:
                    self._on_rows(table)

    def _tables(self, memes: Sequence[MemeRows]) -> tuple[pa.Table, pa.Table]:
        """The rows of some memes, and those of their sources that stand apart."""
        table = self._reader.take([p for meme in memes for p in meme.places if p is not None])
        sizes = iter(table.column("font_size").to_pylist())
        before = iter(table.column("relative_size").to_pylist())
        relative: list[list[float | None] | None] = []
        apart: list[bool] = []
        for meme in memes:
            own = [None if place is None else next(sizes) for place in meme.places]
            base = () if meme.source is None else own[meme.source] or ()
            for number, each in enumerate(own):
                if each is not None:
                    kept = next(before)
                    if meme.compared or kept is None:  # as in a part of a run that was cut off
                        kept = relative_sizes(each, base)
                    relative.append(kept)
                    apart.append(self._source_apart and number == meme.source)
        marks = [meme.in_table for meme in memes for place in meme.places if place is not None]
        table = _replaced(table, "relative_size", relative)
        table = _replaced(table, "in_table", marks)
        if not self._source_apart:
            return table, table.slice(0, 0)
        painted = pa.array([not other for other in apart], pa.bool_())
        return table.filter(painted), table.filter(pa.array(apart, pa.bool_()))


def _replaced(table: pa.Table, name: str, values: Sequence[object]) -> pa.Table:
    """The table with other values in a column."""
    index = SCHEMA.get_field_index(name)
    column = pa.array(values, SCHEMA.field(index).type)
    return table.set_column(index, SCHEMA.field(index), column)


class _Following:
    """The rows that may come next where each language has its own order: one of each language.

    Args:
        groups: the row groups of the file.
    """

    def __init__(self, groups: Sequence[RowGroup]) -> None:
        self._jumps: dict[int, int] = {}  # from a group's end to the next group of its language
        first: dict[str | None, int] = {}
        for group in reversed(groups):
            self._jumps[group.end] = first.get(group.language, -1)
            first[group.language] = group.begin
        self._rows = set(first.values())

    def take(self, row: int) -> bool:
        """Whether it is one of them; the row after it takes its place."""
        if row not in self._rows:
            return False
        self._rows.remove(row)
        self._rows.add(self._jumps.get(row + 1, row + 1))
        return True


def common_sizes(sizes: Iterable[Sequence[float]]) -> tuple[float, ...]:
    """The largest size that fits all languages, a part.

    An empty part (size 0.0) fits at any size and does not count; a part that is empty in every
    language stays 0.0.

    >>> common_sizes([(40.0, 0.0), (32.0, 28.0), (36.0, 30.0)])
    (32.0, 28.0)
    """
    return tuple(
        min((size for size in part if size > 0), default=0.0)
        for part in zip_longest(*sizes, fillvalue=0.0)
    )


def relative_sizes(sizes: Sequence[float], source: Sequence[float]) -> list[float | None]:
    """Each part's size over the source language's; None where either has no text.

    >>> relative_sizes((30.0, 20.0, 0.0), (40.0, 0.0))
    [0.75, None, None]
    """
    return [
        size / other if size and other else None
        for size, other in zip_longest(sizes, source[: len(sizes)], fillvalue=0.0)
    ]
