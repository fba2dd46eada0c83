"""Annotations of Label Studio. In: its export as JSON or JSON-MIN. Out: raw answers.

Label Studio names annotators by a number, or by their e-mail where an export has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from memeloc.errors import InputError
from memeloc.survey.model import RejectedRow
from memeloc.survey.targets.json_files import read_json, starts_as_json, validated
from memeloc.survey.targets.protocol import RawAnswer, RawRecord, SurveyPack
from memeloc.survey.taxonomy import LABEL
from memeloc.survey.times import read_moment

_FIRST = "answer"
"""The name of the control that annotators label by."""
_OF_TASK = {"item", "sheet", "number", "shown"}
_OF_ANNOTATION = {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time"}
"""Keys of JSON-MIN that are not questions."""


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


class _Data(BaseModel):
    item: str
    sheet: str = ""


class _Region(BaseModel):
    """What was chosen in one control."""

    from_name: str
    value: Annotated[list[str], BeforeValidator(_choices)] = []


class _Annotation(BaseModel):
    id: int = 0
    completed_by: Annotated[str, BeforeValidator(_annotator)] = ""
    created_at: str | None = None
    updated_at: str | None = None
    lead_time: float | None = Field(None, ge=0, le=10**7)
    result: list[_Region] = []
    was_cancelled: bool = False


class _Task(BaseModel):
    """A task of the export as JSON, with everybody's annotations."""

    data: _Data
    annotations: list[_Annotation]


def control(question: str) -> str:
    """The name of the control that a question is answered by."""
    return _FIRST if question == LABEL else question


def recognises(path: Path) -> bool:
    """Whether a file is a list of tasks, as JSON or JSON-MIN."""
    return starts_as_json(path, '"annotations"', '"completed_by"') or starts_as_json(
        path, '"annotation_id"', '"annotator"'
    )


def read(path: Path, pack: SurveyPack) -> Iterator[RawRecord]:
    """The answers of all annotations, and what is not one.

    Raises:
        InputError: the file cannot be read, or is not a list of tasks.
    """
    tasks = read_json(path)
    if not isinstance(tasks, list):
        raise InputError("is not a list of tasks; export as JSON or JSON-MIN", file=path)
    questions = [question.id for question in pack.taxonomy.questions]
    for row, value in enumerate(tasks, 1):
        task = validated(_Task, _as_task(value, questions), row, "not a task")
        if isinstance(task, RejectedRow):
            yield task
            continue
        for annotation in task.annotations:
            yield from _records(task.data, annotation, questions, row)


def _as_task(value: Any, questions: Sequence[str]) -> Any:
    """A task as the export as JSON has it; one of JSON-MIN is flat."""
    if not isinstance(value, Mapping) or "annotations" in value:
        return value
    answered = {
        name: inner
        for name, inner in value.items()
        if inner and name not in _OF_TASK | _OF_ANNOTATION
    }
    regions = [
        {"from_name": name, "value": inner if name in (_FIRST, *questions) else str(inner)}
        for name, inner in answered.items()
    ]
    annotation = {name: inner for name, inner in value.items() if name in _OF_ANNOTATION}
    annotation |= {"id": value.get("annotation_id", 0), "completed_by": value.get("annotator")}
    data = {name: value[name] for name in ("item", "sheet") if name in value}
    return {"data": data, "annotations": [annotation | {"result": regions}]}


def _records(
    data: _Data, annotation: _Annotation, questions: Sequence[str], row: int
) -> Iterator[RawRecord]:
    chosen: dict[str, dict[str, None]] = {name: {} for name in (_FIRST, *questions)}
    for region in annotation.result:
        if region.from_name in chosen:
            chosen[region.from_name] |= dict.fromkeys(region.value)
        else:
            message = f"There is no question {region.from_name[:80]!r} in this survey."
            yield RejectedRow("", row, "unknown question", message, region.model_dump())
    who, changed = annotation.completed_by, annotation.updated_at or annotation.created_at
    labels = list(chosen.pop(_FIRST))
    further = {name: list(choices) for name, choices in chosen.items() if choices}
    content = {"labels": labels, "further": further, "annotator": who, "time": changed or ""}
    if annotation.was_cancelled:
        # The annotator skipped the task; what was chosen before is not an answer.
        if annotation.result:
            message = "The task was skipped; what was chosen before is not taken."
            yield RejectedRow("", row, "skipped", message, annotation.model_dump(mode="json"))
        return
    if not who:
        message = "It does not say who annotated."
        yield RejectedRow("", row, "no participant", message, content)
        return
    begun = read_moment(annotation.created_at)
    if begun is not None:
        begun -= timedelta(seconds=annotation.lead_time or 0)
    yield RawAnswer(
        data.item, labels, further, who, data.sheet, begun, changed, annotation.id, row, content
    )
