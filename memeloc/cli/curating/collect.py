"""`memeloc collect`. In: a source and where it is. Out: items in the workspace, and refusals.

Each source is a command of its own, with the options that its class declares; its module is
imported when it is asked for.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option
from typer.core import TyperGroup

import memeloc
from memeloc.cli.output import progress, say
from memeloc.cli.show import Table, by_place, explain, next_lines, show
from memeloc.counts import counted
from memeloc.errors import MissingError

if TYPE_CHECKING:
    from memeloc.collect.protocol import SourceOption, TablePreview

_NOT_TAKEN = Table("Not taken", lambda result: result.refused.items(), by_place("reason", "times"))


_LOCAL = ("captions", "folder", "memegen-folder")
"""Sources that fetch nothing."""


class _Sources(TyperGroup):
    """A command for each source, made when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        from memeloc.collect.protocol import SOURCES

        return list(SOURCES.names())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return _command(cmd_name) if cmd_name in self.list_commands(ctx) else None


app = typer.Typer(
    cls=_Sources,
    no_args_is_help=True,
    help="Collect templates, captions and finished memes from sites, APIs, files and datasets.\n\n"
    "Each source has its own help, as `memeloc collect folder --help`. Sites are asked politely: "
    "robots.txt is kept, a host gets one request at a time, and what has not changed is not "
    "fetched again. What is not taken is reported with its reason, and the rest goes on.\n\n"
    "Example:\n  memeloc collect folder pictures/\n"
    "  memeloc collect memegenerator https://memes.example --limit 500",
)


@app.callback()
def _collect() -> None:
    pass


def _command(name: str) -> Any:
    from memeloc.collect.protocol import SOURCES, options_of

    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    try:
        source = SOURCES.load(name)
    except MissingError as error:
        sentence = str(error)

        def missing() -> None:
            raise MissingError(sentence)

        missing.__doc__ = f"Not installed: {sentence}"
        alone.command(name)(missing)
        return typer.main.get_command(alone)
    options = options_of(source)
    shared = dict(inspect.signature(_run, eval_str=True).parameters)
    names = (option.name for option in options)
    needless = [] if hasattr(source, "dataset") else ["dataset"]
    needless += ["allow_host", "delay", "max_age"] if name in _LOCAL else []
    for taken in ("name", "values", *names, *needless):
        shared.pop(taken, None)
    parameters = [_parameter(option, first=index == 0) for index, option in enumerate(options)]
    parameters += [*shared.values()]

    def run(**values: Any) -> None:
        chosen = {option.name: values.pop(option.name) for option in options}
        _run(name, chosen, **values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    needed = " WHERE" if options and options[0].required else ""
    examples = getattr(source, "usage", (f"{needed} --json".strip(),))
    lines = "".join(f"\n  memeloc collect {name} {example}" for example in examples)
    run.__doc__ = f"Collect from {getattr(source, 'summary', name)}.\n\nExample:{lines}"
    alone.command(name)(run)
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
        info: Any = Argument(metavar="WHERE", help=text, show_default=bool(option.default))
    else:
        flag = f"--{option.name.replace('_', '-')}"
        if option.kind is bool:
            flag += f"/--no-{option.name.replace('_', '-')}"
        info = Option(flag, help=text)
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, info],
    )


def _run(
    name: str,
    values: dict[str, Any],
    *,
    dataset: Annotated[
        str,
        Option(
            metavar="NAME",
            help="The dataset's name: equal file names in two datasets are two items. Given, it "
            "says that this is the one of that name, wherever it lies.",
            show_default="its folder's name",
        ),
    ] = "",
    limit: Annotated[int, Option(help="Stop after this many things; 0 is no limit.")] = 0,
    allow_host: Annotated[
        list[str] | None,
        Option(metavar="HOST:PORT", help="A server of your own that may be inside the network."),
    ] = None,
    delay: Annotated[float | None, Option(help="Seconds between two requests to a host.")] = None,
    max_age: Annotated[
        float | None, Option(help="Seconds during which a page is not asked for again; 3600.")
    ] = None,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Say what would be asked, and send nothing.")
    ] = False,
) -> None:
    # The options are those that every source has; one of a source's own goes before them.
    with memeloc.Workspace.find() as workspace, progress(unit="things") as bar:
        if dry_run:
            plan = workspace.collecting.plan(name, values, dataset=dataset, delay=delay)
            options = ", ".join(f"{key} {value}" for key, value in plan["options"].items())
            stored = ", ".join(f"{count:,} {kind}s" for kind, count in plan["there"].items())
            of_dataset = f" the dataset {plan['dataset']}" if plan["dataset"] else ""
            then = (
                f"Would collect{of_dataset} from {name} with {options or 'no options'}, "
                f"{plan['delay']:g} s between two requests.\nHere already: {stored or 'nothing'}"
            )
            show(plan, then, lambda plan: map(how_read, plan["tables"]))
            return
        result = workspace.collecting.collect(
            name,
            values,
            dataset=dataset,
            limit=limit,
            allow_hosts=allow_host or (),
            delay=delay,
            max_age=max_age,
            on_tables=lambda tables: explain("", map(how_read, tables)),
            on_progress=bar.phase,
        )
        next_line = next_lines(workspace, "collect")
    if result.cost:
        say(result.cost)
    counts = ", ".join(counted(count, kind) for kind, count in result.found.items())
    in_dataset = f" of the dataset {result.dataset}" if result.dataset else ""
    done = (
        f"{counts or 'Nothing'}{in_dataset} found in {result.seconds} s: {result.new:,} new, "
        f"{result.changed:,} changed, {result.unchanged:,} unchanged"
    )
    asked = result.requests
    if asked["sent"] or asked["from cache"]:
        done += (
            f"\n{counted(asked['sent'], 'request')}: {asked['fetched']:,} fetched, "
            f"{asked['not modified']:,} not modified; "
            f"{counted(asked['from cache'], 'page')} not asked for"
        )
    show(result, done, _NOT_TAKEN, *next_line)
    explain("", [f"{refusal.url}: {refusal.sentence}" for refusal in result.refusals])


def how_read(preview: TablePreview) -> str:
    """Return how tables are read, in a line."""
    first, *more = preview.tables
    name = f"{first} and {len(more):,} more" if more else first
    if preview.problem:
        return f"{name}: not read: {preview.problem}"
    columns = ", ".join(f"{role} = {column}" for role, column in preview.columns.items())
    if preview.labels:
        pairs = preview.labels.items()
        labels = (name if name == column else f"{name} ({column})" for name, column in pairs)
        columns += f", labels = {', '.join(labels)}"
    details = f"; kept as details: {', '.join(preview.details)}" if preview.details else ""
    return f"{name}: {preview.layout}: {columns}{details}"
