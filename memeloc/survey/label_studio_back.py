"""Annotations of Label Studio. In: its export as JSON or JSON-MIN. Out: submissions.

An annotator's annotations of a sheet's tasks are one submission. Of several annotations of a task
by the same person the latest counts. Label Studio names annotators by a number, or by their e-mail
where an export has it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.spreadsheets import LARGEST_FILE
from memeloc.survey.label_studio import FIRST, SECOND
from memeloc.survey.nouns import Answer, Sheet, Submission, Unplaced, entry_id
from memeloc.survey.placing import Places, submission_id
from memeloc.survey.protocol import Imported, SurveyPack

_LOOKED_AT = 1 << 20
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


class LabelStudioBack:
    """Reads what Label Studio exports."""

    name = "label-studio"

    def recognises(self, path: Path) -> bool:
        """Whether a file is a list of such tasks."""
        try:
            with path.open("rb") as file:
                start = file.read(_LOOKED_AT).removeprefix(b"\xef\xbb\xbf").lstrip()
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
        places = Places(pack)
        left: list[Unplaced] = []
        given: dict[tuple[str, str], dict[str, _Given]] = defaultdict(dict)
        for row, task in enumerate(_tasks(path), 1):
            if not isinstance(task, Mapping):
                left.append(_left(path, row, "not a task", "It is no task.", {"value": task}))
                continue
            inner = task.get("data")
            data = inner if isinstance(inner, Mapping) else task
            name, sheet_name = str(data.get("item") or ""), str(data.get("sheet") or "")
            place = places.item(name, sheet_name)
            if place is None:
                message = f"There is no item {name[:80]!r} in this survey."
                left.append(_left(path, row, "unknown item", message, task))
                continue
            sheet, entry = place
            for one in _annotations(task, row):
                if not one.who:
                    message = "It does not say who annotated."
                    left.append(_left(path, row, "no participant", message, task))
                    continue
                kept = given[sheet.id, one.who]
                before = kept.get(entry_id(entry))
                if before is None or _order(before) <= _order(one):
                    kept[entry_id(entry)] = one
        submissions = []
        for sheet in pack.sheets:
            people = sorted(who for one, who in given if one == sheet.id)
            for who in people:
                found = _submission(pack, sheet, who, given[sheet.id, who], places, path, left)
                if found is not None:
                    submissions.append(found)
        left.sort(key=lambda one: one.row)
        return Imported(tuple(submissions), (), tuple(left))


def _submission(
    pack: SurveyPack,
    sheet: Sheet,
    who: str,
    given: Mapping[str, _Given],
    places: Places,
    path: Path,
    left: list[Unplaced],
) -> Submission | None:
    answers = []
    for entry in map(entry_id, sheet.entries):
        one = given.get(entry)
        if one is None:
            continue
        content = {"labels": list(one.labels), "second": list(one.seconds), "annotator": who}
        label = places.label(sheet, one.labels[0]) if len(one.labels) == 1 else None
        if label is None:
            words = ", ".join(one.labels)[:80]
            message = f"{entry}: {words!r} is none of the labels."
            left.append(_left(path, one.row, "unknown label", message, content))
            continue
        second = {words: places.second(sheet, words) for words in one.seconds}
        for words, found in second.items():
            if found is None:
                message = f"{entry}: {words[:80]!r} is no answer to the second question."
                left.append(_left(path, one.row, "unknown second answer", message, content))
        answers.append(Answer(entry, label, tuple(sorted({one for one in second.values() if one}))))
    if not answers:
        return None
    begun = [one.made - timedelta(seconds=one.took) for one in given.values() if one.made]
    ended = [moment for one in given.values() if (moment := one.changed or one.made)]
    told = [f"{one.entry}={one.label}/{','.join(one.second)}" for one in answers]
    return Submission(
        id=submission_id(pack.name, sheet.id, who, *told),
        sheet=sheet.id,
        participant=who,
        answers=tuple(answers),
        source="label-studio",
        submitted=max(ended, default=None),
        started=min(begun, default=None),
        status="complete" if len(answers) == len(sheet.entries) else "returned",
        row=min(one.row for one in given.values()),
    )


def _annotations(task: Mapping[str, Any], row: int) -> Iterator[_Given]:
    """The annotations of a task: a list in JSON, the task itself in JSON-MIN."""
    several = task.get("annotations")
    if not isinstance(several, list):
        if task.get(FIRST) is not None:
            labels, seconds = _choices(task.get(FIRST)), _choices(task.get(SECOND))
            yield _given(task, row, _who(task.get("annotator")), labels, seconds)
        return
    for one in several:
        # A cancelled annotation is a task that was skipped.
        if not isinstance(one, Mapping) or one.get("was_cancelled"):
            continue
        values: dict[str, tuple[str, ...]] = {}
        result = one.get("result")
        for region in result if isinstance(result, list) else ():
            if isinstance(region, Mapping):
                values[str(region.get("from_name"))] = _choices(region.get("value"))
        if values.get(FIRST):
            who = _who(one.get("completed_by"))
            yield _given(one, row, who, values[FIRST], values.get(SECOND, ()))


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
        _moment(value.get("created_at")),
        _moment(value.get("updated_at")),
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
    if isinstance(value, Mapping):
        value = value.get("email") or value.get("id")
    return "" if value is None else str(value).strip()


def _tasks(path: Path) -> list[Any]:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InputError("is larger than 512 MB; export fewer tasks at a time", file=path)
        found = json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}", file=path) from error
    if not isinstance(found, list):
        raise InputError("is no list of tasks; export as JSON or JSON-MIN", file=path)
    return found


def _left(path: Path, row: int, reason: str, message: str, content: Mapping[str, Any]) -> Unplaced:
    """Kept as it stands, but for pictures, which are long and known."""
    return Unplaced(path.name, row, reason, message, _shortened(content))


def _shortened(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _shortened(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_shortened(one) for one in value]
    if isinstance(value, str) and value.startswith("data:"):
        return value[:40]
    return value


def _moment(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
