"""`memeloc select`. In: collected items and verdicts. Out: memes, and the funnel."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from typer import Option

import memeloc
from memeloc.cli.curating.recipes import RECIPE_SETTINGS, recipe_notes
from memeloc.cli.options import AsJson, CurationRecipe, DryRun, split
from memeloc.cli.output import say
from memeloc.cli.show import Column, Table, explain, next_lines, show
from memeloc.counts import counted

NOUNS = {"caption": "captions", "picture": "finished memes"}

_FIELDS = "stage in out left templates=templates_left why=reasons"


def _stages(kind: str) -> Table:
    def rows(result: Mapping[str, Any]) -> list[dict[str, Any]]:
        stages = [stage for stage in result["stages"] if stage["kind"] == kind]
        if not stages:
            return []
        out = sum(stage["out"] for stage in stages)
        first, last = stages[0], stages[-1]
        ends = {"stage": "in all", "in": first["in"], "out": out, "left": last["left"]}
        lines = [*stages, {**last, **ends, "reasons": {}}]
        on_templates = first["templates_in"] > 0
        return lines if on_templates else [{**line, "templates_left": ""} for line in lines]

    return Table(f"Selection of {NOUNS[kind]}", rows, _FIELDS)


def _topics(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    def name(line: dict[str, Any], id: str) -> str:
        return f"{result['template_names'].get(id) or id} ({line['templates'][id]})"

    return [
        {**line, "taken": ", ".join(name(line, id) for id in line["taken"])}
        for line in result["topics"]
    ]


def _figures(*fields: str) -> list[Column]:
    def cell(field: str) -> Column:
        heading = field.replace("_", " ")
        return heading, lambda row: "—" if row[field] is None else row[field]

    return [cell(field) for field in fields]


_PAPER = Table(
    lambda result: f"Beside {result['recipe']['paper']} (—: not stated, or not a stage here)",
    "paper",
    (
        "stage section=where",
        *_figures("paper_in", "paper_out", "paper_left", "here_in", "here_out", "here_left"),
    ),
)

_TOPICS = Table("Topics", _topics, "category topic templates_with_enough=enough outcome taken")


def select(
    kind: Literal["all", "caption", "picture"] | None = Option(
        None,
        help="What is selected: caption, picture (finished memes), or all that there is.",
        show_default="all",
    ),
    per_template: int | None = Option(
        None, min=0, help="Captions that a template needs.", show_default="10, of topics"
    ),
    templates_per_topic: int | None = Option(
        None, min=0, help="Templates that a topic needs.", show_default="3"
    ),
    top: int | None = Option(None, min=0, help="Templates of a topic; 0 is all.", show_default="3"),
    most_per_template: int | None = Option(
        None, min=0, help="Captions of a template; 0 is all.", show_default="0"
    ),
    topics: bool | None = Option(
        None,
        "--topics/--no-topics",
        help="Take only templates on a topic, or any.",
        show_default="only those, if the filter topics was run",
    ),
    recipe: CurationRecipe = "",
    filters: str | None = Option(
        None, metavar="A,B", help="Filters to pass.", show_default="all that were run"
    ),
    asked: Literal["out", "keep"] | None = Option(
        None, help="What becomes of items that wait for a person.", show_default="out"
    ),
    take: int | None = Option(
        None,
        min=0,
        metavar="N",
        help="So many in all, of each kind. Of topics and templates only what is asked for holds.",
        show_default="all",
    ),
    balance: Literal["none", "template", "language", "label"] | None = Option(
        None, help="With --take: spread them evenly over these.", show_default="none"
    ),
    seed: int | None = Option(
        None, help="With --take: where votes are equal, chance decides by it.", show_default="0"
    ),
    take_back: bool = Option(
        False, "--take-back", help="Only let the selection before this one hold again."
    ),
    page: Path | None = Option(
        None, metavar="FILE", help="Where the page goes.", show_default="funnel.html"
    ),
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Choose captions worth translating and finished memes; say at each stage what went and why.

    Puts together duplicates, verdicts and what people answered. Of captions it then takes, if the
    filter topics was run, templates with enough of them, topics with enough templates, and each
    topic's templates with most captions; these become memes, with the translations that they were
    collected with. --take takes so many in all of what passes. Choosing again, by other settings,
    takes the place of this: memes not chosen then are left out with all that was done for them.
    --take-back undoes that.

    Example:
      memeloc select --dry-run
      memeloc select --take 40 --balance template
      memeloc select --take-back
      memeloc select --kind picture --filters dedup,language,quality
      memeloc select --recipe harmeme
      memeloc select --per-template 10 --templates-per-topic 3
      memeloc select --no-topics --asked keep
    """
    settings = {
        "kind": kind,
        "per_template": per_template,
        "templates_per_topic": templates_per_topic,
        "top": top,
        "most_per_template": most_per_template,
        "topics": topics,
        "filters": None if filters is None else tuple(split(filters)),
        "asked": asked,
        "take": take,
        "balance": balance,
        "seed": seed,
    }
    if take_back:
        _take_back(as_json=as_json)
        return
    with memeloc.Workspace.find() as workspace:
        result = workspace.curating.select(
            {name: value for name, value in settings.items() if value is not None},
            recipe=recipe,
            page=page,
            dry_run=dry_run,
        )
        further = next_lines(workspace, "select", as_json=as_json or dry_run)
    views = (*map(_stages, NOUNS), _TOPICS, RECIPE_SETTINGS, _PAPER)
    show(result, *views, as_json=as_json)
    if as_json:
        return
    recipe_notes(result["recipe"])
    explain("left out", result["problems"])
    if result["refused"]:
        refused = ", ".join(f"{reason} {count:,}" for reason, count in result["refused"].items())
        say(f"Refused when it was collected, so not counted above: {refused}")
    chosen = _counts(result["selected"])
    if dry_run:
        say(f"{chosen} would be selected; nothing was stored.")
    else:
        say(f"{chosen} selected, {result['new']:,} of them new memes. {result['page'] or ''}")
    show(result, *further, as_json=False)


def _counts(selected: Mapping[str, int]) -> str:
    nouns = {"caption": "caption", "picture": "finished meme"}
    return " and ".join(counted(count, nouns[kind]) for kind, count in selected.items())


def _take_back(*, as_json: bool) -> None:
    with memeloc.Workspace.find() as workspace:
        result = workspace.curating.take_back_selection()
        further = next_lines(workspace, "select", as_json=as_json)
    then = f"The selection before holds again: {_counts(result['selected'])}."
    if not result["taken_back"]:
        then = "Nothing is selected that could be taken back."
    show(result, then, *further, as_json=as_json)
