"""Annotations of Label Studio. In: its export as JSON or JSON-MIN. Out: submissions.

An annotator's annotations of a sheet's tasks are one submission. Of several annotations of a task
by the same person the latest counts. Label Studio names annotators by a number, or by their e-mail
where an export has it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.survey.model import Answer, RejectedRow, Sheet, Submission, entry_id
from memeloc.survey.targets.json_in import (
    BROKEN,
    MESSAGES,
    ascii_of,
    content_of,
    odd,
    read_json,
    whole,
)
from memeloc.survey.targets.label_studio.export import FIRST, SECOND
from memeloc.survey.targets.moments import read_moment
from memeloc.survey.targets.placing import NOT_ASKED, not_asked, submission_id, unclear_id
from memeloc.survey.targets.protocol import Imported, SurveyPack

_LOOKED_AT = 1 << 20
_KNOWN = frozenset(
    {
        "item", "sheet", "number", "text", "picture", "id", "annotator", "annotation_id",
        "created_at", "updated_at", "lead_time", "annotations", FIRST, SECOND,
    }
)  # fmt: skip
"""What a task of JSON-MIN has."""
_EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Given:
    """What one annotator said of one task."""

    row: int
    who: str
    labels: tuple[str, ...]
    seconds: tuple[str, ...]
    made: datetime | None
    changed: datetime | None
    took: float
    number: int

    @property
    def said(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Its answers, without when they were given."""
        return (self.labels, tuple(sorted(self.seconds)))

    @property
    def begun(self) -> datetime | None:
        """When the person began with the task, if that is known."""
        if self.made is None:
            return None
        try:
            return self.made - timedelta(seconds=self.took)
        except OverflowError:
            return self.made

    def content(self) -> dict[str, Any]:
        """As it is kept where it cannot be placed."""
        when = self.changed or self.made
        return {
            "labels": list(self.labels),
            "second": list(self.seconds),
            "annotator": self.who,
            "time": when.isoformat() if when else "",
        }


class LabelStudioBack:
    """Reads what Label Studio exports."""

    name = "label-studio"

    def recognises(self, path: Path) -> bool:
        """Whether a file is a list of such tasks."""
        try:
            with path.open("rb") as file:
                start = ascii_of(file.read(_LOOKED_AT))
        except OSError:
            return False
        if not start.startswith(b"[") or start[1:].lstrip()[:1] != b"{":
            return False
        whole = b'"annotations"' in start and b'"completed_by"' in start
        return whole or (b'"annotation_id"' in start and b'"annotator"' in start)

    def read(self, path: Path, pack: SurveyPack) -> Imported:
        """Read a file.

        Raises:
            InputError: it cannot be read, or is no list of tasks.
        """
        reader = _Reader(pack, path.name)
        for row, task in enumerate(_tasks(path), 1):
            reader.add(row, task)
        return reader.result()


class _Reader:
    """Takes tasks one after the other, and what cannot be placed."""

    def __init__(self, pack: SurveyPack, file: str) -> None:
        self._pack, self._file = pack, file
        self._places = pack.places
        self._given: dict[tuple[str, str], dict[str, list[_Given]]] = defaultdict(dict)
        self._left: list[RejectedRow] = []

    def add(self, row: int, task: Any) -> None:
        """Place a task's annotations."""
        strange = odd(task)
        if strange:
            self._leave(row, strange, MESSAGES[strange], task)
            if strange != BROKEN:
                return
            task = whole(task)
        if not isinstance(task, Mapping):
            self._leave(row, "not a task", "It is no task.", task)
            return
        inner = task.get("data")
        data = inner if isinstance(inner, Mapping) else task
        name, sheet_name = str(data.get("item") or ""), str(data.get("sheet") or "")
        place = self._places.item(name, sheet_name)
        if place is None:
            message = f"There is no item {name[:80]!r} in this survey."
            self._leave(row, "unknown item", message, task)
            return
        sheet, entry = place
        for one in self._annotations(row, task):
            if not one.who:
                self._leave(row, "no participant", "It does not say who annotated.", task)
            elif unclear := unclear_id(one.who, typed=False):
                self._leave(row, "participant unreadable", unclear, task)
            else:
                self._given[sheet.id, one.who].setdefault(entry_id(entry), []).append(one)

    def result(self) -> Imported:
        """All submissions, in the order of the survey's sheets and of people's names."""
        submissions = []
        for sheet in self._pack.sheets:
            for who in sorted(who for one, who in self._given if one == sheet.id):
                found = self._submission(sheet, who, self._given[sheet.id, who])
                if found is not None:
                    submissions.append(found)
        self._left.sort(key=lambda one: one.row)
        return Imported(tuple(submissions), (), tuple(self._left))

    def _annotations(self, row: int, task: Mapping[str, Any]) -> Iterator[_Given]:
        """The annotations of a task: a list in JSON, the task itself in JSON-MIN."""
        several = task.get("annotations")
        if several is None:
            further = {name: one for name, one in task.items() if name not in _KNOWN and one}
            if further and not isinstance(task.get("data"), Mapping):
                message = "There are no such questions in this survey."
                self._leave(row, "unknown question", message, further)
            labels, seconds = _choices(task.get(FIRST)), _choices(task.get(SECOND))
            if labels:
                yield _given(task, row, _who(task.get("annotator")), labels, seconds)
            elif seconds or task.get(FIRST):
                message = "It has no answer to the question itself."
                self._leave(row, "no answer", message, task)
            return
        if not isinstance(several, list):
            self._leave(row, "not a task", "Its annotations are no list.", task)
            return
        for one in several:
            if not isinstance(one, Mapping):
                message = "An annotation of it is none."
                self._leave(row, "not an annotation", message, {"value": one})
                continue
            values: dict[str, tuple[str, ...]] = {}
            result = one.get("result")
            for region in result if isinstance(result, list) else ():
                name = str(region.get("from_name")) if isinstance(region, Mapping) else ""
                if name in (FIRST, SECOND):
                    given = (*values.get(name, ()), *_choices(region.get("value")))
                    values[name] = tuple(dict.fromkeys(given))
                else:
                    message = f"There is no question {name[:80]!r} in this survey."
                    self._leave(row, "unknown question", message, {"value": region})
            if one.get("was_cancelled"):
                # The annotator skipped the task; what was chosen before is no answer.
                if result:
                    message = "The task was skipped; what was chosen before is not taken."
                    self._leave(row, "skipped", message, one)
            elif values.get(FIRST):
                who = _who(one.get("completed_by"))
                yield _given(one, row, who, values[FIRST], values.get(SECOND, ()))
            elif result:
                message = "It has no answer to the question itself."
                self._leave(row, "no answer", message, one)

    def _submission(
        self, sheet: Sheet, who: str, given: Mapping[str, list[_Given]]
    ) -> Submission | None:
        answers = []
        last: list[_Given] = []
        for entry in map(entry_id, sheet.entries):
            if entry not in given:
                continue
            one = self._latest(entry, who, given[entry])
            if one is None:
                continue
            last.append(one)
            answer = self._answer(sheet, entry, one)
            if answer is not None:
                answers.append(answer)
        if not answers:
            return None
        begun = [moment for one in last if (moment := one.begun) is not None]
        ended = [moment for one in last if (moment := one.changed or one.made)]
        told = [f"{one.entry}={one.label}/{','.join(one.second)}" for one in answers]
        return Submission(
            id=submission_id(self._pack.name, sheet.id, who, *told),
            sheet=sheet.id,
            participant=who,
            answers=tuple(answers),
            source="label-studio",
            submitted=max(ended, default=None),
            started=min(begun, default=None),
            status="complete" if len(answers) == len(sheet.entries) else "returned",
            row=min(one.row for several in given.values() for one in several),
        )

    def _latest(self, entry: str, who: str, several: list[_Given]) -> _Given | None:
        """What somebody said last of a task; None when that cannot be told."""
        if len(several) == 1:
            return several[0]
        newest = max(map(_order, several))
        last = [one for one in several if _order(one) == newest]
        holds = last[0] if len({one.said for one in last}) == 1 else None
        for one in several:
            if holds is not None and one.said == holds.said:
                continue
            if holds is None and one in last:
                message = f"{entry} is answered in two ways at once; which one holds is not known."
                self._leave(one.row, "two answers", message, one.content())
            else:
                message = f"{entry} was answered again later; that answer holds."
                self._leave(one.row, "superseded", message, one.content())
        return holds

    def _answer(self, sheet: Sheet, entry: str, one: _Given) -> Answer | None:
        label = self._places.label(sheet, one.labels[0]) if len(one.labels) == 1 else None
        if label is None:
            words = ", ".join(one.labels)[:80]
            message = f"{entry}: {words!r} is none of the labels."
            self._leave(one.row, "unknown label", message, one.content())
            return None
        found = {words: self._places.second(sheet, words) for words in one.seconds}
        unknown = [words for words, second in found.items() if second is None]
        if unknown:
            words = ", ".join(unknown)[:80]
            message = f"{entry}: {words!r} is no answer to the second question."
            self._leave(one.row, "unknown second answer", message, one.content())
        second = tuple(sorted({each for each in found.values() if each}))
        if second and not self._places.asks_second(label):
            self._leave(one.row, NOT_ASKED, not_asked(entry, label), one.content())
            second = ()
        return Answer(entry, label, second)

    def _leave(self, row: int, reason: str, message: str, value: Any) -> None:
        """Kept as it stands, but for pictures, which are long and known."""
        content = _shortened(content_of(value))
        self._left.append(RejectedRow(self._file, row, reason, message, content))


def _given(
    value: Mapping[str, Any], row: int, who: str, labels: tuple[str, ...], second: tuple[str, ...]
) -> _Given:
    took, number = value.get("lead_time"), value.get("annotation_id", value.get("id"))
    sane = isinstance(took, int | float) and 0 <= took < 10**7
    return _Given(
        row,
        who,
        labels,
        second,
        read_moment(value.get("created_at")),
        read_moment(value.get("updated_at")),
        float(took) if sane and took is not None else 0.0,
        number if isinstance(number, int) else 0,
    )


def _order(one: _Given) -> tuple[datetime, int]:
    return one.changed or one.made or _EARLIEST, one.number


def _choices(value: Any) -> tuple[str, ...]:
    if isinstance(value, Mapping):
        value = value.get("choices")
    if isinstance(value, str):
        return (value,)
    return tuple(str(one) for one in value) if isinstance(value, list) else ()


def _who(value: Any) -> str:
    """A number, or an e-mail address; anything else names nobody."""
    if isinstance(value, Mapping):
        value = value.get("email") or value.get("id")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip() if type(value) in (int, str) else ""


def _tasks(path: Path) -> list[Any]:
    found = read_json(path)
    if not isinstance(found, list):
        raise InputError("is no list of tasks; export as JSON or JSON-MIN", file=path)
    return found


def _shortened(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _shortened(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_shortened(one) for one in value]
    if isinstance(value, str) and value.startswith("data:image/"):
        return value[:40]
    return value
