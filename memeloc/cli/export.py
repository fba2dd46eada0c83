"""`memeloc export`. In: a table of the workspace. Out: a file of it."""

from __future__ import annotations

from pathlib import Path

from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson
from memeloc.cli.show import show


def export(
    table: str = Argument(
        ...,
        metavar="TABLE",
        help="captions, history, memes, corrections, cases, memory, sheets or files.",
    ),
    to: Path = Option(..., metavar="FILE", help="A .csv, .jsonl or .parquet file to write."),
    as_json: AsJson = False,
) -> None:
    """Write a table of the workspace to a file.

    `captions` has a row a meme and a column a language, and is what `render` and `import` read;
    `history` has a row for every version of every caption, with who, when and from where.
    In CSV a cell that a spreadsheet would take for a formula gets an apostrophe before it.

    \b
    Example:
      memeloc export captions --to captions.csv
      memeloc export history --to history.parquet
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.captions.export(table, to)
    show(result, f"Wrote {result.rows:,} rows of {table} to {to}", as_json=as_json)
