"""Prolific, the way back. In: its demographic export, or the API's submissions. Out: people.

What people answered comes through the survey's own tool; a workspace joins the two by participant.
Whose sheet a study is of is said by the study's id where it was drafted from here, by a name with
the sheet's id in it, by the file's name, or by the completion codes. What cannot be placed is told
and kept; the addresses of people's computers and their dates of birth are not taken over.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.survey.codes import ENDINGS
from memeloc.survey.model import Participant, RejectedRow
from memeloc.survey.quality.participants import words_of
from memeloc.survey.targets.prolific import columns
from memeloc.survey.targets.prolific.client import ID
from memeloc.survey.targets.prolific.push import FileState, studies_made
from memeloc.survey.targets.prolific.rows import Row, is_prolifics, rows_of
from memeloc.survey.targets.protocol import Imported, SurveyPack

_CLOCK = re.compile(r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2}(?:[.,]\d{1,9})?)", re.ASCII)
_NUMBER = re.compile(r"\d{1,12}(?:[.,]\d{1,12})?", re.ASCII)
_LONGEST = 10.0**9
"""Seconds that nobody takes."""
_MANY = 200
"""Headings that are told of at the most."""


class ProlificBack:
    """Reads what Prolific gives out.

    Args:
        made: what a push noted (a state's values, or the file of a `FileState`): it says which
            study is of which sheet.
        sheet: id of the sheet whose study a file is of, where nothing else says so.

    Raises:
        InputError: the state cannot be read.
    """

    name = "prolific"

    def __init__(self, made: Mapping[str, Any] | str | Path | None = None, sheet: str = "") -> None:
        values = FileState(Path(made)).values if isinstance(made, str | Path) else made
        self.studies: Mapping[str, str] = studies_made(values or {})
        self.sheet = sheet.strip()

    def recognises(self, path: Path) -> bool:
        """Whether it is the API's list of submissions, or a table with an export's headings."""
        try:
            return is_prolifics(path)
        except InputError:
            return False

    def read(self, path: Path, pack: SurveyPack) -> Imported:
        """Read a file.

        Raises:
            InputError: it cannot be read at all, has not the headings that are needed, or its
                sheet is said to be one that there is not.
        """
        if self.sheet and all(self.sheet != one.id for one in pack.sheets):
            raise InputError(f"the survey has no sheet {self.sheet[:80]!r}")
        reading = _Reading(path, pack, self.studies, self.sheet)
        return reading.result(rows_of(path, reading.tell))


class _Reading:
    """One file."""

    def __init__(
        self, path: Path, pack: SurveyPack, studies: Mapping[str, str], sheet: str
    ) -> None:
        self.path = path
        self.left: list[RejectedRow] = []
        self.sheets = frozenset(one.id for one in pack.sheets)
        self.studies = {key: one for key, one in studies.items() if one in self.sheets}
        self.codes = _codes(pack)
        self.whole = sheet or self._sheet_of_file()

    def _sheet_of_file(self) -> str:
        """The sheet that the file's name has in it, or whose study it names."""
        parts = {part for word in words_of(self.path.stem) for part in (word, *word.split("_"))}
        found = (parts & self.sheets) | {
            self.studies[part] for part in parts if part in self.studies
        }
        return found.pop() if len(found) == 1 else ""

    def tell(self, row: int, reason: str, message: str, content: Mapping[str, Any]) -> None:
        """Keep what has no place."""
        self.left.append(RejectedRow(self.path.name, row, reason, message, content))

    def result(self, rows: Sequence[Row]) -> Imported:
        """People, and what has no place."""
        named = [row for row in rows if self._has_ids(row)]
        kept: dict[tuple[str, ...], tuple[Row, Participant]] = {}
        for row, sheet in zip(named, self._sheets_of(named), strict=True):
            if not sheet:
                message = (
                    "It is not known of which sheet its study is: call the file as the sheet is "
                    "called, such as r1-b03-DE.csv."
                )
                self.tell(row.number, "unknown study", message, row.content)
                continue
            one = self._person(row, sheet)
            key = (one.submission or one.participant, sheet, "" if one.submission else _begun(row))
            before = kept.setdefault(key, (row, one))
            if before[1] != one:
                older, newer = sorted((before, (row, one)), key=lambda pair: _age(pair[0]))
                message = "The submission is there twice, and differs; the later one is taken."
                self.tell(older[0].number, "doubled row", message, older[0].content)
                kept[key] = newer
        self._tell_withheld([row for row, _ in kept.values()])
        self._tell_unknown([row for row, _ in kept.values()])
        # Of a person who came back to a study, what holds is what was begun last.
        ordered = sorted(kept.values(), key=lambda pair: _age(pair[0]))
        self.left.sort(key=lambda one: (one.row, one.reason))
        return Imported((), tuple(one for _, one in ordered), tuple(self.left))

    def _has_ids(self, row: Row) -> bool:
        """Whether a row says whose it is; formulas in it are told."""
        for name in row.formulas:
            if name in (columns.PARTICIPANT, columns.SUBMISSION):
                message = f"The id of the {name} is a formula; write it as a text."
                self.tell(row.number, "formula", message, row.content)
                return False
            message = "A formula stands where Prolific writes a value; it is left out."
            self.tell(row.number, "formula", message, {"column": name})
        for name in (columns.PARTICIPANT, columns.SUBMISSION):
            text = row.get(name)
            why = columns.WITHHELD.get(columns.key_of(text))
            message = f"{text[:80]!r} is no id of a {name}."
            if why:
                message = f"Prolific does not say its {name} any more, so it joins no answers."
            elif not text:
                if name == columns.SUBMISSION:
                    continue
                message = "It does not say whose it is."
            elif ID.fullmatch(text):
                continue
            self.tell(row.number, why or f"no {name}", message, row.content)
            return False
        return True

    def _sheets_of(self, rows: Sequence[Row]) -> list[str]:
        """The sheet of each row's study; empty where nothing says it."""
        found: list[tuple[str, str, str]] = []
        votes: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            study, name = row.get(columns.STUDY), row.get(columns.STUDY_NAME)
            names = words_of(name) & self.sheets
            sheet = self.studies.get(study) or self.studies.get(name) or ""
            if not sheet:
                sheet = names.pop() if len(names) == 1 else self.whole
            coded = self.codes.get(row.get(columns.CODE).casefold(), ("", ""))[0]
            if coded:
                votes[study or name].add(coded)
            if coded and sheet and coded != sheet:
                message = f"Its completion code is that of {coded}, and its study that of {sheet}."
                self.tell(row.number, "code of another sheet", message, row.content)
            found.append((sheet, coded, study or name))
        # The people of a study who entered no code are of the sheet of those who did.
        alone = {study: min(one) for study, one in votes.items() if len(one) == 1}
        return [sheet or coded or alone.get(study, "") for sheet, coded, study in found]

    def _person(self, row: Row, sheet: str) -> Participant:
        details: dict[str, Any] = dict(row.details)
        details |= {name: moment.isoformat() for name, moment in sorted(row.moments.items())}
        for name, meaning in (("study_id", columns.STUDY), ("study_name", columns.STUDY_NAME)):
            if row.get(meaning):
                details[name] = row.get(meaning)
        code = row.get(columns.CODE)
        if columns.key_of(code) in columns.NO_CODE:
            details["ended"] = "no code"
        elif code:
            whose, ending = self.codes.get(code.casefold(), ("", ""))
            details |= {"code": code, "ended": ending if whose == sheet else "unknown code"}
        if row.withheld:
            details["withheld"] = dict(sorted(row.withheld.items()))
        if row.other:
            details["other"] = dict(sorted(row.other.items()))
        return Participant(
            row.get(columns.PARTICIPANT),
            dict(sorted(row.facts.items())),
            row.get(columns.SUBMISSION),
            sheet,
            self._status(row),
            self._seconds(row),
            details,
        )

    def _status(self, row: Row) -> str:
        text = row.get(columns.STATUS)
        known = columns.STATUSES.get(columns.key_of(text))
        if known is not None:
            return known
        message = f"Prolific has no status {text[:40]!r}; it is kept as it is."
        if not text:
            message = "It has no status, so nothing can be decided about it."
        self.tell(row.number, "unknown status", message, {"status": text})
        return text.upper()[:40] or columns.STATUSES["unknown"]

    def _seconds(self, row: Row) -> float | None:
        text = row.get(columns.SECONDS)
        taken = _number(text)
        if taken is not None:
            return taken if taken > 0 else None
        if text:
            message = f"The time taken, {text[:40]!r}, is no number of seconds."
            self.tell(row.number, "unknown time taken", message, {"text": text})
        if columns.STARTED in row.moments and columns.COMPLETED in row.moments:
            between = row.moments[columns.COMPLETED] - row.moments[columns.STARTED]
            return between.total_seconds() if between.total_seconds() > 0 else None
        return None

    def _tell_withheld(self, rows: Sequence[Row]) -> None:
        counts = Counter((why, name) for row in rows for name, why in row.withheld.items())
        for (why, name), count in sorted(counts.items()):
            message = (
                f"Prolific does not say {name[:60].replace('_', ' ')} in {count:,} rows any more "
                f"({why}); it is not known of these people."
            )
            self.tell(1, why, message, {"fact": name, "rows": count})

    def _tell_unknown(self, rows: Sequence[Row]) -> None:
        counts = Counter(heading for row in rows for heading in row.other)
        if counts:
            names = ", ".join(repr(one[:60]) for one in list(counts)[:5])
            message = (
                f"{len(counts):,} columns are none that is known, such as {names}; what they say "
                "is kept under the details of people and decides nothing."
            )
            content = {"columns": dict(counts.most_common(_MANY)), "count": len(counts)}
            self.tell(1, "unknown column", message, content)


def _codes(pack: SurveyPack) -> dict[str, tuple[str, str]]:
    """Sheet and ending by completion code; one that several sheets have says neither."""
    found: dict[str, tuple[str, str]] = {}
    doubled: set[str] = set()
    for sheet, codes in pack.codes.items():
        for ending in ENDINGS:
            code = str(getattr(codes, ending)).casefold()
            if found.setdefault(code, (sheet, ending))[0] != sheet:
                doubled.add(code)
    return {code: one for code, one in found.items() if code not in doubled}


def _begun(row: Row) -> str:
    moment = row.moments.get(columns.STARTED)
    return moment.isoformat() if moment else row.get(columns.STARTED)


def _age(row: Row) -> tuple[float, float, int]:
    """What puts rows in the order of what they tell: begun last, known latest comes last."""
    started = row.moments.get(columns.STARTED)
    latest = max((one.timestamp() for one in row.moments.values()), default=float("-inf"))
    return (started.timestamp() if started else float("-inf"), latest, row.number)


def _number(text: str) -> float | None:
    """Seconds as written: `634`, `634.5`, `634,5` or `10:34`."""
    clock = _CLOCK.fullmatch(text)
    if clock:
        hours, minutes, seconds = int(clock[1] or 0), int(clock[2]), clock[3].replace(",", ".")
        return hours * 3600 + minutes * 60 + float(seconds)
    taken = float(text.replace(",", ".")) if _NUMBER.fullmatch(text) else None
    return taken if taken is not None and taken < _LONGEST else None
