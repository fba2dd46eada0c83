"""`memeloc match`. In: pictures. Out: the template that each was made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from typer import Argument, Option

from memeloc.cli.options import Jobs, TemplateFolders
from memeloc.cli.show import SHOWN, Table, explain, show
from memeloc.counts import counted

_TABLE = Table(
    "Templates",
    "pictures",
    (
        "picture",
        ("template", lambda match: match.template if match.found else None),
        ("corners", lambda match: match.corners or None),
        (
            "bits",
            lambda match: None if match.corners else match.distance if match.template else None,
        ),
        ("nearest", lambda match: None if match.found else match.template),
        "next=next_template",
        ("bits to next", lambda match: match.next_distance if match.next_template else None),
    ),
    empty=True,
)

_LEFT_OUT = Table(
    "No caption",
    lambda result: result["captions"]["left_out"] if result["captions"] else (),
    "picture why",
    most=SHOWN,
)


def _captions(result: Mapping[str, Any]) -> Iterator[str]:
    if written := result["captions"]:
        yield f"Wrote {counted(written['memes'], 'caption')} to {written['file']}"
        if written["memes"]:
            yield f"Next: memeloc import {written['file']}"


def match(
    pictures: list[Path] | None = Argument(
        None, metavar="PICTURE", help="Files; without, the pictures that were collected."
    ),
    templates: TemplateFolders = None,
    distance: int = Option(
        12, min=0, max=64, metavar="BITS", help="Bits of 64 that a caption may change."
    ),
    captions: Path | None = Option(
        None,
        metavar="TABLE",
        help="Write the collected pictures that have a template as a captions table, with their "
        "transcripts, for `memeloc import`: .csv, .jsonl or .parquet.",
    ),
    jobs: Jobs = None,
) -> None:
    """Find the template that a picture was made from.

    It is found by its perceptual hash, and where that names none, by its local features: cropped,
    framed, below a bar (the extra `copies`).

    Known are the built-in templates, those of the folders, and within a workspace its own and those
    that were collected. A template is named when it is near and the next one is not; else the
    nearest is shown. For collected pictures the result is stored.

    Example:
      memeloc match meme.jpg --templates templates
      memeloc match --distance 8
      memeloc match --captions captions.csv
    """
    from memeloc.workspace.matching import find_matches

    result = find_matches(
        pictures or [], templates or [], distance=distance, captions=captions, jobs=jobs
    )
    explain("memeloc", result["template_problems"], most=None)
    show(result, _TABLE, _captions, _LEFT_OUT)
    problems = [f"{name}: {problem}" for name, problem in result["problems"].items()]
    explain("memeloc", problems, most=None, fail=bool(pictures))
