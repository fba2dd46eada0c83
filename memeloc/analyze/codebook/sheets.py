"""Sheets of reasons and of codes. In: differing items, a codebook. Out: sheets, what came back.

The first coder makes codes of what the reasons say, and may write new ones; the second assigns
codes to the same reasons without seeing the first one's (multi3hate 4.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.analyze.codebook.book import Codebook
from memeloc.errors import InputError
from memeloc.sheets import SheetColumn, write_columns
from memeloc.tables import Row, read_table

if TYPE_CHECKING:
    import pandas as pd

PAIR = "|"
"""Between the two cultures of a pair."""
_SHOWN = {"picture": ("picture", 34), "text": ("text", 24), "label": ("text", 12)}
"""What stands of both cultures before the reason: kinds and widths of the columns."""
_ASKED_REASONS = (
    "People of {first} and {second} label these memes differently. Why? Say it in your own words, "
    "in one or more sentences; leave a cell empty where you cannot tell."
)
_ASKED_CODES = (
    "Give each reason the code that says what it is about; the second worksheet lists them. "
    "Several are separated by a semicolon. Where none fits, write a new code in a few words."
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
        """Return what codes name it by: the item and the person."""
        return f"{self.item}|{self.person}"


@dataclass(frozen=True, slots=True)
class Coding:
    """The codes that a coder gave a reason; `reason` is its `key`."""

    reason: str
    coder: str
    codes: tuple[str, ...]
    row: int = 0


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
    asked = _ASKED_REASONS.format(first=pair[0], second=pair[1])
    return write_columns(Path(path), "Reasons", columns, rows, asked=asked)


def read_reasons(path: str | Path, *, person: str = "") -> list[Reason]:
    """Read the reasons of a sheet that came back; rows without one are left out.

    Args:
        person: who filled it in, where the sheet's column is empty.

    Raises:
        InputError: a column is missing, a row cannot be read, or it names no pair or no person.
    """
    reasons = []
    for row, who in _filled_in(Path(path), ("item", "pair", "reason"), "person", person):
        first, bar, second = row["pair"].partition(PAIR)
        if not (first and bar and second):
            message = f"{row['pair'][:40]!r} is not a pair of cultures, such as US|IN"
            raise InputError(message, file=path, row=row.number, column="pair")
        labels = (row[f"{first} label"], row[f"{second} label"])
        text = row["reason"].strip()
        reasons.append(Reason(row["item"], (first, second), who, text, labels, row.number))
    return reasons


def write_coding(
    path: str | Path,
    reasons: Sequence[Reason],
    codebook: Codebook,
    coder: str,
    *,
    texts: Mapping[str, str] | None = None,
) -> Path:
    """Write the sheet that asks a coder for codes; return where, see `memeloc.sheets`.

    Args:
        path: .xlsx, with the codebook as its second worksheet; or .csv, .jsonl, .parquet.
        texts: by item its caption, to be read with the reasons.

    Raises:
        InputError: there are no reasons, or another ending.
    """
    if not reasons:
        raise InputError("there are no reasons yet; import them first")
    columns = [
        SheetColumn("coder", width=10),
        SheetColumn("item", width=16),
        SheetColumn("person", width=10),
        SheetColumn("labels", width=24),
        SheetColumn("text", "text", width=36),
        SheetColumn("reason", "text", width=60),
        SheetColumn("codes", "answer", width=44, choices=tuple(codebook.theme_of)),
    ]
    rows = [
        {
            "coder": coder,
            "item": reason.item,
            "person": reason.person,
            "labels": ", ".join(
                f"{culture}: {label}"
                for culture, label in zip(reason.pair, reason.labels, strict=True)
                if label
            ),
            "text": (texts or {}).get(reason.item, ""),
            "reason": reason.text,
        }
        for reason in sorted(reasons, key=lambda reason: (reason.item, reason.person))
    ]
    listed = [
        (theme.name, code, theme.about if place == 0 else "")
        for theme in codebook.theme
        for place, code in enumerate(theme.codes)
    ]
    headings = ("theme", "code", "about")
    second = ("Codebook", headings, listed)
    return write_columns(Path(path), "Codes", columns, rows, asked=_ASKED_CODES, listed=second)


def read_coding(path: str | Path, codebook: Codebook, *, coder: str = "") -> list[Coding]:
    """Read the codes of a sheet that came back; rows without any are left out.

    Args:
        coder: who filled it in, where the sheet's column is empty.

    Raises:
        InputError: a column is missing, a row cannot be read, or it names no coder.
    """
    codings = []
    for row, who in _filled_in(Path(path), ("item", "person", "codes"), "coder", coder):
        written = [part for part in row["codes"].replace("\n", ";").split(";") if part.strip()]
        codes = tuple(dict.fromkeys(map(codebook.code, written)))
        if codes:
            codings.append(Coding(f"{row['item']}|{row['person']}", who, codes, row.number))
    return codings


def _filled_in(
    path: Path, columns: tuple[str, str, str], column: str, person: str
) -> Iterator[tuple[Row, str]]:
    """Yield the rows whose last column is filled in, and who did it."""
    for row in read_table(path, required=columns).rows:
        if row.reason:
            raise InputError(row.error, file=path, row=row.number)
        if not row[columns[-1]].strip():
            continue
        who = row[column] or person
        if not who:
            message = f"it does not say who filled it in; fill in the column, or name the {column}"
            raise InputError(message, file=path, row=row.number, column=column)
        yield row, who
