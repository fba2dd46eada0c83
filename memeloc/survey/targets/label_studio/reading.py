"""Annotations of Label Studio. In: its export as JSON or JSON-MIN. Out: raw answers.

Label Studio names annotators by a number, or by their e-mail where an export has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from memeloc.errors import InputError
from memeloc.survey.model import RejectedRow
from memeloc.survey.targets.json_files import read_json, validated
from memeloc.survey.targets.protocol import RawAnswer, RawRecord
from memeloc.survey.times import read_moment

FIRST, SECOND = "answer", "second_answer"
"""The names of the two controls that annotators answer by."""


def _choices(value: Any) -> Any:
    """A control's choices: an object with a list, or one text alone."""
    if isinstance(value, Mapping):
        value = value.get("choices", [])
    return [value] if isinstance(value, str) else value


def _annotator(value: Any) -> Any:
    """A number, an e-mail address, or an object that has one of them."""
    if isinstance(value, Mapping):
        value = value.get("email") or value.get("id")
    return "" if value is None else str(value).strip()


Choices = Annotated[list[str], BeforeValidator(_choices)]
Annotator = Annotated[str, BeforeValidator(_annotator)]


class _Times(BaseModel):
    created_at: str | None = None
    updated_at: str | None = None
    lead_time: float | None = Field(None, ge=0, le=10**7)


class _Data(BaseModel):
    item: str
    sheet: str = ""


class _Region(BaseModel):
    """What was chosen in one control."""

    from_name: str
    value: Choices = []


class _Annotation(_Times):
    id: int = 0
    completed_by: Annotator = ""
    result: list[_Region] = []
    was_cancelled: bool = False


class _Task(BaseModel):
    """A task of the export as JSON, with everybody's annotations."""

    data: _Data
    annotations: list[_Annotation]

    def records(self, row: int) -> Iterator[RawRecord]:
        for annotation in self.annotations:
            chosen: dict[str, list[str]] = {FIRST: [], SECOND: []}
            for region in annotation.result:
                if region.from_name in chosen:
                    chosen[region.from_name] += region.value
                else:
                    message = f"There is no question {region.from_name[:80]!r} in this survey."
                    yield RejectedRow("", row, "unknown question", message, region.model_dump())
            if not annotation.was_cancelled:
                labels, second = chosen.values()
                who, number = annotation.completed_by, annotation.id
                yield _answer(self.data, annotation, who, number, labels, second, row)
            elif annotation.result:
                # The annotator skipped the task; what was chosen before is not an answer.
                message = "The task was skipped; what was chosen before is not taken."
                content = annotation.model_dump(mode="json")
                yield RejectedRow("", row, "skipped", message, content)


class _MinTask(_Times, _Data):
    """An annotation of the export as JSON-MIN: the questions are keys of the task."""

    model_config = ConfigDict(extra="allow")

    annotator: Annotator = ""
    annotation_id: int = 0
    labels: Choices = Field([], alias="answer")
    second: Choices = Field([], alias="second_answer")

    def records(self, row: int) -> Iterator[RawRecord]:
        further = {name: value for name, value in (self.model_extra or {}).items() if value}
        if unknown := further.keys() - {"number", "text", "picture", "id"}:
            message = "There are no such questions in this survey."
            content = {name: further[name] for name in sorted(unknown)}
            yield RejectedRow("", row, "unknown question", message, content)
        number = self.annotation_id
        yield _answer(self, self, self.annotator, number, self.labels, self.second, row)


def read(path: Path) -> Iterator[RawRecord]:
    """The answers of all annotations, and what is not one.

    Raises:
        InputError: the file cannot be read, or is not a list of tasks.
    """
    tasks = read_json(path)
    if not isinstance(tasks, list):
        raise InputError("is not a list of tasks; export as JSON or JSON-MIN", file=path)
    for row, value in enumerate(tasks, 1):
        is_whole = isinstance(value, Mapping) and "annotations" in value
        model: type[_Task | _MinTask] = _Task if is_whole else _MinTask
        task = validated(model, _short(value), row, "not a task")
        if isinstance(task, RejectedRow):
            yield task
        else:
            yield from task.records(row)


def _answer(
    data: _Data,
    times: _Times,
    who: str,
    number: int,
    labels: list[str],
    second: list[str],
    row: int,
) -> RawRecord:
    labels, second = list(dict.fromkeys(labels)), list(dict.fromkeys(second))
    changed = times.updated_at or times.created_at
    content = {"labels": labels, "second": second, "annotator": who, "time": changed or ""}
    if not who:
        message = "It does not say who annotated."
        return RejectedRow("", row, "no participant", message, content)
    begun = read_moment(times.created_at)
    if begun is not None:
        begun -= timedelta(seconds=times.lead_time or 0)
    return RawAnswer(
        data.item, labels, second, who, data.sheet, begun, changed, number, row, content
    )


def _short(value: Any) -> Any:
    """A task without its picture, which is long and known."""
    if isinstance(value, Mapping):
        return {
            key: _short(inner) if key == "data" else inner
            for key, inner in value.items()
            if key != "picture"
        }
    return value
