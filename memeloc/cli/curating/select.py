"""`memeloc select`. In: collected items and verdicts. Out: memes, and the funnel."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from typer import Option

import memeloc
from memeloc.cli import output
from memeloc.cli.curating.recipes import RECIPE_SETTINGS, recipe_notes
from memeloc.cli.options import CurationRecipe, DryRun, Settings, settings, split
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
    recipe: CurationRecipe = "",
    filters: str | None = Option(
        None, metavar="A,B", help="Filters to pass.", show_default="all that were run"
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
    changed: Settings = None,
    take_back: bool = Option(
        False, "--take-back", help="Only let the selection before this one hold again."
    ),
    page: Path | None = Option(
        None, metavar="FILE", help="Where the page goes.", show_default="funnel.html"
    ),
    dry_run: DryRun = False,
) -> None:
    """Choose captions worth translating and finished memes; say at each stage what went and why.

    Puts together duplicates, verdicts and what people answered. Of captions it then takes, if the
    filter topics was run, templates with enough of them, topics with enough templates, and each
    topic's templates with most captions; these become memes, with the translations that they were
    collected with. --take takes so many in all of what passes. Choosing again, by other settings,
    takes the place of this: memes not chosen then are left out with all that was done for them.
    --take-back undoes that. Settings, also of the table curate.select of memeloc.toml:
    per_template (captions that one needs, 10 of topics), templates_per_topic (3), top (templates of
    a topic, 3; 0 is all), most_per_template (0 is all), topics (whether only templates on one),
    asked (out or keep: items that wait for a person), seed (by which equal votes are drawn).

    Example:
      memeloc select --dry-run
      memeloc select --take 40 --balance template
      memeloc select --take-back
      memeloc select --kind picture --filters dedup,language,quality
      memeloc select --recipe harmeme
      memeloc select --set per_template=10 --set templates_per_topic=3
      memeloc select --set topics=false --set asked=keep
    """
    if take_back:
        _take_back()
        return
    named: dict[str, Any] = {"kind": kind, "take": take, "balance": balance}
    named["filters"] = None if filters is None else tuple(split(filters))
    chosen = settings(changed) | {name: each for name, each in named.items() if each is not None}
    with memeloc.Workspace.find() as workspace:
        result = workspace.curating.select(
            chosen,
            recipe=recipe,
            page=page,
            dry_run=dry_run,
        )
        next_line = next_lines(workspace, "select", quiet=dry_run)
    views = (*map(_stages, NOUNS), _TOPICS, RECIPE_SETTINGS, _PAPER)
    show(result, *views)
    if output.as_json:
        return
    recipe_notes(result["recipe"])
    explain("left out", result["problems"])
    if result["refused"]:
        refused = ", ".join(f"{reason} {count:,}" for reason, count in result["refused"].items())
        say(f"Refused when it was collected, so not counted above: {refused}")
    counts = _counts(result["selected"])
    if dry_run:
        say(f"{counts} would be selected; nothing was stored.")
    else:
        say(f"{counts} selected, {result['new']:,} of them new memes. {result['page'] or ''}")
    show(result, *next_line)


def _counts(selected: Mapping[str, int]) -> str:
    nouns = {"caption": "caption", "picture": "finished meme"}
    return " and ".join(counted(count, nouns[kind]) for kind, count in selected.items())


def _take_back() -> None:
    with memeloc.Workspace.find() as workspace:
        result = workspace.curating.take_back_selection()
        next_line = next_lines(workspace, "select")
    then = f"The selection before holds again: {_counts(result['selected'])}."
    if not result["taken_back"]:
        then = "Nothing is selected that could be taken back."
    show(result, then, *next_line)
