"""Files of recipes. In: a shipped recipe's name, or a TOML. Out: a checked `Recipe`, its use.

Each setting in a file says where the paper states it; what a file does not set is memeloc's
default, and is reported as not stated. guides/filters.md shows how one is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from memeloc.curate.duplicates.settings import DedupSettings
from memeloc.curate.protocol import FILTERS, FilterSettings, settings_of
from memeloc.curate.selecting.settings import OF_PICTURES, SelectSettings
from memeloc.errors import InputError
from memeloc.settings import read_toml, shipped_file, shipped_names, validate

FOLDER = Path(__file__).parent / "shipped"

NOT_STATED = "not stated"
"""Where a setting comes from that the paper is silent about: it is memeloc's default."""
GIVEN = "given now"
"""Where a setting comes from that stands on the command line, or in the arguments."""

_STEPS: Mapping[str, type[FilterSettings]] = {"dedup": DedupSettings, "select": SelectSettings}


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Stated(_Table):
    """A setting's value, and where the paper states it."""

    value: Any = Field(alias="is")
    where: str = Field(alias="stated", min_length=1)


class PaperStage(_Table):
    """A stage as the paper counts it; None is a figure that it does not give.

    Attributes:
        stage: what the paper did.
        where: its section.
        came, out, left, templates_left: the paper's figures.
        here: the stages of our funnel that do the same; `*` stands for any text.
        reasons: of these, what went out for these reasons only; empty is all.
    """

    stage: str = Field(min_length=1)
    where: str = ""
    came: int | None = Field(None, ge=0)
    out: int | None = Field(None, ge=0)
    left: int | None = Field(None, ge=0)
    templates_left: int | None = Field(None, ge=0)
    here: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


class _File(_Table):
    name: str = Field(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=60)
    paper: str = Field(min_length=1)
    summary: str = ""
    filters: tuple[str, ...] = ()
    duplicates: bool = True
    models: bool = False
    notes: tuple[str, ...] = ()
    settings: dict[str, dict[str, Stated]] = {}
    funnel: tuple[PaperStage, ...] = ()


@dataclass(frozen=True, slots=True)
class RecipeSetting:
    """A setting as a step uses it: its value, and the place in the paper that states it."""

    setting: str
    value: Any
    stated: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class RecipeUse:
    """A recipe as one command uses it: every setting of its steps, and what else is to be known."""

    recipe: str
    paper: str
    settings: tuple[RecipeSetting, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recipe:
    """The way a published dataset was curated.

    Attributes:
        paper: which one, with its sections.
        filters: those that `memeloc filter` runs.
        duplicates, models: whether the paper looks for duplicates, and by embedding models too.
        notes: what its settings cannot say.
        values: what it sets, by step (`dedup`, `select`, or a filter) and setting.
        funnel: the paper's own figures.
    """

    name: str
    paper: str
    summary: str
    filters: tuple[str, ...]
    duplicates: bool
    models: bool
    notes: tuple[str, ...]
    values: Mapping[str, Mapping[str, Stated]] = field(default_factory=dict)
    funnel: tuple[PaperStage, ...] = ()

    def settings(self, step: str) -> dict[str, Any]:
        """Return what it sets for a step; all else is memeloc's default, not memeloc.toml's."""
        return {name: stated.value for name, stated in self.values.get(step, {}).items()}

    def use(self, steps: Mapping[str, Mapping[str, Any]]) -> RecipeUse:
        """Every setting that some steps use, with where it comes from.

        Args:
            steps: what was given for each step on top of the recipe.
        """
        rows = [row for step, given in steps.items() for row in self._rows(step, given)]
        return RecipeUse(self.name, self.paper, tuple(rows), self.notes)

    def _rows(self, step: str, given: Mapping[str, Any]) -> list[RecipeSetting]:
        stated = self.values.get(step, {})
        kind = self.settings("select").get("kind", "all")
        concerned = OF_PICTURES if kind == "picture" else SelectSettings.model_fields
        rows = []
        for name, info in _model(step).model_fields.items():
            if step == "select" and name not in concerned and name not in stated:
                continue
            value, where = info.get_default(call_default_factory=True), NOT_STATED
            if name in stated:
                value, where = stated[name].value, stated[name].where
            if name in given:
                value, where = given[name], GIVEN
            rows.append(RecipeSetting(f"{step}.{name}", value, where, info.description or ""))
        return rows


@dataclass(frozen=True, slots=True)
class StageBeside:
    """A stage of the paper with its figures, and those of this workspace; None is not counted."""

    stage: str
    where: str
    paper_in: int | None
    paper_out: int | None
    paper_left: int | None
    paper_templates: int | None
    here_in: int | None
    here_out: int | None
    here_left: int | None
    here_templates: int | None


def beside(recipe: Recipe, stages: Sequence[Mapping[str, Any]]) -> list[StageBeside]:
    """The paper's funnel beside one of ours, given by its stages."""
    return [_beside(line, stages) for line in recipe.funnel]


def _beside(line: PaperStage, stages: Sequence[Mapping[str, Any]]) -> StageBeside:
    own = [row for row in stages if _matches(row["stage"], line.here)]
    out = sum(row["out"] for row in own)
    if line.reasons:
        counts = (pair for row in own for pair in row["reasons"].items())
        out = sum(count for reason, count in counts if _matches(reason, line.reasons))
    first, last = (own[0], own[-1]) if own and not line.reasons else ({}, {})
    return StageBeside(
        line.stage,
        line.where,
        line.came,
        line.out,
        line.left,
        line.templates_left,
        first.get("in"),
        out if own else None,
        last.get("left"),
        last.get("templates_left"),
    )


def _matches(text: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)


def recipe_names() -> tuple[str, ...]:
    """The names of the shipped recipes, sorted."""
    return shipped_names(FOLDER)


def load_recipe(name: str | Path) -> Recipe:
    """A shipped recipe by its name, or one of your own by its TOML file.

    Raises:
        InputError: there is none of that name, or the file says what cannot be.
    """
    path = shipped_file(name, FOLDER, "recipe")
    file = validate(_File, read_toml(path), "the recipe", file=path)
    for filter_ in file.filters:
        FILTERS.load(filter_)
    known = {*_STEPS, *file.filters}
    for step, values in file.settings.items():
        if step not in known:
            raise InputError(
                f"sets {step[:60]!r}, which is none of {', '.join(sorted(known))}", file=path
            )
        plain = {name: stated.value for name, stated in values.items()}
        validate(_model(step), plain, f"the table {step}", file=path)
    return Recipe(
        file.name,
        file.paper,
        file.summary,
        file.filters,
        file.duplicates,
        file.models,
        file.notes,
        file.settings,
        file.funnel,
    )


def _model(step: str) -> type[FilterSettings]:
    """The settings that a step has."""
    if step in _STEPS:
        return _STEPS[step]
    return settings_of(step)
