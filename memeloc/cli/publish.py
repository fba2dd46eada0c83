"""`memeloc publish`. In: a workspace. Out: its dataset in a folder, for others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli import output
from memeloc.cli.options import Jobs, Langs, languages
from memeloc.cli.output import progress
from memeloc.cli.show import Table, by_place, explain, next_lines, show
from memeloc.counts import counted

_PICTURES = Table(
    "Pictures", lambda result: result["pictures"].items(), by_place("language", "pictures")
)
_TABLES = Table("Tables", lambda result: result["tables"].items(), by_place("table", "rows"))


def publish(
    folder: str = Argument(
        ...,
        metavar="DIR",
        help="The release's folder, new or memeloc's own; or its address, as s3://bucket/release.",
    ),
    to: str = Option("hf", metavar="LAYOUT", help="hf (Hugging Face), webdataset or csv."),
    rendered: str | None = Option(
        None,
        metavar="DIR",
        help="A folder that `memeloc render` made.",
        show_default="renders the captions as they stand",
    ),
    pictures: str = Option(
        "", metavar="HOW", help="Of hf: embedded in Parquet (the default), or a folder of files."
    ),
    without_pictures: bool = Option(
        False,
        "--without-pictures",
        help="Publish hashes and addresses only, and a program that joins the pictures again.",
    ),
    survey: str = Option(
        "", metavar="NAME", help="Only the memes of this survey, its answers and labels."
    ),
    langs: Langs = "all",
    selected: bool = Option(False, "--selected", help="Only what `memeloc select` chose."),
    check: bool = Option(
        False,
        "--check",
        help="Look for all else that must not go out first, and write nothing where there is any.",
    ),
    jobs: Jobs = None,
) -> None:
    """Publish the workspace's dataset: pictures, captions, answers, labels, how they came about.

    The section `release` of memeloc.toml says what goes out: licence, authors, splits, surveys, and
    which demographics; none without it. Annotators go out under hashes whose key stays here. The
    same command again takes the place of the earlier release, in one step; a folder with anything
    that memeloc did not write is left as it is. Keys, databases, sheets, answers, settings and
    dumps among the section's `files` are always refused.

    Example:
      memeloc publish ../my-dataset --check
      memeloc publish ../my-dataset --rendered out --pictures folder
      memeloc publish ../pilot --survey pilot --langs de,hi
      memeloc publish ../plain --to csv --without-pictures
      memeloc publish s3://our-bucket/release --to webdataset
    """
    from memeloc.engine import usable_cpus
    from memeloc.workspace.publishing import Scope

    options: dict[str, Any] = {"pictures": pictures} if pictures else {}
    if pictures and without_pictures:
        raise typer.BadParameter("leave it out, or --without-pictures", param_hint="--pictures")
    with memeloc.Workspace.find() as workspace, progress("Publishing", None) as bar:
        result = workspace.publishing.publish(
            folder,
            to,
            rendered=rendered,
            with_pictures=not without_pictures,
            scope=Scope(survey, languages(langs), selected),
            options=options,
            check=check,
            jobs=jobs or usable_cpus(),
            on_progress=bar.phase,
        )
        next_line = next_lines(workspace, "publish")
    explain("Note", result["notes"])
    explain("Warning", map(str, result["findings"]))
    if result["unread"] and not check:
        listed = ", ".join(f"{tag} {count:,}" for tag, count in result["unread"].items())
        explain("Warning", [f"No person read these captions, by language: {listed}."])
    name = Path(str(result["folder"])).name
    upload = [f"To the Hub: hf upload YOU/{name} {folder} --repo-type dataset"]
    next_line = next_line if "://" in folder or output.as_json else upload + next_line
    then = (
        f"Published {counted(sum(result['pictures'].values()), 'picture')} and "
        f"{counted(len(result['tables']), 'table')} in {folder} "
        f"({counted(result['files'], 'file')}, {result['size'] / 1e6:,.1f} MB)."
    )
    show(result, _PICTURES, _TABLES, then, *next_line)
