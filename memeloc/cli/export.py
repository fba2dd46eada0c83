"""`memeloc export`. In: a table of the workspace. Out: a file of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memeloc.cli.output import print_json


def export(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="captions, history, memes, corrections, cases, memory, sheets or files.",
        ),
    ],
    to: Annotated[
        Path, typer.Option(metavar="FILE", help="A .csv, .jsonl or .parquet file to write.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Write a table of the workspace to a file.

    `captions` has a row a meme and a column a language, and is what `render` and `import` read;
    `history` has a row for every version of every caption, with who, when and from where.
    In CSV a cell that a spreadsheet would take for a formula gets a no-break space before it.

    \b
    Example:
      memeloc export captions --to captions.csv
      memeloc export history --to history.parquet
    """
    from memeloc.store import Workspace

    with Workspace.find() as workspace:
        rows = workspace.export(table, to)
    if as_json:
        print_json({"table": table, "rows": rows, "file": str(to)})
    else:
        print(f"Wrote {rows:,} rows of {table} to {to}")
