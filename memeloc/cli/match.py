"""`memeloc match`. In: pictures. Out: the template that each was made from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memeloc.cli.output import Cell, print_json, say, table

if TYPE_CHECKING:
    from memeloc.curate.match import Match
    from memeloc.model import Template
    from memeloc.store import Workspace


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
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Processes for pictures.", show_default="one a processor"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
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
    from memeloc.engine import usable_cpus

    jobs = jobs or usable_cpus()
    if pictures:
        matches, problems = _match_files(pictures, templates or [], distance, jobs)
    else:
        matches, problems = _match_collected(templates or [], distance, jobs)
    if as_json:
        from dataclasses import asdict

        print_json({"pictures": [asdict(one) for one in matches], "problems": problems})
    else:
        _show(matches)
    for name, problem in problems.items():
        say(f"memeloc: {name}: {problem}")
    if pictures and problems:
        raise typer.Exit(1)


def _match_files(
    pictures: list[Path], folders: list[Path], distance: int, jobs: int
) -> tuple[list[Match], dict[str, str]]:
    from memeloc.curate.match import match_pictures
    from memeloc.errors import InputError
    from memeloc.store import Workspace, workspace_folder

    try:
        workspace_folder()
    except InputError:
        known = _hash_templates(_load(folders), jobs)
    else:
        with Workspace.find() as workspace:
            known = _known(workspace, folders, jobs)
    hashes, problems = _hash({str(path): path for path in pictures}, jobs)
    ordered = {str(path): hashes[str(path)] for path in pictures if str(path) in hashes}
    return match_pictures(ordered, known, distance), problems


def _match_collected(
    folders: list[Path], distance: int, jobs: int
) -> tuple[list[Match], dict[str, str]]:
    from memeloc.cli.dedup import hash_items
    from memeloc.curate.match import match_pictures, match_verdicts
    from memeloc.store import Workspace

    with Workspace.find() as workspace:
        known = _known(workspace, folders, jobs)
        items = list(workspace.items("picture"))
        hashes, problems = hash_items(workspace, items, jobs)
        matches = match_pictures(
            {item.id: hashes[item.picture] for item in items if item.picture in hashes},
            known,
            distance,
        )
        workspace.add_verdicts(match_verdicts(matches, list(known), distance))
    return matches, problems


def _known(workspace: Workspace, folders: list[Path], jobs: int) -> dict[str, int]:
    """Hashes of templates by name: those of folders and the workspace, then collected ones."""
    from memeloc.cli.dedup import hash_items

    named = {**workspace.templates, **_load(folders)} if folders else dict(workspace.templates)
    known = _hash_templates(named, jobs)
    items = list(workspace.items("template"))
    hashes, _ = hash_items(workspace, items, jobs)
    for item in items:
        if item.picture in hashes:
            known.setdefault(item.id, hashes[item.picture])
    return known


def _load(folders: list[Path]) -> dict[str, Template]:
    from memeloc.templates import load_templates

    named, problems = load_templates(folders)
    for problem in problems:
        say(f"memeloc: {problem}")
    return named


def _hash_templates(named: dict[str, Template], jobs: int) -> dict[str, int]:
    hashes, _ = _hash({name: one.image for name, one in named.items()}, jobs)
    return {name: hashes[name] for name in named if name in hashes}


def _hash(files: dict[str, Path], jobs: int) -> tuple[dict[str, int], dict[str, str]]:
    """Hashes of files, and why there is none, by name."""
    from memeloc.curate.hashing import HashedPicture, hash_pictures

    done: list[HashedPicture] = []
    hash_pictures(files, jobs=jobs if len(files) >= 200 else 1, on_done=done.extend)
    return (
        {one.key: one.value for one in done if one.value is not None},
        {one.key: one.problem for one in done if one.value is None},
    )


def _show(matches: list[Match]) -> None:
    rows: list[list[Cell]] = [
        [
            one.picture,
            one.template if one.found else None,
            one.distance if one.template else None,
            None if one.found else one.template,
            one.next_template,
            one.next_distance if one.next_template else None,
        ]
        for one in matches
    ]
    columns: list[str] = ["picture", "template", "bits", "nearest", "next", "bits to next"]
    table("Templates", columns, rows)
