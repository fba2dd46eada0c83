"""`memeloc survey build` and `choose`. In: memes, cultures, a design. Out: batches."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Option

import memeloc
from memeloc.cli.options import AsJson
from memeloc.cli.output import say
from memeloc.cli.show import explain, next_lines, show
from memeloc.cli.survey.options import Name
from memeloc.counts import counted
from memeloc.survey.design.settings import Order, SurveySettings
from memeloc.workspace.acceptance import acceptance_sentences

if TYPE_CHECKING:
    from memeloc.workspace.survey_building import BuildResult

_KINDS: dict[str, Any] = {
    **dict.fromkeys(("people", "memes", "differing", "batches", "items"), Path),
    "captions": Literal["accepted", "corrected", "any"],
    "order": Order,
}


def _taking_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each of `SurveySettings`, in the place of its `**settings`.

    An option that is not named is None, so that a recipe's setting stays.
    """
    options = []
    for name, field in SurveySettings.model_fields.items():
        extra: Any = field.json_schema_extra
        limits: dict[str, Any] = {}
        for each in field.metadata:
            limits |= {"min": each.ge} if hasattr(each, "ge") else {}
            limits |= {"max": each.le} if hasattr(each, "le") else {}
        kind = field.annotation if field.annotation in (int, bool) else _KINDS.get(name, str)
        option = Option(f"--{name}", help=field.description, **extra["option"], **limits)
        annotation: Any = Annotated[kind if kind is bool else kind | None, option]
        options.append(
            Parameter(
                name,
                Parameter.KEYWORD_ONLY,
                default=False if kind is bool else None,
                annotation=annotation,
            )
        )
    *own, as_json, _ = signature(command, eval_str=True).parameters.values()
    whole = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in (*own, *options, as_json)]
    command.__signature__ = Signature(whole)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in whole}
    return command


@_taking_settings
def build(
    name: Name,
    cultures: str = Option(
        ...,
        metavar="CODES",
        help="Who is asked: countries, as US,DE,MX=es; =TAG names the language where the "
        "workspace has none, or several, of that country; IN-US=hi+en are bicultural people.",
    ),
    as_json: AsJson = False,
    **settings: Any,
) -> None:
    """Assign memes to batches with attention checks, the same for every culture.

    The same seed gives the same batches. No two memes of one template come in a row; checks stand
    at drawn places, never first or last. A survey is never changed once it is built: build another
    under another name.

    Example:
      memeloc survey build pilot --cultures US,DE,MX=es,IN=hi,CN --size 20 --seed 7
      memeloc survey build large --cultures US,DE --preannotate --demographics gender,age
      memeloc survey build fixed --cultures US,DE --batches batches.csv
      memeloc survey build harm --cultures US,DE --taxonomy harmeme --collected selected
      memeloc survey build trial --cultures US --recipe harmeme --mode dry-run --people team.csv
      memeloc survey build valid --cultures US --taxonomy my-questions.toml --items items.csv
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.surveys.build(name, cultures, **settings)
        further = next_lines(workspace, "survey", survey=name, as_json=as_json)
    for tag, left_out in result.left_out.items():
        say(f"{counted(len(left_out), 'meme')} without a caption in {tag} left out: {left_out[0]}")
    explain("Note", acceptance_sentences(result.acceptance))
    _show(result, further, as_json)


def choose(
    name: Name,
    total: int = Option(300, min=1, help="Memes in all."),
    harmful: float = Option(0.4, min=0, max=1, help="Share called harmful."),
    harmless: float = Option(0.4, min=0, max=1, help="Share called harmless."),
    tied: float = Option(0.2, min=0, max=1, help="Share that people differ on."),
    fewest_votes: int = Option(1, min=1, help="Votes without which a meme is not chosen."),
    as_json: AsJson = False,
) -> None:
    """Choose a balanced set by pre-annotation, and assign it to the survey's batches.

    Takes the answers of `survey build --preannotate` that `survey check` retains. Which memes of
    each kind are taken is drawn by the survey's seed, templates as evenly as they allow.

    Example:
      memeloc survey choose large --total 300
      memeloc survey choose large --total 100 --harmful 0.5 --harmless 0.5 --tied 0
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).sheets.choose(
            total, harmful=harmful, harmless=harmless, tied=tied, fewest_votes=fewest_votes
        )
        further = next_lines(workspace, "survey", survey=name, as_json=as_json)
    for kind, (taken, there) in result.outcomes.items():
        say(f"{kind}: {taken:,} of {there:,} taken")
    _show(result, further, as_json)


def _show(result: BuildResult, further: list[str], as_json: bool) -> None:
    from memeloc.taxonomy import taxonomy_names

    if not as_json:
        explain("Note", result.remarks)
    existing = "" if result.new else " (all of them were there)"
    is_shipped = result.taxonomy in taxonomy_names()
    texts = f". All that people read: memeloc survey taxonomies {result.taxonomy}" * is_shipped
    checks = ", ".join(f"{count} {kind}" for kind, count in result.checks.items())
    show(
        result,
        f"{result.survey}: {counted(result.memes, 'meme')} in "
        f"{counted(len(result.batches), 'batch', 'batches')}, "
        f"{counted(result.sheets, 'sheet')} for {counted(result.annotators, 'annotator')}"
        f"{existing}",
        f"Question: {result.question} {' | '.join(result.answers.values())}",
        f"Attention checks a sheet: {checks}{texts}",
        *further,
        as_json=as_json,
    )
