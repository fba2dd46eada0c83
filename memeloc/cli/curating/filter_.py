"""`memeloc filter`. In: collected items. Out: verdicts, stored; a table of them by reason."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli import options
from memeloc.cli.curating.recipes import RECIPE_SETTINGS
from memeloc.cli.output import progress, say
from memeloc.cli.show import Table, by_place, explain, next_lines, show

_ORDER = {"keep": 0, "drop": 1, "ask": 2}


def _reasons(result: Mapping[str, Any]) -> Iterator[tuple[str, str, str, int]]:
    for run in result["filters"]:
        rows = [(run["filter"], *reason.values()) for reason in run["reasons"]]
        yield from sorted(rows, key=lambda row: (_ORDER[row[1]], -row[3], row[2]))
        if not rows:
            yield run["filter"], "", "stopped" if run["failure"] else "nothing to judge", 0


def _explained(result: Mapping[str, Any]) -> Iterator[tuple[str, str, float | None, str, str]]:
    before = " (of an earlier picture or text)"
    verdicts = [(verdict, "") for verdict in result["verdicts"]]
    verdicts += [(verdict, before) for verdict in result["earlier_verdicts"]]
    for verdict, when in verdicts:
        evidence = json.dumps(dict(verdict.evidence), ensure_ascii=False)
        yield verdict.filter, f"{verdict.verdict}{when}", verdict.score, verdict.reason, evidence
    people = [(answer, "") for answer in result["people"]]
    people += [(answer, before) for answer in result["earlier_people"]]
    for answer, when in people:
        by = f"answered by {answer.person}"
        yield answer.question, f"{answer.answer}{when}", None, by, answer.comment


def _listed(result: Any) -> Iterator[tuple[str, str, str, str]]:
    for info in result["filters"]:
        yield info["name"], ", ".join(info["kinds"]), "", info["summary"] or info["missing"]
        for name, setting in info["settings"].items():
            value = setting["default"]
            default = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            if isinstance(value, bool):
                default = default.lower()
            yield f"  {info['name']}.{name}", "", default, setting["meaning"]


_VERDICTS = Table("Verdicts", _reasons, by_place("filter", "verdict", "reason", "items"))
_EXPLAINED = Table(
    "Verdicts", _explained, by_place("filter", "verdict", "score", "reason", "evidence")
)
_LISTED = Table("Filters", _listed, by_place("filter or setting", "judges", "default", "what"))
_PLANS = Table(
    "Nothing was judged",
    "filters",
    (
        "filter items_to_judge=to_judge",
        ("model", lambda plan: plan["model"].line() if plan["model"] else ""),
    ),
)


def filter_items(
    names: list[str] | None = Argument(
        None, metavar="NAME", help="Filters; without, those of memeloc.toml."
    ),
    recipe: options.CurationRecipe = "",
    langs: str = Option("", metavar="TAGS", help="Languages to keep, with commas between."),
    set_: list[str] | None = Option(
        None,
        "--set",
        metavar="KEY=VALUE",
        help="A filter's setting, as language.sure=0.95; memeloc.toml has the others.",
    ),
    again: bool = Option(False, "--again", help="Judge also what was judged before."),
    jobs: options.Jobs = None,
    engine_name: options.EngineName = "",
    model: str = Option("", metavar="NAME", help="The language model, for filters that ask one."),
    budget: float | None = Option(
        None, min=0, help="The most that the model may cost; needs prices."
    ),
    dry_run: bool = Option(False, "--dry-run", help="Say what would be judged, at what cost."),
    list_: bool = Option(False, "--list", help="List the filters and their settings, and stop."),
    item: str | None = Option(
        None,
        "--explain",
        metavar="ITEM",
        help="Show all verdicts and answers of an item, and stop.",
    ),
) -> None:
    """Judge collected items: keep, drop, or ask a person. Nothing is ever deleted.

    What was judged before under the same settings is passed over, so the same command again goes on
    where it was. `memeloc select` then chooses from what passed.

    Example:
      memeloc filter
      memeloc filter --recipe harmeme
      memeloc filter language quality --langs en --set language.sure=0.95
      memeloc filter --explain cat-keyboard-bd99510c57
    """
    if list_:
        from memeloc.curate.protocol import FILTERS, info

        listed = {"filters": [info(name) for name in FILTERS.names()]}
        show(listed, _LISTED)
        return
    with memeloc.Workspace.find() as workspace, progress(unit="items") as bar:
        curating = workspace.curating
        if item is not None:
            show(curating.explain(item), _about, _EXPLAINED, _no_verdict)
            return
        chosen = curating.filter_names(names or [], recipe)
        changed = _settings(set_, chosen)
        result = curating.filter(
            chosen,
            changed,
            recipe=recipe,
            languages=options.split(langs),
            again=again,
            model=model,
            budget=budget,
            jobs=jobs,
            engine=options.engine(engine_name, workspace.settings.engine),
            dry_run=dry_run,
            on_progress=bar.phase,
        )
        if dry_run:
            show(result, _PLANS)
            return
        next_line = next_lines(workspace, "collect")
    judged, skipped = (
        sum(run[name] for run in result["filters"]) for name in ("judged", "skipped")
    )
    done = f"{judged:,} judged now, {skipped:,} before"
    show(result, _VERDICTS, RECIPE_SETTINGS, done, *next_line)
    if result["cost"]:
        say(result["cost"])
    runs = [run for run in result["filters"] if run["failure"]]
    failures = [f"{run['filter']}: {run['failure']}" for run in runs]
    explain("memeloc", failures, most=None, fail=True)


def _about(result: Mapping[str, Any]) -> Iterator[str]:
    yield f"{result['kind']} {result['item']}: {result['name'] or ' // '.join(result['parts'])}"


def _no_verdict(result: Mapping[str, Any]) -> Iterator[str]:
    if not result["verdicts"] and not result["people"]:
        yield "It has no verdict yet; `memeloc filter` judges it."


def _settings(texts: list[str] | None, names: list[str]) -> dict[str, dict[str, Any]]:
    # By filter; of a single filter its name may be left out.
    by_filter: dict[str, dict[str, Any]] = {}
    for key, value in options.settings(texts).items():
        name, dot, setting = key.partition(".")
        if not dot and len(names) > 1:
            raise typer.BadParameter(f"--set {key}: say whose it is, as {names[0]}.{key}")
        by_filter.setdefault(name if dot else names[0], {})[setting or name] = value
    return by_filter
