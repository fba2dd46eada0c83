"""Label Studio. In: sheets, or an export as JSON or JSON-MIN. Out: projects; raw answers.

`SHEET/project.json` is what the program's API makes a project of, `config.xml` its labelling
interface, `tasks.json` what is imported into it (a task an entry, in order), and `pictures/` what
it has to serve: it takes pictures out of its instructions that stand in them as data. Answers come
out as ids of labels (the `alias` of a choice), whatever language the annotator read. Annotators are
the numbers of their accounts.

The same interface shows every task, and a control can be shown by answers only. So a hidden control
`asked` has the ids of the questions that are asked of some entries only; a task comes with its
answer, as a prediction that the program takes for the annotator's own. A draft comes the same way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from datetime import timedelta
from html import escape
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from pydantic import AliasPath, BaseModel, BeforeValidator, Field

from memeloc.errors import InputError
from memeloc.pages import fill_page
from memeloc.survey.model import MemeEntry, PersonEntry, RejectedRow, read_moment
from memeloc.survey.targets import instructions
from memeloc.survey.targets.files import (
    copy_picture,
    read_records,
    starts_as_json,
    validated,
    write_json,
    write_text,
)
from memeloc.survey.targets.protocol import ALL_KINDS, RawAnswer, RawRecord, SheetsToSend
from memeloc.survey.targets.services import is_https
from memeloc.tables import drawable
from memeloc.taxonomy import LABEL

MODEL = "sheet"
"""What the program calls the source of answers that a task comes with."""
GATE = "asked"
"""The name of the control that says which of the others a task asks."""
_BEFORE = "q-"
"""Before the id of a question in the name of its control, by which JSON-MIN's keys are told."""


class LabelStudio(instructions.SheetFiles):
    """Target that writes a project of Label Studio for each sheet, and reads what it exports. Raise
    InputError if it is neither a relative folder nor an https address.

    Args:
        pictures: where Label Studio finds the exported folder: a folder below its
            LOCAL_FILES_DOCUMENT_ROOT, or an https address; empty is a folder of the survey's name.
    """

    name = "label-studio"
    summary = "a Label Studio project a sheet: labelling interface, tasks, pictures, instructions"
    kinds = ALL_KINDS
    shows_prelabels = True

    def __init__(self, pictures: str = "") -> None:
        folder = Path(pictures)
        if not is_https(pictures, or_local=True) and (
            folder.is_absolute() or ".." in folder.parts or ":" in pictures
        ):
            raise InputError(
                "pictures is a folder below LOCAL_FILES_DOCUMENT_ROOT or an https address, not "
                f"{pictures[:80]!r}"
            )
        self._pictures = pictures

    def write_sheet(self, shown: instructions.SheetTexts, folder: Path) -> Path:
        """Write `SHEET/project.json`, `config.xml`, `tasks.json` and `pictures/`."""
        survey, sheet, project_folder = shown.survey, shown.sheet, folder / shown.sheet.id
        parts = shown.sections()
        is_on_web = is_https(self._pictures, or_local=True)
        below = "/".join(Path(self._pictures or survey.name).parts)

        def address(picture: Path, name: str) -> str:
            """Return where the program or a web server serves a copy of a picture."""
            path = f"{sheet.id}/pictures/{copy_picture(picture, project_folder / 'pictures', name)}"
            if is_on_web:
                return f"{self._pictures.rstrip('/')}/{quote(path)}"
            return f"/data/local-files/?d={quote(f'{below}/{path}')}"

        examples = [example.picture for part in parts for example in part.examples]
        addresses = {
            picture: address(picture, f"example-{number}")
            for number, picture in enumerate(dict.fromkeys(filter(None, examples)), 1)
        }
        people = [entry for entry in sheet.entries if isinstance(entry, PersonEntry)]
        questions = (*shown.questions(), *(shown.questions(people[0]) if people else ()))
        ids = [{question.id for question in shown.questions(entry)} for entry in sheet.entries]
        always = set.intersection(*ids) if ids else set()
        of_some = {each.id: each.id for each in questions if each.id not in always}
        config = fill_page(
            Path(__file__).parent / "data" / "label_studio.xml.jinja",
            direction=shown.locale.direction,
            gate=GATE,
            before=_BEFORE,
            asked_of_some=of_some,
            questions=questions,
            required=shown.get("required"),
            field_of=_text_field,
            points_of=lambda scale: {str(n): str(n) for n in range(scale[0], scale[1] + 1)},
            plain=_plain,
        )
        write_text(project_folder / "config.xml", config)
        project = {
            "title": f"{survey.name} {sheet.id}"[:50],
            "description": f"{survey.name}, {sheet.id}",
            "label_config": config,
            "expert_instruction": instructions.as_html(parts, sheet, addresses.__getitem__),
            "show_instruction": True,
            "show_skip_button": False,
            "enable_empty_annotation": False,
            "show_collab_predictions": True,
            "model_version": MODEL,
            "maximum_annotations": sheet.wanted,
            "sampling": "Sequential sampling",
        }
        write_json(project_folder / "project.json", project)
        tasks = []
        for item in shown.items():
            above = f'<p class="to-read">{escape(item.text)}</p>'
            if item.picture:
                # The caption stands on the picture; screen readers are given it as its text.
                source = escape(address(item.picture, item.key))
                image = f'<img src="{source}" alt="{escape(item.text)}">'
                above = f'<div class="shown">{image}</div>'
            data = {"item": item.key, "sheet": item.sheet, "number": item.number, "shown": above}
            data |= {_text_field(question.id): "" for question in questions}
            if any(question.kind == "span" for question in questions):
                data["caption"] = item.text
            # A sentence that says what to choose stands in the place of a question.
            asked = () if instructions.is_read(item.entry) else shown.questions(item.entry)
            data |= {_text_field(question.id): question.text for question in asked}
            tasks.append({"data": data, "predictions": _predictions(shown, item, of_some)})
        write_json(project_folder / "tasks.json", tasks)
        return project_folder / "project.json"

    def recognises(self, path: Path) -> bool:
        """Return whether a file is a list of tasks, as JSON or JSON-MIN."""
        marks = ('"annotations"', '"completed_by"'), ('"annotation_id"', '"annotator"')
        return any(starts_as_json(path, *each) for each in marks)

    def read(self, path: Path, survey: SheetsToSend) -> Iterator[RawRecord]:
        """Return the answers of all annotations, and what is not one. Raise InputError if the file
        cannot be read."""
        for row, value in read_records(path):
            task = validated(_Task, _as_task(value), row, "not a task")
            if isinstance(task, RejectedRow):
                yield task
                continue
            for annotation in task.annotations:
                if annotation.result or not annotation.was_cancelled:
                    yield _record(task, annotation, row, has_team=survey.has_team)


# What goes out


def _predictions(
    shown: instructions.SheetTexts, item: instructions.Item, of_some: Collection[str]
) -> list[dict[str, Any]]:
    """Return what a task comes with: which questions are asked, drafts, a model's answers. A
    model's label, that of most rounds first, has all that a prediction of the sheet has: whoever
    takes it over is asked the same."""

    def result(name: str, kind: str, values: list[str], key: str = "choices") -> dict[str, Any]:
        where = {"id": name, "from_name": name, "to_name": "shown"}
        return where | {"type": kind, "value": {key: values}}

    questions = shown.questions(item.entry)
    asked = [question.id for question in questions if question.id in of_some]
    results = [result(GATE, "choices", asked)] if asked else []
    results += [
        result(f"{_BEFORE}{question.id}", "textarea", [question.draft], "text")
        for question in questions
        if question.draft
    ]
    predictions: list[dict[str, Any]] = []
    if results:
        predictions.append({"model_version": MODEL, "result": results})
    prelabels = shown.survey.prelabels
    if prelabels is not None and isinstance(item.entry, MemeEntry):
        shares = prelabels.labels.get(item.entry.meme_id, {})
        for label in sorted(shares, key=lambda label: (-shares[label], label)):
            chosen = [*results, result(f"{_BEFORE}{LABEL}", "choices", [label])]
            of_model = {"model_version": prelabels.model, "score": round(shares[label], 4)}
            predictions.append({**of_model, "result": chosen})
    return predictions


def _text_field(question: str) -> str:
    """Return the field of a task with a question's text; fields have no hyphens."""
    return f"text_{question.replace('-', '_')}"


def _plain(text: str) -> str:
    """Return a text on one line; a $ in it names no field of the task."""
    return drawable(" ".join(text.replace("$", "＄").split()))


# What comes back


def _values(value: Any) -> list[str]:
    """Return what a control holds, as texts; a span is such as `3-7`, in code points."""
    if isinstance(value, Mapping) and not {"start", "end"} <= value.keys():
        value = value.get("choices", value.get("text", []))
    held = value if isinstance(value, list) else [value]
    return [
        f"{each.get('start')}-{each.get('end')}" if isinstance(each, Mapping) else str(each)
        for each in held
    ]


class _Region(BaseModel):
    from_name: str
    value: Annotated[list[str], BeforeValidator(_values)] = []


class _Annotation(BaseModel):
    id: int = 0
    completed_by: Any = None
    created_at: str | None = None
    updated_at: str | None = None
    lead_time: float | None = Field(None, ge=0, le=10**7)
    result: list[_Region] = []
    was_cancelled: bool = False


class _Task(BaseModel):
    item: str = Field(validation_alias=AliasPath("data", "item"))
    sheet: str = Field("", validation_alias=AliasPath("data", "sheet"))
    annotations: list[_Annotation]


def _as_task(value: Any) -> Any:
    """Return a task as the export as JSON has it; one of JSON-MIN is flat."""
    if not isinstance(value, Mapping) or "annotations" in value:
        return value
    regions = [
        {"from_name": name, "value": inner}
        for name, inner in value.items()
        if str(name).startswith(_BEFORE) and inner not in (None, "", [])
    ]
    annotation = {"id": value.get("annotation_id", 0), "completed_by": value.get("annotator")}
    return {"data": value, "annotations": [{**value, **annotation, "result": regions}]}


def _record(task: _Task, annotation: _Annotation, row: int, *, has_team: bool) -> RawRecord:
    if annotation.was_cancelled:
        message = "The task was skipped; what was chosen before is not taken."
        return RejectedRow("", row, "skipped", message, annotation.model_dump(mode="json"))
    who = annotation.completed_by
    if isinstance(who, Mapping):
        # People who are listed may be listed by their address; else the account's number is the id.
        names = ("email", "id") if has_team else ("id", "email")
        who = next((who[name] for name in names if who.get(name)), None)
    who = "" if who is None else str(who).strip()
    answers: dict[str, list[str]] = defaultdict(list)
    for region in annotation.result:
        if region.from_name != GATE:
            answers[region.from_name.removeprefix(_BEFORE)] += region.value
    if not who:  # accounts are always there, so it is not the only other person's
        message = "It does not say who annotated."
        return RejectedRow("", row, "no participant", message, {"answers": answers})
    begun = read_moment(annotation.created_at)
    if begun is not None:
        begun -= timedelta(seconds=annotation.lead_time or 0)
    return RawAnswer(
        task.item,
        answers,
        participant=who,
        sheet=task.sheet,
        started=begun,
        submitted=annotation.updated_at or annotation.created_at,
        order=annotation.id,
        row=row,
    )
