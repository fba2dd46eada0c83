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
from datetime import datetime
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.survey.model import (
    ARCHIVED,
    COMPLETED,
    ENDINGS,
    MOMENTS,
    RETURN_REQUESTED,
    REVIEWED,
    STARTED,
    Participant,
    RejectedRow,
)
from memeloc.survey.quality.checking import words_of
from memeloc.survey.targets.files import has_table, read_column, read_records, starts_as_json
from memeloc.survey.targets.prolific.api import ID, STATUSES, key_of
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.tables import read_table

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
"""The encoding in which Excel saves plain CSV."""

REVOKED = "consent revoked"
"""A word in place of a value of a person who withdrew consent."""
WITHHELD = frozenset({REVOKED, "data expired"})
"""Words in place of a value that Prolific does not give any more."""
NOTHING = frozenset({"", "not applicable", "n a", "na", "null", "none", "nan"})
"""Words for no value in these columns."""
_NO_CODE = frozenset({"nocode", "no code"})
"""Words in place of the code of people who entered none."""

_TAKEN = re.compile(r"(?:(?:\d{1,4}:)?\d{1,2}:)?\d{1,9}(?:[.,]\d{1,12})?", re.ASCII)
"""Hours, minutes and seconds: `634`, `634.5`, `634,5` or `10:34`."""
_MANY = 200
"""Unknown headings that are listed at the most."""


@dataclass(slots=True)
class _Row:
    """A row, its cells by the groups of `_COLUMNS`; `content` is all of it as written. `withheld`
    has by fact or heading why Prolific does not say it any more, `other` what is under unknown
    headings, `times` those of `submission`, `problems` what is wrong with the row."""

    number: int
    content: Mapping[str, Any]
    submission: dict[str, str] = field(default_factory=lambda: defaultdict(str))
    facts: dict[str, str] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)
    other: dict[str, str] = field(default_factory=dict)
    withheld: dict[str, str] = field(default_factory=dict)
    times: dict[str, datetime] = field(default_factory=dict)
    problems: list[RejectedRow] = field(default_factory=list)

    def reject(self, reason: str, message: str, content: Mapping[str, Any] | None = None) -> None:
        content = self.content if content is None else content
        self.problems.append(RejectedRow("", self.number, reason, message, content))


def recognises(path: Path) -> bool:
    """Return whether a file is the API's list of submissions, or has an export's headings."""
    if not starts_as_json(path):
        return has_table(path, is_header=_is_export)
    try:
        is_listed = starts_as_json(path, '"participant', '"status"')
        return is_listed and next(map(_is_submission, _submissions(path)), False)
    except InputError:
        return False


def revoked(path: Path) -> list[str]:
    """Return the participants who revoked consent: as their status, or in another column."""
    return [
        row.submission["participant"]
        for row in _rows(path)[0]
        if ID.fullmatch(row.submission["participant"])
        and REVOKED in {key_of(row.submission["status"]), *row.withheld.values()}
    ]


def people(
    path: Path, survey: SheetsToSend, studies: Mapping[str, str], sheet: str
) -> Iterator[Participant | RejectedRow]:
    """Yield the people of a file, in its order, and what cannot be placed.

    `studies` has by Prolific's id of a study the id of its sheet, as far as that is known; `sheet`
    is the one whose study the whole file is of, empty if nobody named it. Raises InputError if the
    file cannot be read at all, or has not the headings that are needed.
    """
    codes: dict[str, dict[str, str]] = defaultdict(dict)
    for id, by_ending in survey.codes.items():
        for ending in ENDINGS:
            codes[getattr(by_ending, ending).casefold()].setdefault(id, ending)
    # A code that several sheets have says neither.
    ended = {code: next(iter(each.items())) for code, each in codes.items() if len(each) == 1}
    rows, problems = _rows(path)
    sure, placed = list(filter(_has_ids, rows)), list[_Row]()
    for row, of in zip(sure, _sheets(path, sure, survey, studies, sheet, ended), strict=True):
        whose, ending = ended.get(row.submission["code"].casefold(), ("", ""))
        if of:
            placed.append(row)
            yield _person(row, of, ending if whose == of else "")
            continue
        message = (
            "It is not known of which sheet its study is: call the file as the sheet is "
            "called, such as r1-b03-DE.csv."
        )
        row.reject("unknown study", message)
    yield from problems
    yield from _summaries(placed)
    for row in rows:
        yield from row.problems


def _has_ids(row: _Row) -> bool:
    for name in ("participant", "submission"):
        text = row.submission[name]
        reason, message = f"no {name}", f"{text[:80]!r} is not an id of a {name}."
        if (word := key_of(text)) in WITHHELD:
            reason = word
            message = f"Prolific does not say its {name} any more, so it joins no answers."
        elif ID.fullmatch(text) or (not text and name == "submission"):
            continue
        row.reject(reason, message)
        return False
    return True


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
        study, name = row.submission["study"], row.submission["study name"]
        sheet = by_study.get(study) or by_study.get(name) or _only(words_of(name) & sheets)
        sheet = sheet or whole_file
        if by_code := endings.get(row.submission["code"].casefold(), ("", ""))[0]:
            votes[study or name].add(by_code)
        if sheet and by_code not in ("", sheet):
            message = f"Its completion code is that of {by_code}, and its study that of {sheet}."
            row.reject("code of another sheet", message)
        placed.append((sheet or by_code, study or name))
    # The people of a study who entered no code are of the sheet of those who did.
    return [sheet or _only(votes[study]) for sheet, study in placed]


def _only(sheets: Collection[str]) -> str:
    return min(sheets) if len(sheets) == 1 else ""


def _person(row: _Row, sheet: str, ending: str) -> Participant:
    """Return a row's person; `ending` is how the sheet ended by the completion code, if known."""
    ids = {"study_id": row.submission["study"], "study_name": row.submission["study name"]}
    code, text, taken = (row.submission[name] for name in ("code", "status", "seconds"))
    ended = {"code": code, "ended": ending or "unknown code"} if code else {}
    if key_of(code) in _NO_CODE:
        ended = {"ended": "no code"}
    status = STATUSES.get(key_of(text))
    if status is None:
        message = f"Prolific has no status {text[:40]!r}; it is kept as it is."
        if not text:
            message = "It has no status, so nothing can be decided about it."
        row.reject("unknown status", message, {"status": text})
    seconds = 0.0
    if _TAKEN.fullmatch(taken):
        parts = taken.replace(",", ".").split(":")
        seconds = sum(float(part) * 60**place for place, part in enumerate(parts[::-1]))
    else:
        if taken:
            message = f"The time taken, {taken[:40]!r}, is not a number of seconds."
            row.reject("unknown time taken", message, {"text": taken})
        if {STARTED, COMPLETED} <= row.times.keys():
            seconds = (row.times[COMPLETED] - row.times[STARTED]).total_seconds()
    more = {"withheld": row.withheld, "other": row.other}
    details = {
        **row.details,
        **{name: moment.isoformat() for name, moment in sorted(row.times.items())},
        **{name: id for name, id in ids.items() if id},
        **ended,
        **{name: dict(sorted(values.items())) for name, values in more.items() if values},
    }
    return Participant(
        row.submission["participant"],
        dict(sorted(row.facts.items())),
        row.submission["submission"],
        sheet,
        status or text.upper()[:40] or "UNKNOWN",
        seconds if seconds > 0 else None,
        details,
    )


def _rows(path: Path) -> tuple[list[_Row], list[RejectedRow]]:
    """Return the rows of a file, and what is no row of an export."""
    rows: list[_Row] = []
    problems: list[RejectedRow] = []
    if starts_as_json(path):
        for number, value in enumerate(_submissions(path), 1):
            if _is_submission(value):
                rows.append(_row(number, value))
                continue
            message = "It is not a submission of Prolific's API: id, participant, status."
            problems.append(RejectedRow("", number, "not a submission", message, {"value": value}))
    else:
        table = read_table(path, is_header=_is_export, wanted=_WANTED, encodings=_ENCODINGS)
        if table.note:
            problems.append(RejectedRow("", 1, "encoding", table.note, {}))
        for line in table.rows:
            if line.reason:
                broken = RejectedRow("", line.number, line.reason, line.error, line.texts)
                problems.append(broken)
            else:
                rows.append(_row(line.number, line.texts))
    for name in MOMENTS:
        timed = [row for row in rows if row.submission[name]]
        # Without a zone they are UTC, as Prolific writes them; spreadsheets rewrite them.
        times = read_column([row.submission[name] for row in timed])
        for row, moment in zip(timed, times, strict=True):
            if moment:
                row.times[name] = moment
                continue
            text = row.details[f"{name}_as_written"] = row.submission[name]
            message = (
                f"The time {text[:40]!r} under {name.replace('_', ' ')} cannot be read for "
                "sure, so the row is taken without it; export it from Prolific once more."
            )
            row.reject("unknown time", message, {name: text})
    return rows, problems


def _row(number: int, values: Mapping[str, Any]) -> _Row:
    texts: dict[str, str] = {}
    for heading, value in values.items():
        # Links are left out; what is within an object is a sample's strata.
        for name, cell in (value if isinstance(value, dict) else {heading: value}).items():
            if cell is not None and not heading.startswith("_"):
                texts[name] = (
                    cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)
                )
    meanings = {heading: _MEANINGS.get(key_of(heading), ("other", heading, 0)) for heading in texts}
    taken = {name: text for name, text in texts.items() if meanings[name][0] != "dropped"}
    row = _Row(number, taken)
    for heading, text in sorted(taken.items(), key=lambda cell: meanings[cell[0]][2]):
        group, name, _ = meanings[heading]
        word = key_of(text) or text
        if word in WITHHELD and name not in _NEEDED:
            row.withheld.setdefault(name, word)
        elif word not in NOTHING and (
            text.startswith("=") or getattr(row, group).setdefault(name, text) != text
        ):
            row.other[heading] = text  # a formula, or of two columns of one meaning that differ
    return row


def _is_export(headings: Iterable[str]) -> bool:
    meanings = (_MEANINGS.get(key_of(heading), ("", "", 0)) for heading in headings)
    names = {name for group, name, _ in meanings if group == "submission"}
    return names >= _NEEDED and bool(names & _TELLING)


def _is_submission(value: Any) -> bool:
    return isinstance(value, dict) and _is_export(value)


def _submissions(path: Path) -> Iterator[Any]:
    for _, page in read_records(path):
        results = page.get("results") if isinstance(page, dict) else None
        yield from results if isinstance(results, list) else [page]


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
