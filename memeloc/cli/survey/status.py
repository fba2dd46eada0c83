"""`memeloc survey status`. In: a survey. Out: how far it is, by culture; ties; money."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson
from memeloc.cli.show import Table, by_place, show
from memeloc.cli.survey.options import AGREEMENT, changed_sentences
from memeloc.counts import counted

if TYPE_CHECKING:
    from memeloc.workspace.survey import StatusResult

_PROGRESS = (
    "sheets annotators sent retained places_left=places answers_wanted=wanted in=answered kept"
)
_LABELS = Table(
    "Labels",
    lambda result: [{"culture": code, **states} for code, states in result.labels.items()],
    ("culture settled short tied", ("given up", "given up"), "rejected decided"),
)
_ASIDE = Table("Excluded by", lambda result: result.aside.items(), by_place("rule", "submissions"))
_SURVEYS = Table("Surveys", "surveys", "survey taxonomy cultures memes batches rounds submissions")


def status(
    name: str = Argument("", metavar="[NAME]", help="The survey's name.", show_default="all"),
    wage: str = Option("", help="Pay an hour, for money.", show_default="memeloc.toml's, or 10.65"),
    by: Literal["culture", "batch", "sheet"] = Option("culture", help="Lines of what."),
    as_json: AsJson = False,
) -> None:
    """Say how far a survey is: answers wanted, in and retained; ties; agreement; money.

    Money is counted from what Prolific's export says of each submission, at the reward of the wage
    and the minutes that went out.

    Example:
      memeloc survey status
      memeloc survey status pilot --by sheet
    """
    with memeloc.Workspace.find() as workspace:
        if not name:
            surveys = workspace.surveys.summaries()
            none = "There is no survey yet; `memeloc survey build` makes one"
            show(surveys, _SURVEYS, *([] if surveys["surveys"] else [none]), as_json=as_json)
            return
        result = workspace.survey(name).status(wage=wage)
    lines = {"culture": result.cultures, "batch": result.batches, "sheet": result.sheets}[by]
    parts = Table(
        f"{name}, of {counted(len(result.batches), 'batch', 'batches')}",
        lambda result: (*lines, result.whole),
        ((by, "name"), _PROGRESS),
    )
    show(result, parts, _LABELS, AGREEMENT, _ASIDE, _changed, _costs, _shortfalls, as_json=as_json)


def _changed(result: StatusResult) -> Iterator[str]:
    yield from changed_sentences(result.changed)


def _shortfalls(result: StatusResult) -> Iterator[str]:
    longest = {row.culture: row for row in sorted(result.shortfalls, key=lambda row: row.measured)}
    for code, row in longest.items():
        yield (
            f"{code}: people took {row.measured} minutes (the median of {row.people:,} retained) "
            f"and were promised {row.promised}; `memeloc survey bonus {result.survey}` makes up "
            "for it"
        )


def _costs(result: StatusResult) -> Iterator[str]:
    if money := result.money:
        yield (
            f"Money, fee included, without the tax on it: {money.paid:,} {result.currency} spent, "
            f"{money.owed:,} owed, {money.running:,} for people who are at it, "
            f"{money.to_come:,} for the places left"
        )
