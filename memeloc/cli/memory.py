"""`memeloc memory`. In: TMX files, and what people accepted. Out: that, as TMX."""

from __future__ import annotations

from pathlib import Path

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson, languages
from memeloc.cli.output import say
from memeloc.cli.show import show

app = typer.Typer(no_args_is_help=True, help="Exchange the translation memory with other programs.")


@app.command("import")
def import_memory(
    file: Path = Argument(..., metavar="FILE", help="A TMX file of any program."),
    as_json: AsJson = False,
) -> None:
    """Add a TMX file to the workspace's translation memory.

    Taken are its units from the workspace's source language into the languages that memeloc knows.

    \b
    Example:
      memeloc memory import memes.tmx
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.translating.import_memory(file)
    show(result, f"{result.units:,} units, {result.new:,} of them new", as_json=as_json)
    for reason, count in result.skipped.items():
        say(f"{count:,} passed over: {reason}")


@app.command("export")
def export_memory(
    file: Path = Argument(..., metavar="FILE", help="The TMX file to write."),
    langs: str = Option(
        "", metavar="TAGS", help="Languages, as de,es.", show_default="all of the workspace's"
    ),
    as_json: AsJson = False,
) -> None:
    """Write the workspace's translation memory as TMX 1.4.

    \b
    Example:
      memeloc memory export memes.tmx --langs de,es
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.translating.export_memory(file, languages(langs))
    show(result, f"Wrote {result.units:,} units to {file}", as_json=as_json)
