"""`memeloc match`. In: pictures. Out: the template that each was made from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memeloc.cli.options import AsJson, Jobs
from memeloc.cli.output import say
from memeloc.cli.show import Table, show

_TABLE = Table(
    "Templates",
    lambda result: result.pictures,
    (
        ("picture", "picture"),
        ("template", lambda match: match.template if match.found else None),
        ("bits", lambda match: match.distance if match.template else None),
        ("nearest", lambda match: None if match.found else match.template),
        ("next", "next_template"),
        ("bits to next", lambda match: match.next_distance if match.next_template else None),
    ),
    empty=True,
)


def match(
    pictures: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PICTURE...]", help="Files; without, the pictures that were collected."
        ),
    ] = None,
    templates: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Folder of templates, may be given several times."),
    ] = None,
    distance: Annotated[
        int,
        typer.Option(min=0, max=64, metavar="BITS", help="Bits of 64 that a caption may change."),
    ] = 12,
    jobs: Jobs = None,
    as_json: AsJson = False,
) -> None:
    """Find the template that a picture was made from, by its perceptual hash.

    Known are the built-in templates, those of the folders, and within a workspace its own and those
    that were collected. A template is named when it is near and the next one is not; else the
    nearest is shown. For collected pictures the result is stored.

    \b
    Example:
      memeloc match meme.jpg --templates templates
      memeloc match --distance 8
    """
    from memeloc.workspace.matching import find_matches

    result = find_matches(pictures or [], templates or [], distance=distance, jobs=jobs)
    for problem in result.template_problems:
        say(f"memeloc: {problem}")
    show(result, as_json=as_json, tables=[_TABLE])
    for name, problem in result.problems.items():
        say(f"memeloc: {name}: {problem}")
    if pictures and result.problems:
        raise typer.Exit(1)
