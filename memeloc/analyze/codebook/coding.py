"""Sheets of codes. In: reasons, a codebook. Out: a sheet for a coder; what came back, as `Coding`s.

The first coder makes codes of what the reasons say, and may write new ones; the second assigns
codes to the same reasons without seeing the first one's (multi3hate 4.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memeloc.analyze.codebook.book import Codebook
from memeloc.analyze.codebook.reasons import Reason
from memeloc.errors import InputError
from memeloc.sheets import SheetColumn, write_columns
from memeloc.tables import read_table

SHEET = "Codes"
_ASKED = (
    "Give each reason the code that says what it is about; the second worksheet lists them. "
    "Several are separated by a semicolon. Where none fits, write a new code in a few words."
)


@dataclass(frozen=True, slots=True)
class Coding:
    """The codes that a coder gave a reason; `reason` is its `key`."""

    reason: str
    coder: str
    codes: tuple[str, ...]
    row: int = 0


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
    return write_columns(
        Path(path),
        SHEET,
        columns,
        rows,
        asked=_ASKED,
        listed=("Codebook", ("theme", "code", "about"), listed),
    )


def read_coding(path: str | Path, codebook: Codebook, *, coder: str = "") -> list[Coding]:
    """The codes of a sheet that came back; rows without any are left out.

    Args:
        coder: who filled it in, where the sheet's column is empty.

    Raises:
        InputError: a column is missing, a row cannot be read, or it names no coder.
    """
    codings = []
    for row in read_table(Path(path), required=("item", "person", "codes")).rows:
        if row.reason:
            raise InputError(row.error, file=path, row=row.number)
        written = [part for part in row["codes"].replace("\n", ";").split(";") if part.strip()]
        if not written:
            continue
        who = row["coder"] or coder
        if not who:
            message = "it does not say who gave the codes; fill in the column, or name the coder"
            raise InputError(message, file=path, row=row.number, column="coder")
        codes = tuple(dict.fromkeys(map(codebook.code, written)))
        codings.append(Coding(f"{row['item']}|{row['person']}", who, codes, row.number))
    return codings
