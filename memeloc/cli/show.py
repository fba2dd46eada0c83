"""Showing a result. In: what a function returned. Out: JSON, or tables and sentences.

`--json` prints the result's own fields (a dataclass, as pydantic's TypeAdapter writes it); for
people a command lists beside it which tables there are, and what stands in each column.

    _FONTS = Table("Font families", lambda result: result.families, (
        ("family", "name"),                          # heading and attribute
        ("KB", lambda family: family.bytes // 1000), # or a function of the row
    ))
    show(result, as_json=as_json, tables=[_FONTS], then=lambda result: [f"{result.count} families"])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from memeloc.cli.output import Cell, print_json, say, table

Column = tuple[str, str | Callable[[Any], Cell]]
"""A heading, and the attribute (or key of a mapping) or function that gives the cell of a row."""

SHOWN = 20
"""Rows, problems and the like that are shown one by one."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a result.

    Attributes:
        title: what it shows; or a function of the result that says so.
        rows: gives the rows of a result; a table without rows is not shown.
        columns: what each column shows; or a function of the result that lists them.
        most: rows that are shown, None for all; how many more there are follows.
        empty: whether it is shown without rows, too.
    """

    title: str | Callable[[Any], str]
    rows: Callable[[Any], Iterable[Any]]
    columns: Sequence[Column] | Callable[[Any], Sequence[Column]]
    most: int | None = None
    empty: bool = False

    def draw(self, result: Any, *, gap: bool = False) -> bool:
        """Print it, after an empty line for a `gap`; whether there was anything to print."""
        rows = list(self.rows(result))
        if not rows and not self.empty:
            return False
        columns = self.columns(result) if callable(self.columns) else self.columns
        cells = [_getter(cell) for _, cell in columns]
        title = self.title(result) if callable(self.title) else self.title
        shown = rows if self.most is None else rows[: self.most]
        if gap:
            print()
        table(
            title,
            [heading for heading, _ in columns],
            [[get(row) for get in cells] for row in shown],
        )
        if len(rows) > len(shown):
            say(f"and {len(rows) - len(shown):,} more; --json lists them all")
        return True


def show(
    result: Any,
    *,
    as_json: bool,
    tables: Sequence[Table] = (),
    then: Callable[[Any], Iterable[str]] | str | None = None,
) -> None:
    """Print a result on the standard output.

    Args:
        result: a dataclass (or whatever pydantic can write).
        as_json: its fields as JSON, and nothing else.
        tables: those of a person's view, in this order.
        then: sentences after the tables, or a function of the result that gives them.
    """
    if as_json:
        print_json(as_plain(result))
        return
    drawn = False
    for shown in tables:
        drawn = shown.draw(result, gap=drawn) or drawn
    for sentence in [then] if isinstance(then, str) else then(result) if then else ():
        print(sentence)


def as_plain(result: Any) -> Any:
    """A result as JSON has it: dictionaries, lists, texts, numbers."""
    from pydantic import TypeAdapter

    return TypeAdapter(type(result)).dump_python(result, mode="json")


def explain(
    label: str, problems: Sequence[object], *, more: int = 0, most: int = SHOWN, where: str = ""
) -> None:
    """Say the first of some problems on the standard error, a line each.

    Args:
        label: what they are, as `Left out`.
        problems: what to say.
        more: how many there are beside these.
        most: how many are printed.
        where: where all of them are listed.
    """
    for problem in problems[:most]:
        say(f"{label}: {problem}" if label else str(problem))
    if rest := max(0, len(problems) - most) + more:
        say(f"and {rest:,} more{f', all of them in {where}' if where else ''}")


def _getter(cell: str | Callable[[Any], Cell]) -> Callable[[Any], Cell]:
    if callable(cell):
        return cell
    attribute = attrgetter(cell)
    return lambda row: row[cell] if isinstance(row, Mapping) else attribute(row)
