"""Annotations of Label Studio. In: its export as JSON or JSON-MIN. Out: raw answers.

Label Studio names annotators by a number, or by their e-mail where an export has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from memeloc.errors import InputError
from memeloc.survey.model import RejectedRow
from memeloc.survey.targets.json_files import read_json, starts_as_json, validated
from memeloc.survey.targets.protocol import RawAnswer, RawRecord, SurveyPack
from memeloc.survey.times import read_moment
from memeloc.taxonomy import LABEL

_BEFORE = "q-"
"""Before the id of a question in the name of its control; JSON-MIN has other keys beside it."""

GATE = "asked"
"""The name of the control that says which of the others a task asks."""
_OF_TASK = {"item", "sheet", "number", "shown", "caption", "text"}
_OF_ANNOTATION = {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time"}
"""Keys of JSON-MIN that are not controls; those that begin with `text_` are not, either."""


def control(question: str) -> str:
    """The name of the control that a question is answered by."""
    return f"{_BEFORE}{question}"


def _values(value: Any) -> list[str]:
    """What a control holds, as texts; a span is such as `3-7`, in code points."""
    if isinstance(value, Mapping) and not {"start", "end"} <= value.keys():
        value = value.get("choices", value.get("text", []))
    held = value if isinstance(value, list) else [value]
    return [
        f"{each.get('start')}-{each.get('end')}" if isinstance(each, Mapping) else str(each)
        for each in held
    ]


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
    value: Annotated[list[str], BeforeValidator(_values)] = []


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
    for row, value in enumerate(tasks, 1):
        task = validated(_Task, _as_task(value), row, "not a task")
        if isinstance(task, RejectedRow):
            yield task
            continue
        for annotation in task.annotations:
            yield from _records(task.data, annotation, row)


def _as_task(value: Any) -> Any:
    """A task as the export as JSON has it; one of JSON-MIN is flat."""
    if not isinstance(value, Mapping) or "annotations" in value:
        return value
    regions = [
        {"from_name": name, "value": inner}
        for name, inner in value.items()
        if inner and name not in _OF_TASK | _OF_ANNOTATION and not str(name).startswith("text_")
    ]
    annotation = {name: inner for name, inner in value.items() if name in _OF_ANNOTATION}
    annotation |= {"id": value.get("annotation_id", 0), "completed_by": value.get("annotator")}
    data = {name: value[name] for name in ("item", "sheet") if name in value}
    return {"data": data, "annotations": [annotation | {"result": regions}]}


def _records(data: _Data, annotation: _Annotation, row: int) -> Iterator[RawRecord]:
    chosen: dict[str, dict[str, None]] = {}
    for region in annotation.result:
        if region.from_name != GATE:
            own = region.from_name.removeprefix(_BEFORE)
            chosen.setdefault(own, {}).update(dict.fromkeys(region.value))
    who, changed = annotation.completed_by, annotation.updated_at or annotation.created_at
    labels = list(chosen.pop(LABEL, ()))
    further = {name: list(choices) for name, choices in chosen.items()}
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
