"""The new manifest. In: the rows of earlier runs and of this one. Out: one table in its order.

Rows are found by their place (a file and a row in it) and read a few row groups at a time, so that
memory stays flat: a run adds eight bytes a picture and nothing else.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import accumulate
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from memeloc.render.manifest import MANIFEST, SCHEMA, SOURCES, VERSIONS, Earlier
from memeloc.render.parity import relative_sizes

_GROUP = 1024
"""Rows of the manifest that are held, and written, at a time."""
_CACHED = 2
"""Row groups of the earlier files that are held."""
_NONE = -1


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

    def add(self, place: int | None) -> int:
        """Take a slot for the next picture, with its place if that is known; return the slot."""
        self._places.append(_NONE if place is None else place)
        return len(self._places) - 1

    def set(self, slot: int, place: int) -> None:
        """Note where the row of a slot is."""
        self._places[slot] = place

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

    def write(self, earlier: Earlier, out: Path) -> int:
        """Write the manifest, and the sources that stand apart; return the number of pictures."""
        pictures = 0
        reader = _Reader(earlier.files)
        with ExitStack() as stack:
            manifest = stack.enter_context(_Whole(out / MANIFEST))
            sources = stack.enter_context(_Whole(out / SOURCES)) if self.source_apart else None
            for memes in self._windows():
                table, apart = self._window(memes, reader)
                manifest.write(table)
                pictures += table.num_rows
                if sources is not None:
                    sources.write(apart)
                del table, apart  # before the next are read
        if not self.source_apart:
            (out / SOURCES).unlink(missing_ok=True)
        return pictures

    def _windows(self) -> list[range]:
        """The memes, in ranges that have some `_GROUP` slots each."""
        windows, begin = [], 0
        for meme, end in enumerate(self._ends):
            first = self._ends[begin - 1] if begin else 0
            if end - first >= _GROUP or meme == len(self._ends) - 1:
                windows.append(range(begin, meme + 1))
                begin = meme + 1
        return windows

    def _window(self, memes: range, reader: _Reader) -> tuple[pa.Table, pa.Table]:
        """The rows of some memes, and those of their sources that stand apart."""
        begin = self._ends[memes.start - 1] if memes.start else 0
        slots = [s for s in range(begin, self._ends[memes.stop - 1]) if self._places[s] != _NONE]
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


class _Whole:
    """A Parquet file that takes its name when the block ends without an error."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._temporary = path.with_name(f".{path.name}.tmp")

    def __enter__(self) -> pq.ParquetWriter:
        self._writer = pq.ParquetWriter(
            self._temporary,
            SCHEMA,
            compression="zstd",
            use_dictionary=["template", "language", "locale", *VERSIONS],
        )
        return self._writer

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._writer.close()
        if kind is None:
            self._temporary.replace(self._path)
        else:
            self._temporary.unlink(missing_ok=True)


class _Reader:
    """Rows by their place."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self._ends: dict[int, list[int]] = {}  # file: the row after each row group
        self._groups: OrderedDict[tuple[int, int], pa.Table] = OrderedDict()

    def take(self, places: Sequence[int]) -> pa.Table:
        """The rows of the places, in their order."""
        of_file: dict[int, list[int]] = {}
        for position, place in enumerate(places):
            of_file.setdefault(place >> 32, []).append(position)
        tables, order = [], [0] * len(places)
        count = 0
        for file, members in of_file.items():
            ends = self._ends_of(file)
            of_group: dict[int, list[int]] = {}
            for position in members:
                group = bisect_right(ends, places[position] & 0xFFFFFFFF)
                of_group.setdefault(group, []).append(position)
            for group, positions in of_group.items():
                first = ends[group - 1] if group else 0
                rows = [(places[position] & 0xFFFFFFFF) - first for position in positions]
                tables.append(self._group((file, group)).take(pa.array(rows, pa.int64())))
                for position in positions:
                    order[position] = count
                    count += 1
        if not tables:
            return SCHEMA.empty_table()
        table = pa.concat_tables(tables)
        if len(tables) > 1:
            table = table.take(pa.array(order, pa.int64()))
        return table.combine_chunks()

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
