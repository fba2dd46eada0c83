"""Answers of web pages. In: the JSON that a sheet saved or sent. Out: submissions.

A file holds one submission, a list of them, or one a line, as servers collect what is sent to them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.survey.html_sheets import FORMAT
from memeloc.survey.nouns import Answer, Sheet, Submission, Unplaced, entry_id
from memeloc.survey.protocol import Imported, SurveyPack

_MOST_BYTES = 500_000_000
_LOOKED_AT = 4096
_STATUSES = ("complete", "returned", "no consent")


class HtmlBack:
    """Reads what `HtmlSheets` pages send and save."""

    name = "html"

    def recognises(self, path: Path) -> bool:
        """Whether a file begins as such JSON does."""
        try:
            with path.open("rb") as file:
                start = file.read(_LOOKED_AT)
        except OSError:
            return False
        return start.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"{", b"[") and FORMAT.encode() in start

    def read(self, path: Path, pack: SurveyPack) -> Imported:
        """Read a file.

        Raises:
            InputError: it cannot be read at all.
        """
        sheets = {sheet.id: sheet for sheet in pack.sheets}
        submissions: list[Submission] = []
        unplaced: list[Unplaced] = []
        for row, value in _values(path):
            try:
                found, left = _submission(value, row, sheets, pack, path.name)
            except _WrongError as error:
                content = value if isinstance(value, Mapping) else {"value": value}
                unplaced.append(Unplaced(path.name, row, error.reason, str(error), content))
                continue
            submissions.append(found)
            unplaced += left
        return Imported(tuple(submissions), (), tuple(unplaced))


class _WrongError(Exception):
    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


def _values(path: Path) -> Iterator[tuple[int, Any]]:
    """The values of a file, each with the row it stands in, from 1."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError("is larger than 500 MB; split it", file=path)
        text = path.read_bytes().decode("utf-8-sig", "replace")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        pass
    else:
        several = whole if isinstance(whole, list) else [whole]
        yield from enumerate(several, 1)
        return
    for row, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield row, json.loads(line)
            except (ValueError, RecursionError):
                yield row, line[:1000]


def _submission(
    value: Any, row: int, sheets: Mapping[str, Sheet], pack: SurveyPack, file: str
) -> tuple[Submission, list[Unplaced]]:
    if not isinstance(value, Mapping) or value.get("memeloc") != FORMAT:
        raise _WrongError("not a submission", "It is not what a sheet saves or sends.")
    if value.get("survey") != pack.name:
        raise _WrongError("other survey", f"It is of the survey {value.get('survey')!r}.")
    sheet = sheets.get(str(value.get("sheet")))
    if sheet is None:
        raise _WrongError("unknown sheet", f"There is no sheet {value.get('sheet')!r}.")
    number = value.get("submission")
    if not isinstance(number, str) or not number:
        raise _WrongError("no id", "It has no id of its own, so it could count twice.")
    status = value.get("status")
    if status not in _STATUSES:
        raise _WrongError("unknown status", f"Its status is {status!r}.")
    participant = str(value.get("participant") or "").strip()
    if not participant and status != "no consent":
        raise _WrongError("no participant", "It does not say who answered.")
    answers, left = _answers(value.get("answers"), sheet, pack, row, file)
    submission = Submission(
        id=number,
        sheet=sheet.id,
        participant=participant or f"declined-{number}",
        answers=answers,
        source="html",
        submitted=_moment(value.get("submitted")),
        started=_moment(value.get("started")),
        status=status,
        code=str(value.get("code") or ""),
        row=row,
    )
    return submission, left


def _answers(
    value: Any, sheet: Sheet, pack: SurveyPack, row: int, file: str
) -> tuple[tuple[Answer, ...], list[Unplaced]]:
    entries = {entry_id(entry) for entry in sheet.entries}
    labels = {label.id for label in pack.taxonomy.labels}
    allowed = set(pack.taxonomy.second.answers) if pack.taxonomy.second else set()
    found: dict[str, Answer] = {}
    left: list[Unplaced] = []
    for one in value if isinstance(value, list) else []:
        content = one if isinstance(one, Mapping) else {"value": one}
        entry, label = str(content.get("entry")), str(content.get("label"))
        if entry not in entries:
            message = f"The sheet {sheet.id} has no entry {entry[:80]!r}."
            left.append(Unplaced(file, row, "unknown entry", message, content))
        elif label not in labels:
            message = f"{entry}: {label[:80]!r} is none of the labels."
            left.append(Unplaced(file, row, "unknown label", message, content))
        else:
            several = content.get("second")
            second = (
                tuple(answer for answer in several if isinstance(answer, str) and answer in allowed)
                if isinstance(several, list)
                else ()
            )
            found[entry] = Answer(entry, label, second)
    return tuple(found.values()), left


def _moment(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
