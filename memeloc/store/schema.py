"""The schema of a workspace's database. In: a `Database`. Out: its tables, made if need be.

There is one baseline. A database of another schema is refused: a dump is the way from one to
another, for its tables are plain files.
"""

from __future__ import annotations

from sqlalchemy import Column, Connection, MetaData, String, Table, insert, inspect, select

from memeloc.store.database import Database, MissingDatabaseError, WorkspaceError

SCHEMA = "schema_11"
"""What a database and a dump say that they are."""

DUMPED = (SCHEMA, "schema_10")
"""The schemas whose dumps can be loaded: what they lack is empty."""

_MARK = Table("schema_version", MetaData(), Column("version", String(40), primary_key=True))


def make_tables(database: Database, *, create: bool = False) -> None:
    """Make the tables of an empty database; leave one that has them.

    Of two programs that open an empty database at once, one makes them, under the writers' lock.

    Args:
        create: whether a SQLite file may be empty; a server's database may always be.

    Raises:
        MissingDatabaseError: it is a SQLite file that is missing or empty.
        WorkspaceError: it is of another schema, or not of memeloc.
    """
    if database.file and not create and not database.file.exists():
        raise MissingDatabaseError(database.file)
    with database.read() as connection:
        if _has_tables(connection, database):
            return
    if database.file and not create:
        raise MissingDatabaseError(database.file)
    from memeloc.store.tables import metadata

    with database.write() as connection:
        if not _has_tables(connection, database):
            metadata.create_all(connection)
            _MARK.create(connection)
            connection.execute(insert(_MARK).values(version=SCHEMA))


def _has_tables(connection: Connection, database: Database) -> bool:
    """Return whether a database has the tables of this schema, False where it is empty."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return False
    version = ""
    if _MARK.name in tables:
        version = str(connection.execute(select(_MARK.c.version)).scalar() or "")
    if version == SCHEMA:
        return True
    if not version and "alembic_version" not in tables:
        raise WorkspaceError(
            f"{database.name}: The database has tables, but not those of a workspace "
            f"({', '.join(sorted(tables)[:5])}). Name an empty one."
        )
    raise WorkspaceError(
        f"{database.name}: The database has the schema {version or 'of an earlier memeloc'}, and "
        f"this memeloc has {SCHEMA}. Run `memeloc dump DIR` with the memeloc that made it, then "
        "`memeloc load DIR FOLDER` with this one."
    )
