"""`memeloc survey status`. In: a survey. Out: how far it is, by culture; ties; money."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from memeloc.cli.options import AsJson
from memeloc.cli.show import Table, show


class By(StrEnum):
    """What a line of the table is about."""

    culture = "culture"
    batch = "batch"
    sheet = "sheet"

    @property
    def parts(self) -> str:
        """The parts of a status that they are."""
        return {"culture": "cultures", "batch": "batches", "sheet": "sheets"}[self.value]


_PROGRESS = (
    ("sheets", "sheets"),
    ("annotators", "annotators"),
    ("sent", "sent"),
    ("retained", "retained"),
    ("places left", "places"),
    ("answers wanted", "wanted"),
    ("in", "answered"),
    ("kept", "kept"),
)
_STATES = ("settled", "short", "tied", "given up")
_LABELS = Table(
    "Labels",
    lambda result: result.labels.items(),
    [
        ("culture", lambda row: row[0]),
        *((state, lambda row, state=state: row[1][state]) for state in _STATES),
    ],
)
_ASIDE = Table(
    "Set aside by",
    lambda result: result.aside.items(),
    (("rule", lambda row: row[0]), ("submissions", lambda row: row[1])),
)
_SURVEYS = Table(
    "Surveys",
    lambda result: result.surveys,
    [
        (name, name)
        for name in (
            "survey", "taxonomy", "cultures", "memes", "batches", "rounds", "submissions",
        )
    ],
)  # fmt: skip


def status(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="The survey's name.", show_default="all")
    ] = "",
    wage: Annotated[
        str, typer.Option(help="Pay an hour, for money.", show_default="memeloc.toml's, or 10.65")
    ] = "",
    by: Annotated[By, typer.Option(help="Lines of what.")] = By.culture,
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
    from memeloc.workspace import Workspace

    with Workspace.find() as workspace:
        if not name:
            surveys = workspace.surveys.summaries()
            none = "There is no survey yet; `memeloc survey build` makes one"
            show(
                surveys,
                as_json=as_json,
                tables=[_SURVEYS],
                then=None if surveys.surveys else none,
            )
            return
        result = workspace.survey(name).status(wage=wage)
    parts = Table(
        f"{name}, of {len(result.batches):,} batches",
        lambda result: (*getattr(result, by.parts), result.whole),
        ((by.value, "name"), *_PROGRESS),
    )
    show(
        result,
        as_json=as_json,
        tables=[parts, _LABELS, _ASIDE],
        then=lambda result: (
            []
            if (money := result.money) is None
            else [
                f"Money, fee included, tax on it left aside: {money.paid:,} {result.currency} "
                f"spent, {money.owed:,} owed, {money.running:,} for people who are at it, "
                f"{money.to_come:,} for the places left"
            ]
        ),
    )
