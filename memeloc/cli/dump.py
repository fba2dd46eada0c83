"""`memeloc dump, load`. In: a workspace, or a dump. Out: a dump, or a workspace."""

from __future__ import annotations

from pathlib import Path

from typer import Argument

import memeloc
from memeloc.cli.options import AsJson
from memeloc.cli.output import progress
from memeloc.cli.show import explain, show
from memeloc.counts import counted


def dump(
    folder: Path = Argument(..., metavar="DIR", help="The dump's folder, new or empty."),
    as_json: AsJson = False,
) -> None:
    """Write the whole workspace into a folder of plain files: JSON Lines, pictures, templates.

    It can be read without memeloc, loaded by `memeloc load` on SQLite or PostgreSQL, and holds no
    keys and no passwords. Interrupted, run it again; it is whole once manifest.json is there.

    Example:
      memeloc dump ../my-memes-2026-11-22
    """
    with memeloc.Workspace.find() as workspace, progress("Dumping", None, unit="rows") as bar:
        result = workspace.dump(folder, bar.phase)
    explain("Note", result["notes"])
    rows, files = result["rows"], counted(result["files"], "file")
    count = f"{counted(sum(rows.values()), 'row')} of {counted(len(rows), 'table')} and {files}"
    show(result, f"Wrote {count} to {folder} ({result['size'] / 1e6:,.1f} MB).", as_json=as_json)


def load(
    dump: Path = Argument(..., metavar="DUMP", help="A folder that `memeloc dump` wrote."),
    folder: Path = Argument(Path(), metavar="DIR", help="The workspace's folder."),
    as_json: AsJson = False,
) -> None:
    """Make the workspace of a dump, in a folder or database in which there is none yet.

    The database is memeloc.db in the folder, or what MEMELOC_DATABASE_URL or a memeloc.toml that is
    there names. Keys are not in a dump: copy survey.key and erasure.key yourself. People who were
    erased in this workspace before stay out. Interrupted, run it again.

    Example:
      memeloc load ../my-memes-2026-11-22 my-memes
    """
    with progress("Loading", None, unit="rows") as bar:
        result = memeloc.Workspace.load(dump, folder, bar.phase)
    explain("Note", result["notes"])
    rows = counted(sum(result["rows"].values()), "row")
    then = [f"Loaded {rows} and {counted(result['files'], 'file')} into {folder}."]
    if result["seen"]:
        then = ["Nothing is new: everything of the dump is here already."]
    if erased := sum(result["erased"].values()):
        then.append(f"Left out: {counted(erased, 'row')} of people who were erased here.")
    show(result, *then, as_json=as_json)
