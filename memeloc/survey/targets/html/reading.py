"""Answers of web pages. In: the JSON that a sheet saved or sent. Out: raw submissions.

A file holds one submission, a list of them, or one a line, as servers collect what is sent to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, BaseModel, Field

from memeloc.survey.model import RejectedRow
from memeloc.survey.targets.json_files import content_of, read_records, starts_as_json, validated
from memeloc.survey.targets.protocol import RawAnswer, RawRecord, RawSubmission, SurveyPack
from memeloc.taxonomy import Taxonomy


class _Answer(BaseModel):
    """One answer; pages of version 1 named the entry, and had one question beside the label."""

    item: str = Field(validation_alias=AliasChoices("item", "entry"))
    label: str = ""
    further: Mapping[str, list[str]] = Field(default_factory=dict)
    shown: int | None = Field(None, ge=0)
    second: list[str] | str | None = None

    def raw(self, taxonomy: Taxonomy) -> RawAnswer:
        further = dict(self.further)
        if self.second:
            ids = [question.id for question in taxonomy.questions]
            second = [self.second] if isinstance(self.second, str) else self.second
            further[ids[0] if len(ids) == 1 else "second"] = second
        labels = (self.label,) if self.label else ()
        return RawAnswer(self.item, labels, further, shown=self.shown)


class _Submission(BaseModel):
    memeloc: Literal["survey-answers"]
    survey: str
    sheet: str
    submission: str = Field(min_length=1)
    status: str
    participant: str | None = None
    answers: list[_Answer]
    comments: str | None = None
    started: str | None = None
    submitted: str | None = None
    code: str | None = None


def recognises(path: Path) -> bool:
    """Whether a file begins as the JSON that a page saves or sends."""
    return starts_as_json(path, "survey-answers")


def read(path: Path, pack: SurveyPack) -> Iterator[RawRecord]:
    """The submissions of a file.

    Raises:
        InputError: it cannot be read at all.
    """
    for row, value in read_records(path):
        sent = validated(_Submission, value, row, "not a submission")
        if isinstance(sent, RejectedRow):
            yield sent
        elif sent.survey != pack.name:
            message = f"It is of the survey {sent.survey[:80]!r}."
            yield RejectedRow("", row, "other survey", message, content_of(value))
        else:
            yield RawSubmission(
                sent.participant or "",
                [answer.raw(pack.taxonomy) for answer in sent.answers],
                sheet=sent.sheet,
                id=sent.submission,
                status=sent.status,
                started=sent.started,
                submitted=sent.submitted,
                code=sent.code or "",
                comments=sent.comments or "",
                row=row,
                content=content_of(value),
            )
