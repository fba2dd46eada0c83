"""Notes on what was read. In: sentences, and the rows they are about. Out: lines for the report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memeloc.counts import counted

NAMED_CASES = 5
"""Labels, cultures or columns that are named one by one in notes; of more, how many there are."""


@dataclass
class Notes:
    """What was noticed: of each sentence how many rows it is about, and the first."""

    rows: dict[str, list[int]] = field(default_factory=dict)

    def add(self, sentence: str, rows: Iterable[int] = ()) -> None:
        """Count rows for a sentence; one about the whole table has none."""
        known = self.rows.setdefault(sentence, [])
        known.extend(int(row) for row in rows)

    def lines(self) -> list[str]:
        """The sentences as they came, each with its first row and how many there are."""
        return [
            f"{_place(rows)}: {sentence}" if rows else sentence
            for sentence, rows in self.rows.items()
        ]


def _place(rows: list[int]) -> str:
    return f"row {rows[0]}" if len(rows) == 1 else f"{len(rows):,} rows, the first is {min(rows)}"


def listed(noun: str, names: Sequence[str]) -> str:
    """Names in a sentence, at most `NAMED_CASES` of them.

    >>> listed("column", ["age"])
    "1 column ('age')"
    """
    shown = ", ".join(repr(name[:60]) for name in names[:NAMED_CASES])
    more = ", ..." if len(names) > NAMED_CASES else ""
    return f"{counted(len(names), noun)} ({shown}{more})"
