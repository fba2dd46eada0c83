"""`memeloc survey plan` and `power`. In: counts, a wage. Out: people, money, and what shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memeloc.cli.output import Cell, print_json, say, table
from memeloc.cli.survey_options import AsJson

if TYPE_CHECKING:
    from decimal import Decimal

    from memeloc.survey.design.build import Design
    from memeloc.survey.design.planning import Rates
    from memeloc.survey.model import Culture


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
    from dataclasses import asdict, replace

    from memeloc.cli.surveying import load_survey, survey_pace
    from memeloc.store import Workspace
    from memeloc.survey.design import planning
    from memeloc.survey.design.build import Design

    if name:
        for option in ("memes", "cultures", "size", "answers", "preannotated"):
            source = context.get_parameter_source(option)
            if source is not None and source.name == "COMMANDLINE":
                raise typer.BadParameter(
                    f"goes without a survey's name; {name} has its own", param_hint=f"--{option}"
                )
    rates = _rates(wage, currency, fee, vat)
    pace: planning.Pace | None = None
    design: Design
    if name:
        with Workspace.find() as workspace:
            survey = load_survey(workspace, name)
            design, work = survey.design, planning.work_of(survey.batches)
            pace = survey_pace(workspace, survey)
    else:
        design = Design("plan", "multi3hate", _codes(cultures), size, answers)
        work = planning.expected_work(memes, design, preannotated=preannotated)
    pace = replace(pace or planning.Pace(), loss=loss)
    if seconds is not None:
        pace = replace(pace, seconds_entry=seconds, measured=0)
    found = planning.plan(work, design, rates, pace)
    total = planning.total_cost(found)
    if as_json:
        rows = [
            {key: str(value) if hasattr(value, "quantize") else value for key, value in row.items()}
            for row in map(asdict, found)
        ]
        print_json({"cultures": rows, "total": str(total), "currency": rates.currency})
        return
    columns = (
        "culture",
        "sheets",
        "places",
        "people to expect",
        "minutes",
        "reward",
        "rewards",
        "fee and tax",
        "total",
    )
    lines: list[list[Cell]] = [
        [
            one.culture,
            one.sheets,
            one.annotators,
            one.recruits,
            one.minutes,
            f"{one.reward:,}",
            f"{one.rewards:,}",
            f"{one.fee + one.vat:,}",
            f"{one.total:,}",
        ]
        for one in found
    ]
    table(f"What it takes, in {rates.currency}", columns, lines)
    print(f"In all {total:,} {rates.currency} for {sum(one.recruits for one in found):,} people")
    how = (
        f"Times are the median of {pace.measured:,} submissions."
        if pace.measured
        else f"{pace.seconds_entry:g} seconds a meme are assumed; nobody measured them yet."
    )
    say(f"{how} {loss:.0%} of submissions are assumed to be set aside; the fee is an assumption.")
    print("What so many answers can tell: memeloc survey power")
    if warning := planning.paid_too_little(rates):
        say(warning)


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
    from dataclasses import asdict

    from memeloc.survey.design.power import difference_table, majority_table

    majorities = majority_table(seed=seed, unknown=unknown, labels=labels, draws=draws)
    differences = difference_table(seed=seed, share=share, disagreement=disagreement, draws=draws)
    if as_json:
        print_json(
            {
                "majority": [asdict(one) for one in majorities],
                "difference": [asdict(one) for one in differences],
            }
        )
        return
    table(
        "What a majority is worth",
        ("answers", "agreement", "right", "tied", "wrong"),
        [(one.answers, one.agreement, one.right, one.tied, one.wrong) for one in majorities],
    )
    table(
        f"Difference between two cultures that is found, one of them at {share:.0%}",
        ("memes", "labels unrelated", "same memes compared"),
        [(one.items, one.smallest, one.paired) for one in differences],
    )


def _rates(wage: str, currency: str, fee: str, vat: str) -> Rates:
    """What people are paid and what is paid on top: as said, or as memeloc.toml has it."""
    from memeloc.errors import InputError
    from memeloc.survey.design.planning import Rates
    from memeloc.survey.targets.prolific.money import FEES, WAGE
    from memeloc.workspace.folder import workspace_folder
    from memeloc.workspace.settings import FILE, read_settings

    ours: Mapping[str, Any] = {}
    try:
        file = workspace_folder() / FILE
    except InputError:
        pass  # a plan needs no workspace
    else:
        ours = read_settings(file).survey.get("prolific", {})
    code = (currency or str(ours.get("currency", "GBP"))).strip().upper()
    if not (len(code) == 3 and code.isascii() and code.isalpha()):
        raise InputError(f"--currency is three letters, as GBP or USD, not {code[:20]!r}")
    share = fee or str(ours.get("fee", "academic"))
    return Rates(
        _amount("--wage", wage or str(ours.get("wage", WAGE)), 100_000),
        code,
        FEES.get(share) or _amount("--fee", share, 10),
        _amount("--vat", vat, 10),
    )


def _amount(option: str, words: str, most: int) -> Decimal:
    from decimal import Decimal, InvalidOperation

    from memeloc.errors import InputError

    try:
        found = Decimal(words.strip())
    except InvalidOperation:
        found = Decimal("NaN")
    if not (found.is_finite() and 0 <= found <= most):
        raise InputError(
            f"{option}: {words[:40]!r} is no number from 0 to {most:,}; write it as 10.65"
        )
    return found


def _codes(cultures: str) -> tuple[Culture, ...]:
    """Cultures for counting, whatever their languages."""
    from memeloc.locales import default
    from memeloc.survey.model import Culture

    found = (word.partition("=")[0].strip().upper() for word in cultures.split(","))
    english = default().get("en")
    return tuple(Culture(code, english) for code in found if code)
