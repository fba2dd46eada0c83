"""Showing a `--recipe`. In: a recipe's use. Out: a table of its settings, and its notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memeloc.cli.output import Cell, say
from memeloc.cli.show import Table


def _value(row: Mapping[str, Any]) -> Cell:
    value = row["value"]
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _recipe(result: Any) -> dict[str, Any]:
    """Return the recipe of a result, see `memeloc.curate.recipes.Recipe.use`."""
    return (result["recipe"] if isinstance(result, dict) else result.recipe) or {}


RECIPE_SETTINGS = Table(
    lambda result: f"Settings after {_recipe(result).get('paper', '')}",
    lambda result: _recipe(result).get("settings", ()),
    ("setting", ("value", _value), "stated"),
)


def recipe_notes(recipe: Mapping[str, Any] | None) -> None:
    """Print what a recipe's settings cannot say."""
    for note in recipe["notes"] if recipe else ():
        say(f"{recipe['recipe'] if recipe else ''}: {note}")
