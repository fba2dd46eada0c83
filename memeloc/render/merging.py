"""The new manifest. In: the rows of earlier runs and of this one. Out: one table in its order.

Rows are found by their place (a file and a row in it) and read a few row groups at a time, so that
memory stays flat: a run adds eight bytes a picture and nothing else. What is known from the first
meme on is written while the others are made, so that little is left when the last one is.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from operator import itemgetter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from memeloc.render.manifest import MANIFEST, SCHEMA, SOURCES, VERSIONS, Earlier
from memeloc.render.parity import relative_sizes

_WINDOW = 256
"""Rows that are put in order at a time."""
_GROUP = 1024
"""Rows of the manifest that are held, and written, at a time."""
_CACHED = 4
"""Row groups of the earlier files that are held."""
_NONE = -1
"""In place of a place: there is no row."""
_AWAITED = -2
"""In place of a place: the row is being made."""


class Plan:
    """Where the row of each picture of the table is to be found, in the table's order.

    Each picture takes a slot when its meme is read, and its place once it is known. The source
    caption of each meme is one of the meme's slots, or, when it gets no picture, one after them.
    """

    def __init__(self, *, source_apart: bool) -> None:
        self.source_apart = source_apart
        self._places = array("q")
        self._ends = array("q")  # a meme: the slot after its last
        self._sources = array("q")  # a meme: its source caption's slot
        self._known = 0  # no slot before this one is awaited
        self._taken = 0  # memes that windows had

    def add(self, place: int | None) -> int:
        """Take a slot for the next picture, with its place if that is known; return the slot."""
        self._places.append(_AWAITED if place is None else place)
        return len(self._places) - 1

    def set(self, slot: int, place: int | None) -> None:
        """Note where the row of a slot is; None when it will have none."""
        self._places[slot] = _NONE if place is None else place

    def end_meme(self, source: int | None) -> None:
        """Say that the meme has no more slots, and which is its source caption's."""
        self._ends.append(len(self._places))
        self._sources.append(_NONE if source is None else source)

    def is_what_was(self, earlier: Earlier) -> bool:
        """Whether the earlier manifest and sources are just what is planned."""
        if earlier.has_parts:
            return False
        painted = apart = 0
        begin = 0
        for end, source in zip(self._ends, self._sources, strict=True):
            for slot in range(begin, end):
                if self.source_apart and slot == source:
                    wanted = 1 << 32 | apart
                    apart += 1
                else:
                    wanted = painted
                    painted += 1
                if self._places[slot] != wanted:
                    return False
            begin = end
        return [painted, apart] == earlier.rows

    def windows(self, *, last: bool = False) -> Iterator[range]:
        """The next memes of which nothing is awaited, in ranges of some `_WINDOW` slots each.

        Args:
            last: whether nothing more will come, so that the rest makes a range, too.
        """
        while self._known < len(self._places) and self._places[self._known] != _AWAITED:
            self._known += 1
        begin, first = self._taken, self._begin(self._taken)
        for meme in range(begin, len(self._ends)):
            end = self._ends[meme]
            if end > self._known:
                return
            if end - first >= _WINDOW:
                self._taken = meme + 1
                yield range(begin, meme + 1)
                begin, first = meme + 1, end
        if last and begin < len(self._ends):
            self._taken = len(self._ends)
            yield range(begin, len(self._ends))

    def _begin(self, meme: int) -> int:
        """The first slot of a meme."""
        return self._ends[meme - 1] if meme else 0

    def rows(self, memes: range, reader: Reader) -> tuple[pa.Table, pa.Table]:
        """The rows of some memes, and those of their sources that stand apart."""
        begin = self._begin(memes.start)
        slots = [s for s in range(begin, self._begin(memes.stop)) if self._places[s] != _NONE]
        table = reader.take([self._places[slot] for slot in slots])
        row_of = {slot: row for row, slot in enumerate(slots)}
        sizes = table.column("font_size").to_pylist()
        relative: list[list[float | None] | None] = [None] * len(slots)
        apart = [False] * len(slots)
        for meme in memes:
            source = row_of.get(self._sources[meme])
            for slot in range(begin, self._ends[meme]):
                row = row_of.get(slot)
                if row is not None:
                    base = () if source is None else sizes[source]
                    relative[row] = relative_sizes(sizes[row], base)
                    apart[row] = self.source_apart and row == source
            begin = self._ends[meme]
        index = SCHEMA.get_field_index("relative_size")
        column = pa.array(relative, SCHEMA.field(index).type)
        table = table.set_column(index, SCHEMA.field(index), column)
        if not self.source_apart:
            return table, table.slice(0, 0)
        painted = pa.array([not other for other in apart], pa.bool_())
        return table.filter(painted), table.filter(pa.array(apart, pa.bool_()))


class NewManifest:
    """The manifest that a run writes, as far as its rows are known, and in the end whole.

    Args:
        plan: where the rows are; it may grow.
        earlier: the files that places are in; they may become more.
        out: the folder.
        on_rows: is given the manifest's rows, a table at a time, in their order.
    """

    def __init__(
        self, plan: Plan, earlier: Earlier, out: Path, on_rows: Callable[[pa.Table], None]
    ) -> None:
        self._plan = plan
        self._reader = Reader(earlier.files)
        self._out = out
        self._on_rows = on_rows
        self._files: list[_Whole] = []

    def go_on(self) -> None:
        """Write what is known now."""
        for memes in self._plan.windows():
            self._write(memes)

    def finish(self) -> None:
        """Write the rest; now the manifest takes the place of the one before."""
        for memes in self._plan.windows(last=True):
            self._write(memes)
        self._open()
        for file in reversed(self._files):  # the manifest last
            file.keep()
        self._files.clear()
        if not self._plan.source_apart:
            (self._out / SOURCES).unlink(missing_ok=True)

    def drop(self) -> None:
        """Leave nothing behind of what was not finished."""
        while self._files:
            self._files.pop().drop()

    def _open(self) -> None:
        if not self._files:
            names = (MANIFEST, SOURCES) if self._plan.source_apart else (MANIFEST,)
            self._files += [_Whole(self._out / name) for name in names]

    def _write(self, memes: range) -> None:
        self._open()
        tables = self._plan.rows(memes, self._reader)
        for file, table in zip(self._files, tables, strict=False):
            file.add(table)
        self._on_rows(tables[0])


class _Whole:
    """A Parquet file that takes its name when it is kept."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._temporary = path.with_name(f".{path.name}.tmp")
        self._gathered: list[pa.Table] = []
        self._writer = pq.ParquetWriter(
            self._temporary,
            SCHEMA,
            compression="zstd",
            use_dictionary=["template", "language", "locale", *VERSIONS],
        )

    def add(self, table: pa.Table) -> None:
        self._gathered.append(table)
        if sum(table.num_rows for table in self._gathered) >= _GROUP:
            self._write_gathered()

    def _write_gathered(self) -> None:
        self._writer.write(pa.concat_tables(self._gathered).combine_chunks())
        self._gathered.clear()

    def keep(self) -> None:
        if self._gathered:
            self._write_gathered()
        self._writer.close()
        self._temporary.replace(self._path)

    def drop(self) -> None:
        try:
            self._writer.close()  # it writes, and a disk may be full
        finally:
            self._temporary.unlink(missing_ok=True)


class Reader:
    """Rows by their place."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self._ends: dict[int, list[int]] = {}  # file: the row after each row group
        self._groups: OrderedDict[tuple[int, int], pa.Table] = OrderedDict()

    def take(self, places: Sequence[int]) -> pa.Table:
        """The rows of the places, in their order.

        They are cut out in runs, as a meme's rows mostly stand together; taking them one by one
        would import pyarrow.compute, which takes as long as two thousand runs do.
        """
        runs = list(self._runs(places))
        pieces: list[pa.Table] = [None] * len(runs)
        for number, (group, row, count) in sorted(enumerate(runs), key=itemgetter(1)):
            pieces[number] = self._group(group).slice(row, count)
        return pa.concat_tables(pieces).combine_chunks() if pieces else SCHEMA.empty_table()

    def _runs(self, places: Sequence[int]) -> Iterator[tuple[tuple[int, int], int, int]]:
        """Places that follow each other in a row group: the group, the first row in it, how many.

        A group is a file's number and the group's number in it.
        """
        begin = 0
        while begin < len(places):
            file, row = places[begin] >> 32, places[begin] & 0xFFFFFFFF
            ends = self._ends_of(file)
            number = bisect_right(ends, row)
            most = min(ends[number] - row, len(places) - begin)
            count = 1
            while count < most and places[begin + count] == places[begin] + count:
                count += 1
            yield (file, number), row - (ends[number - 1] if number else 0), count
            begin += count

    def _ends_of(self, file: int) -> list[int]:
        ends = self._ends.get(file)
        if ends is None:
            with pq.ParquetFile(self._files[file]) as opened:
                data = opened.metadata
                counts = [data.row_group(i).num_rows for i in range(data.num_row_groups)]
                if len(counts) == 1:  # a part, and opening it takes longer than reading it
                    self._keep((file, 0), opened.read_row_group(0, use_threads=False))
            ends = self._ends[file] = list(accumulate(counts))
        return ends

    def _group(self, key: tuple[int, int]) -> pa.Table:
        table = self._groups.get(key)
        if table is None:
            with pq.ParquetFile(self._files[key[0]]) as opened:
                table = opened.read_row_group(key[1], use_threads=False)
        self._keep(key, table)
        return table

    def _keep(self, key: tuple[int, int], table: pa.Table) -> None:
        self._groups[key] = table
        self._groups.move_to_end(key)
        if len(self._groups) > _CACHED:
            self._groups.popitem(last=False)
