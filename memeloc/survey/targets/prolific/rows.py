"""The rows of what Prolific gives out. In: a table, or the API's JSON. Out: rows by meaning.

Columns are found by the headings of `columns`, in any order. What is odd about a row becomes a
rejected row at once; whose it is and of which sheet, `reading` finds out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.survey import model
from memeloc.survey.model import RejectedRow
from memeloc.survey.targets.files import read_json, starts_as_json
from memeloc.survey.targets.prolific import columns
from memeloc.survey.targets.prolific.columns import column_of, key_of
from memeloc.survey.targets.time_columns import read_column
from memeloc.tables import read_table, read_tables

_NEEDED = frozenset({columns.PARTICIPANT, columns.STATUS, columns.SUBMISSION})
_TELLING = frozenset(
    {columns.CODE, columns.SECONDS, model.STARTED, model.COMPLETED, model.REVIEWED}
)
_WANTED = (
    "Submission id, Participant id and Status; export the demographic data of the study once more, "
    "and leave its first row as it is"
)
_ENCODINGS = ("cp1252",)
"""What Excel saves plain CSV in."""


@dataclass(slots=True)
class ExportRow:
    """What one row says, by the groups of `columns`; `content` is all of it as written.

    Attributes:
        withheld: by fact or heading, why Prolific does not say it any more.
        times: of `submission`, what is a time.
        formulas: meanings or headings of cells that compute their value.
        problems: what is odd about it.
    """

    number: int
    content: Mapping[str, Any]
    submission: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)
    other: dict[str, str] = field(default_factory=dict)
    withheld: dict[str, str] = field(default_factory=dict)
    times: dict[str, datetime] = field(default_factory=dict)
    formulas: list[str] = field(default_factory=list)
    problems: list[RejectedRow] = field(default_factory=list)

    def get(self, meaning: str) -> str:
        """What describes the submission, or empty."""
        return self.submission.get(meaning, "")

    def reject(self, reason: str, message: str, content: Mapping[str, Any] | None = None) -> None:
        """Note what is odd about it; without `content`, all of it is kept."""
        content = self.content if content is None else content
        self.problems.append(RejectedRow("", self.number, reason, message, content))


def recognises(path: Path) -> bool:
    """Whether a file is the API's list of submissions, or a table with an export's headings."""
    try:
        if starts_as_json(path, '"participant', '"status"'):
            return _is_submission(next(_submissions(read_json(path)), None))
        tables = read_tables(path, is_header=_is_export, encodings=_ENCODINGS)
        return not starts_as_json(path) and any(tables)
    except InputError:
        return False


def read_rows(path: Path) -> list[ExportRow]:
    """The rows of a file; raises as `people` does."""
    rows = list(_listed(path) if starts_as_json(path) else _table(path))
    for name in model.MOMENTS:
        timed = [row for row in rows if row.get(name)]
        # Without a zone they are UTC, as Prolific writes them; spreadsheets rewrite them.
        for row, moment in zip(timed, read_column([row.get(name) for row in timed]), strict=True):
            if moment:
                row.times[name] = moment
                continue
            text = row.details[f"{name}_as_written"] = row.get(name)
            message = (
                f"The time {text[:40]!r} under {name.replace('_', ' ')} cannot be read for sure, "
                "so the row is taken without it; export it from Prolific once more."
            )
            row.reject("unknown time", message, {name: text})
    return rows


def _meanings(headings: Iterable[str]) -> set[str]:
    return {column.name for column in map(column_of, headings) if column.group == "submission"}


def _is_export(headings: Sequence[str]) -> bool:
    meanings = _meanings(headings)
    return meanings >= _NEEDED and bool(meanings & _TELLING)


def _is_submission(value: Any) -> bool:
    return isinstance(value, dict) and {*_NEEDED, model.STARTED} <= _meanings(value)


def _submissions(value: Any) -> Iterator[Any]:
    """The submissions of a page, of several pages, or of a plain list."""
    for page in value if isinstance(value, list) else [value]:
        results = page.get("results") if isinstance(page, dict) else None
        yield from results if isinstance(results, list) else [page]


def _listed(path: Path) -> Iterator[ExportRow]:
    for number, value in enumerate(_submissions(read_json(path)), 1):
        if not _is_submission(value):
            row = ExportRow(number, {"value": value})
            message = "It is not a submission of Prolific's API: id, participant, status."
            row.reject("not a submission", message)
            yield row
            continue
        cells: dict[str, Any] = {}
        for key, inner in value.items():
            if not key.startswith("_"):  # links; what is within an object is a sample's strata
                cells |= inner if isinstance(inner, dict) else {key: inner}
        texts = {
            key: inner if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False)
            for key, inner in cells.items()
            if inner is not None
        }
        yield _row(number, texts)


def _table(path: Path) -> Iterator[ExportRow]:
    table = read_table(path, is_header=_is_export, wanted=_WANTED, encodings=_ENCODINGS)
    if table.note:
        note = ExportRow(1, {})
        note.reject("encoding", table.note)
        yield note
    for line in table.rows:
        if line.reason:
            row = ExportRow(line.number, line.texts)
            row.reject(line.reason, line.error)
            yield row
        else:
            yield _row(line.number, line.texts, line.formulas)


def _row(number: int, texts: Mapping[str, str], formulas: Sequence[str] = ()) -> ExportRow:
    """A row with its cells sorted by what their headings mean."""
    cells = [(column_of(heading), heading, text) for heading, text in texts.items()]
    content = {heading: text for column, heading, text in cells if column.group != "dropped"}
    row = ExportRow(number, content)
    for column, heading, text in sorted(cells, key=lambda cell: cell[0].rank):
        word = key_of(text) or text
        if text.startswith("=") or heading in formulas:
            row.formulas.append(column.name)
        elif column.group == "dropped" or word in columns.NOTHING:
            continue
        elif word in columns.WITHHELD and column.name not in _NEEDED:
            row.withheld.setdefault(column.name, word)
        else:
            before = getattr(row, column.group).setdefault(column.name, text)
            if before is not text and (key_of(before) or before) != word:
                name = column.name[:60].replace("_", " ")
                message = f"Two columns that mean {name} differ; the first of them is taken."
                row.reject("columns differ", message, {"column": heading, "values": [before, text]})
    return row
