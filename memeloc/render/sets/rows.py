"""The rows of a set, old and new, by their keys. In: rows of its tables. Out: which of them stay.

They stand in a database of their own (`files.temporary_database`), so that memory stays flat
however many they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from memeloc.errors import InputError
from memeloc.files import temporary_database
from memeloc.object_storage import Folder
from memeloc.picture_writers import SUFFIXES
from memeloc.render.sets.manifest import FIRST_COLUMNS, FORMER, SCHEMA, Row, table_keys

UNSEEN, IN_TABLE, APART, LOST = range(4)
"""What becomes of a row: not known yet; the captions table has it; it is of an earlier run alone; a
newer one stands for it, or its picture is gone."""
READ: tuple[str, ...] = (
    *("meme_id", "language", "path", "shard", "inputs_sha256"),
    *("bytes", "sha256", "problems", "in_table"),
)
"""The columns that a run needs of a row."""
FACTS = ("text", "template", "locale", "width", "height")
"""Columns by which a picture of a set made before is known to be the one that is wanted."""
_BATCH = 4096
"""Rows that are held at a time."""
_SCHEMA = """
CREATE TABLE row (id INTEGER PRIMARY KEY, "table" INTEGER, number INTEGER, meme_id TEXT,
  language TEXT, path TEXT, shard TEXT, inputs TEXT, bytes INTEGER, sha256 TEXT, problems TEXT,
  in_table INTEGER, facts TEXT, rank INTEGER, mark INTEGER, changed INTEGER DEFAULT 0);
CREATE TABLE meme (number INTEGER PRIMARY KEY, meme_id TEXT);
"""


class ExistingPicture(NamedTuple):
    """A picture's row of an earlier run.

    Attributes:
        id: of its row here.
        table: number of the table in `Rows.tables`.
        path: of its file, relative to OUT.
        shard: the file of many pictures that it is in, relative to OUT; None for a single file.
        inputs: SHA-256 of all that made it; empty where another version made it.
        bytes, sha256: of its file.
        problems: kinds of problem, a line each.
        facts: where `inputs` is empty, its `FACTS` as JSON.
    """

    id: int
    table: int
    language: str
    path: str
    shard: str | None
    inputs: str
    bytes: int
    sha256: str
    problems: str
    facts: str | None


_FIELDS = ", ".join(f'"{name}"' for name in ExistingPicture._fields)


class Rows:
    """The rows of a set's tables, and those that the run adds.

    Args:
        ranks: by language its place in the captions table.

    Attributes:
        tables: keys of the tables, also of those without a row that can be read.
    """

    def __init__(self, ranks: Mapping[str, int]) -> None:
        self._ranks = ranks
        self.tables: list[str] = []
        self.database = temporary_database(_SCHEMA)
        self.is_empty = True

    def load(self, place: Folder) -> None:
        """Read a set's tables, the oldest first; of a picture's rows the newest counts."""
        for key in table_keys(place):
            self.add(key, _rows_of(place, key))
        self.is_empty = not self.count()
        self.database.execute("CREATE INDEX key ON row (meme_id, language)")
        keys = "FROM row GROUP BY meme_id, language"
        doubled = self.database.execute(f"SELECT 1 {keys} HAVING count(*)>1 LIMIT 1")
        if doubled.fetchone():
            self.database.execute(
                f"UPDATE row SET mark={LOST} WHERE id NOT IN (SELECT max(id) {keys})"
            )

    def add(self, key: str, rows: Iterable[Sequence[Any]], mark: int = UNSEEN) -> None:
        """Note the rows of a table, in its order: the values of `READ`, and facts or None."""
        table = len(self.tables)
        self.tables.append(key)
        values = (
            (table, number, meme, language, *rest, facts, rank, mark)
            for number, (meme, language, *rest, facts) in enumerate(rows)
            for rank in [self._ranks.get(language, len(self._ranks))]
            if rest[0] is not None  # of a source caption that was only measured
        )
        self.database.executemany(f"INSERT INTO row VALUES (NULL{',?' * 14},0)", values)

    def count(self, where: str = "1") -> int:
        """Return how many rows there are of a kind."""
        return int(self.database.execute(f"SELECT count(*) FROM row WHERE {where}").fetchone()[0])

    def distinct(self, column: str) -> Iterator[Any]:
        """Yield the values of a column; of `shard` also None."""
        rows = self.database.execute(f"SELECT DISTINCT {column} FROM row WHERE mark<{LOST}")
        yield from (value for (value,) in rows)

    def check_layout(self, layout: str, place: Folder) -> None:
        """See that a set is all single files, or all files of many: readers look in one place.
        Raise InputError if there are pictures of another kind."""
        names = {suffix: name for name, suffix in SUFFIXES.items()}
        for shard in self.distinct("shard"):
            stored = names.get(PurePosixPath(shard or "").suffix, "files")
            if stored != layout:
                has = "shards" if shard else "single files"
                raise InputError(
                    f"The set in this folder has its pictures in {has}: render with --to {stored}, "
                    "or name another folder.",
                    file=place.address(""),
                )

    def of_meme(self, meme_id: str) -> dict[str, ExistingPicture]:
        """Return what earlier runs have of a meme, by language."""
        if self.is_empty:
            return {}
        rows = self.database.execute(
            f"SELECT {_FIELDS} FROM row WHERE meme_id=? AND mark<{LOST}", (meme_id,)
        )
        return {picture.language: picture for picture in map(ExistingPicture._make, rows)}

    def pictures(self, mark: int) -> Iterator[ExistingPicture]:
        """Yield the pictures of a mark; they may be marked anew meanwhile."""
        last = 0
        query = f"SELECT {_FIELDS} FROM row WHERE mark=? AND id>? ORDER BY id LIMIT {_BATCH}"
        while rows := self.database.execute(query, (mark, last)).fetchall():
            yield from map(ExistingPicture._make, rows)
            last = rows[-1][0]

    def mark(self, mark: int, picture: ExistingPicture) -> None:
        """Note what becomes of a picture's row."""
        self.database.execute("UPDATE row SET mark=? WHERE id=?", (mark, picture.id))

    def take_over(self, picture: ExistingPicture, inputs: str) -> None:
        """Note what made a picture of another version."""
        statement = "UPDATE row SET inputs=?, changed=1 WHERE id=?"
        self.database.execute(statement, (inputs, picture.id))

    def replace(self, key: str, rows: Sequence[Sequence[Any]]) -> None:
        """Note the rows of a new table; what was there of the same pictures is lost."""
        self.database.executemany(
            f"UPDATE row SET mark={LOST} WHERE meme_id=? AND language=?",
            ((row[0], row[1]) for row in rows),
        )
        self.add(key, rows, IN_TABLE)

    def replaced(self) -> Iterator[tuple[ExistingPicture, str]]:
        """Yield lost pictures for which others stand, and the paths of those."""
        fields = ", ".join(f'old."{name}"' for name in ExistingPicture._fields)
        rows = self.database.execute(
            f"SELECT {fields}, new.path FROM row AS old JOIN row AS new USING (meme_id, language) "
            f"WHERE old.mark={LOST} AND new.mark<{LOST} AND old.path<>new.path "
            "AND old.shard IS NULL"
        )
        for *values, path in rows:
            yield ExistingPicture._make(values), path

    def add_meme(self, meme_id: str) -> None:
        """Note that a meme comes next in the captions table."""
        self.database.execute("INSERT INTO meme VALUES (NULL, ?)", (meme_id,))

    def in_order(self) -> Iterator[tuple[str, int, str, str, str, bool]]:
        """Yield where rows are in the captions table's order, then those of earlier runs alone.

        Of each the key of its table, its number there, meme, language, the SHA-256 of its picture,
        and whether the captions table has it.
        """
        what = 'row."table", row.number, row.meme_id, language, sha256'
        orders = (
            (
                f"meme CROSS JOIN row USING (meme_id) WHERE mark={IN_TABLE} "
                "ORDER BY meme.number, rank"
            ),
            f"row WHERE mark={APART} ORDER BY meme_id, rank, language",
        )
        for order, in_table in zip(orders, (True, False), strict=True):
            for table, *rest in self.database.execute(f"SELECT {what} FROM {order}"):
                yield self.tables[table], *rest, in_table


def _rows_of(place: Folder, key: str) -> Iterator[tuple[Any, ...]]:
    """Yield what a run needs of a table's rows; nothing of one that is broken."""
    try:
        with place.open(key) as source, pq.ParquetFile(source) as file:
            names = file.schema_arrow.names
            if not {*FIRST_COLUMNS} <= {*names}:
                return
            wanted = (*READ, *FACTS)
            if key != FORMER:
                at = SCHEMA.get_field_index("inputs_sha256")  # before all columns of lists
                statistics = file.metadata.row_group(0).column(at).statistics
                if statistics is not None and statistics.min != "":  # all say what made them
                    wanted = READ
            columns = [name for name in wanted if name in names]
            for batch in file.iter_batches(_BATCH, columns=columns, use_threads=False):
                for row in batch.to_pylist():
                    yield row_values(row | {"inputs_sha256": ""} if key == FORMER else row)
    except (FileNotFoundError, pa.ArrowException):
        return


def row_values(row: Row) -> tuple[Any, ...]:
    """Return the values of `READ` of a row, and its facts where its hash says nothing."""
    values = {name: row.get(name) for name in READ}
    values["problems"] = "\n".join(row.get("problems") or ())
    values["in_table"] = row.get("in_table") is not False
    facts = None if row["inputs_sha256"] else json.dumps([row.get(name) for name in FACTS])
    return *values.values(), facts
