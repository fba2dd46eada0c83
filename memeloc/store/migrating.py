"""Bringing a database to the newest schema. In: a `Database`. Out: its tables.

Opening a store migrates it by itself, in one transaction under the writers' lock: of two
programs that open it at once, one migrates and the other finds it done; one that is killed leaves
it as it was. An empty database gets the newest tables at once, as Alembic's cookbook advises; the
migrations in versions/ are for those that were made before. Before an existing SQLite database is
changed, a copy is put beside it. Alembic, which takes a quarter of a second to import, is touched
only when there is something to do.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from memeloc.files import replacing
from memeloc.store.database import Database, MissingDatabaseError, WorkspaceError

HEAD = "schema_10"
"""The newest migration in versions/."""

FOLDER = Path(__file__).parent
"""The folder whose versions/ holds the migrations."""


def migrate(
    database: Database, *, create: bool = False, folder: Path = FOLDER, head: str = HEAD
) -> None:
    """Bring a database of any earlier schema, or an empty one, to the schema `head`.

    Args:
        create: whether a SQLite file may be empty; a server's database may always be.
        folder: where versions/ stands, of which `head` is the newest.

    Raises:
        MissingDatabaseError: it is a SQLite file that is missing or empty.
        WorkspaceError: it is of a schema that this program does not know, or not of memeloc.
    """
    if database.file and not create and not database.file.exists():
        raise MissingDatabaseError(database.file)
    with database.read() as connection:
        schema = _schema(connection, database)
    if schema == head:
        return
    if database.file and not (schema or create):
        raise MissingDatabaseError(database.file)
    with database.write() as connection:
        schema = _schema(connection, database)
        if schema == head:
            return  # somebody else did it meanwhile
        if schema and not (folder / "versions" / f"{schema}.py").is_file():
            raise WorkspaceError(
                f"{database.name}: The database has the schema {schema}, which a newer memeloc "
                "made. Install the newer memeloc: pip install --upgrade memeloc. (One from before "
                "0.1.0 is exported with the memeloc that made it, and imported into a new one.)"
            )
        if schema and database.file:
            _copy(database.file, database.file.with_name(f"{database.file.name}.before-{head}"))
        _upgrade(connection, schema, folder)


def _schema(connection: Connection, database: Database) -> str:
    """The schema's name, empty for an empty database."""
    tables = inspect(connection).get_table_names()
    if "alembic_version" not in tables:
        if tables:
            raise WorkspaceError(
                f"{database.name}: The database has tables, but not those of a workspace "
                f"({', '.join(sorted(tables)[:5])}). Name an empty one."
            )
        return ""
    return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar() or "")


def _upgrade(connection: Connection, schema: str, folder: Path) -> None:
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(os.fspath(folder))
    if not schema:
        from memeloc.store.tables import metadata

        metadata.create_all(connection)
        MigrationContext.configure(connection).stamp(scripts, "head")
        return
    context = MigrationContext.configure(
        connection, opts={"fn": lambda revision, _: scripts._upgrade_revs("head", revision)}
    )
    with Operations.context(context):
        context.run_migrations()


def _copy(file: Path, target: Path) -> None:
    """Copy a SQLite database as it stands, WAL included; a copy that is there already stays."""
    if target.exists():
        return
    with (
        replacing(target) as temporary,
        closing(sqlite3.connect(file)) as source,
        closing(sqlite3.connect(temporary)) as copy,
    ):
        source.backup(copy)
