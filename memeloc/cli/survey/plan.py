"""`memeloc survey plan` and `power`. In: counts, a wage. Out: people, money, and what shows."""

from __future__ import annotations

from typing import Annotated

import typer

from memeloc.cli.options import AsJson
from memeloc.cli.output import say
from memeloc.cli.show import Table, show

_PLAN = Table(
    lambda result: f"What it takes, in {result.currency}",
    lambda result: result.cultures,
    (
        ("culture", "culture"),
        ("sheets", "sheets"),
        ("places", "annotators"),
        ("people to expect", "recruits"),
        ("minutes", "minutes"),
        ("reward", lambda plan: f"{plan.reward:,}"),
        ("rewards", lambda plan: f"{plan.rewards:,}"),
        ("fee and tax", lambda plan: f"{plan.fee + plan.vat:,}"),
        ("total", lambda plan: f"{plan.total:,}"),
    ),
    empty=True,
)
_MAJORITY = Table(
    "What a majority is worth",
    lambda result: result.majority,
    [(name, name) for name in ("answers", "agreement", "right", "tied", "wrong")],
)
_DIFFERENCE = Table(
    lambda result: (
        f"Difference between two cultures that is found, one of them at {result.share:.0%}"
    ),
    lambda result: result.difference,
    (("memes", "items"), ("labels unrelated", "smallest"), ("same memes compared", "paired")),
)


def plan(
    context: typer.Context,
    name: Annotated[
        str,
        typer.Argument(metavar="[NAME]", help="A survey that is built.", show_default="none"),
    ] = "",
    memes: Annotated[int, typer.Option(min=1, help="Without NAME: how many memes.")] = 300,
    cultures: Annotated[
        str, typer.Option(metavar="CODES", help="Without NAME: who is asked, as US,DE.")
    ] = "US,DE,MX,IN,CN",
    size: Annotated[int, typer.Option(min=1, help="Without NAME: memes a batch.")] = 20,
    answers: Annotated[int, typer.Option(min=1, help="Without NAME: answers a meme.")] = 5,
    preannotated: Annotated[
        int, typer.Option(min=0, help="Without NAME: memes of a pre-annotation before.")
    ] = 0,
    wage: Annotated[
        str, typer.Option(help="Pay an hour.", show_default="memeloc.toml's, or 10.65")
    ] = "",
    currency: Annotated[
        str,
        typer.Option(help="ISO 4217, as GBP or USD.", show_default="memeloc.toml's, or GBP"),
    ] = "",
    fee: Annotated[
        str,
        typer.Option(
            help="The service's share of the rewards; or Prolific's academic or corporate.",
            show_default="memeloc.toml's, or academic",
        ),
    ] = "",
    vat: Annotated[str, typer.Option(help="Tax on the fee, as a share.")] = "0.2",
    seconds: Annotated[
        float | None,
        typer.Option(min=0, help="Seconds that a meme takes.", show_default="as measured, or 20"),
    ] = None,
    loss: Annotated[
        float, typer.Option(min=0, max=0.99, help="Share of submissions that checks set aside.")
    ] = 0.1,
    as_json: AsJson = False,
) -> None:
    """Say beforehand how many annotators, minutes and how much money each culture takes.

    Of a survey that is built, batches are counted, and times are those that people took once five
    are known. Ties, which come later, are not in it.

    \b
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
    from memeloc.workspace import Workspace
    from memeloc.workspace.surveys.surveys import plan_survey

    rates = {"wage": wage, "currency": currency, "fee": fee, "vat": vat}
    if name:
        with Workspace.find() as workspace:
            result = workspace.survey(name).plan(rates, seconds=seconds, loss=loss)
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
    people = sum(plan.recruits for plan in result.cultures)
    show(
        result,
        as_json=as_json,
        tables=[_PLAN],
        then=lambda result: [
            f"In all {result.total:,} {result.currency} for {people:,} people",
            "What so many answers can tell: memeloc survey power",
        ],
    )
    if as_json:
        return
    pace = result.pace
    how = (
        f"Times are the median of {pace.measured:,} submissions."
        if pace.measured
        else f"{pace.seconds_entry:g} seconds a meme are assumed; nobody measured them yet."
    )
    say(f"{how} {loss:.0%} of submissions are assumed to be set aside; the fee is an assumption.")
    if result.warning:
        say(result.warning)


def power(
    seed: Annotated[int, typer.Option(help="The same one gives the same tables.")] = 0,
    unknown: Annotated[
        float, typer.Option(min=0, max=0.99, help="Share of answers that are I don't know.")
    ] = 0.0,
    labels: Annotated[int, typer.Option(min=2, help="Labels that are voted on.")] = 2,
    share: Annotated[
        float, typer.Option(min=0, max=0.999, help="Share of harmful memes in one culture.")
    ] = 0.4,
    disagreement: Annotated[
        float, typer.Option(min=0, max=1, help="Share of memes two cultures differ on by chance.")
    ] = 0.2,
    draws: Annotated[
        int, typer.Option(min=100, help="Surveys that are simulated a line.")
    ] = 20_000,
    as_json: AsJson = False,
) -> None:
    """Say by simulation what a number of answers, and of memes, can tell.

    The first table: how often the majority of so many answers is what most people of the culture
    would say. The second: how far apart two cultures' shares must be to be found with a power of
    80 % at 5 %, when labels are unrelated, and when the same memes are compared (McNemar's test).

    \b
    Example:
      memeloc survey power
      memeloc survey power --unknown 0.05 --share 0.3
    """
    from memeloc.survey.design.power import power_tables

    show(
        power_tables(
            seed=seed,
            unknown=unknown,
            labels=labels,
            share=share,
            disagreement=disagreement,
            draws=draws,
        ),
        as_json=as_json,
        tables=[_MAJORITY, _DIFFERENCE],
    )
