"""`memeloc init`. In: a folder and languages. Out: a workspace with its settings explained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memeloc.cli.output import print_json


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The workspace's folder; it is made if need be.")
    ] = Path(),
    source: Annotated[
        str, typer.Option(metavar="TAG", help="The language that captions are written in.")
    ] = "en",
    langs: Annotated[
        str, typer.Option(metavar="TAGS", help="Languages to translate into, as de,es,hi,zh.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print what was made as JSON.")] = False,
) -> None:
    """Make a workspace: a folder with memeloc.toml and a database.

    The other commands find it from the working directory upwards. A team shares a database by
    MEMELOC_DATABASE_URL or the settings.

    \b
    Example:
      memeloc init my-memes --langs de,es,hi,zh
    """
    from memeloc.store import Workspace

    tags = [tag.strip() for tag in langs.split(",") if tag.strip()]
    with Workspace.create(folder, source=source, languages=tags) as workspace:
        made = {
            "folder": str(folder.resolve()),
            "settings": str(folder.resolve() / "memeloc.toml"),
            "database": workspace.database.name,
            "source": workspace.source.tag,
            "languages": [locale.tag for locale in workspace.languages],
        }
    if as_json:
        print_json(made)
        return
    print(f"A workspace is in {made['folder']}; its settings are in memeloc.toml.")
    print("Next: memeloc import TABLE" + (f", in {folder}" if folder != Path() else ""))
