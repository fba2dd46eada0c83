"""`memeloc select`. In: collected items and what was said of them. Out: memes to translate."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from memeloc.cli.output import Cell, print_json, say, table

if TYPE_CHECKING:
    from memeloc.curate.selection import Chosen, SelectSettings
    from memeloc.store import Workspace


def select(
    per_template: Annotated[
        int | None,
        typer.Option(min=0, help="Captions that a template needs.", show_default="10"),
    ] = None,
    templates_per_topic: Annotated[
        int | None,
        typer.Option(min=0, help="Templates that a topic needs.", show_default="3"),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(min=0, help="Templates taken of a topic, 0 for all.", show_default="3"),
    ] = None,
    most_per_template: Annotated[
        int | None,
        typer.Option(min=0, help="Captions taken of a template, 0 for all.", show_default="0"),
    ] = None,
    topics: Annotated[
        bool | None,
        typer.Option("--topics/--no-topics", help="Take only templates on a topic, or any."),
    ] = None,
    filters: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Filters to pass.", show_default="all that were run"),
    ] = None,
    asked: Annotated[
        Literal["out", "keep"] | None,
        typer.Option(help="What becomes of items that wait for a person.", show_default="out"),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the page goes.", show_default="funnel.html"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the funnel, and store nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the funnel as JSON.")] = False,
) -> None:
    """Choose what is worth translating, and say at each stage what went out and why.

    Puts together duplicates, verdicts and what people said; then takes templates with enough
    captions, topics with enough templates, and each topic's templates with most captions. Choosing
    again, by other settings, takes the place of this: memes not chosen then are set aside with all
    that was done for them.

    \b
    Example:
      memeloc select --dry-run
      memeloc select --per-template 10 --templates-per-topic 3
      memeloc select --no-topics --asked keep
    """
    from memeloc.store import Workspace

    given = {
        "per_template": per_template,
        "templates_per_topic": templates_per_topic,
        "top": top,
        "most_per_template": most_per_template,
        "topics": topics,
        "filters": None if filters is None else tuple(filter(None, filters.split(","))),
        "asked": asked,
    }
    with Workspace.find() as workspace:
        settings = _settings(workspace, {k: v for k, v in given.items() if v is not None})
        chosen = _choose(workspace, settings)
        plain = settings.model_dump(mode="json")
        names = {item.id: item.name for item in workspace.items("template")}
        stored: dict[str, Any] = {}
        if not dry_run:
            selection = workspace.store_selection(plain, chosen.funnel.as_json(), chosen.items)
            stored = {
                "selection": selection.id,
                "new": selection.new,
                "problems": [str(problem) for problem in selection.problems],
            }
        target = page or (workspace.root / "funnel.html" if workspace.root else None)
        if target is not None and (not dry_run or page is not None):
            _write_page(target, chosen, names, plain)
            stored["page"] = str(target)
    if as_json:
        print_json(
            {
                "settings": plain,
                "stages": chosen.funnel.as_json(),
                "topics": chosen.funnel.topics_as_json(),
                "items": list(chosen.items),
                "dry_run": dry_run,
                **stored,
            }
        )
        return
    _show(chosen, names)
    for problem in stored.get("problems", []):
        say(f"left out: {problem}")
    if dry_run:
        say(f"{len(chosen.items):,} captions would be selected; nothing was stored.")
    else:
        count = len(chosen.items) - len(stored.get("problems", []))
        say(f"{count:,} captions selected, {stored['new']:,} of them new. {stored.get('page', '')}")


def _settings(workspace: Workspace, given: dict[str, Any]) -> SelectSettings:
    """The settings of [curate.select], under those of the command line; filters in their order."""
    from memeloc.curate import registry
    from memeloc.curate.protocol import read_settings
    from memeloc.curate.selection import TOPICS, SelectSettings

    configured = dict(workspace.settings.curate.get("select", {}))
    settings = read_settings(SelectSettings, {**configured, **given}, "select")
    known = registry.names()
    for name in settings.filters:
        if name not in known:
            raise typer.BadParameter(f"there is no filter {name!r}; there are {', '.join(known)}")
    if not settings.filters:
        run = {name for by in workspace.verdicts().values() for name in by}
        ordered = tuple(name for name in known if name in run and name != TOPICS)
        settings = settings.model_copy(update={"filters": ordered})
    return settings


def _choose(workspace: Workspace, settings: SelectSettings) -> Chosen:
    from memeloc.curate.dedup import FILTER, what_stays
    from memeloc.curate.selection import answers_of, select

    verdicts = workspace.verdicts()
    duplicates, doubtful = what_stays(by[FILTER] for by in verdicts.values() if FILTER in by)
    return select(
        list(workspace.items("caption")),
        {item.id: item for item in workspace.items("template")},
        verdicts,
        settings,
        duplicates=duplicates,
        doubtful=doubtful,
        people=answers_of(workspace.judgements()),
    )


def _write_page(
    target: Path, chosen: Chosen, names: dict[str, str], settings: dict[str, Any]
) -> None:
    from memeloc.curate.funnel_page import funnel_page

    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    temporary.write_text(funnel_page(chosen.funnel, names, settings), encoding="utf-8")
    temporary.replace(target)


def _show(chosen: Chosen, names: dict[str, str]) -> None:
    rows: list[list[Cell]] = [
        [
            stage.name,
            stage.came,
            stage.went,
            stage.left,
            stage.templates_left,
            ", ".join(f"{reason} {count:,}" for reason, count in stage.reasons.items()),
        ]
        for stage in chosen.funnel.stages
    ]
    table("Selection", ["stage", "in", "out", "left", "templates", "why"], rows)
    if chosen.funnel.topics:
        lines: list[list[Cell]] = [
            [
                line.category,
                line.topic,
                line.enough,
                line.outcome,
                ", ".join(f"{names.get(one) or one} ({line.captions[one]})" for one in line.taken),
            ]
            for line in chosen.funnel.topics
        ]
        print()
        table("Topics", ["category", "topic", "templates with enough", "outcome", "taken"], lines)
