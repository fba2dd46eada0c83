"""`memeloc collect`. In: a source and where it is. Out: items in the workspace, refusals told.

Each source is a command of its own, with the options that its class declares; its module is
imported when it is asked for.
"""

from __future__ import annotations

import inspect
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from memeloc.cli.output import print_json, progress, say, table

if TYPE_CHECKING:
    from memeloc.collect.fetch import Fetcher
    from memeloc.collect.protocol import Source, SourceOption
    from memeloc.items import Found, Refusal
    from memeloc.store import Workspace

_BATCH = 50
"""Things found that are stored at once."""
_WAIT = 5.0
"""Seconds after which what was found is stored, however little it is."""
_SHOWN = 20
_LIMIT_HELP = "Stop after this many things; 0 is no limit."


class _Sources(TyperGroup):
    """A command for each source, made when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        from memeloc.collect.registry import names

        return list(names())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        from memeloc.collect.registry import names

        return _command(cmd_name) if cmd_name in names() else None


app = typer.Typer(
    cls=_Sources,
    no_args_is_help=True,
    help="Collect templates, captions and finished memes from sites, APIs, files and datasets.\n\n"
    "Each source has its own help, as `memeloc collect folder --help`. Sites are asked politely: "
    "robots.txt is kept, a host gets one request at a time, and what has not changed is not "
    "fetched again. What is not taken is told with its reason, and the rest goes on.\n\n\b\n"
    "Example:\n  memeloc collect folder pictures/\n"
    "  memeloc collect memegenerator https://memes.example --limit 500",
)


@app.callback()
def _collect() -> None:
    pass


def _command(name: str) -> Any:
    """The command of one source."""
    from memeloc.collect.protocol import options_of
    from memeloc.collect.registry import find
    from memeloc.errors import MissingError

    try:
        source = find(name)
    except MissingError as error:
        sentence = str(error)

        def missing() -> None:
            raise MissingError(sentence)

        missing.__doc__ = f"Not installed: {sentence}"
        return _made(name, missing)
    options = options_of(source)

    def run(**given: Any) -> None:
        _run(name, options, given)

    parameters = [_parameter(option, first=index == 0) for index, option in enumerate(options)]
    parameters += _shared({option.name for option in options})
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    summary = getattr(source, "summary", name)
    needed = " WHERE" if options and options[0].required else ""
    run.__doc__ = (
        f"Collect from {summary}.\n\n\b\nExample:\n  memeloc collect {name}{needed} --json"
    )
    return _made(name, run)


def _made(name: str, function: Any) -> Any:
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command(name)(function)
    return typer.main.get_command(alone)


def _parameter(option: SourceOption, *, first: bool) -> inspect.Parameter:
    kind: Any = list[option.kind] if option.many else option.kind  # type: ignore[name-defined]
    text = option.help[:1].upper() + option.help[1:] if option.help else None
    default: Any = inspect.Parameter.empty if option.required else option.default
    if option.many and default is not inspect.Parameter.empty:
        default = list(default or ())
    if option.default is None and not option.required:
        kind = kind | None
    if first:
        info: Any = typer.Argument(metavar="WHERE", help=text, show_default=bool(option.default))
    else:
        flag = f"--{option.name.replace('_', '-')}"
        if option.kind is bool:
            flag += f"/--no-{option.name.replace('_', '-')}"
        info = typer.Option(flag, help=text)
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, info],
    )


def _shared(taken: set[str]) -> list[inspect.Parameter]:
    """The options that every source has."""
    shared: list[tuple[str, Any, Any, Any]] = [
        (
            "allow_host",
            list[str],
            [],
            typer.Option(
                "--allow-host",
                metavar="HOST:PORT",
                help="A server of your own that may be inside the network.",
            ),
        ),
        (
            "delay",
            float | None,
            None,
            typer.Option("--delay", help="Seconds between two requests to a host."),
        ),
        (
            "max_age",
            float | None,
            None,
            typer.Option(
                "--max-age", help="Seconds during which a page is not asked for again; 3600."
            ),
        ),
        (
            "dry_run",
            bool,
            False,
            typer.Option("--dry-run", help="Say what would be asked, and send nothing."),
        ),
        ("as_json", bool, False, typer.Option("--json", help="Print the counts as JSON.")),
    ]
    if "limit" not in taken:
        shared.insert(0, ("limit", int, 0, typer.Option("--limit", help=_LIMIT_HELP)))
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=Annotated[kind, info],
        )
        for name, kind, default, info in shared
    ]


def _run(name: str, options: Sequence[SourceOption], given: dict[str, Any]) -> None:
    from memeloc.collect.fetch import Fetcher
    from memeloc.collect.protocol import build
    from memeloc.collect.registry import find
    from memeloc.store import Workspace

    own = {option.name for option in options}
    most = 0 if "limit" in own else given.pop("limit")
    hosts, delay = given.pop("allow_host"), given.pop("delay")
    max_age, as_json = given.pop("max_age"), given.pop("as_json")
    dry_run = given.pop("dry_run")
    with Workspace.find() as workspace:
        table_ = workspace.settings.collect
        values = {**dict(table_.get(name, {}))}
        values |= {key: value for key, value in given.items() if value is not None}
        kinds = {option.name: option for option in options}
        values = {
            key: tuple(value) if key in kinds and kinds[key].many else value
            for key, value in values.items()
        }
        settings = _fetch_settings(table_.get("fetch", {}), hosts, delay, max_age)
        if dry_run:
            build(find(name), values, name)
            _plan(workspace, name, values, settings, as_json)
            return
        began = time.monotonic()
        with (
            _model(workspace, find(name)) as more,
            Fetcher(workspace.cache_folder / "http", settings) as fetcher,
        ):
            source = build(find(name), {**values, **more}, name)
            counts = _store(workspace, source, fetcher, most)
        counts["seconds"] = round(time.monotonic() - began, 2)
        counts["requests"] = {
            "sent": fetcher.statistics.requests,
            "fetched": fetcher.statistics.fetched,
            "not modified": fetcher.statistics.not_modified,
            "from cache": fetcher.statistics.cached,
            "bytes": fetcher.statistics.bytes,
        }
    _report(name, counts, as_json)


@contextmanager
def _model(workspace: Workspace, source: Callable[..., Source]) -> Iterator[dict[str, Any]]:
    """What a source is given that a language model can do for it: where one is set up, years."""
    wanted = "year_by_model" in inspect.signature(source).parameters
    if not wanted or not workspace.settings.language_model.get("model"):
        yield {}
        return
    from memeloc.collect.year_by_model import YearReader
    from memeloc.language_models import LanguageModel, read_model_settings

    settings = read_model_settings(workspace.settings.language_model)
    with LanguageModel(settings, cache=workspace.model_cache) as model:
        yield {"year_by_model": YearReader(model)}
        if model.spent.requests:
            say(f"Years: {model.spent.line()}")


def _plan(
    workspace: Workspace, name: str, values: dict[str, Any], settings: Any, as_json: bool
) -> None:
    """Say what a source would be asked, and what is here of it already."""
    there = {kind: n for (source, kind), n in workspace.count_items().items() if source == name}
    shown = {key: str(value) for key, value in values.items() if value not in (None, "", ())}
    if as_json:
        print_json({"source": name, "options": shown, "delay": settings.delay, "there": there})
        return
    options = ", ".join(f"{key} {value}" for key, value in shown.items()) or "no options"
    print(f"Would collect from {name} with {options}, {settings.delay:g} s between two requests.")
    print("Here already: " + (", ".join(f"{n:,} {k}s" for k, n in there.items()) or "nothing"))


def _fetch_settings(
    given: Any, hosts: Sequence[str], delay: float | None, max_age: float | None
) -> Any:
    """The settings of [collect.fetch], with what the command line says over them."""
    from dataclasses import fields

    from memeloc.collect.fetch import FetchSettings
    from memeloc.errors import InputError

    known = {field.name for field in fields(FetchSettings)}
    values = dict(given) if isinstance(given, dict) else {}
    for key in values:
        if key not in known:
            raise InputError(
                f"There is no setting {key!r} in [collect.fetch]; there are "
                f"{', '.join(sorted(known))}."
            )
    values["allow_hosts"] = frozenset(
        one.lower() for one in (*values.get("allow_hosts", ()), *hosts)
    )
    values |= {} if delay is None else {"delay": delay}
    values |= {} if max_age is None else {"max_age": max_age}
    return FetchSettings(**values)


def _store(workspace: Workspace, source: Source, fetcher: Fetcher, most: int) -> dict[str, Any]:
    """Store what a source yields, in batches, as it comes."""
    from memeloc.items import Refusal

    counts: dict[str, Any] = {"new": 0, "changed": 0, "unchanged": 0}
    kinds: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    refusals: list[Refusal] = []
    found: list[Found] = []
    since = time.monotonic()

    def keep() -> None:
        nonlocal since
        if found:
            added = workspace.add_found(found)
            counts["new"] += added.new
            counts["changed"] += added.changed
            counts["unchanged"] += added.unchanged
            note(added.refused)
            found.clear()
        since = time.monotonic()

    def note(several: Sequence[Refusal]) -> None:
        reasons.update(one.reason for one in several)
        refusals.extend(several)

    waiting: list[Refusal] = []
    with progress("Collecting", None, unit="things") as bar:
        try:
            for one in _limited(source.collect(fetcher), most):
                if isinstance(one, Refusal):
                    waiting.append(one)
                else:
                    found.append(one)
                    kinds[type(one).__name__.removeprefix("Found").lower()] += 1
                    bar.advance()
                if len(found) + len(waiting) >= _BATCH or time.monotonic() - since > _WAIT:
                    keep()
                    workspace.add_refusals(waiting)
                    note(waiting)
                    waiting = []
        finally:
            keep()
            workspace.add_refusals(waiting)
            note(waiting)
    counts["found"] = dict(kinds)
    counts["refused"] = dict(reasons.most_common())
    counts["refusals"] = [
        {"url": one.url, "reason": one.reason, "sentence": one.sentence} for one in refusals
    ]
    return counts


def _limited(several: Iterator[Any], most: int) -> Iterator[Any]:
    return islice(several, most) if most > 0 else several


def _report(name: str, counts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json({"source": name, **counts})
        return
    found = ", ".join(f"{number:,} {kind}s" for kind, number in counts["found"].items())
    print(
        f"{found or 'Nothing'} found in {counts['seconds']} s: {counts['new']:,} new, "
        f"{counts['changed']:,} changed, {counts['unchanged']:,} unchanged"
    )
    asked = counts["requests"]
    if asked["sent"] or asked["from cache"]:
        print(
            f"{asked['sent']:,} requests: {asked['fetched']:,} fetched, "
            f"{asked['not modified']:,} not modified; {asked['from cache']:,} pages not asked for"
        )
    if counts["refused"]:
        table(
            "Not taken",
            ["reason", "times"],
            [[reason, times] for reason, times in counts["refused"].items()],
        )
        for one in counts["refusals"][:_SHOWN]:
            say(f"{one['url']}: {one['sentence']}")
        if len(counts["refusals"]) > _SHOWN:
            say(f"... and {len(counts['refusals']) - _SHOWN:,} more; `--json` lists all")
