"""Responses of the Forms API. In: a file of a page, of pages or of a list. Out: raw submissions.

Responses name questions by id, which says the sheet, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from memeloc.survey.model import RejectedRow
from memeloc.survey.targets.files import content_of, read_records, validated
from memeloc.survey.targets.google_forms.forms import Forms, forms_of
from memeloc.survey.targets.protocol import RawRecord, SurveyPack
from memeloc.survey.times import read_moment


class _Text(BaseModel):
    value: str


class _Texts(BaseModel):
    answers: list[_Text]


class _Answer(BaseModel):
    texts: _Texts | None = Field(None, alias="textAnswers")


class _Response(BaseModel):
    id: str = Field(min_length=1, alias="responseId")
    answers: dict[str, _Answer]
    created: str | None = Field(None, alias="createTime")
    submitted: str | None = Field(None, alias="lastSubmittedTime")


def read(path: Path, pack: SurveyPack) -> Iterator[RawRecord]:
    """The responses of a file; raises InputError if it is not JSON."""
    forms = forms_of(pack)
    for row, value in enumerate(_responses(path), 1):
        response = validated(_Response, value, row, "not a response")
        if isinstance(response, RejectedRow):
            yield response
        else:
            yield from _records(response, row, forms, content_of(value))


def _responses(path: Path) -> Iterator[Any]:
    """The responses in a page, in several pages, or in a list."""
    for _, page in read_records(path):
        if isinstance(page, Mapping) and "responseId" not in page:
            if isinstance(page.get("responses"), list):
                yield from page["responses"]
                continue
            if page.keys() <= {"nextPageToken"}:
                continue  # a page without responses
        yield page


def _records(
    response: _Response, row: int, forms: Forms, content: Mapping[str, Any]
) -> Iterator[RawRecord]:
    questions = {own: forms.questions[own] for own in response.answers if own in forms.questions}
    sheets = {form.sheet.id: form for form, _ in questions.values()}
    if len(sheets) != 1:
        message = "Its questions are of no sheet of this survey, or of several."
        yield RejectedRow("", row, "unknown sheet", message, content)
        return
    (form,) = sheets.values()
    texts: dict[str, list[str]] = {}
    for own, answer in response.answers.items():
        if own in questions and answer.texts:
            written = texts.setdefault(questions[own][1], [])
            written += [text.value for text in answer.texts.answers if text.value.strip()]
            continue
        reason, message = "unknown answer", f"The answer to {own[:40]!r} is not a text."
        if own not in questions:
            reason = "unknown question"
            message = f"The form has a question {own[:40]!r} that was not made by memeloc."
        unread = {"sheet": form.sheet.id, "answer": content["answers"][own]}
        yield RejectedRow("", row, reason, message, unread)
    first, last = read_moment(response.created), read_moment(response.submitted)
    # An edited response keeps its id at Google; here it is another submission, and a later one.
    edited = first and last and last > first
    own = f"{response.id}@{last.isoformat()}" if edited and last else response.id
    submitted = last or first or response.submitted or response.created
    yield form.submission(texts, row, submitted, own=own)
