"""People who took part. In: Prolific's demographic export, or its API's submissions. Out: people.

Columns are found by their headings, in any order. Which sheet a study is of follows from the
study's id where it was drafted from here, from a name with the sheet's id in it, from the file's
name, or from the completion codes. What cannot be placed is rejected with a reason; addresses of
people's computers and their dates of birth are not taken over.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.survey.codes import ENDINGS
from memeloc.survey.model import (
    ARCHIVED,
    COMPLETED,
    MOMENTS,
    RETURN_REQUESTED,
    REVIEWED,
    STARTED,
    Participant,
    RejectedRow,
)
from memeloc.survey.quality.participants import words_of
from memeloc.survey.targets.files import read_json, starts_as_json
from memeloc.survey.targets.prolific.api import ID, STATUSES, key_of
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.targets.time_columns import read_column
from memeloc.tables import read_table, read_tables

_COLUMNS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "submission": {
        "participant": ("participant id", "participant", "prolific id", "prolific pid"),
        "submission": ("submission id", "session id", "id"),
        "study": ("study id",),
        "study name": ("internal name", "study name", "study internal name", "study"),
        "status": ("status", "submission status"),
        "code": ("completion code", "entered code", "study code"),
        "seconds": ("time taken", "time taken in seconds", "time taken seconds"),
        STARTED: ("started at", "started datetime", "started date time", "date started"),
        COMPLETED: ("completed at", "completed date time", "completed datetime", "date completed"),
        REVIEWED: ("reviewed at", "reviewed at datetime", "reviewed date time"),
        ARCHIVED: ("archived at", "archived at datetime", "archived date time"),
        RETURN_REQUESTED: ("return requested", "return requested at"),
    },
    "facts": {
        "age": ("age", "age demographics"),
        "sex": ("sex",),
        "gender": ("gender", "gender identity"),
        "ethnicity": ("ethnicity simplified", "simplified ethnicity", "ethnicity"),
        "nationality": ("nationality", "current nationality"),
        "country_of_birth": ("country of birth",),
        "residence": ("current country of residence", "country of residence", "residence"),
        "first_language": ("first language", "language", "native language"),
        "fluent_languages": ("fluent languages",),
        "most_of_life": ("place of most time spent before turning 18",),
        "monocultural": (
            "monocultural", "monocultural multicultural", "mono multi cultural", "multicultural",
            "cultural background",
        ),
        "student": ("student status",),
        "employment": ("employment status",),
    },
    "details": {
        "terms_accepted": ("custom study tncs accepted at",),
        "total_approvals": ("total approvals", "num approvals"),
        "total_rejections": ("total rejections", "num rejections"),
        "score": ("prolific score",),
        "reward": ("reward", "submission reward"),
        "bonuses": ("bonus payments",),
        "complete": ("is complete",),
        "siblings": ("has siblings",),
        "parent_study": ("parent study id",),
        "star": ("star awarded",),
    },
    "dropped": {"personal": ("ip", "ip address", "date of birth")},
}  # fmt: skip
"""Headings, as of `key_of`, by what they mean: of the submission, the person, what decides nothing,
and what is not taken over. The spellings are those of the study page's export (`Submission id`), of
the older one (`session_id`, `entered_code`), and of the public API
(docs.prolific.com/api-reference/studies/export-demographic-data, .../submissions/get-submissions).
Of several columns of one meaning the first that is listed goes first."""

_MEANINGS = {
    heading: (group, name, rank)
    for group, names in _COLUMNS.items()
    for name, headings in names.items()
    for rank, heading in enumerate(headings)
}
_NEEDED = frozenset({"participant", "status", "submission"})
_TELLING = frozenset({"code", "seconds", STARTED, COMPLETED, REVIEWED})
_WANTED = (
    "Submission id, Participant id and Status; export the demographic data of the study once more, "
    "and leave its first row as it is"
)
_ENCODINGS = ("cp1252",)
"""What Excel saves plain CSV in."""

REVOKED = "consent revoked"
"""What stands for a value of a person who withdrew consent."""
WITHHELD = frozenset({REVOKED, "data expired"})
"""What stands for a value that Prolific does not give any more."""
NOTHING = frozenset({"", "not applicable", "n a", "na", "null", "none", "nan"})
"""What stands for no value in these columns."""
_NO_CODE = frozenset({"nocode", "no code"})
"""What stands for the code of people who entered none."""

_TAKEN = re.compile(r"(?:(?:\d{1,4}:)?\d{1,2}:)?\d{1,9}(?:[.,]\d{1,12})?", re.ASCII)
"""Hours, minutes and seconds: `634`, `634.5`, `634,5` or `10:34`."""
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_MANY = 200
"""Unknown headings that are listed at the most."""


@dataclass(slots=True)
class _Row:
    """A row, by the groups of `_COLUMNS`; `content` is all of it as written.

    `withheld` has by fact or heading why Prolific does not say it any more, `other` what is under
    unknown headings, `times` those of `submission`, `problems` what is wrong with the row; one that
    is `broken` has nothing else.
    """

    number: int
    content: Mapping[str, Any]
    submission: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)
    other: dict[str, str] = field(default_factory=dict)
    withheld: dict[str, str] = field(default_factory=dict)
    times: dict[str, datetime] = field(default_factory=dict)
    problems: list[RejectedRow] = field(default_factory=list)
    broken: bool = False

    def get(self, name: str) -> str:
        """Return what describes the submission, or empty."""
        return self.submission.get(name, "")

    def reject(self, reason: str, message: str, content: Mapping[str, Any] | None = None) -> None:
        content = self.content if content is None else content
        self.problems.append(RejectedRow("", self.number, reason, message, content))

    def has_ids(self) -> bool:
        for name in ("participant", "submission"):
            text = self.get(name)
            if key_of(text) in WITHHELD:
                message = f"Prolific does not say its {name} any more, so it joins no answers."
                self.reject(key_of(text), message)
            elif not ID.fullmatch(text) and (text or name == "participant"):
                self.reject(f"no {name}", f"{text[:80]!r} is not an id of a {name}.")
            else:
                continue
            return False
        return True

    def age(self) -> tuple[datetime, datetime, int]:
        """Return when it was begun, then the last that is known of it: the later row counts."""
        latest = max(self.times.values(), default=_EARLIEST)
        return self.times.get(STARTED, _EARLIEST), latest, self.number

    def seconds(self) -> float | None:
        """Return the time taken, of seconds or `10:34`; else what lies between the times."""
        text, taken = self.get("seconds"), 0.0
        if _TAKEN.fullmatch(text):
            parts = text.replace(",", ".").split(":")
            return sum(float(each) * 60**at for at, each in enumerate(parts[::-1])) or None
        if text:
            message = f"The time taken, {text[:40]!r}, is not a number of seconds."
            self.reject("unknown time taken", message, {"text": text})
        if {STARTED, COMPLETED} <= self.times.keys():
            taken = (self.times[COMPLETED] - self.times[STARTED]).total_seconds()
        return taken if taken > 0 else None

    def person(self, sheet: str, ending: str) -> Participant:
        """Return the person; `ending` is how the sheet ended by the completion code, if known."""
        ids = {"study_id": self.get("study"), "study_name": self.get("study name")}
        code, text = self.get("code"), self.get("status")
        ended = {"code": code, "ended": ending or "unknown code"} if code else {}
        if key_of(code) in _NO_CODE:
            ended = {"ended": "no code"}
        status = STATUSES.get(key_of(text))
        if status is None:
            message = f"Prolific has no status {text[:40]!r}; it is kept as it is."
            if not text:
                message = "It has no status, so nothing can be decided about it."
            self.reject("unknown status", message, {"status": text})
        kept = {"withheld": self.withheld, "other": self.other}
        details = {
            **self.details,
            **{name: moment.isoformat() for name, moment in sorted(self.times.items())},
            **{name: id for name, id in ids.items() if id},
            **ended,
            **{name: dict(sorted(values.items())) for name, values in kept.items() if values},
        }
        return Participant(
            self.get("participant"),
            dict(sorted(self.facts.items())),
            self.get("submission"),
            sheet,
            status or text.upper()[:40] or "UNKNOWN",
            self.seconds(),
            details,
        )


def recognises(path: Path) -> bool:
    """Return whether a file is the API's list of submissions, or has an export's headings."""
    try:
        if starts_as_json(path, '"participant', '"status"'):
            return _is_submission(next(_submissions(read_json(path)), None))
        tables = read_tables(path, is_header=_is_export, encodings=_ENCODINGS)
        return not starts_as_json(path) and any(tables)
    except InputError:
        return False


def revoked(path: Path) -> list[str]:
    """Return the participants who revoked consent: as their status, or in another column."""
    return [
        row.get("participant")
        for row in _rows(path)
        if ID.fullmatch(row.get("participant"))
        and REVOKED in {key_of(row.get("status")), *row.withheld.values()}
    ]


def people(
    path: Path, survey: SheetsToSend, studies: Mapping[str, str], sheet: str
) -> Iterator[Participant | RejectedRow]:
    """Yield what cannot be placed, then the people, whoever began last at the end.

    `studies` has by Prolific's id of a study the id of its sheet, as far as that is known; `sheet`
    is the one whose study the whole file is of, empty if nobody named it.

    Raises:
        InputError: the file cannot be read at all, or has not the headings that are needed.
    """
    endings: dict[str, dict[str, str]] = defaultdict(dict)
    for id, codes in survey.codes.items():
        for ending in ENDINGS:
            endings[getattr(codes, ending).casefold()].setdefault(id, ending)
    # A code that several sheets have says neither.
    ended = {code: next(iter(own.items())) for code, own in endings.items() if len(own) == 1}
    rows = _rows(path)
    sure = sorted((row for row in rows if not row.broken and row.has_ids()), key=_Row.age)
    placed: dict[tuple[str, ...], tuple[_Row, Participant]] = {}
    for row, of in zip(sure, _sheets(path, sure, survey, studies, sheet, ended), strict=True):
        if not of:
            message = (
                "It is not known of which sheet its study is: call the file as the sheet is "
                "called, such as r1-b03-DE.csv."
            )
            row.reject("unknown study", message)
            continue
        whose, ending = ended.get(row.get("code").casefold(), ("", ""))
        person = row.person(of, ending if whose == of else "")
        begun = "" if person.submission else row.get(STARTED)
        key = (person.submission or person.participant, of, begun)
        older = placed.pop(key, None)
        if older and older[1] != person:
            message = "The submission is there twice, and differs; the later one is taken."
            older[0].reject("doubled row", message)
        placed[key] = row, person
    yield from _summaries([row for row, _ in placed.values()])
    for row in rows:
        yield from row.problems
    yield from (person for _, person in placed.values())


def _sheets(
    path: Path,
    rows: Sequence[_Row],
    survey: SheetsToSend,
    studies: Mapping[str, str],
    whole_file: str,
    endings: Mapping[str, tuple[str, str]],
) -> list[str]:
    """Return the sheet of each row's study; empty where nothing says it."""
    sheets = {sheet.id for sheet in survey.sheets}
    by_study = {study: sheet for study, sheet in studies.items() if sheet in sheets}
    if not whole_file:
        parts = {at for word in words_of(path.stem) for at in (word, *word.split("_"))}
        whole_file = _only((parts & sheets) | {by_study[at] for at in parts & by_study.keys()})
    placed: list[tuple[str, str]] = []
    votes: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        study, name = row.get("study"), row.get("study name")
        sheet = by_study.get(study) or by_study.get(name) or _only(words_of(name) & sheets)
        sheet = sheet or whole_file
        if by_code := endings.get(row.get("code").casefold(), ("", ""))[0]:
            votes[study or name].add(by_code)
        if sheet and by_code not in ("", sheet):
            message = f"Its completion code is that of {by_code}, and its study that of {sheet}."
            row.reject("code of another sheet", message)
        placed.append((sheet or by_code, study or name))
    # The people of a study who entered no code are of the sheet of those who did.
    return [sheet or _only(votes[study]) for sheet, study in placed]


def _rows(path: Path) -> list[_Row]:
    """Return the rows of a file; one that cannot be read has only its problem."""
    rows = list(_listed(path) if starts_as_json(path) else _tabulated(path))
    for name in MOMENTS:
        timed = [row for row in rows if row.get(name)]
        # Without a zone they are UTC, as Prolific writes them; spreadsheets rewrite them.
        times = read_column([row.get(name) for row in timed])
        for row, moment in zip(timed, times, strict=True):
            if moment:
                row.times[name] = moment
                continue
            text = row.details[f"{name}_as_written"] = row.get(name)
            message = (
                f"The time {text[:40]!r} under {name.replace('_', ' ')} cannot be read for "
                "sure, so the row is taken without it; export it from Prolific once more."
            )
            row.reject("unknown time", message, {name: text})
    return rows


def _listed(path: Path) -> Iterator[_Row]:
    for number, value in enumerate(_submissions(read_json(path)), 1):
        if not _is_submission(value):
            message = "It is not a submission of Prolific's API: id, participant, status."
            yield _broken(number, {"value": value}, "not a submission", message)
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


def _tabulated(path: Path) -> Iterator[_Row]:
    table = read_table(path, is_header=_is_export, wanted=_WANTED, encodings=_ENCODINGS)
    if table.note:
        yield _broken(1, {}, "encoding", table.note)
    for line in table.rows:
        if line.reason:
            yield _broken(line.number, line.texts, line.reason, line.error)
        else:
            yield _row(line.number, line.texts)


def _broken(number: int, content: Mapping[str, Any], reason: str, message: str) -> _Row:
    row = _Row(number, content, broken=True)
    row.reject(reason, message)
    return row


def _row(number: int, texts: Mapping[str, str]) -> _Row:
    """Return a row with its cells sorted by what their headings mean."""
    cells = [
        (_MEANINGS.get(key_of(heading), ("other", heading, 0)), heading, text)
        for heading, text in texts.items()
    ]
    row = _Row(number, {name: text for (group, *_), name, text in cells if group != "dropped"})
    for (group, name, _), heading, text in sorted(cells, key=lambda cell: cell[0][2]):
        word = key_of(text) or text
        if word in NOTHING or group == "dropped":
            continue
        if word in WITHHELD and name not in _NEEDED:
            row.withheld.setdefault(name, word)
        elif text.startswith("=") or getattr(row, group).setdefault(name, text) != text:
            row.other[heading] = text  # a formula, or of two columns of one meaning that differ
    return row


def _names(headings: Iterable[str]) -> set[str]:
    meanings = (_MEANINGS.get(key_of(heading), ("", "", 0)) for heading in headings)
    return {name for group, name, _ in meanings if group == "submission"}


def _is_export(headings: Sequence[str]) -> bool:
    names = _names(headings)
    return names >= _NEEDED and bool(names & _TELLING)


def _is_submission(value: Any) -> bool:
    return isinstance(value, dict) and {*_NEEDED, STARTED} <= _names(value)


def _submissions(value: Any) -> Iterator[Any]:
    """Yield the submissions of a page, of several pages, or of a plain list."""
    for page in value if isinstance(value, list) else [value]:
        results = page.get("results") if isinstance(page, dict) else None
        yield from results if isinstance(results, list) else [page]


def _only(sheets: Collection[str]) -> str:
    return min(sheets) if len(sheets) == 1 else ""


def _summaries(rows: Sequence[_Row]) -> Iterator[RejectedRow]:
    """Yield what is withheld of many people, and which columns are unknown: one row for all."""
    withheld = Counter((why, name) for row in rows for name, why in row.withheld.items())
    for (why, name), count in sorted(withheld.items()):
        message = (
            f"Prolific does not say {name[:60].replace('_', ' ')} in {counted(count, 'row')} any "
            f"more ({why}); it is not known of these people."
        )
        if why == REVOKED:
            message += " `memeloc survey forget --from` this file erases them."
        yield RejectedRow("", 1, why, message, {"fact": name, "rows": count})
    unknown = Counter(heading for row in rows for heading in row.other)
    if unknown:
        names = ", ".join(repr(heading[:60]) for heading in list(unknown)[:5])
        message = (
            f"{counted(len(unknown), 'column is', 'columns are')} not known, such as {names}; what "
            "they say is kept under the details of people and decides nothing."
        )
        content = {"columns": dict(unknown.most_common(_MANY)), "count": len(unknown)}
        yield RejectedRow("", 1, "unknown column", message, content)
