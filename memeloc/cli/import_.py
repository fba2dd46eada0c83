"""`memeloc import`. In: a captions table. Out: its memes and captions, in the workspace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memeloc.cli.output import print_json, progress, say

if TYPE_CHECKING:
    from memeloc.store import ImportSummary

_SHOWN = 20
"""Problems that are shown one by one."""


def import_table(
    captions: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            help="CSV, JSON Lines or Parquet: meme_id, template, then a column a language.",
        ),
    ],
    langs: Annotated[
        str,
        typer.Option(metavar="TAGS", help="Columns to import besides the source, or all."),
    ] = "all",
    templates: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR",
            help="A folder of templates besides the workspace's; may be repeated.",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Import nothing if anything in the table is wrong.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Import memes and captions from a table, the same as `memeloc render` reads.

    A caption that differs from the last import becomes a new version; the old one stays. The same
    table again changes nothing, and undoes no correction. What is wrong is left out and named.

    \b
    Example:
      memeloc import captions.csv
      memeloc import captions.csv --langs de,hi --strict
    """
    from memeloc.store import Workspace

    tags = [tag.strip() for tag in langs.split(",") if tag.strip()]
    with Workspace.find() as workspace, progress("Importing", None, unit="rows") as bar:

        def advance(rows: int, total: int) -> None:
            bar.total = total
            bar.advance(rows)

        summary = workspace.import_captions(
            captions,
            languages=None if tags == ["all"] else tags,
            templates=templates or (),
            strict=strict,
            on_progress=advance,
        )
    _explain(summary)
    if as_json:
        print_json(_as_json(summary))
    else:
        print(_sentence(summary))


def _explain(summary: ImportSummary) -> None:
    """Name what was left out."""
    for note in summary.notes[:_SHOWN]:
        say(f"Note: {note}")
    for problem in summary.examples[:_SHOWN]:
        say(f"Left out: {problem.error}")
    rest = summary.problems.total() - min(_SHOWN, len(summary.examples))
    if rest > 0:
        say(f"and {rest:,} more problems")
    if summary.empty:
        cells = ", ".join(f"{tag} {count:,}" for tag, count in sorted(summary.empty.items()))
        say(f"Note: empty cells are captions still to translate ({cells})")


def _sentence(summary: ImportSummary) -> str:
    added, changed = summary.added.total(), summary.changed.total()
    if not added + changed:
        return f"Nothing is new: all {summary.unchanged:,} captions are here already."
    return (
        f"Imported {summary.memes:,} new memes. Captions: {added:,} new, {changed:,} changed, "
        f"{summary.unchanged:,} unchanged."
    )


def _as_json(summary: ImportSummary) -> dict[str, object]:
    return {
        "memes": summary.memes,
        "added": dict(summary.added),
        "changed": dict(summary.changed),
        "unchanged": summary.unchanged,
        "empty": dict(summary.empty),
        "problems": dict(summary.problems),
    }
