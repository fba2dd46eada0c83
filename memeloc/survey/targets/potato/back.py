"""Answers of Potato. In: a person's `user_state.json`, or the folder of all. Out: submissions.

Potato writes a folder a person into `annotation_output`. The state has the answers; when they were
given stands in `annotation_history.jsonl` beside it, by the server's clock, taken for UTC.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
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
    read_lines,
    whole,
)
from memeloc.survey.targets.moments import read_moment
from memeloc.survey.targets.placing import (
    DECLINED,
    NOT_ASKED,
    declined_content,
    not_asked,
    submission_id,
    unclear_id,
)
from memeloc.survey.targets.potato.export import CONSENT, FIRST, SECOND
from memeloc.survey.targets.protocol import Imported, SurveyPack

_STATE, _HISTORY = "user_state.json", "annotation_history.jsonl"
_ANSWERS = "instance_id_to_label_to_value"
_MOST_BYTES = 50_000_000
_MOST_KEPT = 1_000_000


class PotatoBack:
    """Reads what Potato keeps of its annotators."""

    name = "potato"

    def recognises(self, path: Path) -> bool:
        """Whether it is a person's state, or a folder of them."""
        if path.is_dir():
            return any(path.rglob(_STATE))
        try:
            with path.open("rb") as file:
                start = ascii_of(file.read(1 << 20))
        except OSError:
            return False
        return start.startswith(b"{") and f'"{_ANSWERS}"'.encode() in start

    def read(self, path: Path, pack: SurveyPack) -> Imported:
        """Read a state, or all below a folder, in the order of their names.

        Raises:
            InputError: it cannot be read at all, or there is no state below the folder.
        """
        if not path.is_dir():
            reader = _Reader(pack, path.name, 1)
            reader.add(_state(path), *_times(path), _sheet_of(path, pack))
            return Imported(tuple(reader.submissions), (), tuple(reader.left))
        submissions: list[Submission] = []
        left: list[RejectedRow] = []
        states = sorted(path.rglob(_STATE))
        if not states:
            raise InputError(
                f"has no {_STATE} below it; name the project's annotation_output", file=path
            )
        for row, one in enumerate(states, 1):
            reader = _Reader(pack, one.relative_to(path).as_posix(), row)
            try:
                reader.add(_state(one), *_times(one), _sheet_of(one, pack))
            except InputError as error:
                reader.leave("unreadable", f"The state {error.message}.", {"text": _kept(one)})
            submissions += reader.submissions
            left += reader.left
        return Imported(tuple(submissions), (), tuple(left))


class _Reader:
    """Takes one person's state."""

    def __init__(self, pack: SurveyPack, file: str, row: int) -> None:
        self._pack, self._file, self._row = pack, file, row
        self._places = pack.places
        self.submissions: list[Submission] = []
        self.left: list[RejectedRow] = []

    def leave(self, reason: str, message: str, content: Any) -> None:
        """Keep what cannot be placed."""
        kept = content_of(content)
        self.left.append(RejectedRow(self._file, self._row, reason, message, kept))

    def add(self, state: Any, times: list[datetime], unread: list[str], sheet_id: str) -> None:
        """Place a state, with the moments of its history and the lines of it that are none."""
        strange = odd(state)
        if strange:
            self.leave(strange, MESSAGES[strange], state)
            if strange != BROKEN:
                return
            state = whole(state)
        answers, user = state[_ANSWERS], state.get("user_id")
        who = str(user).strip() if type(user) in (str, int) else ""
        if not isinstance(answers, Mapping):
            self.leave("not a state", "Its answers are no table of items.", state)
            return
        if not who:
            self.leave("no participant", "It does not say who answered.", state)
            return
        if unclear := unclear_id(who, typed=False):
            self.leave("participant unreadable", unclear, state)
            return
        if unread:
            message = "Lines of the history beside it are none, so its times may not be whole."
            self.leave("unknown time", message, {"lines": unread})
        declined = _declined(state)
        given: dict[str, dict[str, Answer]] = defaultdict(dict)
        for item, values in answers.items():
            found = None if declined else self._answer(str(item), values)
            if found is not None:
                given[found[0].id][found[1].entry] = found[1]
        if declined:
            self._decline(who, answers, times, sheet_id)
        for sheet in self._pack.sheets:
            if sheet.id in given:
                done = _phase(state) == "done"
                self.submissions.append(self._submission(sheet, who, given[sheet.id], times, done))

    def _decline(
        self, who: str, answers: Mapping[str, Any], times: list[datetime], sheet_id: str
    ) -> None:
        answered = [item for item, values in answers.items() if _chosen(values)[0] and values]
        places = [place for item in answered if (place := self._places.item(str(item)))]
        sheets = {place[0].id for place in places} or {sheet_id} - {""}
        if answered:
            self.leave(*DECLINED, declined_content(", ".join(sorted(sheets)), len(answered)))
        if not sheets:
            message = "This person did not agree to take part; the state does not tell which sheet."
            self.leave("no consent", message, {})
        for sheet in self._pack.sheets:
            if sheet.id in sheets:
                one = self._submission(sheet, who, {}, times, done=False)
                self.submissions.append(replace(one, status="no consent"))

    def _answer(self, item: str, values: Any) -> tuple[Sheet, Answer] | None:
        """The answer to an item, with its sheet."""
        chosen, clear = _chosen(values)
        place = self._places.item(item)
        if place is None:
            self.leave("unknown item", f"There is no item {item[:80]!r}.", {item: values})
            return None
        sheet, entry = place
        name = entry_id(entry)
        further = sorted(set(chosen) - {FIRST, SECOND})
        if further or not clear:
            message = f"{name}: what is chosen has further questions, or is no list of choices."
            self.leave("unknown question", message, {item: values})
        labels = chosen.get(FIRST, [])
        label = self._places.label(sheet, labels[0]) if len(labels) == 1 else None
        if label is None:
            words = ", ".join(labels)[:80]
            if labels:
                message = f"{name}: {words!r} is none of the labels."
                self.leave("unknown label", message, {item: values})
            elif chosen.get(SECOND):
                message = f"{name} has no answer to the question itself."
                self.leave("no answer", message, {item: values})
            return None
        found = {words: self._places.second(sheet, words) for words in chosen.get(SECOND, [])}
        unknown = [words for words, second in found.items() if second is None]
        if unknown:
            words = ", ".join(unknown)[:80]
            message = f"{name}: {words!r} is no answer to the second question."
            self.leave("unknown second answer", message, {item: values})
        second = tuple(sorted({one for one in found.values() if one}))
        if second and not self._places.asks_second(label):
            # What was answered before the first answer was changed is kept there, though not shown.
            self.leave(NOT_ASKED, not_asked(name, label), {item: values})
            second = ()
        return sheet, Answer(name, label, second)

    def _submission(
        self,
        sheet: Sheet,
        who: str,
        given: Mapping[str, Answer],
        times: list[datetime],
        done: bool,
    ) -> Submission:
        order = [entry_id(entry) for entry in sheet.entries]
        kept = tuple(given[one] for one in order if one in given)
        codes = self._pack.codes.get(sheet.id)
        told = [f"{one.entry}={one.label}/{','.join(one.second)}" for one in kept]
        return Submission(
            id=submission_id(self._pack.name, sheet.id, who, *told),
            sheet=sheet.id,
            participant=who,
            answers=kept,
            source="potato",
            submitted=max(times, default=None),
            started=min(times, default=None),
            status="complete" if len(kept) == len(order) else "returned",
            code=codes.done if codes and done else "",
            row=self._row,
        )


def _chosen(values: Any) -> tuple[dict[str, list[str]], bool]:
    """What was chosen, by question, and whether that is all there is.

    The state has pairs of a label and its value.
    """
    found: dict[str, list[str]] = defaultdict(list)
    clear = isinstance(values, list)
    for pair in values if isinstance(values, list) else ():
        said = pair[0] if isinstance(pair, list) and len(pair) == 2 else None
        question, name = (
            (said.get("schema"), said.get("name")) if isinstance(said, Mapping) else (None, None)
        )
        if not isinstance(question, str) or not isinstance(name, str):
            clear = False
        elif name not in found[question]:
            found[question].append(name)
    return dict(found), clear


def _declined(state: Mapping[str, Any]) -> bool:
    phases = state.get("phase_to_page_to_label_to_value")
    pages = phases.get("consent") if isinstance(phases, Mapping) else None
    if not isinstance(pages, Mapping):
        return False
    return any("no" in _chosen(values)[0].get(CONSENT, []) for values in pages.values())


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
    found = read_json(path, _MOST_BYTES)
    if not isinstance(found, Mapping) or _ANSWERS not in found:
        raise InputError("is no state of a Potato annotator", file=path)
    return found


def _kept(path: Path) -> str:
    """The text of a state that is none, as far as it is not too long to be kept."""
    try:
        with path.open("rb") as file:
            return file.read(_MOST_KEPT).decode("utf-8", "backslashreplace")
    except OSError:
        return ""


def _times(path: Path) -> tuple[list[datetime], list[str]]:
    """When a person answered, as far as the history beside the state tells, and what it does not.

    A line that was cut off is told; a line of something else has no moment.
    """
    history, found, unread = path.with_name(_HISTORY), [], []
    try:
        if history.stat().st_size > _MOST_BYTES:
            return [], [f"{_HISTORY} is larger than {_MOST_BYTES // 10**6} MB"]
        text = history.read_bytes().decode("utf-8", "backslashreplace")
    except FileNotFoundError:
        return [], []
    except OSError as error:
        return [], [f"{_HISTORY} cannot be read: {error.strerror}"]
    for _, value in read_lines(text):
        entry = value if isinstance(value, Mapping) else {"timestamp": None}
        moment = read_moment(entry.get("timestamp"))
        if moment is not None:
            found.append(moment)
        elif "timestamp" in entry:
            unread.append(str(value)[:1000])
    return found, unread
