"""What Google Forms gives out. In: its tables, or the API's responses. Out: raw submissions.

Tables are its CSV, the zip of it, or the linked spreadsheet: columns are found by their titles, in
any order; the sheet by its id in a title, in a column, in the file's name, or by which sheet alone
has such titles. Responses of the API name questions by id, which says the sheet, too.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from functools import cached_property, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from pydantic import AliasPath, BaseModel, Field

from memeloc.errors import InputError
from memeloc.survey.model import RejectedRow, Sheet, entry_id
from memeloc.survey.targets.files import (
    content_of,
    has_table,
    read_records,
    starts_as_json,
    validated,
)
from memeloc.survey.targets.google_forms.forms import (
    QUESTIONS,
    STOP,
    Item,
    plan,
    question_id,
    question_key,
)
from memeloc.survey.targets.places import clean_id
from memeloc.survey.targets.protocol import RawAnswer, RawRecord, RawSubmission, SheetsToSend
from memeloc.survey.targets.time_columns import looks_like_time, read_column
from memeloc.survey.times import read_moment
from memeloc.tables import Formula, Row, Table, folded, read_tables, text_of
from memeloc.taxonomy import LABEL

ENCODINGS = (
    "cp1252", "cp1256", "cp1251", "cp1253", "cp1254", "cp1255", "cp1257", "cp1258", "cp1250",
    "cp874", "gb18030", "big5hkscs", "cp932", "cp949",
)  # fmt: skip
"""What spreadsheets save in where they do not save UTF-8 or UTF-16."""
_NUMBERED = re.compile(r"\W*(\d{1,6})\. \S")
_ID = re.compile(r"[a-z0-9-]+")
_AGAIN = re.compile(r"(?:\.\d+| \(\d+\)|_\d+)$")
"""What programs put behind a title that is there twice."""
_SAMPLE = 200
"""Cells of a column by which it is told whether it holds times: more than half of them do."""

Texts = Mapping[str, Sequence[str]]
"""What one person wrote, by the questions' keys; no text is blank."""


class SheetForm:
    """A sheet's form as answers are read by it: its questions (`items`) by key."""

    def __init__(self, survey: SheetsToSend, sheet: Sheet) -> None:
        self.places, self.sheet, self.form = survey.places, sheet, plan(survey, sheet)
        self.items = {item.key: item for item in self.form.items if item.kind in QUESTIONS}
        self.titles = {folded(item.title): _key(item) for item in self.items.values()}
        self._questions = [LABEL, *(question.id for question in survey.taxonomy.questions)]
        self._stop = {STOP, folded(survey.texts[sheet.culture.locale.tag].get("stop.button"))}

    def key_of(self, title: str) -> str | None:
        """Return the key of a column's question, also with what is put behind doubled titles."""
        whole = folded(title)
        return self.titles.get(whole) or self.titles.get(_AGAIN.sub("", whole))

    def submission(
        self, texts: Texts, row: int, submitted: datetime | str | None, id: str = ""
    ) -> RawSubmission:
        """Return what one person sent; `id` is that of the response, if the file has one."""
        answers, stopped = [], False
        for entry in map(entry_id, self.sheet.entries):
            keys = {question: question_key(entry, question) for question in self._questions}
            values = {name: texts[key] for name, key in keys.items() if texts.get(key)}
            content = {self.items[keys[name]].title: written for name, written in values.items()}
            if not self._stop.isdisjoint(map(folded, values.get(LABEL, ()))):
                stopped = True
            elif content:
                answers.append(RawAnswer(entry, values, content=content))
        consents = texts.get("consent", ())
        agrees = [self.places.consent(self.sheet, text) for text in consents]
        # Who answered has agreed, for the form asks for it first.
        unasked = None if answers and not consents else " ".join(consents)
        return RawSubmission(
            " ".join(texts.get("participant", ())),
            answers,
            sheet=self.sheet.id,
            id=id,
            status="returned" if stopped else "complete",
            consent=False if False in agrees else True if True in agrees else unasked,
            submitted=submitted,
            comments="\n".join(texts.get("comments", ())),
            row=row,
            content=self.content(texts),
        )

    def content(self, texts: Texts) -> dict[str, Any]:
        """Return what was written, by the questions' titles."""
        written = {self.items[key].title: texts[key] for key in texts if texts[key]}
        return {"sheet": self.sheet.id, "answers": written}


def _key(item: Item) -> str:
    return item.asks or item.key


class Forms(dict[str, SheetForm]):
    """The forms of a survey's sheets by id, each planned when it is asked for; raises as `plan`."""

    def __init__(self, survey: SheetsToSend) -> None:
        super().__init__()
        self.survey, self.sheets = survey, {sheet.id: sheet for sheet in survey.sheets}
        labels = {texts.get("participant.label") for texts in survey.texts.values()}
        self._participant = tuple(f"{folded(label)} (" for label in labels)

    def __missing__(self, sheet: str) -> SheetForm:
        self[sheet] = SheetForm(self.survey, self.sheets[sheet])
        return self[sheet]

    def asks_who(self, title: str) -> bool:
        """Return whether a title is that of a sheet's question for the participant."""
        return folded(title).startswith(self._participant)

    def score(self, table: Table) -> int:
        """Return how many of a table's columns a sheet of any language has."""
        languages = {sheet.culture.locale.tag: id for id, sheet in self.sheets.items()}
        return max(
            sum(self[id].key_of(name) is not None for name in table.columns)
            for id in languages.values()
        )

    def named(self, names: Sequence[str]) -> SheetForm | None:
        """Return the form whose id a title or a file's name has in it, or that has most titles."""
        ids = {folded(sheet): sheet for sheet in self.sheets}
        for name in names:
            if found := ids.keys() & set(_ID.findall(folded(name))):
                return self[ids[max(found, key=len)]]
        scores = {id: len({*map(self[id].key_of, names)} - {None}) for id in self.sheets}
        best = max(scores.values())
        alone = [id for id, score in scores.items() if score == best]
        return self[alone[0]] if best >= 2 and len(alone) == 1 else None

    @cached_property
    def questions(self) -> dict[str, tuple[SheetForm, str]]:
        """Return the form and the question's key by the question's id, also by Google's own."""
        questions: dict[str, tuple[SheetForm, str]] = {}
        made = self.survey.made.get("google-forms", {})
        for sheet in self.sheets:
            form = self[sheet]
            ids = {question_id(id): key for key, id in form.form.ids().items()}
            for key, item in made.get(sheet, {}).get("items", {}).items():
                ids[str(item.get("questionId"))] = key
            questions |= {
                id: (form, _key(form.items[key])) for id, key in ids.items() if key in form.items
            }
        return questions


@lru_cache(maxsize=4)
def _forms_of(survey: SheetsToSend) -> Forms:
    """Return the forms of a survey; the same for all files of an import."""
    return Forms(survey)


def recognises(path: Path) -> bool:
    """Return whether a file is the API's list of responses, or a table with numbered questions."""
    if starts_as_json(path, '"responseId"'):
        return True
    return has_table(path, lambda table: _numbers(table.columns) >= {1, 2}, is_header=_is_header)


def _numbers(texts: Sequence[str]) -> set[int]:
    return {int(match[1]) for text in texts if (match := _NUMBERED.match(text))}


def _is_header(texts: Sequence[str]) -> bool:
    return 1 in _numbers(texts)


def read(path: Path, survey: SheetsToSend, zone: tzinfo) -> Iterator[RawRecord]:
    """Read the responses of a file; `zone` is that of a table's timestamps that name none.

    Raises:
        InputError: it cannot be read, or has no row with a form's titles.
    """
    forms, table = _forms_of(survey), None
    if starts_as_json(path):
        yield from _responses(path, forms)
        return
    for table in read_tables(path, is_header=_is_header, encodings=ENCODINGS, score=forms.score):
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
    """Read the rows under one row of titles."""
    broken = [row for row in rows if row.reason]
    yield from (RejectedRow("", row.number, row.reason, row.error, row.texts) for row in broken)
    rows = [row for row in rows if not row.reason]
    others = {
        place: [text_of(row.cells[place]) if place < len(row.cells) else "" for row in rows]
        for place, name in enumerate(names)
        if not (_NUMBERED.match(name) or forms.asks_who(name))
    }
    sheets = next((at for at, cells in others.items() if forms.sheets.keys() & {*cells}), None)
    timed = next((at for at, cells in others.items() if _are_times(cells)), None)
    whole = forms.named((*names, path.stem)) if sheets is None else None
    stamps = others[timed] if timed is not None else [""] * len(rows)
    named = others[sheets] if sheets is not None else [""] * len(rows)
    keys: dict[str, list[str | None]] = {}
    for row, sheet, stamp, moment in zip(
        rows, named, stamps, read_column(stamps, zone), strict=True
    ):
        form = forms[sheet] if sheet in forms.sheets else whole
        if form is None:
            message = (
                "No title, column or file name says which of the survey's sheets it is of: "
                "call the file as the sheet is called, such as r1-b03-DE.csv."
            )
            yield RejectedRow("", row.number, "unknown sheet", message, row.texts)
            continue
        if form.sheet.id not in keys:
            keys[form.sheet.id] = [
                "participant" if forms.asks_who(name) else form.key_of(name) for name in names
            ]
        texts = yield from _texts(form, row, keys[form.sheet.id], {sheets, timed})
        if len({clean_id(text) for text in texts.get("participant", ())}) > 1:
            message = "Two columns name different participants; leave the right one."
            content = form.content(texts)
            yield RejectedRow("", row.number, "participants differ", message, content)
            continue
        if moment is None and looks_like_time(stamp):
            message = (
                f"The timestamp {stamp[:40]!r} may be read in two ways (which number is "
                "the day?), and no other row decides: export the table with another locale. "
                "The answers come without it."
            )
            yield RejectedRow("", row.number, "ambiguous time", message, {"time": stamp})
            stamp = ""
        yield form.submission(texts, row.number, moment or stamp)


def _are_times(column: Sequence[str]) -> bool:
    sample = [text for text in column if text][:_SAMPLE]
    return sum(map(looks_like_time, sample)) * 2 > len(sample)


def _texts(
    form: SheetForm, row: Row, keys: Sequence[str | None], skipped: set[int | None]
) -> Generator[RejectedRow, None, dict[str, list[str]]]:
    """Return a row's texts by the questions' keys; what belongs to none is rejected."""
    texts: dict[str, list[str]] = {}
    for place, cell in enumerate(row.cells):
        if cell == "" or place in skipped:
            continue
        text = cell.text if isinstance(cell, Formula) else text_of(cell)
        if not (text or isinstance(cell, Formula)):
            continue
        name, problem = row.header.name(place), None
        if isinstance(cell, Formula):
            problem = ("formula", "A formula stands where an answer should be.")
        elif place >= len(keys):
            problem = ("no title", "The row has more cells than the table has titles.")
        elif keys[place] is None:
            problem = ("unknown column", f"The form has no question {name[:80]!r}.")
        if problem:
            yield RejectedRow("", row.number, *problem, {"column": name, "text": text})
            continue
        before = texts.setdefault(keys[place] or "", [])
        if before:
            if folded(text) in map(folded, before):
                continue
            message = f"Two columns {name[:80]!r} say different things."
            differing = {"sheet": form.sheet.id, "texts": [*before, text]}
            yield RejectedRow("", row.number, "columns differ", message, differing)
        before.append(text)
    return texts


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
    """Read the API's responses: a page, several pages, or a list."""
    values: list[Any] = []
    for _, page in read_records(path):
        responses = page.get("responses") if isinstance(page, Mapping) else None
        if isinstance(responses, list):
            values += responses
        elif not (isinstance(page, Mapping) and page.keys() <= {"nextPageToken"}):
            values.append(page)
    for row, value in enumerate(values, 1):
        response = validated(_Response, value, row, "not a response")
        if isinstance(response, RejectedRow):
            yield response
        else:
            yield from _records(response, row, forms, content_of(value))


def _records(
    response: _Response, row: int, forms: Forms, content: Mapping[str, Any]
) -> Iterator[RawRecord]:
    questions = {id: forms.questions[id] for id in response.answers if id in forms.questions}
    sheets = {form.sheet.id: form for form, _ in questions.values()}
    if len(sheets) != 1:
        message = "Its questions are of no sheet of this survey, or of several."
        yield RejectedRow("", row, "unknown sheet", message, content)
        return
    (form,) = sheets.values()
    texts: dict[str, list[str]] = {}
    for id, answer in response.answers.items():
        if id in questions and answer.texts is not None:
            written = texts.setdefault(questions[id][1], [])
            written += [text.value for text in answer.texts if text.value.strip()]
            continue
        reason, message = "unknown answer", f"The answer to {id[:40]!r} is not a text."
        if id not in questions:
            reason = "unknown question"
            message = f"The form has a question {id[:40]!r} that was not made by memeloc."
        unread = {"sheet": form.sheet.id, "answer": content["answers"][id]}
        yield RejectedRow("", row, reason, message, unread)
    first, last = read_moment(response.created), read_moment(response.submitted)
    # An edited response keeps its id at Google; here it is another submission, and a later one.
    edited = first and last and last > first
    id = f"{response.id}@{last.isoformat()}" if edited and last else response.id
    submitted = last or first or response.submitted or response.created
    yield form.submission(texts, row, submitted, id)
