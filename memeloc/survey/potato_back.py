"""Answers of Potato. In: a person's `user_state.json`, or the folder of all. Out: submissions.

Potato writes a folder a person into `annotation_output`. The state has the answers; when they were
given stands in `annotation_history.jsonl` beside it, by the server's clock, taken for UTC.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.survey.nouns import Answer, Submission, Unplaced, entry_id
from memeloc.survey.placing import Places, submission_id
from memeloc.survey.potato import CONSENT, FIRST, SECOND
from memeloc.survey.protocol import Imported, SurveyPack

_STATE, _HISTORY = "user_state.json", "annotation_history.jsonl"
_ANSWERS = "instance_id_to_label_to_value"
_MOST_BYTES = 50_000_000


class PotatoBack:
    """Reads what Potato keeps of its annotators."""

    name = "potato"

    def recognises(self, path: Path) -> bool:
        """Whether it is a person's state, or a folder of them."""
        if path.is_dir():
            return any(path.rglob(_STATE))
        try:
            with path.open("rb") as file:
                start = file.read(1 << 20)
        except OSError:
            return False
        return start.lstrip().startswith(b"{") and f'"{_ANSWERS}"'.encode() in start

    def read(self, path: Path, pack: SurveyPack) -> Imported:
        """Read a state, or all below a folder, in the order of their names.

        Raises:
            InputError: it cannot be read at all, or is a folder without states.
        """
        places = Places(pack)
        submissions: list[Submission] = []
        left: list[Unplaced] = []
        if not path.is_dir():
            found, unplaced = _person(
                _state(path), path.name, 1, pack, places, _times(path), _sheet_of(path, pack)
            )
            return Imported(tuple(found), (), tuple(unplaced))
        states = sorted(path.rglob(_STATE))
        if not states:
            raise InputError(
                f"has no {_STATE} below it; name the project's annotation_output", file=path
            )
        for row, one in enumerate(states, 1):
            name = one.relative_to(path).as_posix()
            try:
                state = _state(one)
            except InputError as error:
                left.append(Unplaced(name, row, "unreadable", f"{error}", {}))
                continue
            found, unplaced = _person(
                state, name, row, pack, places, _times(one), _sheet_of(one, pack)
            )
            submissions += found
            left += unplaced
        return Imported(tuple(submissions), (), tuple(left))


def _person(
    state: Mapping[str, Any],
    file: str,
    row: int,
    pack: SurveyPack,
    places: Places,
    times: list[datetime],
    sheet_id: str,
) -> tuple[list[Submission], list[Unplaced]]:
    left: list[Unplaced] = []

    def leave(reason: str, message: str, content: Mapping[str, Any]) -> None:
        left.append(Unplaced(file, row, reason, message, content))

    who = str(state.get("user_id") or "").strip()
    answers = state.get(_ANSWERS)
    if not who or not isinstance(answers, Mapping):
        leave("no participant", "It does not say who answered.", {"user_id": who})
        return [], left
    declined = _declined(state)
    given: dict[str, dict[str, Answer]] = defaultdict(dict)
    for item, values in answers.items():
        chosen = _chosen(values)
        place = places.item(str(item))
        if place is None:
            leave("unknown item", f"There is no item {str(item)[:80]!r}.", {str(item): chosen})
            continue
        sheet, entry = place
        labels = chosen.get(FIRST, [])
        label = places.label(sheet, labels[0]) if len(labels) == 1 else None
        if label is None:
            if labels:
                words = ", ".join(labels)[:80]
                message = f"{entry_id(entry)}: {words!r} is none of the labels."
                leave("unknown label", message, {str(item): chosen})
            continue
        # What was answered before the first answer was changed is kept there, though not shown.
        asked = pack.taxonomy.second is not None and label in pack.taxonomy.second.when
        seconds = []
        for words in chosen.get(SECOND, []) if asked else []:
            second = places.second(sheet, words)
            if second is None:
                message = f"{entry_id(entry)}: {words[:80]!r} is no answer to the second question."
                leave("unknown second answer", message, {str(item): chosen})
            else:
                seconds.append(second)
        name = entry_id(entry)
        given[sheet.id][name] = Answer(name, label, tuple(sorted(set(seconds))))
    submissions = []
    if declined and not given and sheet_id:
        given[sheet_id] = {}
    done = _phase(state) == "done"
    for sheet in pack.sheets:
        if sheet.id not in given:
            continue
        order = [entry_id(entry) for entry in sheet.entries]
        kept = tuple(given[sheet.id][one] for one in order if one in given[sheet.id])
        kept = () if declined else kept
        codes = pack.codes.get(sheet.id)
        status = "complete" if len(kept) == len(order) else "returned"
        told = [f"{one.entry}={one.label}/{','.join(one.second)}" for one in kept]
        submissions.append(
            Submission(
                id=submission_id(pack.name, sheet.id, who, *told),
                sheet=sheet.id,
                participant=who,
                answers=kept,
                source="potato",
                submitted=max(times, default=None),
                started=min(times, default=None),
                status="no consent" if declined else status,
                code=codes.done if codes and done and not declined else "",
                row=row,
            )
        )
    if declined and not submissions:
        message = "This person did not agree to take part; the state does not tell which sheet."
        leave("no consent", message, {})
    return submissions, left


def _chosen(values: Any) -> dict[str, list[str]]:
    """What was chosen, by question: the state has pairs of a label and its value."""
    found: dict[str, list[str]] = defaultdict(list)
    for pair in values if isinstance(values, list) else ():
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], Mapping):
            found[str(pair[0].get("schema"))].append(str(pair[0].get("name")))
    return dict(found)


def _declined(state: Mapping[str, Any]) -> bool:
    phases = state.get("phase_to_page_to_label_to_value")
    pages = phases.get("consent") if isinstance(phases, Mapping) else None
    if not isinstance(pages, Mapping):
        return False
    return any("no" in _chosen(values).get(CONSENT, []) for values in pages.values())


def _phase(state: Mapping[str, Any]) -> str:
    value = state.get("current_phase_and_page")
    return str(value[0]) if isinstance(value, list) and value else ""


def _sheet_of(path: Path, pack: SurveyPack) -> str:
    """The only sheet, or the one whose project's folder the state stands in; empty if unknown."""
    ids = [sheet.id for sheet in pack.sheets]
    if len(ids) == 1:
        return ids[0]
    return next((one.name for one in path.resolve().parents if one.name in ids), "")


def _state(path: Path) -> Mapping[str, Any]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError("is larger than 50 MB, which no person's state is", file=path)
        found = json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}", file=path) from error
    if not isinstance(found, Mapping) or _ANSWERS not in found:
        raise InputError("is no state of a Potato annotator", file=path)
    return found


def _times(path: Path) -> list[datetime]:
    """When a person answered, as far as the history beside the state tells."""
    history, found = path.with_name(_HISTORY), []
    try:
        if history.stat().st_size > _MOST_BYTES:
            return []
        lines = history.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    for line in lines:
        try:
            value = json.loads(line)
            moment = datetime.fromisoformat(value["timestamp"])
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        found.append(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    return found
