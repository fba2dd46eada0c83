"""`memeloc survey recipes` and `team`. In: recipes, a survey. Out: what is done, and by whom."""

from __future__ import annotations

from pathlib import Path

from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson
from memeloc.cli.show import Table, show
from memeloc.cli.survey.options import Name

_RECIPES = Table("Recipes", "recipes", "name mode taxonomy sharing answers summary source")
_TEAM = Table(
    "{n:sheet} for {0.people:person|people}",
    "sheets",
    ("place participant sheet round memes", ("came", lambda row: "yes" if row.came else "no")),
)


def recipes(
    name: str = Argument("", metavar="[NAME|FILE]", help="One of them.", show_default="all"),
    as_json: AsJson = False,
) -> None:
    """List the published schemes of annotation that `memeloc survey build --recipe` sets up.

    \b
    Example:
      memeloc survey recipes
      memeloc survey recipes mine.toml
    """
    from memeloc.survey.recipes import list_recipes

    result = list_recipes(name)
    show(
        result,
        _RECIPES,
        "Next: memeloc survey build NAME --recipe RECIPE --cultures CODES",
        as_json=as_json,
    )


def team(
    name: Name,
    people: Path | None = Option(
        None, metavar="TABLE", help="The team's table, for the names: only hashes are stored."
    ),
    as_json: AsJson = False,
) -> None:
    """Say who of a named team is to fill which sheet, and whose answers came.

    \b
    Example:
      memeloc survey team trial --people team.csv
    """
    with memeloc.Workspace.find() as workspace:
        result = workspace.survey(name).team(people)
    show(result, _TEAM, as_json=as_json)
