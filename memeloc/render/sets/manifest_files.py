"""Rows of manifests. In: rows in the memes' order; or places of rows. Out: a file; or the rows.

A file is written by language, see `memeloc.render.sets.row_groups`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from memeloc.files import naming
from memeloc.render.sets.earlier import Place
from memeloc.render.sets.manifest import SCHEMA, VERSIONS, with_all_columns
from memeloc.render.sets.row_groups import LOOKED_UP, row_groups

_GATHERED = 8192
"""Rows that are held in the memes' order before they are sorted by language: 12 MB."""
_HELD = 32_768
"""Rows of all languages that are held, and beyond which the language with most of them is written:
50 MB. What is known of a row group stays in memory until the file is closed, 43 kB: of millions of
rows there must be few groups. Languages of equal size get groups of up to twice their share."""
_CACHED = 3 * _HELD
"""Rows of earlier files that are held: those of a row group of each language, and some more."""
_REPEATED = ("template", "language", "locale", "template_source", "template_licence")


class NewFile:
    """A manifest that takes its name when it is kept."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._temporary = path.with_name(f".{path.name}.tmp")
        self._gathered: list[pa.Table] = []
        self._held: dict[str, list[pa.Table]] = {}
        with naming(path):
            self._writer = pq.ParquetWriter(
                self._temporary,
                SCHEMA,
                compression="zstd",
                use_dictionary=[*_REPEATED, *VERSIONS],
                write_statistics=LOOKED_UP,
            )

    def add(self, table: pa.Table) -> None:
        """Add rows in the memes' order."""
        self._gathered.append(table)
        if _rows(self._gathered) >= _GATHERED:
            self._sort()
            sizes = {language: _rows(tables) for language, tables in self._held.items()}
            while sum(sizes.values()) > _HELD:
                largest = max(sizes, key=sizes.__getitem__)
                self._write(largest)
                del sizes[largest]

    def _sort(self) -> None:
        """Sort what is gathered by language."""
        table = pa.concat_tables(self._gathered).combine_chunks()
        self._gathered.clear()
        for language in table["language"].unique().to_pylist():
            rows = table.filter(pc.equal(table["language"], language))
            self._held.setdefault(language, []).append(rows)

    def _write(self, language: str) -> None:
        """Write the row group of a language."""
        tables = self._held[language]
        self._held[language] = []
        if tables:
            with naming(self._path):
                self._writer.write(pa.concat_tables(tables).combine_chunks())

    def keep(self) -> None:
        """Write what is held, and put the file in its place."""
        if self._gathered:
            self._sort()
        for language in self._held:
            self._write(language)
        with naming(self._path):
            self._writer.close()
            self._temporary.replace(self._path)

    def drop(self) -> None:
        """Leave nothing behind."""
        with suppress(OSError):  # it writes, and a disk may be full
            self._writer.close()
        self._temporary.unlink(missing_ok=True)


def _rows(tables: Sequence[pa.Table]) -> int:
    return sum(table.num_rows for table in tables)


class RowReader:
    """Rows by their place."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self._ends: dict[int, list[int]] = {}  # file: the row after each row group
        self._metadata: dict[int, pq.FileMetaData] = {}  # of files with several groups
        self._groups: OrderedDict[tuple[int, int], pa.Table] = OrderedDict()

    def take(self, places: Sequence[Place]) -> pa.Table:
        """The rows of the places, in their order; each row group is read once."""
        by_group: dict[tuple[int, int], tuple[list[int], list[int]]] = {}
        for index, (file, row) in enumerate(places):
            ends = self._ends_of(file)
            number = bisect_right(ends, row)
            indexes, rows = by_group.setdefault((file, number), ([], []))
            indexes.append(index)
            rows.append(row - (ends[number - 1] if number else 0))
        if not by_group:
            return SCHEMA.empty_table()
        tables = [self._taken(group, by_group[group][1]) for group in sorted(by_group)]
        order = [index for group in sorted(by_group) for index in by_group[group][0]]
        table = pa.concat_tables(tables).combine_chunks()
        if order == sorted(order):
            return table
        positions = sorted(range(len(order)), key=order.__getitem__)
        return table.take(pa.array(positions, pa.int64()))

    def _taken(self, group: tuple[int, int], rows: Sequence[int]) -> pa.Table:
        """Some rows of a row group, which is let go of when its last row has been taken."""
        table = self._group(group)
        if rows[-1] == table.num_rows - 1:
            del self._groups[group]
        if rows[-1] - rows[0] + 1 == len(rows) and sorted(rows) == rows:
            return table.slice(rows[0], len(rows))
        return table.take(pa.array(rows, pa.int64()))

    def _ends_of(self, file: int) -> list[int]:
        if file not in self._ends:
            with pq.ParquetFile(self._files[file]) as opened:
                self._ends[file] = [group.end for group in row_groups(opened.metadata)]
                if len(self._ends[file]) > 1:  # of a part there is nothing to gain, and of all much
                    self._metadata[file] = opened.metadata
        return self._ends[file]

    def _group(self, key: tuple[int, int]) -> pa.Table:
        if key not in self._groups:
            file, number = key
            with pq.ParquetFile(self._files[file], metadata=self._metadata.get(file)) as opened:
                self._groups[key] = with_all_columns(
                    opened.read_row_group(number, use_threads=False)
                )
            while len(self._groups) > 1 and _rows([*self._groups.values()]) > _CACHED:
                self._groups.popitem(last=False)
        self._groups.move_to_end(key)
        return self._groups[key]
