"""The new manifest. In: where the rows of each meme are. Out: one table, in the memes' order.

Rows are read a few row groups at a time, and written as soon as they are complete, so that memory
stays flat. As long as all rows are those of the manifest before, nothing is written. First come the
memes of the table, then what earlier runs made that is no longer in it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate
from operator import itemgetter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from memeloc.files import naming
from memeloc.render.sets.earlier import Earlier, EarlierPicture, Place
from memeloc.render.sets.manifest import MANIFEST, SCHEMA, SOURCES, VERSIONS, with_all_columns
from memeloc.render.sets.parity import relative_sizes

_GROUP = 8192
"""Rows of the manifest that are held, and written, at a time: 12 MB. What is known of a row group
stays in memory until the file is closed, 43 kB: of millions of rows there must be few groups."""
_REPEATED = ("template", "language", "locale", "template_source", "template_licence")
_CACHED = 4
"""Row groups of the earlier files that are held."""


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
        on_rows: if any, is given the manifest's rows, a table at a time, in their order.
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
        self._unchanged = [0, 0]  # rows at the beginning that the files before have in the same way
        self._files: list[_NewFile] = []

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
        """Count rows that follow the unchanged ones in the files before; False if any does not."""
        counts = self._unchanged.copy()
        marks = self._earlier.in_table
        for meme in memes:
            for number, place in enumerate(meme.places):
                file = int(self._source_apart and number == meme.source)
                if place != (file, counts[file]):
                    return False
                if file == 0 and bool(marks[counts[0]]) != meme.in_table:
                    return False
                counts[file] += 1
        self._unchanged = counts
        return True

    def _begin(self) -> None:
        """Open the new files, and copy what is unchanged."""
        self._files = [_NewFile(path) for path in self._paths]
        for number, file in enumerate(self._files):
            for start in range(0, self._unchanged[number], _GROUP):
                rows = range(start, min(start + _GROUP, self._unchanged[number]))
                table = self._reader.take([(number, row) for row in rows])
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


class _NewFile:
    """A Parquet file that takes its name when it is kept."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._temporary = path.with_name(f".{path.name}.tmp")
        self._gathered: list[pa.Table] = []
        with naming(path):
            self._writer = pq.ParquetWriter(
                self._temporary,
                SCHEMA,
                compression="zstd",
                use_dictionary=[*_REPEATED, *VERSIONS],
            )

    def add(self, table: pa.Table) -> None:
        self._gathered.append(table)
        if sum(table.num_rows for table in self._gathered) >= _GROUP:
            self._write_gathered()

    def _write_gathered(self) -> None:
        with naming(self._path):
            self._writer.write(pa.concat_tables(self._gathered).combine_chunks())
        self._gathered.clear()

    def keep(self) -> None:
        if self._gathered:
            self._write_gathered()
        with naming(self._path):
            self._writer.close()
            self._temporary.replace(self._path)

    def drop(self) -> None:
        with suppress(OSError):  # it writes, and a disk may be full
            self._writer.close()
        self._temporary.unlink(missing_ok=True)


class RowReader:
    """Rows by their place."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self._ends: dict[int, list[int]] = {}  # file: the row after each row group
        self._groups: OrderedDict[tuple[int, int], pa.Table] = OrderedDict()

    def take(self, places: Sequence[Place]) -> pa.Table:
        """The rows of the places, in their order.

        They are cut out in runs, as a meme's rows mostly stand together, and each row group is read
        once.
        """
        runs = list(self._runs(places))
        pieces: list[pa.Table] = [None] * len(runs)
        for number, (group, row, count) in sorted(enumerate(runs), key=itemgetter(1)):
            pieces[number] = self._group(group).slice(row, count)
        return pa.concat_tables(pieces).combine_chunks() if pieces else SCHEMA.empty_table()

    def _runs(self, places: Sequence[Place]) -> Iterator[tuple[tuple[int, int], int, int]]:
        """Places that follow each other in a row group: the group, the first row in it, how many.

        A group is a file's number and the group's number in it.
        """
        begin = 0
        while begin < len(places):
            file, row = places[begin]
            ends = self._ends_of(file)
            number = bisect_right(ends, row)
            most = min(ends[number] - row, len(places) - begin)
            count = 1
            while count < most and places[begin + count] == (file, row + count):
                count += 1
            yield (file, number), row - (ends[number - 1] if number else 0), count
            begin += count

    def _ends_of(self, file: int) -> list[int]:
        if file not in self._ends:
            with pq.ParquetFile(self._files[file]) as opened:
                data = opened.metadata
                counts = [data.row_group(i).num_rows for i in range(data.num_row_groups)]
            self._ends[file] = list(accumulate(counts))
        return self._ends[file]

    def _group(self, key: tuple[int, int]) -> pa.Table:
        if key not in self._groups:
            with pq.ParquetFile(self._files[key[0]]) as opened:
                self._groups[key] = with_all_columns(
                    opened.read_row_group(key[1], use_threads=False)
                )
            if len(self._groups) > _CACHED:
                self._groups.popitem(last=False)
        self._groups.move_to_end(key)
        return self._groups[key]
