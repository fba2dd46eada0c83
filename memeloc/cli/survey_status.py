"""`memeloc survey status`. In: a survey. Out: how far it is, by culture; ties; money."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from memeloc.cli.output import print_json, table
from memeloc.cli.survey_options import AsJson

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from memeloc.store import Workspace
    from memeloc.survey.model import Sheet


def status(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="The survey's name.", show_default="all")
    ] = "",
    wage: Annotated[
        str, typer.Option(help="Pay an hour, for money.", show_default="memeloc.toml's, or 10.65")
    ] = "",
    by: Annotated[
        str, typer.Option(metavar="culture|batch|sheet", help="Lines of what.")
    ] = "culture",
    as_json: AsJson = False,
) -> None:
    """Say how far a survey is: answers wanted, in and retained; ties; money spent and owed.

    Money is counted from what Prolific's export says of each submission, at the reward of the wage
    and the minutes that went out.

    \b
    Example:
      memeloc survey status
      memeloc survey status pilot --by sheet
    """
    from memeloc.cli.survey_check import checked
    from memeloc.cli.survey_settle import asked, closed_rounds, settling
    from memeloc.cli.surveying import load_survey, plain_sheets
    from memeloc.store import Workspace
    from memeloc.survey.labels.progress import survey_status
    from memeloc.survey.labels.settling import answers_table
    from memeloc.survey.labels.settling import settle as settle_answers
    from memeloc.survey.quality.checking import retained

    if by not in ("culture", "batch", "sheet"):
        raise typer.BadParameter("culture, batch or sheet", param_hint="--by")
    with Workspace.find() as workspace:
        if not name:
            _all(workspace, as_json)
            return
        survey = load_survey(workspace, name)
        sheets = plain_sheets(survey)
        report, submissions = checked(workspace, survey, sheets)
        answers = answers_table(
            retained(submissions, report), [one for one in sheets if one.round > 0]
        )
        settled = settle_answers(
            answers, survey.taxonomy, settling(workspace, survey), wanted=asked(survey)
        )
        reward, fee, currency = _money(workspace, name, wage, sheets)
        found = survey_status(
            sheets,
            submissions,
            report=report,
            settled=settled,
            participants=workspace.survey_participants(name),
            reward=reward,
            fee=fee,
            closed={one.id for one in sheets if one.round <= closed_rounds(workspace, name)},
        )
    if as_json:
        print_json({"survey": name, "currency": currency, **found.as_json()})
        return
    parts = {"culture": found.cultures, "batch": found.batches, "sheet": found.sheets}[by]
    columns = (
        by,
        "sheets",
        "annotators",
        "sent",
        "retained",
        "places left",
        "answers wanted",
        "in",
    )
    table(
        f"{name}, of {len(survey.batches):,} batches",
        (*columns, "kept"),
        [
            (
                one.name,
                one.sheets,
                one.annotators,
                one.sent,
                one.retained,
                one.places,
                one.wanted,
                one.answered,
                one.kept,
            )
            for one in (*parts, found.whole)
        ],
    )
    if found.labels:
        states = list(next(iter(found.labels.values())))
        table(
            "Labels",
            ("culture", *states),
            [
                (one.code, *(found.labels[one.code][state] for state in states))
                for one in survey.design.cultures
                if one.code in found.labels
            ],
        )
    if found.aside:
        table("Set aside by", ("rule", "submissions"), list(found.aside.items()))
    if found.money is not None:
        money = found.money
        print(
            f"Money, fee included, tax on it left aside: {money.paid:,} {currency} spent, "
            f"{money.owed:,} owed, {money.running:,} for people who are at it, "
            f"{money.to_come:,} for the places left"
        )


def _all(workspace: Workspace, as_json: bool) -> None:
    """The surveys there are."""
    rows: list[dict[str, Any]] = []
    for name in workspace.surveys():
        design = workspace.survey_design(name)
        batches = workspace.survey_batches(name)
        rows.append(
            {
                "survey": name,
                "taxonomy": design["taxonomy"],
                "cultures": ",".join(one["code"] for one in design["cultures"]),
                "memes": len(design["memes"]),
                "batches": len(batches),
                "rounds": len({one.round for one in batches}),
                "submissions": len(workspace.submissions(name)),
            }
        )
    if as_json:
        print_json({"surveys": rows})
    elif rows:
        table("Surveys", tuple(rows[0]), [tuple(row.values()) for row in rows])
    else:
        print("There is no survey yet; `memeloc survey build` makes one")


def _money(
    workspace: Workspace, name: str, wage: str, sheets: Sequence[Sheet]
) -> tuple[dict[str, Decimal] | None, Decimal, str]:
    """What each sheet pays, the service's share, and the currency; no rewards before an export."""
    from decimal import Decimal

    from memeloc.cli.survey_decide import minutes_of
    from memeloc.survey.targets.prolific.money import WAGE, read_pay

    options = workspace.settings.survey.get("prolific", {})
    pay = read_pay(
        wage or options.get("wage", WAGE),
        str(options.get("currency", "GBP")),
        options.get("fee", "academic"),
    )
    told = minutes_of(workspace, name, sheets)
    if not told:
        return None, pay.fee, pay.currency
    longest = max(told.values())
    rewards = {one.id: Decimal(pay.reward(told.get(one.id, longest))) / 100 for one in sheets}
    return rewards, pay.fee, pay.currency
