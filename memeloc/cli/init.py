"""`memeloc init`. In: a folder and languages. Out: a workspace with its settings explained."""

from __future__ import annotations

from pathlib import Path

from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson, split
from memeloc.cli.show import show


def init(
    folder: Path = Argument(
        Path(), metavar="DIR", help="The workspace's folder; it is made if need be."
    ),
    source: str = Option("en", metavar="TAG", help="The language that captions are written in."),
    langs: str = Option("", metavar="TAGS", help="Languages to translate into, as de,es,hi,zh."),
    as_json: AsJson = False,
) -> None:
    """Make a workspace: a folder with memeloc.toml and a database.

    The other commands find it from the working directory upwards. A team shares a database by
    MEMELOC_DATABASE_URL or the settings.

    \b
    Example:
      memeloc init my-memes --langs de,es,hi,zh
    """
    with memeloc.Workspace.create(folder, source=source, languages=split(langs)) as workspace:
        made = {
            "folder": str(folder.resolve()),
            "settings": str(folder.resolve() / "memeloc.toml"),
            "database": workspace.store.database.name,
            "source": workspace.source.tag,
            "languages": [locale.tag for locale in workspace.languages],
        }
    where = f", in {folder}" if folder != Path() else ""
    then = (
        f"A workspace is in {made['folder']}; its settings are in memeloc.toml.\n"
        f"Next: memeloc import TABLE{where}"
    )
    show(made, then, as_json=as_json)
