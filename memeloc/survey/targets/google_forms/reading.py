"""Answers of Google Forms. In: its tables, or the API's responses. Out: raw submissions.

Tables are its CSV, the zip of it, or the linked spreadsheet: columns are found by their titles, in
any order; the sheet by its id in a column, in a title, or in the file's name. Responses of the API
name questions by id, which says the sheet, too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from functools import cached_property, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from pydantic import AliasPath, BaseModel, Field

from memeloc.errors import InputError
from memeloc.survey.model import RejectedRow, Sheet, entry_id, read_moment
from memeloc.survey.targets import files
from memeloc.survey.targets.google_forms.forms import (
    QUESTIONS,
    STOP,
    plan,
    question_id,
    question_key,
)
from memeloc.survey.targets.places import clean_id
from memeloc.survey.targets.protocol import RawAnswer, RawRecord, RawSubmission, SheetsToSend
from memeloc.tables import Formula, Row, folded, read_tables, text_of
from memeloc.tables.column_map import listed
from memeloc.taxonomy import LABEL

ENCODINGS = (
    "cp1252", "cp1256", "cp1251", "cp1253", "cp1254", "cp1255", "cp1257", "cp1258", "cp1250",
    "cp874", "gb18030", "big5hkscs", "cp932", "cp949",
)  # fmt: skip
"""Encodings in which spreadsheets save where it is not UTF-8 or UTF-16."""
_NUMBERED = re.compile(r"\W*(\d{1,6})\. \S")
_ID = re.compile(r"[a-z0-9-]+")
_AGAIN = re.compile(r"(?:\.\d+| \(\d+\)|_\d+)$")
"""Marks that programs put behind a title that is there twice."""
_SAMPLE = 200
"""Cells of a column by which it is told whether it holds times: more than half of them do."""


class SheetForm:
    """A sheet's form as answers are read by it: `keys` of its questions by title, and by id."""

    def __init__(self, survey: SheetsToSend, sheet: Sheet) -> None:
        self.survey, self.sheet, form = survey, sheet, plan(survey, sheet)
        made = survey.made.get("google-forms", {}).get(sheet.id, {}).get("items", {})
        ids = form.ids()
        self.titles: dict[str, str] = {}
        self.keys: dict[str, str] = {}
        self.ids: dict[str, str] = {}
        for item in form.items:
            if item.kind in QUESTIONS:
                key = item.asks or item.key
                self.titles.setdefault(key, item.title)
                self.keys[folded(item.title)] = key
                self.ids[question_id(ids[item.key])] = key
                if id := made.get(item.key, {}).get("questionId"):  # Google's own
                    self.ids[str(id)] = key
        self.stop = {STOP, folded(survey.texts[sheet.culture.locale.tag].get("stop.button"))}

    def key_of(self, title: str) -> str | None:
        """Return the key of a column's question, also with what is put behind doubled titles."""
        whole = folded(title)
        return self.keys.get(whole) or self.keys.get(_AGAIN.sub("", whole))

    def submission(
        self,
        texts: Mapping[str, Sequence[str]],
        row: int,
        submitted: datetime | str | None,
        id: str = "",
    ) -> RawSubmission:
        """Return what one person sent: what they wrote by the questions' keys, no text blank."""
        answers, stopped = [], False
        questions = [LABEL, *(question.id for question in self.survey.taxonomy.questions)]
        for entry in map(entry_id, self.sheet.entries):
            keys = {question: question_key(entry, question) for question in questions}
            values = {name: texts[key] for name, key in keys.items() if texts.get(key)}
            content = {self.titles[keys[name]]: written for name, written in values.items()}
            if not self.stop.isdisjoint(map(folded, values.get(LABEL, ()))):
                stopped = True
            elif content:
                answers.append(RawAnswer(entry, values, content=content))
        consents = texts.get("consent", ())
        written = {self.titles[key]: texts[key] for key in texts if texts[key]}
        return RawSubmission(
            " ".join(texts.get("participant", ())),
            answers,
            sheet=self.sheet.id,
            id=id,
            status="returned" if stopped else "complete",
            # Who answered has agreed, for the form asks for it first.
            consent=None if answers and not consents else " ".join(consents),
            submitted=submitted,
            comments="\n".join(texts.get("comments", ())),
            row=row,
            content={"sheet": self.sheet.id, "answers": written},
        )


class Forms(dict[str, SheetForm]):
    """The forms of a survey by sheet, each planned when it is asked for; raises as `plan`."""

    def __init__(self, survey: SheetsToSend) -> None:
        super().__init__()
        self.survey, self.sheets = survey, {sheet.id: sheet for sheet in survey.sheets}
        self.by_name = {folded(sheet): sheet for sheet in self.sheets}
        labels = {texts.get("participant.label") for texts in survey.texts.values()}
        self.labels = tuple(f"{folded(label)} (" for label in labels)

    def __missing__(self, sheet: str) -> SheetForm:
        self[sheet] = SheetForm(self.survey, self.sheets[sheet])
        return self[sheet]

    @cached_property
    def titles(self) -> set[str]:
        """Return the titles of a sheet of each language, folded."""
        languages = {sheet.culture.locale.tag: id for id, sheet in self.sheets.items()}
        return {title for id in languages.values() for title in self[id].keys}

    @cached_property
    def by_question(self) -> dict[str, SheetForm]:
        return {id: self[sheet] for sheet in self.sheets for id in self[sheet].ids}


_forms_of = lru_cache(maxsize=4)(Forms)
"""The same forms for all files of an import."""


def recognises(path: Path) -> bool:
    """Return whether a file is the API's list of responses, or a table with numbered questions."""
    if files.starts_as_json(path, '"responseId"'):
        return True
    return files.has_table(
        path, lambda table: _numbers(table.columns) >= {1, 2}, is_header=_is_header
    )


def _numbers(texts: Sequence[str]) -> set[int]:
    return {int(match[1]) for text in texts if (match := _NUMBERED.match(text))}


def _is_header(texts: Sequence[str]) -> bool:
    return 1 in _numbers(texts)


def read(path: Path, survey: SheetsToSend, zone: tzinfo) -> Iterator[RawRecord]:
    """Read the responses of a file; `zone` is that of a table's timestamps that name none. Raises
    InputError if it cannot be read, or has no row with a form's titles."""
    forms, table = _forms_of(survey), None
    if files.starts_as_json(path):
        yield from _responses(path, forms)
        return
    tables = read_tables(
        path,
        is_header=_is_header,
        encodings=ENCODINGS,
        score=lambda table: sum(folded(name) in forms.titles for name in table.columns),
    )
    for table in tables:
        if table.note:
            yield RejectedRow("", 1, "encoding", table.note)
        for row in table.above:
            message = "It stands under no row with a form's titles."
            yield RejectedRow("", row.number, "no headings", message, row.texts)
        for header, rows in groupby(table.rows, key=lambda row: row.header):
            yield from _part(path, forms, header.names, list(rows), zone)
    if table is None:
        raise InputError("has no titles of this survey's forms", file=path)


def _part(
    path: Path, forms: Forms, names: Sequence[str], rows: Sequence[Row], zone: tzinfo
) -> Iterator[RawRecord]:
    broken = [row for row in rows if row.reason]
    yield from (RejectedRow("", row.number, row.reason, row.error, row.texts) for row in broken)
    rows = [row for row in rows if not row.reason]
    who = {place for place, name in enumerate(names) if folded(name).startswith(forms.labels)}
    others = {
        place: [text_of(row.cells[place]) if place < len(row.cells) else "" for row in rows]
        for place, name in enumerate(names)
        if place not in who and not _NUMBERED.match(name)
    }
    sheets = next((at for at, cells in others.items() if forms.sheets.keys() & {*cells}), None)
    timed = next((at for at, cells in others.items() if _are_times(cells)), None)
    named = [forms.by_name.keys() & set(_ID.findall(folded(name))) for name in (*names, path.stem)]
    ids = [max(found, key=len) for found in named if found and sheets is None]
    whole = forms[forms.by_name[ids[0]]] if ids else None
    stamps = others[timed] if timed is not None else [""] * len(rows)
    moments = files.read_column(stamps, zone)
    columns: dict[str, dict[int, str]] = {}
    for number, row in enumerate(rows):
        sheet = others[sheets][number] if sheets is not None else ""
        form = forms[sheet] if sheet in forms.sheets else whole
        if form is None:
            message = (
                "No title, column or file name says which of the survey's sheets it is of: "
                "call the file as the sheet is called, such as r1-b03-DE.csv."
            )
            yield RejectedRow("", row.number, "unknown sheet", message, row.texts)
            continue
        if form.sheet.id not in columns:
            keys = [
                form.key_of(name) or ("participant" if place in who else "")
                for place, name in enumerate(names)
            ]
            columns[form.sheet.id] = {place: key for place, key in enumerate(keys) if key}
        texts: dict[str, list[str]] = defaultdict(list)
        unknown: dict[str, str] = {}
        for place, cell in enumerate(row.cells):
            text = cell.text if isinstance(cell, Formula) else text_of(cell)
            key = columns[form.sheet.id].get(place)
            if key is None and text and place not in (sheets, timed):
                unknown[row.header.name(place)] = text
            elif key and text and folded(text) not in map(folded, texts[key]):
                texts[key].append(text)
        if unknown:
            more = listed("column", list(unknown))
            message = f"There is more than the form asks, {more}: it is kept, and decides nothing."
            yield RejectedRow("", row.number, "unknown column", message, unknown)
        submission = form.submission(texts, row.number, moments[number] or stamps[number])
        if len({clean_id(text) for text in texts["participant"]}) > 1:
            message = "Two columns name different participants; leave the right one."
            content = submission.content
            yield RejectedRow("", row.number, "participants differ", message, content)
        else:
            yield submission


def _are_times(column: Sequence[str]) -> bool:
    sample = [text for text in column if text][:_SAMPLE]
    return sum(map(files.looks_like_time, sample)) * 2 > len(sample)


class _Text(BaseModel):
    value: str


class _Answer(BaseModel):
    texts: list[_Text] | None = Field(None, validation_alias=AliasPath("textAnswers", "answers"))


class _Response(BaseModel):
    id: str = Field(min_length=1, alias="responseId")
    answers: dict[str, _Answer]
    created: str | None = Field(None, alias="createTime")
    submitted: str | None = Field(None, alias="lastSubmittedTime")


def _responses(path: Path, forms: Forms) -> Iterator[RawRecord]:
    values: list[Any] = []
    for _, page in files.read_records(path):
        responses = page.get("responses") if isinstance(page, Mapping) else None
        if isinstance(responses, list):
            values += responses
        elif not (isinstance(page, Mapping) and page.keys() <= {"nextPageToken"}):
            values.append(page)
    for row, value in enumerate(values, 1):
        response = files.validated(_Response, value, row, "not a response")
        if isinstance(response, RejectedRow):
            yield response
            continue
        asked = forms.by_question.keys() & response.answers.keys()
        sheets = {forms.by_question[id].sheet.id for id in asked}
        if len(sheets) != 1:
            message = "Its questions are of no sheet of this survey, or of several."
            yield RejectedRow("", row, "unknown sheet", message, files.content_of(value))
            continue
        form, texts = forms[sheets.pop()], defaultdict[str, list[str]](list)
        for id, answer in response.answers.items():
            key = form.ids.get(id)
            if key and answer.texts is not None:
                texts[key] += [text.value for text in answer.texts if text.value.strip()]
                continue
            message = f"{id[:40]!r} is no question of memeloc's, or its answer is no text."
            unread = {"sheet": form.sheet.id, "answer": value["answers"][id]}
            yield RejectedRow("", row, "unknown question", message, unread)
        first, last = read_moment(response.created), read_moment(response.submitted)
        # An edited response keeps its id at Google; here it is another submission, and a later one.
        edited = first and last and last > first
        id = f"{response.id}@{last.isoformat()}" if edited and last else response.id
        submitted = last or first or response.submitted or response.created
        yield form.submission(texts, row, submitted, id)
