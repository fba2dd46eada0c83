"""`memeloc dedup`. In: collected items. Out: pairs and verdicts, stored; a table of the stages."""

from __future__ import annotations

from typer import Option

import memeloc
from memeloc.cli.curating.recipes import RECIPE_SETTINGS
from memeloc.cli.options import AsJson, CurationRecipe, EngineAddress, EngineName, Jobs, engine
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
    rule: str | None = Option(
        None,
        metavar="text|paper",
        help="What makes near pictures duplicates: the same text too, or nothing more.",
        show_default="text",
    ),
    distance: int | None = Option(
        None,
        metavar="BITS",
        help="Bits of 64 in which hashes may differ where no text decides.",
        show_default="5",
    ),
    text_distance: int | None = Option(
        None,
        metavar="BITS",
        help="Bits in which hashes of pictures with equal texts may differ.",
        show_default="16",
    ),
    copies: bool | None = Option(
        None,
        "--copies",
        help="Look at pictures closely: find crops, frames, bars, watermarks, mirrored copies.",
    ),
    keep: str | None = Option(
        None,
        metavar="largest|oldest|votes|first",
        help="Which of several stays.",
        show_default="largest",
    ),
    scope: str | None = Option(
        None,
        metavar="template|all",
        help="Whether captions are compared within a template or all with all.",
        show_default="template",
    ),
    images_model: str | None = Option(
        None, metavar="KIND:WHERE", help="Model of pictures, as efficientnet:lite0."
    ),
    texts_model: str | None = Option(
        None, metavar="KIND:WHERE", help="Model of texts, as ngrams:3."
    ),
    jobs: Jobs = None,
    engine_name: EngineName = "",
    address: EngineAddress = "",
    as_json: AsJson = False,
) -> None:
    """Find duplicates among what was collected: say of each which one stays, or ask a person.

    Pictures go through these stages: the same file, near perceptual hashes with equal texts, with
    --copies pictures laid on each other, and similarity by embedding models where these are set.
    Captions are compared with those on the same template. Nothing is deleted: the same command with
    other settings says anew what goes. Other settings stand in the table curate.dedup of
    memeloc.toml.

    Example:
      memeloc dedup
      memeloc dedup --copies
      memeloc dedup --recipe charmemes
      memeloc dedup --keep oldest --images-model efficientnet:lite0 --texts-model ngrams:3
    """
    settings = {
        "rule": rule,
        "distance": distance,
        "text_distance": text_distance,
        "copies": copies,
        "keep": keep,
        "scope": scope,
    }
    with memeloc.Workspace.find() as workspace, progress() as bar:
        result = workspace.curating.deduplicate(
            {name: value for name, value in settings.items() if value is not None},
            recipe=recipe,
            images_model=images_model,
            texts_model=texts_model,
            jobs=jobs,
            engine=engine(engine_name, address, workspace.settings.engine),
            on_progress=bar.phase,
        )
        further = next_lines(workspace, "collect", as_json=as_json)
    for subject in result["contradictions"]:
        first, _, second = subject.partition("|")
        say(
            f"{first} and {second} are called the same by people who also call one of their group "
            "different; they are held apart."
        )
    explain("", [f"memeloc: {item}: {why}" for item, why in result["unreadable"].items()], most=10)
    show(result, _TABLE, RECIPE_SETTINGS, *further, as_json=as_json)
