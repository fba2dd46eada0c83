"""Answers of web pages. In: the JSON that a sheet saved or sent. Out: submissions.

A file holds one submission, a list of them, or one a line, as servers collect what is sent to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memeloc.survey.model import Answer, RejectedRow, Sheet, Submission, entry_id
from memeloc.survey.targets.html.export import FORMAT
from memeloc.survey.targets.json_in import (
    BROKEN,
    MESSAGES,
    ascii_of,
    content_of,
    odd,
    parsed,
    read_lines,
    read_text,
    whole,
)
from memeloc.survey.targets.moments import read_moment
from memeloc.survey.targets.placing import (
    DECLINED,
    NOT_ASKED,
    declined_content,
    not_asked,
    unclear_id,
)
from memeloc.survey.targets.protocol import Imported, SurveyPack

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
        start = ascii_of(start)
        return start[:1] in (b"{", b"[") and FORMAT.encode() in start

    def read(self, path: Path, pack: SurveyPack) -> Imported:
        """Read a file.

        Raises:
            InputError: it cannot be read at all.
        """
        reader = _Reader(pack, path.name)
        for row, value in _values(path):
            reader.add(row, value)
        return Imported(tuple(reader.submissions), (), tuple(reader.left))


class _WrongError(Exception):
    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


def _values(path: Path) -> Iterator[tuple[int, Any]]:
    """The values of a file, each with the row it stands in, from 1."""
    text = read_text(path)
    try:
        whole_file = parsed(text)
    except (ValueError, RecursionError):
        yield from read_lines(text)
        return
    yield from enumerate(whole_file if isinstance(whole_file, list) else [whole_file], 1)


class _Reader:
    """Takes submissions one after the other, and what cannot be placed."""

    def __init__(self, pack: SurveyPack, file: str) -> None:
        self._pack, self._file = pack, file
        self._sheets = {sheet.id: sheet for sheet in pack.sheets}
        self._labels = {label.id for label in pack.taxonomy.labels}
        second = pack.taxonomy.second
        self._seconds = set(second.answers) if second else set()
        self._when = set(second.when) if second else set()
        self.submissions: list[Submission] = []
        self.left: list[RejectedRow] = []

    def add(self, row: int, value: Any) -> None:
        """Place a row."""
        strange = odd(value)
        if strange:
            self._leave(row, strange, MESSAGES[strange], value)
            if strange != BROKEN:
                return
            value = whole(value)
        try:
            self.submissions.append(self._submission(row, value))
        except _WrongError as error:
            self._leave(row, error.reason, str(error), value)

    def _leave(self, row: int, reason: str, message: str, value: Any) -> None:
        self.left.append(RejectedRow(self._file, row, reason, message, content_of(value)))

    def _submission(self, row: int, value: Any) -> Submission:
        if not isinstance(value, Mapping) or value.get("memeloc") != FORMAT:
            raise _WrongError("not a submission", "It is not what a sheet saves or sends.")
        if value.get("survey") != self._pack.name:
            named = str(value.get("survey"))[:80]
            raise _WrongError("other survey", f"It is of the survey {named!r}.")
        sheet = self._sheets.get(str(value.get("sheet")))
        if sheet is None:
            named = str(value.get("sheet"))[:80]
            raise _WrongError("unknown sheet", f"There is no sheet {named!r}.")
        number = value.get("submission")
        if not isinstance(number, str) or not number:
            raise _WrongError("no id", "It has no id of its own, so it could count twice.")
        status = value.get("status")
        if status not in _STATUSES:
            raise _WrongError("unknown status", f"Its status is {str(status)[:80]!r}.")
        given = value.get("participant")
        # A number that a program made of an id may have lost digits.
        participant = given.strip() if isinstance(given, str) else ""
        if not participant and status != "no consent":
            raise _WrongError("no participant", "It does not say who answered.")
        if unclear := unclear_id(participant, typed=False):
            raise _WrongError("participant unreadable", unclear)
        answers = value.get("answers")
        if not isinstance(answers, list):
            raise _WrongError("no answers", "It has no list of answers.")
        if status == "no consent" and answers:
            self._leave(row, *DECLINED, declined_content(sheet.id, len(answers)))
        if status != "no consent" and str(value.get("comments") or "").strip():
            content = {"sheet": sheet.id, "participant": participant, "text": value["comments"]}
            self._leave(row, "comment", "A comment is no answer; it is kept here.", content)
        return Submission(
            id=number,
            sheet=sheet.id,
            participant=participant or f"declined-{number}",
            answers=() if status == "no consent" else self._answers(row, sheet, answers),
            source="html",
            submitted=self._moment(row, value.get("submitted")),
            started=self._moment(row, value.get("started")),
            status=status,
            code=str(value.get("code") or ""),
            row=row,
        )

    def _answers(self, row: int, sheet: Sheet, values: list[Any]) -> tuple[Answer, ...]:
        entries = {entry_id(entry) for entry in sheet.entries}
        found: dict[str, list[Answer]] = {}
        for one in values:
            content = one if isinstance(one, Mapping) else {"value": one}
            entry, label = str(content.get("entry")), str(content.get("label"))
            if entry not in entries:
                message = f"The sheet {sheet.id} has no entry {entry[:80]!r}."
                self._leave(row, "unknown entry", message, content)
            elif label not in self._labels:
                message = f"{entry}: {label[:80]!r} is none of the labels."
                self._leave(row, "unknown label", message, content)
            else:
                second = self._second(row, entry, label, content)
                found.setdefault(entry, []).append(Answer(entry, label, second))
        for entry, several in found.items():
            if len(set(several)) > 1:
                given = [{"label": one.label, "second": list(one.second)} for one in several]
                message = f"{entry} is answered in two ways; which one holds cannot be told."
                self._leave(row, "two answers", message, {"entry": entry, "answers": given})
        return tuple(several[0] for several in found.values() if len(set(several)) == 1)

    def _second(
        self, row: int, entry: str, label: str, content: Mapping[str, Any]
    ) -> tuple[str, ...]:
        value = content.get("second")
        several = value if isinstance(value, list) else [] if value in (None, "") else [value]
        known = [one for one in several if isinstance(one, str) and one in self._seconds]
        if len(known) < len(several):
            message = f"{entry}: an answer to the second question is none of those asked for."
            self._leave(row, "unknown second answer", message, content)
        if known and label not in self._when:
            self._leave(row, NOT_ASKED, not_asked(entry, label), content)
            return ()
        return tuple(sorted(set(known)))

    def _moment(self, row: int, value: Any) -> datetime | None:
        if value in (None, ""):
            return None
        moment = read_moment(value)
        if moment is None:
            message = f"The time {str(value)[:40]!r} cannot be read; the answers come without it."
            self._leave(row, "unknown time", message, {"time": value})
        return moment
