"""`memeloc dedup`. In: collected items. Out: pairs and verdicts, stored; a table of the stages."""

from __future__ import annotations

from typer import Option

import memeloc
from memeloc.cli.curating.recipes import RECIPE_SETTINGS
from memeloc.cli.options import CurationRecipe, EngineName, Jobs, Settings, engine, settings
from memeloc.cli.output import progress, say
from memeloc.cli.show import Table, explain, next_lines, show

_STAGES = {
    "people": "decided by people",
    "bytes": "same file",
    "hash": "near hash",
    "copy": "cropped, framed, marked or mirrored",
    "likeness": "similar by models",
    "caption": "same text",
}
_TABLE = Table(
    "Duplicates",
    "stages",
    (
        "kind",
        ("stage", lambda line: _STAGES[line["stage"]]),
        "in=came duplicates to_a_person=asked restored did_not_run=not_run",
    ),
    empty=True,
)


def dedup(
    recipe: CurationRecipe = "",
    copies: bool | None = Option(
        None,
        "--copies",
        help="Look at pictures closely: find crops, frames, bars, watermarks, mirrored copies.",
    ),
    changed: Settings = None,
    jobs: Jobs = None,
    engine_name: EngineName = "",
) -> None:
    """Find duplicates among what was collected: say of each which one stays, or ask a person.

    Pictures go through these stages: the same file, near perceptual hashes with equal texts, with
    --copies pictures laid on each other, and similarity by embedding models where these are set.
    Captions are compared with those on the same template. Nothing is deleted: the same command with
    other settings says anew what goes. Settings, also of the table curate.dedup of memeloc.toml:
    rule (text: near pictures with other texts are none; or paper), distance and text_distance
    (bits of 64 that hashes may differ in, 5; 16 where texts are equal), keep (largest, oldest,
    votes, first), scope (captions of a template, or all), images_model and texts_model.

    Example:
      memeloc dedup
      memeloc dedup --copies
      memeloc dedup --recipe charmemes
      memeloc dedup --set keep=oldest --set images_model=efficientnet:lite0
    """
    chosen = settings(changed) | ({} if copies is None else {"copies": copies})
    models = {name: chosen.pop(name, None) for name in ("images_model", "texts_model")}
    with memeloc.Workspace.find() as workspace, progress() as bar:
        result = workspace.curating.deduplicate(
            chosen,
            recipe=recipe,
            **models,
            jobs=jobs,
            engine=engine(engine_name, workspace.settings.engine),
            on_progress=bar.phase,
        )
        next_line = next_lines(workspace, "collect")
    for subject in result["contradictions"]:
        first, _, second = subject.partition("|")
        say(
            f"{first} and {second} are called the same by people who also call one of their group "
            "different; they are held apart."
        )
    explain("", [f"memeloc: {item}: {why}" for item, why in result["unreadable"].items()], most=10)
    show(result, _TABLE, RECIPE_SETTINGS, *next_line)
