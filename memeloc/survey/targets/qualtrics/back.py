"""Responses of Qualtrics. In: its export as CSV, with three rows of headings. Out: submissions.

Answers are found by the questions' export tags in the first row, whatever the order of columns.
Both ways to export are read: as choice text and as numeric values. Previews are told, not taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from memeloc.errors import InputError
from memeloc.spreadsheets import Cell, Formula, Line, clean_text, read_tables, text_of
from memeloc.survey.model import Answer, RejectedRow, Sheet, Submission, entry_id
from memeloc.survey.targets.broken_rows import CUT, SWALLOWED, file_ends_open, swallowed
from memeloc.survey.targets.moments import read_moment
from memeloc.survey.targets.placing import (
    DECLINED,
    NOT_ASKED,
    declined_content,
    item_key,
    not_asked,
    unclear_id,
)
from memeloc.survey.targets.protocol import Imported, SurveyPack
from memeloc.survey.targets.qualtrics.export import CONSENT, EMBEDDED, PARTICIPANT, SECOND

_MARK = '{"ImportId":'
_PREVIEWS = {"survey preview", "1"}
_TRUE = {"true", "1"}
_MOST_PARTS = 1000
_PERSONAL = frozenset(
    {
        "IPAddress", "RecipientLastName", "RecipientFirstName", "RecipientEmail",
        "ExternalReference", "LocationLatitude", "LocationLongitude",
    }
)  # fmt: skip
"""What Qualtrics adds of people and nobody asked for; it is never kept."""
_METADATA = _PERSONAL | {
    "StartDate", "EndDate", "Status", "Progress", "Duration (in seconds)", "Finished",
    "RecordedDate", "ResponseId", "DistributionChannel", "UserLanguage", "introduction", *EMBEDDED,
}  # fmt: skip
_OWN = "Q_"
"""How further columns of Qualtrics' own begin."""


class QsfBack:
    """Reads what Qualtrics exports of a survey that `Qsf` wrote."""

    name = "qsf"

    def recognises(self, path: Path) -> bool:
        """Whether the third row has Qualtrics' marks."""
        try:
            for _, lines in read_tables(path):
                rows = list(islice(lines, 3))
                return len(rows) == 3 and _marked(rows[2])
        except InputError:
            pass
        return False

    def read(self, path: Path, pack: SurveyPack) -> Imported:
        """Read a file.

        Raises:
            InputError: it cannot be read, or has not the three rows of headings.
        """
        submissions: list[Submission] = []
        left: list[RejectedRow] = []
        found = False
        for name, table in read_tables(path):
            lines = list(table)
            starts = [place for place, line in enumerate(lines) if place > 1 and _marked(line)]
            left += _notes(path.name, name, lines[: starts[0] - 2] if starts else lines)
            # Exports that were put under one another bring their headings with them.
            for start, end in zip(starts, [*(one - 2 for one in starts[1:]), None], strict=False):
                found = True
                header, rows = lines[start - 2][1], lines[start + 1 : end]
                zone = next(
                    (one for cell in lines[start][1] if (one := _zone(text_of(cell)))), None
                )
                reader = _Reader(pack, path.name, header, zone)
                if end is None and rows and len(rows[-1][1]) < len(header) and file_ends_open(path):
                    reader.leave(rows[-1][0], *CUT, reader.named(rows.pop()[1]))
                for line in rows:
                    submission = reader.submission(line)
                    if submission is not None:
                        submissions.append(submission)
                left += reader.left
        if not found:
            raise InputError(
                "has not Qualtrics' three rows of headings; export as CSV, and do not remove rows",
                file=path,
            )
        return Imported(tuple(submissions), (), tuple(left))


def _notes(file: str, table: str, lines: Sequence[Line]) -> Iterator[RejectedRow]:
    """Rows of a further worksheet that is no export."""
    for number, cells in lines:
        content = {str(place): text for place, text in enumerate(map(_shown, cells), 1) if text}
        if content:
            message = f"In {table} are no three rows of headings of Qualtrics'."
            yield RejectedRow(file, number, "no headings", message, content)


def _shown(cell: Cell) -> str:
    return cell.text if isinstance(cell, Formula) else clean_text(text_of(cell))


class _Reader:
    def __init__(
        self, pack: SurveyPack, file: str, header: Sequence[Cell], zone: ZoneInfo | None
    ) -> None:
        self._pack = pack
        self._file = file
        self._names = [_shown(cell) for cell in header]
        self._zone = zone
        self._places = pack.places
        keys = [
            item_key(pack.name, sheet.id, entry_id(entry))
            for sheet in pack.sheets
            for entry in sheet.entries
        ]
        second = pack.taxonomy.second
        count = len(second.answers) if second else 0
        self._known = {
            *_METADATA, CONSENT, PARTICIPANT, *keys, *(f"{key}{SECOND}" for key in keys),
            *(f"{key}{SECOND}_{place}" for key in keys for place in range(1, count + 1)),
        }  # fmt: skip
        # A name may hold commas, which also stand between names.
        self._longest = 1 + max(
            (
                texts.get(f"taxonomy.{pack.taxonomy.name}.second.{second.id}.answer.{one}").count(
                    ","
                )
                for texts in pack.texts.values()
                for one in second.answers
            )
            if second
            else [0],
            default=0,
        )
        self.left: list[RejectedRow] = []

    def _row(self, line: Line) -> dict[str, str] | None:
        """A row's texts by their columns; None when it says nothing or cannot be believed."""
        number, cells = line
        if swallowed(list(map(_shown, cells)), len(self._names)):
            self.leave(number, *SWALLOWED, self.named(cells))
            return None
        row: dict[str, str] = {}
        differing: dict[str, list[str]] = {}
        formulas: dict[str, str] = {}
        beyond: dict[str, str] = {}
        for place, cell in enumerate(cells):
            text = _shown(cell)
            if not text:
                continue
            name = self._names[place] if place < len(self._names) else ""
            if isinstance(cell, Formula):
                unique = name and name not in formulas
                formulas[name if unique else f"column {place + 1}"] = text
            elif not name or name not in self._known:
                if not name or not name.startswith(_OWN):
                    unique = name and name not in beyond
                    beyond[name if unique else f"column {place + 1}"] = text
            elif row.setdefault(name, text) != text:
                differing.setdefault(name, []).append(text)
        if formulas:
            message = "Formulas stand where answers should be; they are left out."
            self.leave(number, "formula", message, formulas)
        if beyond:
            message = "There are no such columns in what was sent out."
            self.leave(number, "unknown column", message, beyond)
        if differing:
            names = ", ".join(differing)[:80]
            message = f"Two columns {names} say different things; neither is taken."
            both = {name: [row.pop(name), *texts] for name, texts in differing.items()}
            self.leave(number, "columns differ", message, both)
        return row or None

    def named(self, cells: Sequence[Cell]) -> dict[str, str]:
        """A row's texts by their columns, as they are kept."""
        found = {}
        for place, text in enumerate(map(_shown, cells)):
            name = self._names[place] if place < len(self._names) else ""
            if text and name not in _PERSONAL:
                found[f"column {place + 1}" if not name or name in found else name] = text
        return found

    def submission(self, line: Line) -> Submission | None:
        """The submission of a row; None when it is empty or was told."""
        number, _ = line
        row = self._row(line)
        if row is None:
            return None
        kept = {name: text for name, text in row.items() if name not in _PERSONAL}
        if row.get("ResponseId") == "ResponseId":
            return None  # a heading once more
        if row.get("Status", "").casefold() in _PREVIEWS:
            self.leave(number, "preview", "It is a preview of the team's own.", kept)
            return None
        sheets = self._sheets(row)
        if len(sheets) != 1:
            message = "It cannot be told which sheet this is of; export one survey at a time."
            self.leave(number, "unknown sheet", message, kept)
            return None
        sheet = sheets[0]
        response = row.get("ResponseId", "")
        if not response:
            self.leave(number, "no id", "It has no ResponseId, so it could count twice.", kept)
            return None
        words = row.get(CONSENT, "")
        agreed = {"1": True, "2": False}.get(words, self._places.consent(sheet, words))
        participant = row.get(PARTICIPANT, "")
        if agreed is not False and not participant:
            message = f"It does not say who answered: {PARTICIPANT} is empty."
            self.leave(number, "no participant", message, kept)
            return None
        if unclear := unclear_id(participant):
            self.leave(number, "participant unreadable", unclear, kept)
            return None
        if agreed is None:
            message = "The question for consent is not answered, so nothing is taken."
            self.leave(number, "no consent", message, kept)
            return None
        if not agreed and (given := [name for name in row if self._places.item(name)]):
            self.leave(number, *DECLINED, declined_content(sheet.id, len(given)))
        answers = self._answers(number, sheet, row) if agreed else ()
        done = row.get("Finished", "").casefold() in _TRUE and len(answers) == len(sheet.entries)
        codes = self._pack.codes.get(sheet.id)
        code = (codes.done if done else "" if agreed else codes.no_consent) if codes else ""
        return Submission(
            id=response,
            sheet=sheet.id,
            participant=participant or f"declined-{response}",
            answers=answers,
            source="qsf",
            submitted=self._moment(number, row.get("EndDate") or row.get("RecordedDate")),
            started=self._moment(number, row.get("StartDate")),
            status="no consent" if not agreed else "complete" if done else "returned",
            code=code,
            row=number,
        )

    def _sheets(self, row: Mapping[str, str]) -> list[Sheet]:
        """The sheets that a row has answers to, or, when it has none, that there are columns of."""
        found: dict[str, Sheet] = {}
        for names in (row, self._names):
            for name in names:
                place = self._places.item(name.partition("_")[0])
                if place is not None:
                    found[place[0].id] = place[0]
            if found:
                break
        return list(found.values())

    def _answers(self, number: int, sheet: Sheet, row: Mapping[str, str]) -> tuple[Answer, ...]:
        taxonomy, found = self._pack.taxonomy, []
        by_number = {str(place): one.id for place, one in enumerate(taxonomy.labels, 1)}
        for entry in map(entry_id, sheet.entries):
            tag = item_key(self._pack.name, sheet.id, entry)
            words = row.get(tag)
            second = self._second(number, sheet, entry, tag, row)
            if words is None:
                if second:
                    message = f"{entry} has no answer to the question itself."
                    self.leave(number, "no answer", message, self._of(tag, row))
                continue
            label = by_number.get(words) or self._places.label(sheet, words)
            if label is None:
                message = f"{entry}: {words[:80]!r} is none of the labels."
                self.leave(number, "unknown label", message, self._of(tag, row))
                continue
            if second and not self._places.asks_second(label):
                self.leave(number, NOT_ASKED, not_asked(entry, label), self._of(tag, row))
                second = ()
            found.append(Answer(entry, label, second))
        return tuple(found)

    @staticmethod
    def _of(tag: str, row: Mapping[str, str]) -> dict[str, str]:
        """What a row says to an item."""
        return {name: text for name, text in row.items() if name.startswith(tag)}

    def _second(
        self, number: int, sheet: Sheet, entry: str, tag: str, row: Mapping[str, str]
    ) -> tuple[str, ...]:
        """Answers to the second question: in one cell, by commas, or in a column each."""
        second = self._pack.taxonomy.second
        answers = second.answers if second else ()
        by_number = {str(place): one for place, one in enumerate(answers, 1)}
        found = {one for place, one in by_number.items() if row.get(f"{tag}{SECOND}_{place}")}
        words = row.get(f"{tag}{SECOND}", "")
        left = []
        parts = words.split(",") if words else []
        if len(parts) > _MOST_PARTS:
            left, parts = parts[:1], []
        start = 0
        while start < len(parts):
            # The longest run of parts that is a name is taken.
            for length in range(min(self._longest, len(parts) - start), 0, -1):
                run = ",".join(parts[start : start + length]).strip()
                one = by_number.get(run) or self._places.second(sheet, run)
                if one:
                    found.add(one)
                    break
            else:
                length = 1
                left.append(parts[start].strip())
            start += length
        if left:
            message = f"{entry}: {left[0][:80]!r} is no answer to the second question."
            self.leave(number, "unknown second answer", message, {f"{tag}{SECOND}": words})
        return tuple(sorted(found))

    def _moment(self, number: int, text: str | None) -> datetime | None:
        if not text:
            return None
        moment = read_moment(text, self._zone or UTC)
        if moment is None:
            message = f"The time {text[:40]!r} cannot be read; the answers come without it."
            self.leave(number, "unknown time", message, {"time": text})
        return moment

    def leave(self, row: int, reason: str, message: str, content: Mapping[str, Any]) -> None:
        self.left.append(RejectedRow(self._file, row, reason, message, dict(content)))


def _marked(line: Line) -> bool:
    """Whether it is the third row of headings."""
    texts = [text.replace(" ", "") for cell in line[1] if (text := text_of(cell))]
    # One alone may be what somebody typed.
    return sum(text.startswith(_MARK) for text in texts) * 2 > len(texts)


def _zone(mark: str) -> ZoneInfo | None:
    """The time zone that a column of moments is in, as its mark says."""
    _, _, rest = mark.partition('"timeZone":"')
    name = rest.partition('"')[0].replace("\\/", "/")
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (ValueError, OSError):
        return None
