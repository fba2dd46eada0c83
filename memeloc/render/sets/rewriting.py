"""Tables that lose rows. In: what becomes of each row. Out: new tables without them, the old gone.

Nothing that is there is changed: what stays is written under a new name, and then what was there
before is removed. A kill between the two leaves rows twice, which the next run settles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.parquet as pq

from memeloc.object_storage import Folder
from memeloc.picture_writers import copy_without
from memeloc.render.sets.manifest import (
    FORMER,
    SCHEMA,
    SHARDS,
    STATE,
    number_of,
    table_key,
    with_all_columns,
    write_table,
)
from memeloc.render.sets.rows import IN_TABLE, LOST, Rows

_TABLE = 2048
"""Rows of a table, at most about twice as many."""
_SMALL_TABLES = 8
"""Tables with few rows that a set may have: each run that changes little leaves one more."""
_CHANGING = ("inputs_sha256", "in_table", "shard")


def rewrite(
    place: Folder,
    rows: Rows,
    size: int,
    new_name: Callable[[], str],
    begin: Callable[[], None],
) -> None:
    """Write tables, and files of many pictures, anew without the rows that are lost.

    Also tables in which a row says something else now, and small ones, if there are many of them.

    Args:
        size: of the shards of this run; a table with less than a quarter of it is small.
        new_name: gives a name that never was.
        begin: is called before anything is written or removed.
    """
    rows.database.execute('CREATE INDEX IF NOT EXISTS by_table ON row ("table", number)')
    emptied = _copy_shards(place, rows, new_name, begin)
    tables = dict.fromkeys(range(len(rows.tables)), (0, 0))
    for number, *counts in rows.database.execute(
        f'SELECT "table", sum(mark<{LOST}), '
        f"sum(mark={LOST} OR changed OR in_table<>(mark={IN_TABLE})) FROM row GROUP BY 1"
    ):
        tables[number] = counts[0], counts[1]
    old = {
        number
        for number, (staying, changed) in tables.items()
        if changed or not staying or rows.tables[number] == FORMER
    }
    small = {number for number, (staying, _) in tables.items() if 0 < staying < size // 4}
    if len(small) > _SMALL_TABLES:
        old |= small
    if old or emptied:
        begin()
    writer = _TableWriter(place, rows, new_name, size)
    for number in sorted(old, key=lambda number: number_of(rows.tables[number])):
        for table, ids in _staying(place, rows, number):
            writer.add(table, ids)
        writer.end_of(rows.tables[number])
    writer.flush()
    for shard in emptied:
        place.remove(shard)
    if FORMER in rows.tables:  # what only a set made before has
        for entry in [*place.entries(f"{STATE}/parts"), place.entry(f"{STATE}/sources.parquet")]:
            if entry is not None:
                place.remove(entry.key)


def _copy_shards(
    place: Folder, rows: Rows, new_name: Callable[[], str], begin: Callable[[], None]
) -> list[str]:
    """Copy files of many pictures without those that are lost; return the names of the old."""
    lost = f"SELECT DISTINCT shard FROM row WHERE mark={LOST} AND shard IS NOT NULL ORDER BY 1"
    emptied = []
    shards = rows.database.execute(lost).fetchall()
    if shards:
        rows.database.execute("CREATE INDEX IF NOT EXISTS by_shard ON row (shard)")
    for (shard,) in shards:
        paths: dict[bool, set[str]] = {True: set(), False: set()}
        for path, stays in rows.database.execute(
            f"SELECT path, mark<{LOST} FROM row WHERE shard=?", (shard,)
        ):
            paths[bool(stays)].add(path)
        going = paths[False] - paths[True]
        if not shard.startswith(f"{SHARDS}/") or not going or place.entry(shard) is None:
            continue
        emptied.append(shard)
        if paths[True]:
            begin()
            new = f"{SHARDS}/{new_name()}.{shard.rpartition('.')[2]}"
            copy_without(place, shard, new, going)
            rows.database.execute(
                f"UPDATE row SET shard=?, changed=1 WHERE shard=? AND mark<{LOST}", (new, shard)
            )
    return emptied


def _staying(place: Folder, rows: Rows, number: int) -> Iterator[tuple[pa.Table, list[int]]]:
    """Yield the rows of a table that stay, as they are now, and their ids."""
    if not rows.count(f'"table"={number} AND mark<{LOST}'):
        return
    begin = 0
    with place.open(rows.tables[number]) as source, pq.ParquetFile(source) as file:
        for batch in file.iter_batches(_TABLE, use_threads=False):
            end = begin + batch.num_rows
            staying = rows.database.execute(
                f"SELECT number, id, inputs, mark={IN_TABLE}, shard FROM row "
                f'WHERE "table"=? AND number>=? AND number<? AND mark<{LOST} ORDER BY number',
                (number, begin, end),
            ).fetchall()
            at = pa.array([each[0] - begin for each in staying], pa.int64())
            table = with_all_columns(pa.Table.from_batches([batch]).take(at))
            for place_in_row, name in enumerate(_CHANGING, 2):
                index = SCHEMA.get_field_index(name)
                kind = SCHEMA.field(index).type
                values = pa.array([each[place_in_row] for each in staying])
                table = table.set_column(index, SCHEMA.field(index), values.cast(kind))
            yield table, [each[1] for each in staying]
            begin = end


@dataclass(slots=True)
class _TableWriter:
    """Gathers the rows of old tables into new ones, and removes the old ones after that."""

    place: Folder
    rows: Rows
    new_name: Callable[[], str]
    size: int
    _held: list[pa.Table] = field(default_factory=list)
    _ids: list[int] = field(default_factory=list)
    _ended: list[str] = field(default_factory=list)

    def add(self, table: pa.Table, ids: list[int]) -> None:
        self._held.append(table)
        self._ids += ids
        if len(self._ids) >= _TABLE:
            self._write()

    def end_of(self, old: str) -> None:
        """Note that all rows of an old table were added."""
        self._ended.append(old)
        if len(self._ids) >= self.size // 4 or not self._ids:
            self.flush()

    def flush(self) -> None:
        """Write what is held, and remove the tables that it is of."""
        if self._ids:
            self._write()
        for old in self._ended:
            self.place.remove(old)
        self._ended.clear()

    def _write(self) -> None:
        key = table_key(self.new_name())
        write_table(self.place, key, pa.concat_tables(self._held).combine_chunks())
        number = len(self.rows.tables)
        self.rows.tables.append(key)
        self.rows.database.executemany(
            'UPDATE row SET "table"=?, number=? WHERE id=?',
            ((number, at, id) for at, id in enumerate(self._ids)),
        )
        self._held.clear()
        self._ids.clear()
