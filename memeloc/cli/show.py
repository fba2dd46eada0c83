"""Showing a result. In: what a function returned. Out: JSON, or tables and sentences.

`--json` prints the result's own fields (a dataclass, as pydantic's TypeAdapter writes it); for
people a command lists beside it which tables there are, and what stands in each column.

    _FONTS = Table("{n:font family|font families}", "families", (
        "name licence SHA-256=state",                # fields; a heading that is another
        ("KB", lambda family: family.bytes // 1000), # or a heading and a function of the row
    ))
    show(result, _FONTS, f"{result.count} families")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

import typer

from memeloc.cli import output
from memeloc.cli.output import Cell, print_json, say, table
from memeloc.counts import sentence

if TYPE_CHECKING:
    from memeloc import Workspace

Column = str | tuple[str, str | int | Callable[[Any], Cell]]
"""Fields with spaces between, each `field` or `heading=field`, `_` being a space of a heading; or a
heading, and the field (of a tuple its place) or function that gives the cell."""

SHOWN = 20
"""Rows, problems and the like that are shown one by one."""


def by_place(*headings: str) -> list[Column]:
    """Return the columns of rows that are tuples."""
    return [(heading, place) for place, heading in enumerate(headings)]


def by_field(*names: str) -> list[Column]:
    """Return the columns of fields whose names may have any letters."""
    return [(name, name) for name in names]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a result.

    Attributes:
        title: what it shows; `memeloc.counts.sentence` of the result and the number `n` of rows.
        rows: the field of the result with the rows, or a function that gives them; a table
            without rows is not shown.
        columns: what each column shows; or a function of the result that lists them.
        most: rows that are shown, None for all; how many more there are follows.
        empty: whether it is shown without rows, too.
    """

    title: str | Callable[[Any], str]
    rows: str | Callable[[Any], Iterable[Any]]
    columns: str | Sequence[Column] | Callable[[Any], Sequence[Column]]
    most: int | None = None
    empty: bool = False

    def draw(self, result: Any, *, gap: bool = False) -> bool:
        """Print it, after an empty line for a `gap`; whether there was anything to print."""
        rows = list(getter(self.rows)(result))
        if not rows and not self.empty:
            return False
        columns = self.columns(result) if callable(self.columns) else self.columns
        cells: list[tuple[str, Callable[[Any], Any]]] = []
        for column in [columns] if isinstance(columns, str) else columns:
            if not isinstance(column, str):
                cells.append((column[0], getter(column[1])))
                continue
            for field in column.split():
                heading, _, name = field.partition("=")
                cells.append((heading.replace("_", " "), getter(name or heading)))
        if gap:
            print()
        table(
            self.title(result)
            if callable(self.title)
            else sentence(self.title, result, n=len(rows)),
            [heading for heading, _ in cells],
            [[get(row) for _, get in cells] for row in rows[: self.most]],
        )
        if self.most is not None and len(rows) > self.most:
            say(f"and {len(rows) - self.most:,} more; --json lists them all")
        return True


View = Table | str | Callable[[Any], Iterable[str]]
"""A table, a sentence, or a function of the result that gives sentences."""


def show(result: Any, *views: View) -> None:
    """Print a result on the standard output: its fields as JSON, or views of it for people."""
    if output.as_json:
        print_json(as_plain(result))
        return
    drawn = False
    for view in views:
        if isinstance(view, Table):
            drawn = view.draw(result, gap=drawn) or drawn
        else:
            for sentence in [view] if isinstance(view, str) else view(result):
                print(sentence)


def next_lines(
    workspace: Workspace, stage: str, *, survey: str = "", quiet: bool = False
) -> list[str]:
    """Return the last line of a command that moved a stage of the path: what comes next, if
    anything does. For `--json`, and where nothing was stored, there is none."""
    from memeloc.workspace.status import next_command

    command = "" if quiet or output.as_json else next_command(workspace, stage, survey)
    return [f"Next: {command}"] if command else []


def as_plain(result: Any) -> Any:
    """Return a result as JSON has it: dictionaries, lists, texts, numbers; of figures the rows."""
    if hasattr(result, "to_dict"):
        from memeloc.reports import as_json_rows

        return as_json_rows(result)
    from pydantic import TypeAdapter

    return TypeAdapter(type(result)).dump_python(result, mode="json")


def explain(
    label: str,
    problems: Iterable[object],
    *,
    more: int = 0,
    most: int | None = SHOWN,
    where: str = "",
    fail: bool = False,
) -> None:
    """Print the first problems on the standard error, a line each.

    Args:
        label: what they are, as `Left out`; may be empty.
        more: how many there are beside these.
        most: how many are printed; None is all.
        where: where all of them are listed.
        fail: end the command with status 1 if there is a problem.
    """
    lines = [f"{label}: {problem}" if label else str(problem) for problem in problems]
    for line in lines[:most]:
        say(line)
    if rest := len(lines[len(lines) if most is None else most :]) + more:
        say(f"and {rest:,} more{f', all of them in {where}' if where else ''}")
    if lines and fail:
        raise typer.Exit(1)


def getter(field: str | int | Callable[[Any], Any]) -> Callable[[Any], Any]:
    if callable(field):
        return field
    if isinstance(field, int):
        return itemgetter(field)
    attribute = attrgetter(field)
    return lambda row: row[field] if isinstance(row, Mapping) else attribute(row)
