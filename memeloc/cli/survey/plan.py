"""`memeloc survey plan`. In: counts, a wage. Out: people and money."""

from __future__ import annotations

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson
from memeloc.cli.output import say
from memeloc.cli.show import Table, show
from memeloc.counts import counted

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
