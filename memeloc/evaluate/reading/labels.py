"""What is right, in a table. In: a file of labels, the items that were answered. Out: `Gold`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from memeloc.errors import InputError
from memeloc.evaluate.choices.folding import folded
from memeloc.evaluate.choices.options import known_options
from memeloc.evaluate.choices.places import option_alone
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.runs.run import Run
from memeloc.evaluate.runs.tables import COLUMNS, plain_id, read_gold
from memeloc.tables import Row, Table, read_table

_MISSING = frozenset(
    (
        "nan",
        "na",
        "n/a",
        "none",
        "null",
        "tie",
        "?",
        "-",
        "i don't know",
        "idk",
        "unsure",
        "unknown",
    )
)
"""What stands in a cell, in small letters, where a culture has no label."""

_TRUTH = {"true": "1", "false": "0"}


def gold_of_file(
    run: Run,
    path: Path,
    items: Collection[str],
    *,
    item: str = "",
    cultures: Mapping[str, str] | None = None,
) -> Gold:
    """The labels of items: a row an item, a column a culture.

    A cell has a label as the run names it or in other words, or what the run's `gold.values` name
    (1 and 0 of multi3hate); an empty cell, `nan`, a tie or "I don't know" is no label.

    Args:
        item: the column of the items; empty for one of a known name, or the one that holds them.
        cultures: columns by culture; empty for all columns that hold labels only.

    Raises:
        InputError: the table cannot be read or has no labels of the items; two rows of an item
            differ; a cell of a named column is no label. File, row and column are named.
    """
    table = read_table(path)
    rows = list(table.rows)
    broken = next((row for row in rows if row.error), None)
    if broken is not None:
        raise InputError(broken.error, file=path, row=broken.number)
    column = item_column(table, rows, items, item)
    _check_doubled(rows, column, path)
    if cultures:
        lacking = [name for name in cultures.values() if name not in table.columns]
        if lacking:
            shown = ", ".join(repr(name[:40]) for name in table.columns[:12])
            raise InputError(f"has no column {lacking[0][:60]!r}; it has {shown}", file=path)
    settings = run.gold.model_copy(
        update={
            "item": column,
            "cultures": dict(cultures or {}),
            "values": {**run.gold.values, **_values(run, rows, column)},
        }
    )
    about = {"run": run.name}
    gold = read_gold(run.model_copy(update={"gold": settings}), path, items, about)
    if gold is None:
        raise InputError("has no label of any item that was answered", file=path)
    return gold


def item_column(table: Table, rows: Sequence[Row], items: Collection[str], named: str = "") -> str:
    """The column of a table that holds the items.

    Raises:
        InputError: the named one is not there, or no column holds any of them.
    """
    by_name = {name.casefold(): name for name in reversed(table.columns) if name}
    shown = ", ".join(repr(name[:40]) for name in table.columns[:12])
    if named:
        if named.casefold() not in by_name:
            raise InputError(
                f"has no column {named[:60]!r}; its columns are {shown}", file=table.path
            )
        return by_name[named.casefold()]
    wanted = {plain_id(item) for item in items}
    shares = {
        name: len({plain_id(row[name]) for row in rows if row[name].strip()} & wanted)
        for name in table.columns
        if name
    }
    known = [by_name[each.casefold()] for each in COLUMNS["item"] if each.casefold() in by_name]
    best = max(shares, key=lambda name: shares[name], default="")
    by_known = next((name for name in known if shares[name]), "")
    # A column of 0 and 1 has two of the items' numbers; the right one has more.
    if by_known and shares[by_known] * 2 >= shares[best]:
        return by_known
    if not shares.get(best):
        raise InputError(
            f"no column holds the items that were answered (such as "
            f"{next(iter(items), '')[:40]!r}); its columns are {shown}",
            file=table.path,
        )
    return best


def _check_doubled(rows: Sequence[Row], column: str, path: Path) -> None:
    first: dict[str, Row] = {}
    for row in rows:
        item = plain_id(row[column])
        other = first.setdefault(item, row)
        if row[column].strip() and other is not row and other.cells != row.cells:
            raise InputError(
                f"item {row[column][:40]!r} stands in row {other.number} too, with other cells; "
                "keep one of them",
                file=path,
                row=row.number,
                column=column,
            )


def _values(run: Run, rows: Sequence[Row], item: str) -> dict[str, str]:
    """What cells mean that the run does not name: labels in other words, and no label."""
    known = known_options(tuple(("", label) for label in run.labels))
    values: dict[str, str] = {}
    for cell in {text.strip() for row in rows for name, text in row.texts.items() if name != item}:
        small = cell.casefold()
        if small in _MISSING:
            values[cell] = values[small] = ""
        elif small in _TRUTH and _TRUTH[small] in run.gold.values:
            values[cell] = values[small] = run.gold.values[_TRUTH[small]]
        elif cell and cell not in run.gold.values and len(cell) <= 60 and not cell.isdecimal():
            hit = option_alone(folded(cell), known)
            if hit is not None and hit[0] >= 0:
                values[cell] = values[small] = run.labels[hit[0]]
    return values
