"""Who took part. In: Prolific's demographic export, or its API's submissions. Out: people.

Which sheet a study is of follows from the study's id where it was drafted from here, from a name
with the sheet's id in it, from the file's name, or from the completion codes. What cannot be placed
is rejected with a reason; addresses of people's computers and their dates of birth are not taken
over.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.survey import model
from memeloc.survey.codes import ENDINGS
from memeloc.survey.model import Participant, RejectedRow
from memeloc.survey.quality.participants import words_of
from memeloc.survey.targets.prolific import columns
from memeloc.survey.targets.prolific.columns import key_of
from memeloc.survey.targets.prolific.records import ID
from memeloc.survey.targets.prolific.rows import ExportRow, read_rows
from memeloc.survey.targets.protocol import SurveyPack

_TAKEN = re.compile(r"(?:(?:(\d{1,4}):)?(\d{1,2}):)?(\d{1,9}(?:[.,]\d{1,12})?)", re.ASCII)
"""Hours, minutes and seconds: `634`, `634.5`, `634,5` or `10:34`."""
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_MANY = 200
"""Unknown headings that are listed at the most."""

_Endings = Mapping[str, tuple[str, str]]
"""Sheet and ending by completion code in small letters."""


def people(
    path: Path, pack: SurveyPack, studies: Mapping[str, str], sheet: str
) -> Iterator[Participant | RejectedRow]:
    """The people of a file, whoever began last at the end, and what cannot be placed.

    `studies` has by Prolific's id of a study the id of its sheet, as far as that is known; `sheet`
    is the one whose study the whole file is of, empty if nobody named it.

    Raises:
        InputError: it cannot be read at all, or has not the headings that are needed.
    """
    every = read_rows(path)
    rows = sorted((row for row in every if _has_ids(row)), key=_age)
    endings = _endings(pack)
    placed: dict[tuple[str, ...], tuple[ExportRow, Participant]] = {}
    for row, own in zip(rows, _sheets(rows, path, pack, studies, sheet, endings), strict=True):
        if not own:
            message = (
                "It is not known of which sheet its study is: call the file as the sheet is "
                "called, such as r1-b03-DE.csv."
            )
            row.reject("unknown study", message)
            continue
        person = _person(row, own, endings)
        begun = "" if person.submission else row.get(model.STARTED)
        key = (person.submission or person.participant, own, begun)
        older = placed.pop(key, None)
        if older and older[1] != person:
            message = "The submission is there twice, and differs; the later one is taken."
            older[0].reject("doubled row", message)
        placed[key] = row, person
    yield from _summaries([row for row, _ in placed.values()])
    yield from (problem for row in every for problem in row.problems)
    yield from (person for _, person in placed.values())


def revoked(path: Path) -> list[str]:
    """The participants of a file who revoked consent: as their status, or in any other column.

    Raises:
        InputError: as of `people`.
    """
    return [
        row.get(columns.PARTICIPANT)
        for row in read_rows(path)
        if ID.fullmatch(row.get(columns.PARTICIPANT))
        and columns.REVOKED in {key_of(row.get(columns.STATUS)), *row.withheld.values()}
    ]


def _has_ids(row: ExportRow) -> bool:
    if row.problems and not row.submission:
        return False  # it was rejected whole
    for name in row.formulas:
        if name not in (columns.PARTICIPANT, columns.SUBMISSION):
            message = "A formula stands where Prolific writes a value; it is left out."
            row.reject("formula", message, {"column": name})
    for name in (columns.PARTICIPANT, columns.SUBMISSION):
        text = row.get(name)
        if name in row.formulas:
            row.reject("formula", f"The id of the {name} is a formula; write it as a text.")
        elif key_of(text) in columns.WITHHELD:
            message = f"Prolific does not say its {name} any more, so it joins no answers."
            row.reject(key_of(text), message)
        elif not ID.fullmatch(text) and (text or name == columns.PARTICIPANT):
            row.reject(f"no {name}", f"{text[:80]!r} is not an id of a {name}.")
        else:
            continue
        return False
    return True


def _sheets(
    rows: Sequence[ExportRow],
    path: Path,
    pack: SurveyPack,
    studies: Mapping[str, str],
    whole_file: str,
    endings: _Endings,
) -> list[str]:
    """The sheet of each row's study; empty where nothing says it."""
    sheets = {sheet.id for sheet in pack.sheets}
    by_study = {study: sheet for study, sheet in studies.items() if sheet in sheets}
    if not whole_file:
        parts = {part for word in words_of(path.stem) for part in (word, *word.split("_"))}
        whole_file = _only((parts & sheets) | {by_study[part] for part in parts & by_study.keys()})
    placed: list[tuple[str, str]] = []
    votes: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        study, name = row.get(columns.STUDY), row.get(columns.STUDY_NAME)
        sheet = by_study.get(study) or by_study.get(name) or _only(words_of(name) & sheets)
        sheet = sheet or whole_file
        by_code = endings.get(row.get(columns.CODE).casefold(), ("", ""))[0]
        if by_code:
            votes[study or name].add(by_code)
        if sheet and by_code not in ("", sheet):
            message = f"Its completion code is that of {by_code}, and its study that of {sheet}."
            row.reject("code of another sheet", message)
        placed.append((sheet or by_code, study or name))
    # The people of a study who entered no code are of the sheet of those who did.
    return [sheet or _only(votes[study]) for sheet, study in placed]


def _only(sheets: set[str]) -> str:
    return min(sheets) if len(sheets) == 1 else ""


def _person(row: ExportRow, sheet: str, endings: _Endings) -> Participant:
    details: dict[str, Any] = dict(row.details)
    details |= {name: moment.isoformat() for name, moment in sorted(row.times.items())}
    for name, meaning in (("study_id", columns.STUDY), ("study_name", columns.STUDY_NAME)):
        if row.get(meaning):
            details[name] = row.get(meaning)
    code = row.get(columns.CODE)
    if key_of(code) in columns.NO_CODE:
        details["ended"] = "no code"
    elif code:
        whose, ending = endings.get(code.casefold(), ("", ""))
        details |= {"code": code, "ended": ending if whose == sheet else "unknown code"}
    for name, cells in (("withheld", row.withheld), ("other", row.other)):
        if cells:
            details[name] = dict(sorted(cells.items()))
    return Participant(
        row.get(columns.PARTICIPANT),
        dict(sorted(row.facts.items())),
        row.get(columns.SUBMISSION),
        sheet,
        _status(row),
        _seconds(row),
        details,
    )


def _status(row: ExportRow) -> str:
    text = row.get(columns.STATUS)
    status = columns.STATUSES.get(key_of(text))
    if status is not None:
        return status
    message = f"Prolific has no status {text[:40]!r}; it is kept as it is."
    if not text:
        message = "It has no status, so nothing can be decided about it."
    row.reject("unknown status", message, {"status": text})
    return text.upper()[:40] or columns.STATUSES["unknown"]


def _seconds(row: ExportRow) -> float | None:
    """The time taken; else what lies between the times."""
    text = row.get(columns.SECONDS)
    taken: float | None = None
    if match := _TAKEN.fullmatch(text):
        hours, minutes = int(match[1] or 0), int(match[2] or 0)
        taken = hours * 3600 + minutes * 60 + float(match[3].replace(",", "."))
    elif text:
        message = f"The time taken, {text[:40]!r}, is not a number of seconds."
        row.reject("unknown time taken", message, {"text": text})
    if taken is None and {model.STARTED, model.COMPLETED} <= row.times.keys():
        between = row.times[model.COMPLETED] - row.times[model.STARTED]
        taken = between.total_seconds()
    return taken if taken and taken > 0 else None


def _summaries(rows: Sequence[ExportRow]) -> Iterator[RejectedRow]:
    """What is withheld of many people, and which columns are unknown: one row each for all."""
    withheld = Counter((why, name) for row in rows for name, why in row.withheld.items())
    for (why, name), count in sorted(withheld.items()):
        message = (
            f"Prolific does not say {name[:60].replace('_', ' ')} in "
            f"{counted(count, 'row')} any more "
            f"({why}); it is not known of these people."
        )
        if why == columns.REVOKED:
            message += " `memeloc survey forget --from` this file erases them."
        yield RejectedRow("", 1, why, message, {"fact": name, "rows": count})
    unknown = Counter(heading for row in rows for heading in row.other)
    if unknown:
        names = ", ".join(repr(heading[:60]) for heading in list(unknown)[:5])
        message = (
            f"{counted(len(unknown), 'column is', 'columns are')} not known, such as "
            f"{names}; what they say is kept under "
            "the details of people and decides nothing."
        )
        content = {"columns": dict(unknown.most_common(_MANY)), "count": len(unknown)}
        yield RejectedRow("", 1, "unknown column", message, content)


def _endings(pack: SurveyPack) -> _Endings:
    """Those of the survey's codes; one that several sheets have says neither."""
    endings: dict[str, dict[str, str]] = defaultdict(dict)
    for sheet, codes in pack.codes.items():
        for ending in ENDINGS:
            endings[getattr(codes, ending).casefold()].setdefault(sheet, ending)
    return {code: next(iter(own.items())) for code, own in endings.items() if len(own) == 1}


def _age(row: ExportRow) -> tuple[datetime, datetime, int]:
    """Of a person who came back, what was begun last is taken, then what was known latest."""
    latest = max(row.times.values(), default=_EARLIEST)
    return row.times.get(model.STARTED, _EARLIEST), latest, row.number
