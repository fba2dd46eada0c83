"""A workspace's data as plain files. In: a database and a folder. Out: the same, on the other side.

A dump is a folder: `tables/` with a JSON Lines file a table, sorted by the table's key;
`workspace/` with the files that belong to the data; and `manifest.json` with the SHA-256 of each,
which is written last: with it the dump is whole. The same row is the same line on SQLite and on
PostgreSQL. Both ways see one state of the database, and a load is stored whole or not at all.
Tokens of erased people that the database has keep them out. guides/workspace.md has more.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from sqlalchemy import Connection, Table, func, select

from memeloc.errors import InputError
from memeloc.files import file_sha256, replacing
from memeloc.store.database import DUMPED, SCHEMA
from memeloc.store.queries import Repository, add_rows, batches, stream
from memeloc.store.surveys.erasures import erase_again
from memeloc.store.surveys.participant_ids import KEYS
from memeloc.store.tables import metadata
from memeloc.store.tables.items import pictures
from memeloc.store.tables.surveys import erased_people, erasures
from memeloc.store.tables.types import Json, Parts, UtcTime, encode_json
from memeloc.version import __version__

MANIFEST, TABLES, WORKSPACE = "manifest.json", "tables", "workspace"
"""The manifest, and the folders of tables and of files as they stand in the workspace's own."""

_INCOMPLETE = "manifest.incomplete"
"""What the manifest is called until all is written."""
_FORMAT = "memeloc dump 1"
_ABOUT = (
    "A dump of a memeloc workspace. tables/NAME.jsonl is the table NAME, a JSON object a line, in "
    "UTF-8, sorted by the table's key; times are ISO 8601 in UTC; a caption's text is a list of "
    "its parts. workspace/ has the files of its folder. guides/workspace.md of memeloc says more."
)
_BATCH = 500
"""Rows that are written or inserted at once."""
_COLLATIONS = {"sqlite": "BINARY", "postgresql": "C"}
"""What sorts texts by their code points, whatever the database's own order is."""
_HELD: dict[type, Any] = {sa.Integer: int, sa.Float: (int, float), Parts: list, Json: object}
"""What JSON has for a column's type; a text for all others."""

OnRows = Callable[[str, int, int], None]
"""Gets a table's name, how many more of its rows are done, and how many there are."""


def is_own(name: str) -> bool:
    """Return whether a file of a workspace's folder, by its name, is its database or a key."""
    return name.casefold().startswith("memeloc.db") or name.casefold().endswith((".key", ".check"))


def _check_path(path: str) -> str:
    """Refuse what does not stay within the dump, and within a workspace that it is loaded into."""
    parts = PurePosixPath(path).parts
    is_inside = len(parts) > 1 and parts[0] in (TABLES, WORKSPACE) and "/".join(parts) == path
    is_hidden = any(part.startswith(".") for part in parts)
    if not is_inside or is_hidden or any(letter in path for letter in "\\:\0"):
        raise ValueError(f"{path[:80]!r} is no path within tables/ or workspace/")
    if len(parts) == 2 and parts[0] == WORKSPACE and is_own(parts[1]):
        raise ValueError(f"{path[:80]!r} is a file that memeloc makes itself, and never of a dump")
    return path


class DumpFile(BaseModel):
    """A file of a dump: its path with / between, SHA-256 and bytes; of a table, its rows."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    path: Annotated[str, AfterValidator(_check_path)]
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    size: int = Field(ge=0)
    rows: int | None = Field(default=None, ge=0)


class Manifest(BaseModel):
    """A dump's description of itself: the version (`memeloc`) and schema (`database`) that it is
    of, what each key, which is never in it, is recognised by, and its files, sorted by path."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    about: str = _ABOUT
    format: str = _FORMAT
    memeloc: str = __version__
    database: str = SCHEMA
    keys: dict[str, str] = {}
    files: list[DumpFile]


def begin(folder: Path) -> None:
    """Make a folder ready for a dump; of one that was interrupted nothing stays. Raise InputError
    if it holds something else, a whole dump or a link, or cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = {path.name for path in folder.iterdir()}
        if MANIFEST in names:
            raise InputError("There is a dump here already; name another folder.", file=folder)
        if names and _INCOMPLETE not in names:
            raise InputError("The folder is not empty; name another for the dump.", file=folder)
        if link := next((path for path in folder.rglob("*") if path.is_symlink()), None):
            raise InputError("This is a link, which no dump has; name another folder.", file=link)
        (folder / _INCOMPLETE).touch()
        for name in names & {TABLES, WORKSPACE}:
            shutil.rmtree(folder / name)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=folder) from error


def complete(folder: Path, manifest: Manifest) -> None:
    """Write the manifest when all else is there."""
    partial = folder / _INCOMPLETE
    written = json.dumps(manifest.model_dump(exclude_none=True), ensure_ascii=False, indent=1)
    partial.write_text(f"{written}\n", encoding="utf-8", newline="\n")
    os.sync()  # the files are on the disk before the name that says so
    partial.rename(folder / MANIFEST)


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a dump whose files are all there. Raise InputError if it is not a
    dump, not whole, of a version that is not known here, or names files outside of it or that are
    missing."""
    file = folder / MANIFEST
    if not file.is_file():
        message = f"This is not a dump of a workspace: it has no {MANIFEST}."
        if (folder / _INCOMPLETE).exists():
            message = "The dump was interrupted before it was whole; run `memeloc dump` again."
        raise InputError(message, file=folder)
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
        form, schema, version = (str(values[key])[:40] for key in ("format", "database", "memeloc"))
    except (ValueError, TypeError, KeyError, RecursionError):
        form = schema = version = ""
    if not form.startswith("memeloc dump"):
        raise InputError("This is not the manifest of a dump of memeloc.", file=file)
    if form != _FORMAT or schema not in DUMPED:
        raise InputError(
            f"The dump has the schema {schema} and was written by memeloc {version}; this is "
            f"memeloc {__version__}, which loads {' and '.join(DUMPED)}. Load it with memeloc "
            f"{version} (pip install memeloc=={version}).",
            file=file,
        )
    try:
        manifest = Manifest.model_validate(values)
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(step) for step in problem["loc"])
        message = problem["msg"].removeprefix("Value error, ")
        raise InputError(f"The manifest is wrong at {where}: {message}.", file=file) from error
    for path in (folder / each.path for each in manifest.files):
        if not path.is_file():
            message = "The dump lacks this file that its manifest lists."
            raise InputError(message, file=path)
        if not path.resolve().is_relative_to(folder.resolve()):
            raise InputError("The file is a link to outside of the dump.", file=path)
    return manifest


def dump_file(folder: Path, path: str, rows: int | None = None) -> DumpFile:
    """Return a file of a dump, which is written, as the manifest lists it."""
    file = folder / path
    return DumpFile(path=path, sha256=file_sha256(file), size=file.stat().st_size, rows=rows)


def check_hash(file: Path, expected: str) -> None:
    """Refuse a file whose SHA-256 is not the manifest's."""
    if file_sha256(file) != expected:
        raise InputError(
            "The file is not as it was dumped: its SHA-256 is not that of the manifest. Take "
            "another copy of the dump, or dump again.",
            file=file,
        )


def dumped_tables() -> list[Table]:
    """Return the tables of a dump; those that others refer to come first."""
    return [table for table in metadata.sorted_tables if not table.info["cached"]]


class Dumps(Repository):
    def write(self, folder: Path, on_rows: OnRows) -> tuple[list[DumpFile], list[tuple[str, str]]]:
        """Write all tables into a dump's folder; return its files, and the SHA-256 and format of
        each picture that they name. Raise InputError if it cannot be written."""
        written = []
        with self.database.read() as connection:
            for table in dumped_tables():
                path, rows = f"{TABLES}/{table.name}.jsonl", 0
                count = select(func.count()).select_from(table)
                total = connection.execute(count).scalar_one()
                with replacing(folder / path) as partial, partial.open("wb") as file:
                    for lines in batches(_lines(connection, table), _BATCH):
                        file.write(b"".join(lines))
                        rows += len(lines)
                        on_rows(table.name, len(lines), total)
                written.append(dump_file(folder, path, rows))
            query = select(*pictures.c["sha256", "format"]).order_by(pictures.c.sha256)
            return written, [(sha256, format_) for sha256, format_ in connection.execute(query)]

    def load(
        self,
        folder: Path,
        manifest: Manifest,
        on_rows: OnRows,
        put_files: Callable[[], None] = lambda: None,
    ) -> Mapping[str, int] | None:
        """Load all tables of a dump into this database, in which there is nothing yet; before any
        is stored, and once it is clear that it can be, call `put_files`.

        Return by table the rows of people who had been erased here and were left out; None where
        all of it was here already. Raise InputError if there is something else in the database, or
        a file is not as it was dumped.
        """
        listed = {file.path: file for file in manifest.files if file.path.startswith(f"{TABLES}/")}
        tables = {f"{TABLES}/{table.name}.jsonl": table for table in dumped_tables()}
        for path in listed.keys() - tables.keys():
            raise InputError("There is no such table in a workspace.", file=folder / path)
        for path in tables.keys() - listed.keys() if manifest.database == SCHEMA else ():
            raise InputError(f"The manifest lacks {path}.", file=folder)
        files = {table: listed[path] for path, table in tables.items() if path in listed}
        with self.database.write() as connection:
            seen = _has_all(connection, files, self.database.name)
            put_files()
            if seen:
                return None
            is_new = connection.execute(select(erasures.c.number)).first() is None
            for table, file in files.items():
                _load(connection, table, folder / file.path, file, on_rows)
            erased = {} if is_new else erase_again(connection, self.root)
        if erased:
            self.database.scrub([table.name for table in files])
        return erased


def _has_all(connection: Connection, files: Mapping[Table, DumpFile], name: str) -> bool:
    """Return whether everything of a dump is in a database, False for an empty one."""
    full = [
        table.name
        for table in dumped_tables()
        if table not in (erasures, erased_people)
        and connection.execute(select(sa.text("1")).select_from(table).limit(1)).first()
    ]
    for table, file in files.items() if full else ():
        digest = hashlib.sha256()
        for line in _lines(connection, table):
            digest.update(line)
        if digest.hexdigest() != file.sha256:
            raise InputError(
                f"A dump is loaded into an empty workspace; this one has rows in {full[0]}. Name "
                "another folder, or an empty database.",
                file=name,
            )
    return bool(full)


def _lines(connection: Connection, table: Table) -> Iterator[bytes]:
    """Yield all rows of a table as lines, in the order of its key."""
    collation = _COLLATIONS[connection.dialect.name]
    order = [
        sa.collate(column, collation) if isinstance(column.type, sa.String) else column
        for column in table.primary_key
    ]
    # Times are read as they are stored: as texts.
    columns = [
        sa.type_coerce(column, sa.Text).label(column.name)
        if isinstance(column.type, UtcTime)
        else column
        for column in table.c
    ]
    for row in stream(connection, select(*columns).order_by(*order)):
        yield f"{encode_json(dict(row._mapping))}\n".encode()


def _load(
    connection: Connection, table: Table, path: Path, file: DumpFile, on_rows: OnRows
) -> None:
    """Insert the rows of a table's file; of erased people and receipts some may be here."""
    shift = 0
    if table is erasures:
        shift = connection.execute(select(func.coalesce(func.max(table.c.number), 0))).scalar_one()
    check_hash(path, file.sha256)
    with path.open("rb") as lines:
        for rows in batches(read_rows(lines, table, path), _BATCH):
            if shift:
                rows = [{**row, "number": row["number"] + shift} for row in rows]
            add_rows(connection, table, rows, ["token"] if table is erased_people else ())
            on_rows(table.name, len(rows), file.rows or 0)
    column = table.autoincrement_column
    if column is not None and connection.dialect.name == "postgresql":
        # What is inserted with its number does not count in the sequence that gives the next.
        sequence, last = func.pg_get_serial_sequence(table.name, column.name), func.max(column)
        connection.execute(select(func.setval(sequence, last)).having(last.is_not(None)))


def read_rows(lines: Iterable[bytes], table: Table, file: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table's lines, each with the table's columns and what these can hold;
    raise InputError, with the line's number, if one is something else."""
    held = {
        name: next((held for kind, held in _HELD.items() if isinstance(column.type, kind)), str)
        for name, column in table.c.items()
    }
    # A dump of an earlier schema lacks what came later, which may be empty.
    empty = {name: None for name, column in table.c.items() if column.nullable}
    for number, line in enumerate(lines, start=1):
        name = None
        try:
            row = json.loads(line)
            row = {**empty, **row} if isinstance(row, dict) else {}
            if row.keys() != held.keys():
                raise ValueError(f"its fields are not those of {table.name}")
            for name, column in table.c.items():
                value = row[name]
                is_truth = isinstance(value, bool) and held[name] is not object
                if value is None and column.nullable:
                    continue
                if value is None or is_truth or not isinstance(value, held[name]):
                    raise TypeError(f"{encode_json(value)[:40]} cannot stand here")
                if isinstance(column.type, UtcTime):
                    row[name] = datetime.fromisoformat(value)
                    if row[name].tzinfo is None:
                        raise ValueError(f"{value} has no time zone")
        except (ValueError, TypeError, RecursionError) as error:
            message = f"The line is not a row of the table {table.name}: {error}"
            raise InputError(message, file=file, row=number, column=name) from error
        yield row


def own_files(
    root: Path, places: Iterable[Path], dump: Path, settings: str, notes: list[str]
) -> list[Path]:
    """Return the files in folders of a workspace, but for hidden ones, links, what is outside of
    the workspace (both are noted) and the database's and `settings` themselves."""
    top, files = root.resolve(), dict[Path, None]()
    for place in places:
        if not place.resolve().is_relative_to(top):
            notes.append(f"{place} is outside of the workspace, so it is not in the dump.")
            continue
        for file in [place] if place.is_file() else sorted(place.rglob("*")):
            path, target = file.relative_to(root), file.resolve()
            is_hidden = any(part.startswith(".") for part in path.parts)
            is_ours = len(path.parts) == 1 and (is_own(path.name) or path.name == settings)
            if is_hidden or is_ours or target.is_relative_to(dump.resolve()):
                continue
            if target != top / path:
                notes.append(f"{file} is a link, so it is not in the dump.")
            elif file.is_file():
                files[file] = None
    return [*files]


def check_keys(manifest: Manifest, root: Path) -> list[str]:
    """Return what to do about keys, as sentences; raise InputError if one is here and another."""
    notes = []
    for name, check in manifest.keys.items():
        if name not in KEYS:
            raise InputError(f"The manifest has a key {name[:40]!r}, which is unknown.")
        variable, present = KEYS[name].variable, KEYS[name].check(root, stored=False)
        if present not in ("", check):
            raise InputError(
                f"The key {name} here is another one than that of the workspace that was dumped, "
                f"so people would not be recognised. Put that one here, or set {variable}.",
                file=root,
            )
        if not present:
            notes.append(
                f"Copy {name} from the workspace that was dumped (or set {variable}) before "
                "answers are imported: a dump has no keys."
            )
    return notes
