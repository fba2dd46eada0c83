"""`memeloc select`. In: collected items and verdicts. Out: memes to translate, and the funnel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from typer import Option

import memeloc
from memeloc.cli.options import AsJson, DryRun, split
from memeloc.cli.output import say
from memeloc.cli.show import Table, explain, show

if TYPE_CHECKING:
    from memeloc.workspace.selecting import SelectResult

_STAGES = Table(
    "Selection", "stages", "stage in out left templates=templates_left why=reasons", empty=True
)


def _topics(result: SelectResult) -> list[dict[str, Any]]:
    def name(line: dict[str, Any], id: str) -> str:
        return f"{result.template_names.get(id) or id} ({line['templates'][id]})"

    return [
        {**line, "taken": ", ".join(name(line, id) for id in line["taken"])}
        for line in result.topics
    ]


_TOPICS = Table("Topics", _topics, "category topic templates_with_enough=enough outcome taken")


def select(
    per_template: int | None = Option(
        None, min=0, help="Captions that a template needs.", show_default="10"
    ),
    templates_per_topic: int | None = Option(
        None, min=0, help="Templates that a topic needs.", show_default="3"
    ),
    top: int | None = Option(None, min=0, help="Templates of a topic; 0 is all.", show_default="3"),
    most_per_template: int | None = Option(
        None, min=0, help="Captions of a template; 0 is all.", show_default="0"
    ),
    topics: bool | None = Option(
        None, "--topics/--no-topics", help="Take only templates on a topic, or any."
    ),
    filters: str | None = Option(
        None, metavar="A,B", help="Filters to pass.", show_default="all that were run"
    ),
    asked: Literal["out", "keep"] | None = Option(
        None, help="What becomes of items that wait for a person.", show_default="out"
    ),
    page: Path | None = Option(
        None, metavar="FILE", help="Where the page goes.", show_default="funnel.html"
    ),
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Choose what is worth translating, and say at each stage what went out and why.

    Puts together duplicates, verdicts and what people answered; then takes templates with enough
    captions, topics with enough templates, and each topic's templates with most captions. Choosing
    again, by other settings, takes the place of this: memes not chosen then are left out with all
    that was done for them.

    \b
    Example:
      memeloc select --dry-run
      memeloc select --per-template 10 --templates-per-topic 3
      memeloc select --no-topics --asked keep
    """
    settings = {
        "per_template": per_template,
        "templates_per_topic": templates_per_topic,
        "top": top,
        "most_per_template": most_per_template,
        "topics": topics,
        "filters": None if filters is None else tuple(split(filters)),
        "asked": asked,
    }
    with memeloc.Workspace.find() as workspace:
        result = workspace.curating.select(
            {name: value for name, value in settings.items() if value is not None},
            page=page,
            dry_run=dry_run,
        )
    show(result, _STAGES, _TOPICS, as_json=as_json)
    if as_json:
        return
    explain("left out", result.problems)
    count = len(result.items) - len(result.problems)
    if dry_run:
        say(f"{count:,} captions would be selected; nothing was stored.")
    else:
        say(f"{count:,} captions selected, {result.new:,} of them new. {result.page or ''}")
