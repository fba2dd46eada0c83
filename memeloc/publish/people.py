"""Annotators' demographics. In: a row an annotator. Out: the same without what names few people.

A combination of answers that few people share can name a person. So an answer is published only
where at least k people of the culture have the same combination (k-anonymity: L. Sweeney, 2002,
International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5)). People whose
answers are withheld are k at least, too, or none: the table cannot be completed by subtraction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

WITHHELD = ""
"""What stands in the place of an answer that is not published."""


@dataclass(frozen=True, eq=False)
class Protected:
    """Demographics without small cells.

    Attributes:
        table: as it was, with `WITHHELD` where too few share an answer.
        withheld: how many answers that were given are withheld, by column.
    """

    table: pd.DataFrame
    withheld: dict[str, int]


def protect(table: pd.DataFrame, columns: Sequence[str], smallest: int) -> Protected:
    """Withhold answers until each combination is shared by `smallest` people of a culture.

    Columns are withheld from the last to the first, of those people only whose combination is rare;
    then, where those without any answer are too few, of some others also. Of a cell the first rows
    are taken: their order should say nothing, as that of hashes does.

    Args:
        table: a row a person with a `culture`, texts; an empty one is no answer.
        columns: those that are protected, the most important first.
        smallest: people that share a combination at least; 1 changes nothing.
    """
    kept = table.copy()
    for _, group in table.groupby("culture", sort=True):
        rows = [tuple(row) for row in group[list(columns)].astype(str).to_numpy()]
        protected = _protected(rows, smallest)
        for place, name in enumerate(columns):
            kept.loc[group.index, name] = [row[place] for row in protected]
    withheld = {
        name: int(((table[name] != WITHHELD) & (kept[name] == WITHHELD)).sum()) for name in columns
    }
    return Protected(kept, {name: count for name, count in withheld.items() if count})


_Cell = tuple[str, ...]


def _protected(rows: list[_Cell], smallest: int) -> list[_Cell]:
    width = len(rows[0]) if rows else 0
    nothing: _Cell = (WITHHELD,) * width
    for place in reversed(range(width)):
        counts = Counter(rows)
        rows = [
            (*row[:place], WITHHELD, *row[place + 1 :]) if counts[row] < smallest else row
            for row in rows
        ]
    return _with_others(rows, nothing, smallest)


def _with_others(rows: list[_Cell], nothing: _Cell, smallest: int) -> list[_Cell]:
    """Where too few are without any answer, withhold those of others, until they are enough.

    They are of the largest cell that stays large enough; where there is none, the smallest one
    goes whole.
    """
    while 0 < (there := rows.count(nothing)) < smallest:
        counts = Counter(row for row in rows if row != nothing)
        if not counts:
            break
        missing = smallest - there
        largest = min(counts, key=lambda cell: (-counts[cell], cell))
        if counts[largest] - missing >= smallest:
            chosen = {*[place for place, row in enumerate(rows) if row == largest][:missing]}
        else:
            rarest = min(counts, key=lambda cell: (counts[cell], cell))
            chosen = {place for place, row in enumerate(rows) if row == rarest}
        rows = [nothing if place in chosen else row for place, row in enumerate(rows)]
    return rows


def small_cells(
    table: pd.DataFrame, columns: Sequence[str], smallest: int
) -> list[tuple[str, ...]]:
    """The combinations, each after its culture, that fewer people share; for checks."""
    cells = Counter(map(tuple, table[["culture", *columns]].astype(str).to_numpy().tolist()))
    return sorted(
        cell
        for cell, count in cells.items()
        if count < smallest and any(value != WITHHELD for value in cell[1:])
    )
