"""`memeloc filter`. In: collected items. Out: verdicts, stored; a table of them by reason."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memeloc.cli.output import Cell, print_json, progress, say, table

if TYPE_CHECKING:
    from memeloc.curate.protocol import FilterContext
    from memeloc.curate.run import Tally
    from memeloc.language_models import LanguageModel
    from memeloc.store import Workspace


def filter_items(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME...]", help="Filters; without, those of memeloc.toml."),
    ] = None,
    lang: Annotated[
        list[str] | None,
        typer.Option(metavar="TAG", help="Language to keep, may be given several times."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="A filter's setting, as language.sure=0.95; memeloc.toml has the others.",
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Judge also what was judged before.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Processes for pictures.", show_default="one a processor"),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The language model, for filters that ask one."),
    ] = None,
    budget: Annotated[
        float | None, typer.Option(min=0, help="The most that the model may cost.")
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say what would be judged, and what it would cost."),
    ] = False,
    list_: Annotated[
        bool, typer.Option("--list", help="List the filters and their settings, and stop.")
    ] = False,
    explain: Annotated[
        str | None,
        typer.Option(metavar="ITEM", help="Show all that was said of an item, and stop."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Judge collected items: keep, drop, or ask a person. Nothing is ever deleted.

    What was judged before under the same settings is passed over, so the same command again goes on
    where it was. `memeloc select` then chooses from what passed.

    \b
    Example:
      memeloc filter
      memeloc filter language quality --lang en --set language.sure=0.95
      memeloc filter --explain cat-keyboard-bd99510c57
    """
    if list_:
        _list(as_json)
        return
    from memeloc.store import Workspace

    with Workspace.find() as workspace:
        if explain is not None:
            _explain(workspace, explain, as_json)
            return
        settings = _settings(workspace, names or [], lang or [], set_ or [])
        with _model(workspace, model, budget) as client:
            context = make_context(workspace, jobs=jobs, model=client)
            if dry_run:
                _foretell(workspace, settings, context, again=again, as_json=as_json)
                return
            tallies = _run(workspace, settings, context, again=again)
            cost = client.spent.line() if client is not None and client.spent.requests else ""
    if as_json:
        print_json({"filters": [_as_json(tally) for tally in tallies]})
    else:
        _show(tallies)
    if cost:
        say(cost)
    for tally in tallies:
        if tally.failure:
            say(f"memeloc: {tally.filter}: {tally.failure}")
    if any(tally.failure for tally in tallies):
        raise typer.Exit(1)


def make_context(
    workspace: Workspace, *, jobs: int | None = None, model: LanguageModel | None = None
) -> FilterContext:
    """What filters work with, from the workspace.

    Args:
        workspace: the workspace.
        jobs: processes; None is one a processor.
        model: a language model, for filters that ask one.
    """
    from memeloc.curate.protocol import FilterContext
    from memeloc.engine import usable_cpus

    source = workspace.source.tag
    return FilterContext(
        templates={item.id: item for item in workspace.items("template")},
        languages=tuple(dict.fromkeys((source, *(one.tag for one in workspace.languages)))),
        source_language=source,
        features=workspace.features,
        add_features=workspace.add_features,
        judgements=workspace.judgements,
        locales=workspace.locales,
        folder=workspace.root or Path(),
        transcripts=workspace.transcripts(),
        model=model,
        jobs=jobs or usable_cpus(),
    )


@contextmanager
def _model(
    workspace: Workspace, name: str | None, budget: float | None
) -> Iterator[LanguageModel | None]:
    """The language model that is set up; None when there is none, and nobody named one."""
    table = workspace.settings.language_model
    if not (name or table or os.environ.get("OPENAI_MODEL")):
        yield None
        return
    from memeloc.language_models import Budget, LanguageModel, read_model_settings

    settings = read_model_settings(table, model=name or "")
    with LanguageModel(settings, cache=workspace.model_cache, budget=Budget(budget)) as client:
        yield client


def _settings(
    workspace: Workspace, names: list[str], lang: list[str], given: list[str]
) -> dict[str, dict[str, Any]]:
    """The filters to run, in their order, and their settings."""
    from memeloc.curate import registry

    configured = workspace.settings.curate
    chosen = list(dict.fromkeys(names or configured.get("filters", registry.DEFAULT)))
    settings = {name: dict(configured.get(name, {})) for name in chosen}
    for name, values in read_assignments(given, chosen).items():
        settings[name].update(values)
    if lang:
        takers = [name for name in chosen if "languages" in (registry.info(name).settings or {})]
        if not takers:
            raise typer.BadParameter(f"--lang: none of {', '.join(chosen)} looks at languages")
        for name in takers:
            settings[name]["languages"] = tuple(lang)
    return settings


def _run(
    workspace: Workspace,
    settings: Mapping[str, dict[str, Any]],
    context: FilterContext,
    *,
    again: bool,
) -> list[Tally]:
    from memeloc.curate import registry
    from memeloc.curate.run import run_filter

    filters = [registry.create(name, values, context) for name, values in settings.items()]
    items = list(workspace.items())
    tallies: list[Tally] = []
    for one in filters:
        total = sum(item.kind in one.kinds for item in items)
        with progress(one.name, total, unit="items") as bar:
            tallies.append(
                run_filter(
                    one,
                    items,
                    workspace.verdicts(one.name),
                    workspace.add_verdicts,
                    again=again,
                    on_done=bar.advance,
                )
            )
    return tallies


def _foretell(
    workspace: Workspace,
    settings: Mapping[str, dict[str, Any]],
    context: FilterContext,
    *,
    again: bool,
    as_json: bool,
) -> None:
    """What a run would judge, and what a model would be asked; nothing is asked or stored."""
    from memeloc.curate import registry
    from memeloc.curate.run import to_judge

    items = list(workspace.items())
    rows: list[list[Cell]] = []
    plans: list[dict[str, Any]] = []
    for name, values in settings.items():
        one = registry.create(name, values, context)
        todo = to_judge(one, items, {} if again else workspace.verdicts(name))
        plan = getattr(one, "plan", None)
        asked = plan(todo) if plan is not None and todo else None
        rows.append([name, len(todo), "" if asked is None else asked.line()])
        plans.append(
            {
                "filter": name,
                "to_judge": len(todo),
                "model": None if asked is None else asked.to_json(),
            }
        )
    if as_json:
        print_json({"dry_run": True, "filters": plans})
    else:
        table("Nothing was judged", ["filter", "items to judge", "model"], rows)


def read_assignments(given: list[str], names: list[str]) -> dict[str, dict[str, Any]]:
    """Settings by filter, of words as `language.sure=0.95`, or `sure=0.95` for a single filter.

    A value is read as TOML where it is TOML, else as a text.
    """
    import tomllib

    found: dict[str, dict[str, Any]] = {}
    for words in given:
        key, equals, text = words.partition("=")
        name, dot, setting = key.strip().partition(".")
        if not dot:
            name, setting = names[0], name
            if len(names) > 1:
                raise typer.BadParameter(f"--set {words}: say whose it is, as {names[0]}.{key}")
        if not equals or not setting:
            raise typer.BadParameter(f"--set {words}: give it as FILTER.SETTING=VALUE")
        if name not in names:
            raise typer.BadParameter(f"--set {words}: the filter {name} does not run now")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text.strip()
        found.setdefault(name, {})[setting] = value
    return found


def _show(tallies: list[Tally]) -> None:
    rows: list[list[Cell]] = []
    for tally in tallies:
        for (verdict, reason), count in sorted(
            tally.outcomes.items(), key=lambda one: (_ORDER[one[0][0]], -one[1], one[0][1])
        ):
            rows.append([tally.filter, verdict, reason, count])
        if not tally.outcomes:
            why = "stopped" if tally.failure else "nothing to judge"
            rows.append([tally.filter, "", why, 0])
    judged = sum(tally.judged for tally in tallies)
    skipped = sum(tally.skipped for tally in tallies)
    table("Verdicts", ["filter", "verdict", "reason", "items"], rows)
    say(f"{judged:,} judged now, {skipped:,} before. Next: memeloc select")


_ORDER: Mapping[str, int] = {"keep": 0, "drop": 1, "ask": 2}


def _as_json(tally: Tally) -> dict[str, Any]:
    return {
        "filter": tally.filter,
        "judged": tally.judged,
        "skipped": tally.skipped,
        **{verdict: tally.count(verdict) for verdict in _ORDER},
        "reasons": [
            {"verdict": verdict, "reason": reason, "items": count}
            for (verdict, reason), count in sorted(tally.outcomes.items())
        ],
        "failure": tally.failure,
    }


def _list(as_json: bool) -> None:
    from memeloc.curate import registry

    found = [registry.info(name) for name in registry.names()]
    if as_json:
        print_json(
            {
                "filters": [
                    {
                        "name": one.name,
                        "summary": one.summary,
                        "kinds": list(one.kinds),
                        "default": one.name in registry.DEFAULT,
                        "settings": {
                            key: {"meaning": meaning, "default": default}
                            for key, (meaning, default) in (one.settings or {}).items()
                        },
                        "missing": one.missing,
                    }
                    for one in found
                ]
            }
        )
        return
    rows: list[list[Cell]] = []
    for one in found:
        rows.append([one.name, ", ".join(one.kinds), "", one.summary or one.missing])
        for key, (meaning, default) in (one.settings or {}).items():
            rows.append([f"  {one.name}.{key}", "", _said(default), meaning])
    table("Filters", ["filter or setting", "judges", "default", "what"], rows)


def _said(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _explain(workspace: Workspace, item: str, as_json: bool) -> None:
    from memeloc.errors import InputError

    found = next(iter(workspace.items(ids=[item])), None)
    if found is None:
        raise InputError(f"There is no item {item[:100]!r}; `memeloc filter --json` counts them.")
    verdicts = workspace.verdicts().get(item, {})
    said = [one for one in workspace.judgements() if item in one.subject.split("|")]
    if as_json:
        print_json(
            {
                "item": item,
                "kind": found.kind,
                "name": found.name,
                "parts": list(found.parts),
                "verdicts": [
                    {
                        "filter": one.filter,
                        "verdict": one.verdict,
                        "score": one.score,
                        "reason": one.reason,
                        "evidence": dict(one.evidence),
                        "settings": one.settings,
                    }
                    for one in verdicts.values()
                ],
                "people": [
                    {"question": one.question, "person": one.person, "answer": one.answer}
                    for one in said
                ],
            }
        )
        return
    print(f"{found.kind} {item}: {found.name or ' // '.join(found.parts)}")
    import json

    rows: list[list[Cell]] = [
        [
            one.filter,
            one.verdict,
            one.score,
            one.reason,
            json.dumps(dict(one.evidence), ensure_ascii=False),
        ]
        for one in verdicts.values()
    ]
    rows += [[one.question, one.answer, None, f"said by {one.person}", one.comment] for one in said]
    table("Verdicts", ["filter", "verdict", "score", "reason", "evidence"], rows)
    if not rows:
        say("Nothing was said of it yet; `memeloc filter` judges it.")
