"""Rows of a sheet as units of a translation tool. In: a form's columns, a unit. Out: rows, notes.

A unit has a key, a source and a text; all else that stands in a row is notes of ours, each of which
begins with `memeloc: `, so that it is known whatever a converter makes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memeloc.sheets.form import Alternative, Cells, FilledRow, SheetColumn, SheetForm, cell_lines
from memeloc.tables import clean_text, drawable

OURS = "memeloc: "
_STATUS = re.compile(r"\s*status\s*:\s*(.+)", re.IGNORECASE)
_IN_THE_UNIT = ("key", "fact", "source", "answer", "status", "note", "count")


def unit_columns(columns: Sequence[SheetColumn]) -> list[str]:
    """Return the first columns of the kinds key, source, text, answer, status and note."""
    kinds = ("key", "source", "text", "answer", "status", "note")
    return [next((each.name for each in columns if each.kind == kind), "") for kind in kinds]


def note_lines(form: SheetForm, row: Cells, *, memory: bool) -> Iterator[str]:
    """Yield the notes of a row, one line each; those of a translation memory only if asked for."""
    shown = unit_columns(form.columns)[2]
    for column in form.columns:
        if column.kind in _IN_THE_UNIT or column.hidden or column.name in (shown, ""):
            continue
        cell = row.get(column.name)
        if not memory and isinstance(cell, list | tuple):
            cell = [line for line in cell if not (isinstance(line, Alternative) and line.source)]
        for line in cell_lines(cell):
            if line.strip():
                yield f"{OURS}{column.name}: {' '.join(drawable(line).split())}"


def split_facts(notes: Iterable[str]) -> dict[str, str]:
    """Return the facts in the notes of a file."""
    facts = {}
    for note in notes:
        for line in note.splitlines():
            if line.startswith(OURS):
                name, _, value = line.removeprefix(OURS).partition(":")
                facts[name.strip()] = value.strip()
    return facts


def filled_unit(
    columns: Sequence[SheetColumn],
    number: int,
    texts: tuple[str, str, str],
    notes: Iterable[str],
    answered: bool | None,
) -> FilledRow:
    """Return a unit as a row: its key, source and text, and what was noted.

    The text is given as the answer. Whether it is one only who sent the sheet can tell: tools have
    put the source or a memory's match there.
    """
    key, source, _, answer, status, comment = unit_columns(columns)
    picked, rest = "", []
    lines = [line for note in notes for line in note.splitlines() if not line.startswith(OURS)]
    for line in lines:
        match = _STATUS.match(line)
        if match and not picked:
            picked = clean_text(match[1])
        elif line.strip():
            rest.append(line.strip())
    cells = {key: texts[0], source: texts[1], answer: clean_text(texts[2])}
    cells |= {status: picked, comment: "\n".join(rest)}
    is_touched = bool(answered is not False or picked or rest)
    return FilledRow(number, cells, answered=answered, is_touched=is_touched, is_unit=True)
