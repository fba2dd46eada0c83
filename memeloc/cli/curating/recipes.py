"""How `--recipe` is shown. In: a recipe's use. Out: a table of its settings, and its notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memeloc.cli.output import Cell, say
from memeloc.cli.show import Table

if TYPE_CHECKING:
    from memeloc.curate.recipes import RecipeUse


def _value(row: Any) -> Cell:
    if isinstance(row.value, bool):
        return "yes" if row.value else "no"
    if row.value is None:
        return "none"
    if isinstance(row.value, list | tuple):
        return " ".join(map(str, row.value)) or "none"
    return str(row.value)


def _recipe(result: Any) -> RecipeUse | None:
    recipe: RecipeUse | None = result["recipe"] if isinstance(result, dict) else result.recipe
    return recipe


RECIPE_SETTINGS = Table(
    lambda result: f"Settings after {recipe.paper if (recipe := _recipe(result)) else ''}",
    lambda result: recipe.settings if (recipe := _recipe(result)) else (),
    ("setting", ("value", _value), "stated"),
)


def recipe_notes(recipe: RecipeUse | None) -> None:
    """Print what a recipe's settings cannot say."""
    for note in recipe.notes if recipe else ():
        say(f"{recipe.recipe if recipe else ''}: {note}")
