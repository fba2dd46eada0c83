"""Answers of Potato. In: a person's `user_state.json`, or a folder of them. Out: raw submissions.

Potato writes a folder a person into `annotation_output`. The state has the answers; when they were
given stands in `annotation_history.jsonl` beside it, by the server's clock, taken for UTC.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from memeloc.errors import InputError
from memeloc.survey.model import RejectedRow
from memeloc.survey.targets.json_files import read_json, read_records, starts_as_json, validated
from memeloc.survey.targets.protocol import RawAnswer, RawRecord, RawSubmission, SurveyPack
from memeloc.survey.times import read_moment
from memeloc.taxonomy import LABEL

CONSENT = "consent"
"""The name of the question for consent, and of its page."""
_BEFORE = "q-"
"""Before the id of a question in the name of its scheme, for no scheme to be called as a page."""
ENDED = "ended"
"""The name of the page that shows the completion code."""
GATE = "asked"
"""The name of the scheme that says which of the others an item asks."""
_STATE_FILE = "user_state.json"
_HISTORY = "annotation_history.jsonl"


class _Choice(BaseModel):
    """What was chosen; the state has it as a key, its value beside it."""

    scheme: str = Field(alias="schema")
    name: str


class _Span(BaseModel):
    """What was marked, its first character and the one after its last."""

    scheme: str = Field(alias="schema")
    start: int
    end: int


_Choices = list[tuple[_Choice, Any]]


class _State(BaseModel):
    user_id: Annotated[str, BeforeValidator(lambda value: str(value or ""))] = ""
    answers: dict[str, _Choices] = Field(alias="instance_id_to_label_to_value")
    spans: dict[str, list[tuple[_Span, Any]]] = Field({}, alias="instance_id_to_span_to_value")
    phases: dict[str, dict[str, _Choices]] = Field({}, alias="phase_to_page_to_label_to_value")
    place: list[Any] | None = Field(None, alias="current_phase_and_page")

    @property
    def finished(self) -> bool | None:
        """Whether the person saw the completion code; None if the state does not say it."""
        return True if self.place and {"done", ENDED} & set(map(str, self.place)) else None

    @property
    def declined(self) -> bool:
        """Whether the person chose not to take part."""
        pages = self.phases.get("consent", {}).values()
        choices = [choice for page in pages for choice, _ in page]
        return any((choice.scheme, choice.name) == (CONSENT, "no") for choice in choices)

    @property
    def items(self) -> dict[str, _Choices]:
        """The answers to items, and to the page about the person, which is called as its item."""
        pages = {page: choices for each in self.phases.values() for page, choices in each.items()}
        return self.answers | {page: pages[page] for page in pages if page != CONSENT}


def scheme_name(question: str, number: int = 0) -> str:
    """What a question is called in a project; a number tells texts of its own apart."""
    return f"{_BEFORE}{question}.{number}" if number else f"{_BEFORE}{question}"


def _question(scheme: str) -> str:
    """The id of the question that a scheme asks; empty for the one that nobody answers."""
    return "" if scheme == GATE else scheme.removeprefix(_BEFORE).partition(".")[0]


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
    for item, choices in state.items.items():
        given: dict[str, list[str]] = defaultdict(list)
        for choice, value in choices:
            own = _question(choice.scheme)
            question = pack.taxonomy.question(own)
            is_text = question is not None and question.kind == "text"
            given[own].append(str(value or "") if is_text else choice.name)
        for span, _ in state.spans.get(item, ()):
            given[_question(span.scheme)].append(f"{span.start}-{span.end}")
        given.pop("", None)
        content = {"file": name, "item": item, **given}
        labels = list(dict.fromkeys(given.pop(LABEL, ())))
        if labels or given:
            answers.append(RawAnswer(item, labels, given, row=row, content=content))
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
