"""Recipes: how published datasets were curated. In: a name, or a TOML of one's own. Out: `Recipe`.

A recipe says which filters run, in which order, with which settings, how duplicates are found, and
what the paper counted at each stage: all that `--recipe` of dedup, filter and select sets. Each
setting says where the paper states it; what a file does not set is memeloc's default, and is
reported as not stated. guides/curating.md shows how one is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from memeloc.curate.duplicates.grouping import DedupSettings
from memeloc.curate.protocol import FILTERS, FilterSettings, settings_of
from memeloc.curate.selection import OF_PICTURES, SelectSettings
from memeloc.errors import InputError
from memeloc.settings import read_toml, shipped_file, shipped_names, validate

FOLDER = Path(__file__).parent / "data" / "recipes"

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


class Recipe(_Table):
    """The way a published dataset was curated.

    Attributes:
        paper: which one, with its sections.
        filters: those that `memeloc filter` runs.
        duplicates, models: whether the paper looks for duplicates, and by embedding models too.
        notes: what its settings cannot say.
        steps: what it sets, by step (`dedup`, `select`, or a filter) and setting.
        funnel: the paper's figures.
    """

    name: str = Field(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=60)
    paper: str = Field(min_length=1)
    summary: str = ""
    filters: tuple[str, ...] = ()
    duplicates: bool = True
    models: bool = False
    notes: tuple[str, ...] = ()
    steps: dict[str, dict[str, Stated]] = Field({}, alias="settings")
    funnel: tuple[PaperStage, ...] = ()

    def settings(self, step: str) -> dict[str, Any]:
        """Return what it sets for a step; all else is memeloc's default, not memeloc.toml's."""
        return {name: stated.value for name, stated in self.steps.get(step, {}).items()}

    def use(self, steps: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Return the `recipe`, its `paper` and `notes`, and all `settings` that some steps use.

        Of a setting that is its name, as `dedup.rule`, its `value`, where it is `stated`, and its
        `meaning`. `steps` are what was set for each step on top of the recipe.
        """
        rows = []
        kind = self.settings("select").get("kind", "all")
        concerned = OF_PICTURES if kind == "picture" else SelectSettings.model_fields
        for step, changed in steps.items():
            stated = self.steps.get(step, {})
            for name, info in _model(step).model_fields.items():
                if step == "select" and name not in concerned and name not in stated:
                    continue
                value, where = info.get_default(call_default_factory=True), NOT_STATED
                if name in stated:
                    value, where = stated[name].value, stated[name].where
                if name in changed:
                    value, where = changed[name], GIVEN
                row = {"setting": f"{step}.{name}", "value": value, "stated": where}
                rows.append({**row, "meaning": info.description or ""})
        return {"recipe": self.name, "paper": self.paper, "settings": rows, "notes": self.notes}

    def beside(self, stages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the paper's funnel beside one of ours, given by its stages.

        A row has the `stage` and `where` the paper has it, of both (`paper_`, `here_`) how many
        came `in`, went `out`, were `left`, on how many `templates`; None is not counted.
        """
        rows = []
        for line in self.funnel:
            same = [row for row in stages if _matches(row["stage"], line.here)]
            out = sum(row["out"] for row in same)
            if line.reasons:
                counts = (pair for row in same for pair in row["reasons"].items())
                out = sum(count for reason, count in counts if _matches(reason, line.reasons))
            first, last = (same[0], same[-1]) if same and not line.reasons else ({}, {})
            rows.append(
                {
                    "stage": line.stage,
                    "where": line.where,
                    "paper_in": line.came,
                    "paper_out": line.out,
                    "paper_left": line.left,
                    "paper_templates": line.templates_left,
                    "here_in": first.get("in"),
                    "here_out": out if same else None,
                    "here_left": last.get("left"),
                    "here_templates": last.get("templates_left"),
                }
            )
        return rows


def _matches(text: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)


def recipe_names() -> tuple[str, ...]:
    """Return the names of the shipped recipes, sorted."""
    return shipped_names(FOLDER)


def load_recipe(name: str | Path) -> Recipe:
    """Return a shipped recipe by its name, or one of your own by its TOML file. Raise InputError if
    there is none of that name, or the file says what cannot be."""
    path = shipped_file(name, FOLDER, "recipe")
    recipe = validate(Recipe, read_toml(path), "the recipe", file=path)
    for filter_ in recipe.filters:
        FILTERS.load(filter_)
    steps = {*_STEPS, *recipe.filters}
    for step in recipe.steps:
        if step not in steps:
            raise InputError(
                f"sets {step[:60]!r}, which is none of {', '.join(sorted(steps))}", file=path
            )
        validate(_model(step), recipe.settings(step), f"the table {step}", file=path)
    return recipe


def _model(step: str) -> type[FilterSettings]:
    return _STEPS[step] if step in _STEPS else settings_of(step)
