"""`memeloc survey plan`, `build` and `choose`. In: memes, a design. Out: batches, money."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson
from memeloc.cli.output import say
from memeloc.cli.show import Table, explain, next_lines, show
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


_PLAN = Table(
    lambda result: f"What it takes, in {result.currency}",
    "cultures",
    (
        "culture",
        "sheets",
        ("places", "annotators"),
        ("people to expect", "recruits"),
        "minutes measured",
        ("reward", lambda plan: f"{plan.reward:,}"),
        ("rewards", lambda plan: f"{plan.rewards:,}"),
        ("fee and tax", lambda plan: f"{plan.fee + plan.vat:,}"),
        ("total", lambda plan: f"{plan.total:,}"),
    ),
    empty=True,
)


def plan(
    context: typer.Context,
    name: str = Argument("", metavar="[NAME]", help="A survey that is built.", show_default="none"),
    memes: int = Option(300, min=1, help="Without NAME: how many memes."),
    cultures: str = Option(
        "US,DE,MX,IN,CN", metavar="CODES", help="Without NAME: who is asked, as US,DE."
    ),
    size: int = Option(20, min=1, help="Without NAME: memes a batch."),
    answers: int = Option(5, min=1, help="Without NAME: answers a meme."),
    preannotated: int = Option(0, min=0, help="Without NAME: memes of a pre-annotation before."),
    wage: str = Option("", help="Pay an hour.", show_default="memeloc.toml's, or 10.65"),
    currency: str = Option(
        "", help="ISO 4217, as GBP or USD.", show_default="memeloc.toml's, or GBP"
    ),
    fee: str = Option(
        "",
        help="The service's share of the rewards; or Prolific's academic or corporate.",
        show_default="memeloc.toml's, or academic",
    ),
    vat: str = Option("0.2", help="Tax on the fee, as a share."),
    seconds: float | None = Option(
        None, min=0, help="Seconds that a meme takes.", show_default="as measured, or 20"
    ),
    loss: float = Option(0.1, min=0, max=0.99, help="Share of submissions that checks exclude."),
    as_json: AsJson = False,
) -> None:
    """Say beforehand how many annotators, minutes and how much money each culture takes.

    Of a survey that is built, batches are counted, and times are the medians of what each culture's
    retained people took, once five are known; `measured` says of how many. Ties, which come later,
    are not in it.

    Example:
      memeloc survey plan --memes 300 --cultures US,DE,MX,IN,CN --wage 12
      memeloc survey plan pilot
    """
    if name:
        for option in ("memes", "cultures", "size", "answers", "preannotated"):
            source = context.get_parameter_source(option)
            if source is not None and source.name == "COMMANDLINE":
                raise typer.BadParameter(
                    f"goes without a survey's name; {name} has its own", param_hint=f"--{option}"
                )
    from memeloc.workspace.surveys import plan_survey

    rates = {"wage": wage, "currency": currency, "fee": fee, "vat": vat}
    if name:
        with memeloc.Workspace.find() as workspace:
            result = workspace.survey(name).sheets.plan(rates, seconds=seconds, loss=loss)
    else:
        result = plan_survey(
            memes,
            cultures,
            size=size,
            answers=answers,
            preannotated=preannotated,
            rates=rates,
            seconds=seconds,
            loss=loss,
        )
    people = sum(culture.recruits for culture in result.cultures)
    show(
        result,
        _PLAN,
        f"In all {result.total:,} {result.currency} for {counted(people, 'person', 'people')}",
        as_json=as_json,
    )
    if as_json:
        return
    assumed = [culture.culture for culture in result.cultures if not culture.measured]
    if assumed:
        say(
            f"{result.pace.seconds_entry:g} seconds a meme are assumed of {', '.join(assumed)}; "
            "nobody measured them yet."
        )
    say(
        "A reward is the wage for the minutes, rounded up, and never less. "
        f"{loss:.0%} of submissions are assumed to be excluded; the fee is an assumption."
    )
    if result.warning:
        say(result.warning)
