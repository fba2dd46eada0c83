"""Recipes: published schemes of annotation. In: a name, or a TOML of one's own. Out: a `Recipe`.

A recipe says what is asked, how items are given to people, which rules of quality control hold, and
how answers become labels: all that `memeloc survey build --recipe` needs besides the memes. A file
has the tables `design`, `check` (a table a rule) and `settle`, and a table `mode.NAME` for
each other way of working, such as a dry run, whose tables replace single settings of the main one.
guides/taxonomies.md shows how one is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from memeloc.errors import InputError
from memeloc.settings import read_toml, shipped_file, shipped_names, validate
from memeloc.survey.design.settings import RecipeDesign
from memeloc.survey.quality.rules import Settling, read_rules
from memeloc.taxonomy import (
    Taxonomy,
    load_taxonomy,
    parse_taxonomy,
    with_demographics,
    without_drafts,
)

FOLDER = Path(__file__).parent / "shipped"

_Name = Annotated[str, Field(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=60)]


@dataclass(frozen=True)
class Recipe:
    """A scheme of annotation, in one of its modes.

    Attributes:
        source: paper and sections that it is after.
        summary: what happens in this mode, in a sentence.
        modes: the names of all modes, the main one first.
        taxonomy: a shipped taxonomy's name, or the path of a TOML beside the recipe's own.
        leave_out: ids of its labels and rules that the scheme has not, such as "I don't know".
        check: settings of rules of quality control, by rule.
        settle: settings of `Settling`.
    """

    name: str
    source: str
    summary: str
    mode: str
    modes: tuple[str, ...]
    taxonomy: str
    leave_out: tuple[str, ...]
    design: RecipeDesign
    check: Mapping[str, Any]
    settle: Mapping[str, Any]

    @property
    def settling(self) -> Settling:
        return validate(Settling, {"answers": self.design.answers, **self.settle}, "settling")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")

    summary: str = ""
    taxonomy: str = ""
    design: dict[str, Any] = {}
    check: dict[str, dict[str, Any]] = {}
    settle: dict[str, Any] = {}


class _File(_Part):
    name: _Name
    source: str = ""
    leave_out: tuple[_Name, ...] = ()
    taxonomy: str
    main: _Name = "main"
    modes: dict[_Name, _Part] = Field({}, alias="mode")


def recipe_names() -> tuple[str, ...]:
    return shipped_names(FOLDER)


def load_recipe(name: str | Path, mode: str = "") -> Recipe:
    """Return a shipped recipe by its name, or one of your own by its file, in a mode (the main
    one). Raise InputError if there is none of that name, no such mode, or the file says what cannot
    be, in whatever mode."""
    path = shipped_file(name, FOLDER, "recipe")
    file = validate(_File, read_toml(path), "the recipe", file=path)
    modes = {file.main: _Part(), **file.modes}
    if mode and mode not in modes:
        raise InputError(f"{file.name} has no mode {mode[:60]!r}; it has {', '.join(modes)}")
    recipes = {}
    for each, part in modes.items():
        taxonomy = part.taxonomy or file.taxonomy
        if taxonomy.lower().endswith(".toml"):
            taxonomy = str(path.parent / taxonomy)
        recipe = Recipe(
            name=file.name,
            source=file.source,
            summary=part.summary or file.summary,
            mode=each,
            modes=tuple(modes),
            taxonomy=taxonomy,
            leave_out=file.leave_out,
            design=validate(RecipeDesign, {**file.design, **part.design}, "the design", file=path),
            check={
                rule: {**file.check.get(rule, {}), **part.check.get(rule, {})}
                for rule in {**file.check, **part.check}
            },
            settle={**file.settle, **part.settle},
        )
        read_rules(recipe.check)
        _ = recipe.settling
        recipes[each] = recipe
    return recipes[mode or file.main]


def leave_out(taxonomy: Taxonomy, names: Iterable[str]) -> Taxonomy:
    """Return the taxonomy without some labels and rules; raise InputError if there is no such one,
    or fewer than two labels to vote for are left."""
    out = set(names)
    existing = {label.id for label in taxonomy.labels} | set(taxonomy.rules)
    if missing := sorted(out - existing):
        raise InputError(f"{taxonomy.name} has no label or rule {missing[0]!r} to leave out")
    labels = tuple(label for label in taxonomy.labels if label.id not in out)
    rules = tuple(rule for rule in taxonomy.rules if rule not in out)
    left = replace(taxonomy, labels=labels, rules=rules)
    if len(left.of_role("vote")) < 2:
        raise InputError(f"of {taxonomy.name} fewer than two labels are left to vote for")
    return left


def list_recipes(name: str = "") -> dict[str, list[dict[str, Any]]]:
    """Return the modes of a recipe, by its name or file; of all that ship by default. Raise as
    `load_recipe`."""
    recipes = [
        load_recipe(each, mode)
        for each in ((name,) if name else recipe_names())
        for mode in load_recipe(each).modes
    ]
    fields = ("name", "mode", "taxonomy", "sharing", "answers", "summary", "source")
    rows = [{**vars(each.design), **vars(each)} for each in recipes]
    return {"recipes": [{field: row[field] for field in fields} for row in rows]}


def taxonomy_of(values: Mapping[str, Any]) -> Taxonomy:
    """Return what a stored design asks."""
    toml = values.get("taxonomy_toml")
    taxonomy = parse_taxonomy(toml) if toml else load_taxonomy(values["taxonomy"])
    taxonomy = with_demographics(taxonomy, values.get("demographics", ()))
    if not values.get("item_texts"):
        taxonomy = without_drafts(taxonomy)
    return leave_out(taxonomy, values.get("recipe", {}).get("leave_out", ()))
