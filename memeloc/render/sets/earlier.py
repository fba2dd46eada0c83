"""What earlier runs left in OUT. In: its manifest, and parts of a run cut off. Out: each picture.

The pictures stand in a database of their own (`memeloc.temporary_database`), so that memory stays
flat however many they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from memeloc.render.sets.manifest import (
    MANIFEST,
    PARTS,
    SCHEMA,
    SHARDS,
    SOURCES,
    Row,
    has_first_columns,
)
from memeloc.render.sets.row_groups import RowGroup, row_groups
from memeloc.temporary_database import temporary_database

Place = tuple[int, int]
"""Where a row is: the number of its file, and its own in that file."""

Key = tuple[str, str]
"""What a picture is of: the id of the meme, and the language. A set has one picture of each."""

_READ = (
    *("meme_id", "language", "path", "shard"),
    *("inputs_sha256", "bytes", "sha256", "problems", "in_table"),
)
_BATCH = 4096
"""Rows of a file that are held at a time."""


class EarlierPicture(NamedTuple):
    """What an earlier run says of a picture.

    Attributes:
        number: its own among the pictures, from 0, in the order in which they first stand.
        path: of its file, relative to OUT; None for a source caption without picture.
        inputs_sha256: of all that made it.
        bytes, sha256: of its file.
        problems: of its proof.
        place: its row.
        shard: that it is in, relative to OUT; None for a single file.
    """

    number: int
    path: str | None
    inputs_sha256: str
    bytes: int | None
    sha256: str | None
    problems: tuple[str, ...]
    place: Place
    shard: str | None


class EarlierPictures(Mapping[Key, EarlierPicture]):
    """Pictures by what they are of, on disk where they are many; the newest of each.

    They come in the order in which a picture of the same meme and language first stood.

    Attributes:
        languages: that they are in.
        suffixes: of the shards that they are in; empty for single files.
    """

    def __init__(self) -> None:
        self.languages: set[str] = set()
        self.suffixes: set[str] = set()
        self._count = 0
        self._shard: str | None = None  # of the picture noted last
        self._meme: tuple[str, dict[str, EarlierPicture]] = "", {}

    @cached_property
    def _rows(self) -> Any:
        return temporary_database(
            "CREATE TABLE picture (number INTEGER PRIMARY KEY, meme_id TEXT, language TEXT, "
            "path TEXT, inputs TEXT, bytes INTEGER, sha256 TEXT, problems TEXT, "
            "file INTEGER, row INTEGER, shard TEXT, UNIQUE (meme_id, language))"
        )

    def add(self, row: Row, place: Place) -> EarlierPicture | None:
        """Note a picture; the one that it takes the place of is returned, if there is any."""
        meme_id, language = row["meme_id"], row["language"]
        self.languages.add(language)
        shard = row.get("shard")
        if shard != self._shard or not self._count:  # most stand beside others of their shard
            self.suffixes.add(PurePosixPath(shard or "").suffix)
            self._shard = shard
        problems = row.get("problems")
        values = (
            *(row["path"], row["inputs_sha256"], row["bytes"], row["sha256"]),
            *("\n".join(problems) if problems else None, *place, shard),
        )
        key = meme_id, language
        insert = "INSERT INTO picture VALUES (?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING"
        if self._rows.execute(insert, (self._count, *key, *values)).rowcount:
            self._count += 1
            return None
        self._meme = "", {}
        before = self[key]
        self._rows.execute(
            "UPDATE picture SET path=?, inputs=?, bytes=?, sha256=?, problems=?, file=?, row=?, "
            "shard=? WHERE number=?",
            (*values, before.number),
        )
        self._meme = "", {}
        return before

    def of_meme(self, meme_id: str) -> Mapping[str, EarlierPicture]:
        """The pictures of a meme by language, in their order."""
        if self._meme[0] != meme_id:
            found = (
                self._rows.execute(
                    "SELECT * FROM picture WHERE meme_id=? ORDER BY number", (meme_id,)
                )
                if self._count
                else ()
            )
            self._meme = meme_id, {row[2]: _picture(row) for row in found}
        return self._meme[1]

    def __getitem__(self, key: Key) -> EarlierPicture:
        return self.of_meme(key[0])[key[1]]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Key]:
        if self._count:
            yield from self._rows.execute("SELECT meme_id, language FROM picture ORDER BY number")

    def shards(self) -> set[str | None]:
        """The shards that pictures are in."""
        if not self._count:
            return set()
        return {shard for (shard,) in self._rows.execute("SELECT DISTINCT shard FROM picture")}


def _picture(row: tuple[Any, ...]) -> EarlierPicture:
    number, _, _, path, inputs, size, sha256, problems, file, place, shard = row
    kinds = tuple(problems.split("\n")) if problems else ()
    return EarlierPicture(number, path, inputs, size, sha256, kinds, (file, place), shard)


class Earlier:
    """What earlier runs left in OUT: their manifest, and the parts of one that was cut off.

    Attributes:
        files: the manifest, the sources, then the parts, oldest first; those of this run follow.
        pictures: by what they are of, the newest of each, in the manifest's order.
        sources: source captions without picture, likewise.
        replaced: pictures that a newer one has taken the place of, with what they are of.
        in_table: of each row of the manifest, whether the table of its run had it, as 1 or 0.
        rows: how many rows the manifest and the sources have, 0 for one that is not there.
        groups: their row groups.
        run: the number of the run to come.
        is_current: whether the manifest can stay as it is: no part is newer, it has today's
            columns, and its rows stand by language.
    """

    def __init__(self, out: Path) -> None:
        parts = sorted((out / PARTS).glob("*.parquet"))
        self.files = [out / MANIFEST, out / SOURCES, *parts]
        self.pictures = EarlierPictures()
        self.sources = EarlierPictures()
        self.replaced: list[tuple[Key, EarlierPicture]] = []
        self.in_table = bytearray()
        self.is_current = not parts
        self.groups: list[list[RowGroup]] = [[], []]
        self.rows = [self._load(number) for number in range(len(self.files))][:2]
        runs = [_run_of(path) for path in chain(parts, (out / SHARDS).glob("*"))]
        self.run = 1 + max(runs, default=0)

    def _load(self, number: int) -> int:
        """Note a file's pictures; none of one that is absent or broken."""
        count = 0
        try:
            with pq.ParquetFile(self.files[number]) as file:
                if not has_first_columns(file.schema_arrow):
                    return 0
                if not file.schema_arrow.equals(SCHEMA):
                    self.is_current = False
                if number < len(self.groups):
                    self.groups[number] = groups = row_groups(file.metadata)
                    self.is_current &= all(group.language is not None for group in groups)
                columns = [name for name in _READ if name in file.schema_arrow.names]
                for batch in file.iter_batches(_BATCH, columns=columns, use_threads=False):
                    for row in batch.to_pylist():
                        self._note(row, (number, count))
                        count += 1
        except (FileNotFoundError, pa.ArrowException):
            pass
        return count

    def _note(self, row: Row, place: Place) -> None:
        if place[0] == 0:
            self.in_table.append(row.get("in_table") is not False)
        if row["path"] is None:
            self.sources.add(row, place)
            return
        before = self.pictures.add(row, place)
        if before is not None and (before.path, before.shard) != (row["path"], row.get("shard")):
            self.replaced.append(((row["meme_id"], row["language"]), before))


def _run_of(path: Path) -> int:
    """The number of the run that wrote a part or a shard, by its name; 0 of any other file."""
    match = re.fullmatch(r"(\d{6,})-\d{8}", path.stem)
    return int(match[1]) if match else 0
