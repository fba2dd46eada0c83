"""Answers of Potato. In: a person's `user_state.json`, or a folder of them. Out: raw submissions.

Potato writes a folder a person into `annotation_output`. The state has the answers; when they were
given stands in `annotation_history.jsonl` beside it, by the server's clock, taken for UTC.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from memeloc.errors import InputError
from memeloc.survey.model import RejectedRow
from memeloc.survey.targets.json_files import (
    read_json,
    read_records,
    starts_as_json,
    validated,
)
from memeloc.survey.targets.protocol import RawAnswer, RawRecord, RawSubmission, SurveyPack
from memeloc.survey.taxonomy import LABEL
from memeloc.survey.times import read_moment

_FIRST, CONSENT = "answer", "consent"
"""The names of the questions for the label and for consent."""
ENDED = "ended"
"""The name of the page that shows the completion code."""
_STATE_FILE = "user_state.json"
_HISTORY = "annotation_history.jsonl"


class _Choice(BaseModel):
    """What was chosen; the state has it as a key, its value beside it."""

    question: str = Field(alias="schema")
    name: str


_Choices = list[tuple[_Choice, Any]]


class _Phases(BaseModel):
    consent: dict[str, _Choices] = {}


class _State(BaseModel):
    user_id: Annotated[str, BeforeValidator(lambda value: str(value or ""))] = ""
    answers: dict[str, _Choices] = Field(alias="instance_id_to_label_to_value")
    phases: _Phases = Field(_Phases(), alias="phase_to_page_to_label_to_value")
    place: list[Any] | None = Field(None, alias="current_phase_and_page")

    @property
    def finished(self) -> bool | None:
        """Whether the person saw the completion code; None if the state does not say it."""
        return True if self.place and {"done", ENDED} & set(map(str, self.place)) else None

    @property
    def declined(self) -> bool:
        """Whether the person chose not to take part."""
        choices = [choice for page in self.phases.consent.values() for choice, _ in page]
        return any((choice.question, choice.name) == (CONSENT, "no") for choice in choices)


def schema_of(question: str) -> str:
    """What a question is called in a project."""
    return _FIRST if question == LABEL else question


def recognises(path: Path) -> bool:
    """Whether it is a person's state, or a folder of them."""
    if path.is_dir():
        return any(path.rglob(_STATE_FILE))
    return starts_as_json(path, '"instance_id_to_label_to_value"')


def read(path: Path, pack: SurveyPack) -> Iterator[RawRecord]:
    """A state, or all below a folder in the order of their names.

    Raises:
        InputError: it cannot be read at all, or there is no state below the folder.
    """
    if not path.is_dir():
        state = validated(_State, read_json(path), 1, "not a state")
        if isinstance(state, RejectedRow):
            raise InputError(f"is not a state of a Potato annotator: {state.message}", file=path)
        yield from _records(state, path, path.name, 1, pack)
        return
    states = sorted(path.rglob(_STATE_FILE))
    if not states:
        raise InputError(
            f"has no {_STATE_FILE} below it; name the project's annotation_output", file=path
        )
    for row, file in enumerate(states, 1):
        name = file.relative_to(path).as_posix()
        try:
            state = validated(_State, read_json(file), row, "unreadable")
        except InputError as error:
            message = f"The state {error.message}."
            state = RejectedRow(name, row, "unreadable", message, {"file": name})
        if isinstance(state, RejectedRow):
            yield state
        else:
            yield from _records(state, file, name, row, pack)


def _records(
    state: _State, path: Path, name: str, row: int, pack: SurveyPack
) -> Iterator[RawRecord]:
    """A person's submission, and what is not an answer of this survey."""
    times = _times(path.with_name(_HISTORY))
    answers = []
    questions = [question.id for question in pack.taxonomy.questions]
    for item, choices in state.answers.items():
        chosen: dict[str, list[str]] = {name: [] for name in (_FIRST, *questions)}
        content = {"file": name, "item": item}
        for choice, _ in choices:
            content[choice.question] = choice.name
            if choice.question in chosen:
                chosen[choice.question].append(choice.name)
            else:
                message = f"{item} has answers to a question that was not asked."
                yield RejectedRow(name, row, "unknown question", message, content)
        if choices:
            labels = list(dict.fromkeys(chosen.pop(_FIRST)))
            answers.append(RawAnswer(item, labels, chosen, row=row, content=content))
    if answers or state.declined:
        yield RawSubmission(
            state.user_id,
            answers,
            # Answers say which sheet they are of; who declined has none.
            sheet=""
            if any(pack.places.item(answer.item) for answer in answers)
            else _sheet_of(path, pack),
            consent=not state.declined,
            finished=state.finished,
            started=min(times, default=None),
            submitted=max(times, default=None),
            row=row,
            content={"file": name, "participant": state.user_id},
        )


def _sheet_of(path: Path, pack: SurveyPack) -> str:
    """The only sheet, or the one whose project's folder the state stands in; empty if unknown."""
    ids = [sheet.id for sheet in pack.sheets]
    if len(ids) == 1:
        return ids[0]
    return next((folder.name for folder in path.resolve().parents if folder.name in ids), "")


def _times(history: Path) -> list[datetime]:
    """When a person answered by the history; none where it is missing or broken."""
    try:
        lines = [value for _, value in read_records(history) if isinstance(value, dict)]
    except InputError:
        return []
    return [time for line in lines if (time := read_moment(line.get("timestamp")))]
