"""Sheets of reasons. In: differing items. Out: a sheet for a person; its answers, as `Reason`s."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.errors import InputError
from memeloc.sheets import SheetColumn, write_columns
from memeloc.tables import read_table

if TYPE_CHECKING:
    import pandas as pd

SHEET = "Reasons"
PAIR = "|"
"""Between the two cultures of a pair."""
_SHOWN = {"picture": ("picture", 34), "text": ("text", 24), "label": ("text", 12)}
"""What stands of both cultures before the reason: kinds and widths of the columns."""
_ASKED = (
    "People of {first} and {second} label these memes differently. Why? Say it in your own words, "
    "in one or more sentences; leave a cell empty where you cannot tell."
)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why two cultures differ on an item, as one person put it.

    Attributes:
        pair: the two cultures, in the order of the sheet.
        labels: the label in each of them.
        row: where it stands in the file that it came in; 0 when in none.
    """

    item: str
    pair: tuple[str, str]
    person: str
    text: str
    labels: tuple[str, str] = ("", "")
    row: int = 0

    @property
    def key(self) -> str:
        """What it is known by: the item and the person."""
        return f"{self.item}|{self.person}"


def write_reasons(
    path: str | Path, items: pd.DataFrame, pair: tuple[str, str], person: str
) -> Path:
    """Write the sheet that asks a person for reasons; return where, see `memeloc.sheets`.

    Args:
        path: .xlsx with the pictures of both versions; or .csv, .jsonl, .parquet.
        items: as of `memeloc.analyze.differing.differing_items`; `picture` holds paths.
        person: who fills it in.

    Raises:
        InputError: no item differs, or another ending.
    """
    if items.empty:
        raise InputError(f"no item has different labels in {pair[0]} and {pair[1]}")
    shown = [f"{culture} {side}" for culture in pair for side in _SHOWN]
    columns = [
        SheetColumn("item", width=14),
        *(SheetColumn(name, *_SHOWN[name.rpartition(" ")[2]]) for name in shown),
        SheetColumn("reason", "answer", width=48),
        *(SheetColumn(str(name)) for name in items.columns if name not in {"item", *shown}),
        SheetColumn("pair", width=9),
        SheetColumn("person", width=10),
    ]
    rows = [
        {"pair": PAIR.join(pair), "person": person, **dict(zip(items.columns, row, strict=True))}
        for row in items.itertuples(index=False, name=None)
    ]
    asked = _ASKED.format(first=pair[0], second=pair[1])
    return write_columns(Path(path), SHEET, columns, rows, asked=asked)


def read_reasons(path: str | Path, *, person: str = "") -> list[Reason]:
    """The reasons of a sheet that came back; rows without one are left out.

    Args:
        person: who filled it in, where the sheet's column is empty.

    Raises:
        InputError: a column is missing, a row cannot be read, or it names no pair or no person.
    """
    reasons = []
    for row in read_table(Path(path), required=("item", "pair", "reason")).rows:
        if row.reason:
            raise InputError(row.error, file=path, row=row.number)
        if not row["reason"].strip():
            continue
        first, bar, second = row["pair"].partition(PAIR)
        if not (first and bar and second):
            message = f"{row['pair'][:40]!r} is not a pair of cultures, such as US|IN"
            raise InputError(message, file=path, row=row.number, column="pair")
        who = row["person"] or person
        if not who:
            message = "it does not say who wrote the reason; fill in the column, or name the person"
            raise InputError(message, file=path, row=row.number, column="person")
        labels = (row[f"{first} label"], row[f"{second} label"])
        text = row["reason"].strip()
        reasons.append(Reason(row["item"], (first, second), who, text, labels, row.number))
    return reasons
