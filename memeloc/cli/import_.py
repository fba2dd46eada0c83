"""`memeloc import`. In: a captions table. Out: its memes and captions, in the workspace."""

from __future__ import annotations

from pathlib import Path

from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson, Strict, TemplateFolders, languages
from memeloc.cli.output import progress, say
from memeloc.cli.show import explain, show


def import_table(
    captions: Path = Argument(
        ...,
        metavar="TABLE",
        help="CSV, JSON Lines or Parquet: meme_id, template, then a column a language.",
    ),
    langs: str = Option(
        "all", metavar="TAGS", help="Columns to import besides the source, or all."
    ),
    templates: TemplateFolders = None,
    strict: Strict = False,
    as_json: AsJson = False,
) -> None:
    """Import memes and captions from a table, the same as `memeloc render` reads.

    A caption that differs from the last import becomes a new version; the old one stays. The same
    table again changes nothing, and undoes no correction. What is wrong is left out and named.

    \b
    Example:
      memeloc import captions.csv
      memeloc import captions.csv --langs de,hi --strict
    """
    with memeloc.Workspace.find() as workspace, progress("Importing", None, unit="rows") as bar:
        result = workspace.captions.import_table(
            captions,
            languages=languages(langs),
            templates=templates or (),
            strict=strict,
            on_progress=bar.report,
        )
    explain("Note", result.notes)
    explain("Left out", result.left_out, more=sum(result.problems.values()) - len(result.left_out))
    if result.empty:
        cells = ", ".join(f"{tag} {count:,}" for tag, count in sorted(result.empty.items()))
        say(f"Note: empty cells are captions still to translate ({cells})")
    added, changed = sum(result.added.values()), sum(result.changed.values())
    then = (
        f"Imported {result.memes:,} new memes. Captions: {added:,} new, {changed:,} changed, "
        f"{result.unchanged:,} unchanged."
        if added + changed
        else f"Nothing is new: all {result.unchanged:,} captions are here already."
    )
    show(result, then, as_json=as_json)
