"""Right labels. In: a table of labels, the items that are asked about. Out: `Gold`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.errors import InputError
from memeloc.evaluate.choices.languages import folded
from memeloc.evaluate.choices.options import known_options, option_alone
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.runs.run import Run
from memeloc.statistics.significance import rows_of
from memeloc.tables.column_map import (
    ABSTENTIONS,
    MISSING,
    ColumnMap,
    Columns,
    Role,
    columns_of,
    read_rows,
)
from memeloc.tables.frames import Frame

if TYPE_CHECKING:
    import pandas as pd

ITEM = ("item", "meme id", "meme_id", "id", "image_id", "img_id")
"""Names that a column of items may have, best first."""
GOLD = "gold"
"""The culture of labels that are of no culture."""
_NO_LABEL = {
    *map(folded, (*ABSTENTIONS, *MISSING)), "none", "tie", "?", "-", "unsure", "unknown",
}  # fmt: skip
"""Cells that are no label, folded, unless a run has them among its own."""
_TRUTH = {"true": "1", "false": "0"}


def plain_id(text: str) -> str:
    """Return an item as it is compared: tables write 0012, 12.0 and 12 for the same.

    >>> plain_id("0012"), plain_id("12.0"), plain_id("a-01")
    ('12', '12', 'a-01')
    """
    text = text.strip().removesuffix(".0")
    return text.lstrip("0") or "0" if text.isdecimal() else text


def label_in(text: str, run: Run) -> str | None:
    """Return a label as the run names it, empty for what means no label, None for what is none.

    It may be written as the run's `gold.labels` say, or in other words ("not hate").
    """
    named = {folded(plain_id(name)): label for name, label in run.gold.labels.items()}
    own = {folded(label): label for label in run.labels}
    key = folded(plain_id(text))
    label = named.get(key, named.get(_TRUTH.get(key, key), text.strip()))
    if not label or not run.labels:
        return label
    if folded(label) in own:
        return own[folded(label)]
    if {key, folded(label)} & _NO_LABEL:
        return ""
    if len(text) > 60 or text.strip().isdecimal():
        return None
    hit = option_alone(folded(text), known_options(tuple(("", label) for label in run.labels)))
    return None if hit is None or hit[0] < 0 else run.labels[hit[0]]


def as_label(
    text: str,
    run: Run,
    where: str = "",
    *,
    file: str | Path | None = None,
    row: int | None = None,
    column: str | None = None,
) -> str:
    """Return a label as the run names it; empty where there is none.

    Raises:
        InputError: it is none of the run's labels; `where` it stands, or file, row and column, are
            named.
    """
    label = label_in(text, run)
    if label is None:
        raise InputError(
            f"{where and f'{where} has '}the label {text.strip()[:60]!r}, which is none of "
            f"{', '.join(run.labels)}; [labels] of a map (--map), or [gold.labels] of the run, "
            "say what stands for which",
            file=file,
            row=row,
            column=column,
        )
    return label


def read_gold(
    run: Run,
    table: str | Path | Frame,
    items: Iterable[str],
    about: Mapping[str, str],
    column_map: ColumnMap | None = None,
) -> Gold | None:
    """Return the labels of items; None where there are none.

    A row is an item with a column a culture. Where a column says who answered, or the map names the
    column of the culture, it is a person's answer: right is the label that most people of a culture
    gave, and a tie is none.

    Args:
        column_map: goes before the run's `gold.columns` and `gold.labels`. Without a column
            `gold_item` items are in the one that holds them, without `label` labels in
            all that hold nothing else.

    Raises:
        InputError: the table cannot be read or has no labels of the items; two rows of an item
            differ; a cell of a named column is no label. File, row and column are named.
    """
    given = column_map or ColumnMap()
    written = run.gold.labels | given.labels | dict.fromkeys(given.abstentions or (), "")
    run = run.model_copy(update={"gold": run.gold.model_copy(update={"labels": written})})
    items = list(items)
    cells, file = read_cells(table)
    # The map's `item` is that of the answers; here it is another column, which holds the same.
    own = run.gold.columns
    columns = own | ({"gold_item": own["item"]} if "item" in own else {}) | given.columns
    named = {role.name: columns[role.name] for role in _ROLES if role.name in columns}
    named["gold_item"] = item = item_column(cells, items, columns.get("gold_item", ""), file)
    found = columns_of(cells.columns.tolist(), ColumnMap(columns=named), _ROLES, file)
    if "annotator" not in found and "culture" not in named:
        _check_doubled(cells, item, file)
        if "label" not in named:
            named["label"] = _label_columns(cells.drop(columns=item), run, file)
    column_map = ColumnMap(columns=named, cultures=given.cultures, fixed={"culture": GOLD})
    rows = read_rows(table, column_map, _ROLES)
    frame = rows.frame
    labels = {text: label_in(text, run) for text in frame["label"].unique()}
    for row in rows_of(frame[frame["label"].map(labels).isna()]):
        by_culture = rows.columns["label"]
        column = by_culture.get(row.culture, next(iter(by_culture.values())))
        as_label(row.label, run, file=file, row=row.row, column=column)
    # An item of exactly that name goes before one that is the same but for zeros.
    names = {plain_id(each): each for each in items} | {each: each for each in items}
    ids = frame["gold_item"].str.strip()
    frame["item"] = ids.where(ids.isin(names), ids.map(plain_id)).map(names)
    frame["label"] = frame["label"].map(labels)
    if frame["item"].isna().all():
        raise InputError("has none of the items that are asked about", file=file, column=item)
    cell = ["item", "culture"]
    votes = frame[frame["label"] != ""].value_counts([*cell, "label"], sort=False).reset_index()
    most = votes[votes["count"] == votes.groupby(cell)["count"].transform("max")]
    right = most[~most.duplicated(cell, keep=False)].set_index(cell)["label"].unstack()
    right = right.reindex(index=frame["item"].dropna().unique(), columns=frame["culture"].unique())
    return gold_of(run, right, {**about, "gold": Path(file).name})


_ROLES = (
    Role("gold_item"),
    Role("annotator", ("annotator", "annotator id", "worker", "participant")),
    Role("culture", ("culture", "country"), values="culture"),
    Role("label", ("label", "answer"), values="label", option="cultures"),
)


def gold_of(run: Run, table: pd.DataFrame, about: Mapping[str, str]) -> Gold | None:
    """Return labels by item and culture, an empty text where there is none; None without any."""
    labels = table.astype(object).where(table.notna() & (table != "")).dropna(how="all")
    labels = labels.set_axis(labels.index.astype(str)).rename_axis(index=None, columns=None)
    if labels.empty:
        return None
    return Gold(labels, run.labels, run.gold.levels, run.gold.coarser, about)


def read_cells(table: str | Path | Frame) -> tuple[pd.DataFrame, str]:
    """Return all cells of a table as texts by heading, a row by its number, and its file's name.

    Raises:
        InputError: it cannot be read, or a row is broken.
    """
    rows = read_rows(table, ColumnMap(), [Role("cells", ("*",), many=True)])
    if rows.broken:
        raise InputError(rows.broken[0].error, file=rows.file, row=rows.broken[0].number)
    return rows.many("cells").set_axis(rows.frame["row"]), rows.file


def item_column(cells: pd.DataFrame, items: Sequence[str], named: Columns, file: str) -> str:
    """Return the column of items: the named one, else the one that holds them.

    Raises:
        InputError: the named one is not there, or no column holds any of them.
    """
    headings: list[str] = cells.columns.tolist()
    role = Role("gold_item", ITEM)
    column_map = ColumnMap(columns={"gold_item": named} if named else {})
    known = next(iter(columns_of(headings, column_map, [role], file).get("gold_item", ())), "")
    if named:
        return known
    wanted = {plain_id(each) for each in items}
    shares = {name: len({plain_id(text) for text in cells[name]} & wanted) for name in headings}
    best = max(headings, key=lambda name: shares[name], default="")
    # A column of 0 and 1 has two of the items' numbers; the right one has more.
    if shares.get(known, 0) * 2 >= max(shares.get(best, 0), 1):
        return known
    if not shares.get(best):
        raise InputError(
            f"No column holds the items that are asked about (such as "
            f"{next(iter(items), '')[:40]!r}); the columns are "
            f"{', '.join(repr(name[:40]) for name in headings[:12])}. Name it: --gold-item "
            'COLUMN, or gold_item = "COLUMN" in [columns] of a map (--map).',
            file=file,
        )
    return best


def _check_doubled(cells: pd.DataFrame, item: str, file: str) -> None:
    rows = cells[cells[item].str.strip() != ""]
    rows = rows.assign(**{item: rows[item].map(plain_id)}).drop_duplicates()
    doubled = rows[rows[item].duplicated()]
    if len(doubled):
        row, name = int(doubled.index[0]), doubled[item].iloc[0]
        raise InputError(
            f"item {cells[item][row][:40]!r} stands in row {rows.index[rows[item] == name][0]} "
            "too, with other cells; keep one of them, or name the column of the culture, where a "
            "row is a person's answer",
            file=file,
            row=row,
            column=item,
        )


def _label_columns(cells: pd.DataFrame, run: Run, file: str) -> dict[str, str]:
    """Return the columns that hold nothing but labels, by their own names."""
    labels = {text: label_in(text, run) for name in cells.columns for text in cells[name].unique()}
    columns = {
        name: name
        for name in cells.columns
        if all(labels[text] is not None for text in cells[name])
        and any(map(labels.get, cells[name]))
    }
    if not columns or not run.labels:
        raise InputError(
            "No column holds labels only. Name them: --cultures US=COLUMN,DE=COLUMN, or "
            'label = { US = "COLUMN" } in [columns] of a map (--map); and in its [labels] what '
            "stands in them.",
            file=file,
        )
    return columns
