"""The workspace's data as tables. In: a table's name. Out: a pandas frame or a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.store import exporting
from memeloc.store.database import Database

if TYPE_CHECKING:
    import pandas as pd


class Exports:
    """Captions, history and all the rest as tables; `exporting.TABLES` names them."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def frame(self, table_name: str, tags: Sequence[str]) -> pd.DataFrame:
        """A table as a pandas frame.

        `captions` has a row a meme and a column a language, `history` a row for every version.

        Args:
            table_name: of the table.
            tags: languages in the order in which `captions` has them.

        Raises:
            InputError: there is no such table.
        """
        import pandas as pd

        with self.database.read() as connection:
            table = exporting.export_table(connection, table_name, tags)
            frame = pd.DataFrame.from_records(
                list(table.rows), columns=[column.name for column in table.columns]
            )
        for column in table.columns:
            if column.kind == "time":
                frame[column.name] = pd.to_datetime(frame[column.name], utc=True)
            elif column.kind == "integer":
                frame[column.name] = frame[column.name].astype("Int64")
        return frame

    def write(self, table_name: str, path: Path, tags: Sequence[str]) -> int:
        """Write a table to a .csv, .jsonl or .parquet file; how many rows it has.

        Raises:
            InputError: there is no such table, or the file cannot be written.
        """
        from memeloc.tables import write_table

        with self.database.read() as connection:
            table = exporting.export_table(connection, table_name, tags)
            return write_table(path, table.columns, table.rows)
