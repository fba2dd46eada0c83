"""The rows of what Prolific gives out. In: a table, or the API's JSON. Out: rows by meaning.

Columns are found by the headings of `prolific_columns`, in any order. What a row says that is odd
is told at once; whose it is and of which sheet, `prolific_back` finds out.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from memeloc.errors import InputError
from memeloc.spreadsheets import (
    Formula,
    Line,
    clean_text,
    read_head,
    read_tables,
    text_of,
    unguarded,
)
from memeloc.spreadsheets.csv_file import is_text
from memeloc.survey.targets.google_forms.times import read_column
from memeloc.survey.targets.json_in import MESSAGES, content_of, odd, read_json, read_text
from memeloc.survey.targets.moments import read_moment
from memeloc.survey.targets.prolific import columns

Tell = Callable[[int, str, str, Mapping[str, Any]], None]
"""Takes a row's number, a reason, a sentence and what stood there."""

_NEEDED = frozenset({columns.PARTICIPANT, columns.STATUS, columns.SUBMISSION})
_TELLING = frozenset(
    {columns.CODE, columns.SECONDS, columns.STARTED, columns.COMPLETED, columns.REVIEWED}
)
_MEANS = frozenset(columns.MEANING)
_HEADINGS_WITHIN = 1 << 16
"""Bytes of a text within which its headings stand."""


class _Column(NamedTuple):
    """A column: its heading, the group and name of what it says, and the heading's rank there."""

    heading: str
    group: Literal["said", "facts", "details", "other", "dropped"]
    name: str
    rank: int


@dataclass(slots=True)
class Row:
    """What one row says.

    Attributes:
        number: where it stands.
        content: all of it as written, for what has no place.
        said: by meaning, of the submission.
        facts: of the person.
        withheld: by fact or heading, why Prolific does not say it any more.
        details: what is known and decides nothing.
        other: by heading, what no table names.
        moments: of `said`, what is a time.
        formulas: meanings or headings of cells that compute their value.
    """

    number: int
    content: Mapping[str, Any]
    said: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    withheld: dict[str, str] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)
    other: dict[str, str] = field(default_factory=dict)
    moments: dict[str, datetime] = field(default_factory=dict)
    formulas: list[str] = field(default_factory=list)

    def get(self, meaning: str) -> str:
        """What is said, or empty."""
        return self.said.get(meaning, "")


def is_prolifics(path: Path) -> bool:
    """Whether a file is the API's list of submissions, or a table with an export's headings.

    Raises:
        InputError: it cannot be read.
    """
    if not is_json(path):
        return _is_export(_headings(path))
    text = read_text(path)
    if '"participant' not in text or '"status"' not in text:
        return False
    first = next(_submissions(read_json(path)), None)
    return isinstance(first, dict) and _is_submission(first)


def _headings(path: Path) -> list[str]:
    """The first row that says anything: of a text found in its beginning, for it may be long."""
    head = read_head(path)
    if not is_text(head):
        tables = (cells for _, lines in read_tables(path) for _, cells in lines)
        rows = ([text_of(cell) for cell in cells] for cells in tables)
        return next((row for row in rows if any(row)), [])
    with path.open("rb") as stream:
        start = stream.read(_HEADINGS_WITHIN)
    encoding = "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    lines = start.decode(encoding, "replace").splitlines()
    first = next((line for line in lines if line.strip(' \t,;"')), "")
    return next(csv.reader([first], delimiter=max(",;\t", key=first.count)), [])


def is_json(path: Path) -> bool:
    """Whether a file begins as JSON does."""
    return read_head(path).lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"{", b"[")


def rows_of(path: Path, tell: Tell) -> list[Row]:
    """The rows of a file.

    Raises:
        InputError: it cannot be read at all, or has not the headings that are needed.
    """
    rows = _listed(path, tell) if is_json(path) else _table(path, tell)
    for name in columns.MOMENTS:
        _moments(rows, name, tell)
    return rows


def _is_submission(value: Mapping[str, Any]) -> bool:
    return {*_NEEDED, columns.STARTED} <= _meanings(map(str, value))


def _is_export(header: Sequence[str]) -> bool:
    means = _meanings(header)
    return means >= _NEEDED and bool(means & _TELLING)


def _meanings(headings: Iterator[str] | Sequence[str]) -> set[str]:
    return {columns.MEANING[key][0] for key in map(columns.key_of, headings) if key in _MEANS}


def _submissions(value: Any) -> Iterator[Any]:
    """The submissions of a page, of several pages, or of a plain list."""
    for page in value if isinstance(value, list) else [value]:
        results = page.get("results") if isinstance(page, dict) else None
        if isinstance(results, list):
            yield from results
        else:
            yield page


def _listed(path: Path, tell: Tell) -> list[Row]:
    rows = []
    for number, one in enumerate(_submissions(read_json(path)), 1):
        strange = odd(one)
        content = _without_dropped(content_of(one))
        if strange:
            tell(number, strange, MESSAGES[strange], content)
            continue
        if not isinstance(one, dict) or not _is_submission(one):
            message = "It is no submission of Prolific's API, which has id, participant and status."
            tell(number, "not a submission", message, content)
            continue
        cells: dict[str, str] = {}
        for key, value in one.items():
            if isinstance(value, dict) and not key.startswith("_"):  # the strata of a sample
                cells |= {name: _plain(inner) for name, inner in value.items()}
            elif not key.startswith("_"):
                cells[key] = _plain(value)
        row = Row(number, content)
        _fill(row, [_column(key) for key in cells], list(cells.values()), (), tell)
        rows.append(row)
    return rows


def _table(path: Path, tell: Tell) -> list[Row]:
    lines, note = _lines(path)
    header = [text_of(cell) for cell in lines[0][1]] if lines else []
    if not _is_export(header):
        raise InputError(
            "has no row of headings with Submission id, Participant id and Status; export the "
            "demographic data of the study once more, and leave its first row as it is",
            file=path,
        )
    if note:
        tell(lines[0][0], "encoding", note, {})
    known = [_column(heading) for heading in header]
    kept = [
        "" if one.group == "dropped" else one.heading or f"column {place}"
        for place, one in enumerate(known, 1)
    ]
    keys = [columns.key_of(heading) for heading in header]
    rows = []
    for number, raw in lines[1:]:
        cells = [cell.text if isinstance(cell, Formula) else text_of(cell) for cell in raw]
        if cells[0] and keys == [columns.key_of(cell) for cell in cells[: len(keys)]]:
            continue  # exports that were put under one another
        content = {name: cell for name, cell in zip(kept, cells, strict=False) if cell and name}
        if beyond := [cell for cell in cells[len(header) :] if cell]:
            message = "The row has more cells than the table has headings."
            tell(number, "no title", message, {"cells": beyond})
        row = Row(number, content)
        formulas = {
            place
            for place, cell in enumerate(cells)
            if cell[:1] == "=" or isinstance(raw[place], Formula)
        }
        _fill(row, known, cells, formulas, tell)
        rows.append(row)
    return rows


def _lines(path: Path) -> tuple[list[Line], str]:
    """The rows of the first table that has any, and what was odd about the file.

    Raises:
        InputError: it is no table.
    """
    try:
        for _, lines in read_tables(path):
            if found := [line for line in lines if any(text_of(one) for one in line[1])]:
                return found, ""
        return [], ""
    except InputError as error:
        if "UTF-8" not in str(error):
            raise
    # Excel's plain CSV; all that the table needs to be understood is ASCII.
    text = path.read_bytes().decode("cp1252", "replace")
    delimiter = max(",;\t", key=text.split("\n", 1)[0].count)
    limit = csv.field_size_limit(len(text) + 1)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        rows: list[Line] = [
            (number, [unguarded(cell) for cell in cells])
            for number, cells in enumerate(reader, 1)
            if any(cells)
        ]
    except csv.Error as error:
        raise InputError(f"is not CSV: {error}", file=path) from error
    finally:
        csv.field_size_limit(limit)
    return rows, "It is not in UTF-8; it was read as Windows-1252, as Excel saves plain CSV."


def _without_dropped(content: Mapping[str, Any]) -> dict[str, Any]:
    """A row as written, without what is not taken over."""
    return {
        key: _without_dropped(value) if isinstance(value, dict) else value
        for key, value in content.items()
        if columns.MEANING.get(columns.key_of(key), ("",))[0] != columns.DROPPED
    }


def _column(heading: str) -> _Column:
    key = columns.key_of(heading)
    if key in columns.MEANING:
        name, rank = columns.MEANING[key]
        return _Column(heading, "dropped" if name == columns.DROPPED else "said", name, rank)
    if key in columns.FACT:
        return _Column(heading, "facts", *columns.FACT[key])
    if key in columns.DETAIL:
        return _Column(heading, "details", *columns.DETAIL[key])
    return _Column(heading, "other", heading, 0)


def _fill(
    row: Row,
    header: Sequence[_Column],
    texts: Sequence[str],
    formulas: Collection[int],
    tell: Tell,
) -> None:
    """Sort a row's cells by what their headings mean."""
    groups: dict[str, dict[str, Any]] = {
        "said": row.said,
        "facts": row.facts,
        "details": row.details,
        "other": row.other,
    }
    ranks: dict[str, int] = {}
    for place, (column, text) in enumerate(zip(header, texts, strict=False)):
        heading, where, name, rank = column
        if place in formulas:
            row.formulas.append(name)
            continue
        word = _word(text)
        if where == "dropped" or word in columns.NOTHING:
            continue
        if word in columns.WITHHELD and name not in _NEEDED:
            row.withheld.setdefault(name, columns.WITHHELD[word])
            continue
        group = groups[where]
        before = group.get(name)
        if before is not None and _word(before) != word:
            message = f"Two columns that mean {name[:60].replace('_', ' ')} say different things."
            both = {"column": heading, "values": [before, text]}
            tell(row.number, "columns differ", message, both)
        if before is None or rank < ranks[name]:
            group[name], ranks[name] = text, rank


def _word(text: str) -> str:
    return columns.key_of(text) or text


def _moments(rows: Sequence[Row], name: str, tell: Tell) -> None:
    """Read a column of times; those without a zone are UTC, as Prolific writes them."""
    strange = []
    for row in rows:
        if text := row.get(name):
            moment = read_moment(text)
            if moment is None:
                strange.append(row)
            else:
                row.moments[name] = moment
    read = read_column([row.get(name) for row in strange], UTC).moments
    for row, found in zip(strange, read, strict=True):
        if found is not None:
            row.moments[name] = found
            continue
        text = row.get(name)
        row.details[f"{name}_as_written"] = text
        message = (
            f"The time {text[:40]!r} under {name.replace('_', ' ')} cannot be read for sure, so "
            "the row is taken without it; export it from Prolific once more."
        )
        tell(row.number, "unknown time", message, {name: text})


def _plain(value: Any) -> str:
    """A value of JSON as a table would have it."""
    if value is None:
        return ""
    return clean_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
