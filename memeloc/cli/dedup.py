"""`memeloc dedup`. In: collected items. Out: pairs and verdicts, stored; a table of the stages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memeloc.cli.options import AsJson, Jobs
from memeloc.cli.output import phases, say
from memeloc.cli.show import Table, explain, show

if TYPE_CHECKING:
    from memeloc.workspace.deduplicating import DedupResult

_STAGES = {
    "people": "decided by people",
    "bytes": "same file",
    "hash": "near hash",
    "likeness": "alike by models",
    "caption": "same text",
}
_TABLE = Table(
    "Duplicates",
    lambda result: result.stages,
    (
        ("kind", "kind"),
        ("stage", lambda line: _STAGES[line.stage]),
        ("in", "came"),
        ("duplicates", "duplicates"),
        ("to a person", "asked"),
        ("did not run", "not_run"),
    ),
    empty=True,
)


def dedup(
    rule: Annotated[
        str | None,
        typer.Option(
            metavar="text|paper",
            help="What makes near pictures duplicates: the same text too, or nothing more.",
            show_default="text",
        ),
    ] = None,
    distance: Annotated[
        int | None,
        typer.Option(
            metavar="BITS", help="Bits of 64 in which hashes may differ.", show_default="5"
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="largest|oldest|votes|first",
            help="Which of several stays.",
            show_default="largest",
        ),
    ] = None,
    scope: Annotated[
        str | None,
        typer.Option(
            metavar="template|all",
            help="Whether captions are compared within a template or all with all.",
            show_default="template",
        ),
    ] = None,
    images_model: Annotated[
        str | None,
        typer.Option(metavar="KIND:WHERE", help="Model of pictures, as onnx:resnet50.onnx."),
    ] = None,
    texts_model: Annotated[
        str | None,
        typer.Option(metavar="KIND:WHERE", help="Model of texts, as onnx:minilm/model.onnx."),
    ] = None,
    jobs: Jobs = None,
    as_json: AsJson = False,
) -> None:
    """Find duplicates among what was collected: say of each which one stays, or ask a person.

    Pictures go through three stages: the same file, near perceptual hashes with the same text, and
    likeness by embedding models where these are set. Captions are compared with those on the same
    template. Nothing is deleted: the same command with other settings says anew what goes. Other
    settings stand in the table curate.dedup of memeloc.toml.

    \b
    Example:
      memeloc dedup
      memeloc dedup --keep oldest --images-model onnx:resnet50.onnx --texts-model onnx:minilm.onnx
    """
    from memeloc.workspace import Workspace

    settings = {"rule": rule, "distance": distance, "keep": keep, "scope": scope}
    with Workspace.find() as workspace, phases() as report:
        result = workspace.curating.deduplicate(
            {name: value for name, value in settings.items() if value is not None},
            images_model=images_model,
            texts_model=texts_model,
            jobs=jobs,
            on_progress=report,
        )
    for subject in result.contradictions:
        first, _, second = subject.partition("|")
        say(
            f"{first} and {second} are called the same by people who also call one of their group "
            "different; they are held apart."
        )
    explain("", [f"memeloc: {item}: {why}" for item, why in result.unreadable.items()], most=10)
    show(result, as_json=as_json, tables=[_TABLE], then=_next)


def _next(result: DedupResult) -> list[str]:
    if not (asked := sum(line.asked for line in result.stages)):
        return []
    return [
        f"Next: memeloc review export duplicates --person NAME, for {asked:,} pairs that a person "
        "looks at"
    ]
