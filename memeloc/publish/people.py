"""Annotators' demographics. In: a row an annotator. Out: the same without what names few people.

A combination of answers that few people share can name a person. So an answer is published only
where at least k people of the culture have the same combination (k-anonymity: L. Sweeney, 2002,
International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5)). People whose
answers are withheld are k at least, too, or none: the table cannot be completed by subtraction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

WITHHELD = ""
"""Stands in the place of an answer that is not published."""


def protect(
    table: pd.DataFrame, columns: Sequence[str], smallest: int
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Withhold answers until each combination is shared by `smallest` people of a culture.

    Columns are withheld from the last to the first, of those people only whose combination is rare;
    then, where those without any answer are too few, of some others also. Of a cell the first rows
    are taken: their order should say nothing, as that of hashes does.

    Args:
        table: a row a person with a `culture`, texts; an empty one is no answer.
        columns: those that are protected, the most important first.
        smallest: people that share a combination at least; 1 changes nothing.

    Returns:
        the table with `WITHHELD` where too few share an answer, and how many answers that is, by
        column.
    """
    protected = table.copy()
    for _, group in table.groupby("culture", sort=True):
        rows = [tuple(row) for row in group[list(columns)].astype(str).to_numpy()]
        for place in reversed(range(len(columns))):
            counts = Counter(rows)
            rows = [
                (*row[:place], WITHHELD, *row[place + 1 :]) if counts[row] < smallest else row
                for row in rows
            ]
        rows = _with_others(rows, (WITHHELD,) * len(columns), smallest)
        for place, name in enumerate(columns):
            protected.loc[group.index, name] = [row[place] for row in rows]
    withheld = {
        name: int(((table[name] != WITHHELD) & (protected[name] == WITHHELD)).sum())
        for name in columns
    }
    return protected, {name: count for name, count in withheld.items() if count}


def _with_others(
    rows: list[tuple[str, ...]], nothing: tuple[str, ...], smallest: int
) -> list[tuple[str, ...]]:
    """Withhold the answers of others where too few are without any, until they are enough.

    They are of the largest cell that stays large enough; where there is none, the smallest one
    goes whole.
    """
    while 0 < (count := rows.count(nothing)) < smallest:
        counts = Counter(row for row in rows if row != nothing)
        if not counts:
            break
        largest = min(counts, key=lambda cell: (-counts[cell], cell))
        if counts[largest] - (smallest - count) >= smallest:
            chosen = {*[n for n, row in enumerate(rows) if row == largest][: smallest - count]}
        else:
            rarest = min(counts, key=lambda cell: (counts[cell], cell))
            chosen = {n for n, row in enumerate(rows) if row == rarest}
        rows = [nothing if n in chosen else row for n, row in enumerate(rows)]
    return rows


def small_cells(
    table: pd.DataFrame, columns: Sequence[str], smallest: int
) -> list[tuple[str, ...]]:
    """Return the combinations, each after its culture, that fewer people share."""
    cells = Counter(map(tuple, table[["culture", *columns]].astype(str).to_numpy().tolist()))
    return sorted(
        cell
        for cell, count in cells.items()
        if count < smallest and any(value != WITHHELD for value in cell[1:])
    )
