"""What raw records mean. In: the records of a target's reader, and the survey. Out: `Imported`.

One person's answers to one sheet become a `Submission`. What cannot be resolved is rejected with
its row, a reason that can be counted and a sentence. The reasons:

| reason | is |
| --- | --- |
| unknown sheet, unknown item | the survey has no such sheet or item, or several sheets fit |
| no participant, participant unreadable | nothing, or no id, stands where the person's id should |
| no consent | the person declined, or did not answer whether they agree |
| unknown label, unknown second answer | what was chosen is not an answer of the question |
| no answer | only the second question was answered |
| not asked | the second question is not asked after that label; the label is kept |
| superseded | the same person answered the item again later; the later answer holds |
| two answers | the same person answered the item in two ways at once; neither holds |
| same id | another submission of that id came before in the file |
| unknown time, unknown status, unknown consent | it cannot be read; the rest is kept |
| comment | what somebody wrote beside the answers |
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memeloc.survey.model import Answer, Participant, RejectedRow, Sheet, Submission, entry_id
from memeloc.survey.targets.protocol import (
    CONSENT,
    Imported,
    RawAnswer,
    RawRecord,
    RawSubmission,
    SurveyPack,
    Target,
)
from memeloc.survey.times import read_moment

LONGEST_ID = 200
"""Characters of a participant's id; what is longer is a cell that swallowed others."""
_ROUNDED = re.compile(r"\d+([.,]\d+)?E\+\d+", re.IGNORECASE)
_STATUSES = (
    "complete", "returned", "no consent", "consent revoked", "timed out", "screened out",
)  # fmt: skip
_EARLIEST = datetime.min.replace(tzinfo=UTC)


def import_file(target: Target, path: Path, pack: SurveyPack) -> Imported:
    """Read a file that came back, and resolve what is in it.

    Raises:
        InputError: the file cannot be read at all.
    """
    return resolve(target.read(path, pack), pack, source=target.name, file=path.name)


def resolve(records: Iterable[RawRecord], pack: SurveyPack, *, source: str, file: str) -> Imported:
    """Submissions, people and rejected rows of a file's records.

    Args:
        records: as a reader yields them.
        pack: the survey.
        source: the target's name.
        file: the file's name, for rejected rows.
    """
    resolver = _Resolver(pack, source, file)
    for record in records:
        resolver.add(record)
    return resolver.result()


def clean_id(text: str) -> str:
    """A participant's id without what copying brings along: white space, quotation marks."""
    kept = "".join(letter for letter in text if letter.isprintable())
    return kept.strip().strip("'\"").strip()


def unreadable_id(who: str) -> str:
    """Why a participant's id cannot be what was meant, as a sentence; empty when it can.

    >>> unreadable_id("5e8481234567890123456701"), unreadable_id("5.9E+23")[:30]
    ('', "The participant's id '5.9E+23'")
    """
    if len(who) > LONGEST_ID or any(mark in who for mark in "\n\r\x00"):
        return (
            f"The participant's id {who[:30]!r} is longer than an id, or has lines; look for a "
            "quotation mark that is not closed."
        )
    if "\ufffd" in who:
        return (
            f"The participant's id {who[:60]!r} has letters that could not be read; save the file "
            "in UTF-8."
        )
    if _ROUNDED.fullmatch(who):
        return (
            f"The participant's id {who[:60]!r} is a number that a spreadsheet rounded; take the "
            "file as it was given out."
        )
    return ""


@dataclass(slots=True)
class _Chosen:
    """An answer with its record."""

    answer: Answer
    raw: RawAnswer
    when: datetime | None


class _Resolver:
    def __init__(self, pack: SurveyPack, source: str, file: str) -> None:
        self.pack, self.source, self.file = pack, source, file
        self.places = pack.places
        self.submissions: dict[tuple[str, str], Submission] = {}
        self.participants: list[Participant] = []
        self.rejected: list[RejectedRow] = []
        self.single: dict[str, list[RawAnswer]] = defaultdict(list)
        """By sheet, the answers that came by themselves."""

    def reject(self, row: int, reason: str, message: str, content: Mapping[str, Any]) -> None:
        self.rejected.append(RejectedRow(self.file, row, reason, message, content))

    def add(self, record: RawRecord) -> None:
        if isinstance(record, RawAnswer):
            self._add_answer(record)
        elif isinstance(record, RawSubmission):
            for sheet, answers in self._sheets_of(record):
                self._submit(record, sheet, [_completed(raw, record.row) for raw in answers])
        elif isinstance(record, Participant):
            self.participants.append(record)
        else:
            self.rejected.append(record if record.file else replace(record, file=self.file))

    def result(self) -> Imported:
        """Everything; single answers in the order of the survey's sheets and of people's ids."""
        for sheet in self.pack.sheets:
            for who, answers in sorted(self._by_person(self.single.pop(sheet.id, ())).items()):
                self._put_together(sheet, who, answers)
        self.rejected.sort(key=lambda rejected: rejected.row)
        return Imported(
            tuple(self.submissions.values()), tuple(self.participants), tuple(self.rejected)
        )

    # Answers that come by themselves

    def _add_answer(self, answer: RawAnswer) -> None:
        if answer.item.strip().casefold() == CONSENT:
            sheet = self.places.sheet(answer.sheet)
            if sheet is not None:
                self.single[sheet.id].append(answer)
            else:
                message = f"There is no sheet {answer.sheet[:80]!r} in this survey."
                self.reject(answer.row, "unknown sheet", message, answer.content)
            return
        place = self.places.item(answer.item, answer.sheet)
        if place is not None:
            self.single[place[0].id].append(answer)
        else:
            self._unknown_item(answer)

    def _by_person(self, answers: Sequence[RawAnswer]) -> Mapping[str, list[RawAnswer]]:
        """Answers by participant; who is the only one need not stand in every row."""
        people: dict[str, list[RawAnswer]] = defaultdict(list)
        for answer in answers:
            if why := unreadable_id(answer.participant.strip()):
                self.reject(answer.row, "participant unreadable", why, answer.content)
            else:
                people[clean_id(answer.participant)].append(answer)
        nameless = people.pop("", [])
        if nameless and len(people) == 1:
            (named,) = people.values()
            items = {answer.item for answer in named if answer.labels}
            if not any(answer.labels and answer.item in items for answer in nameless):
                named += nameless
                return people
        for answer in nameless:
            if answer.labels or answer.second:
                message = "It does not say who answered."
                self.reject(answer.row, "no participant", message, answer.content)
        return people

    def _put_together(self, sheet: Sheet, who: str, answers: Sequence[RawAnswer]) -> None:
        """The submission of one person whose answers came by themselves."""
        consents = [raw for raw in answers if raw.item.strip().casefold() == CONSENT]
        consent: bool | str | None = "" if consents else None
        for raw in consents:
            text = " ".join(raw.labels)
            agrees = self.places.consent(sheet, text) if text else None
            if agrees is None and text:
                message = f"{text[:80]!r} neither agrees to take part nor declines."
                self.reject(raw.row, "unknown consent", message, raw.content)
            elif agrees is not None:
                consent = agrees if consent == "" else consent and agrees
        others = [raw for raw in answers if raw.item.strip().casefold() != CONSENT]
        if consent == "":
            message = "The question for consent is not answered, so nothing is taken."
            for raw in others:
                if raw.labels:
                    self.reject(raw.row, "no consent", message, raw.content)
            return
        moments = [self._moment(raw.submitted, raw.row) for raw in answers]
        begun = [self._moment(raw.started, raw.row) for raw in answers]
        times = sorted({moment for moment in moments if moment is not None})
        starts = [moment for moment in begun if moment is not None] or times[:-1]
        record = RawSubmission(
            who,
            others,
            consent=consent,
            submitted=times[-1] if times else None,
            started=min(starts, default=None),
            row=min(raw.row for raw in answers),
        )
        if consent is False or any(raw.labels or raw.second for raw in others):
            self._submit(record, sheet, others, needs_answers=True)

    # Submissions

    def _sheets_of(self, record: RawSubmission) -> Iterable[tuple[Sheet, Sequence[RawAnswer]]]:
        """The sheets of a submission, each with its answers."""
        content = record.content
        if record.sheet:
            sheet = self.places.sheet(record.sheet)
            if sheet is None:
                message = f"There is no sheet {record.sheet[:80]!r} in this survey."
                self.reject(record.row, "unknown sheet", message, content)
                return ()
            return ((sheet, record.answers),)
        parts: dict[str, list[RawAnswer]] = defaultdict(list)
        unknown = []
        for answer in record.answers:
            place = self.places.item(answer.item, answer.sheet)
            if place is None:
                unknown.append(answer)
            else:
                parts[place[0].id].append(answer)
        if not parts or (record.id and len(parts) > 1):
            message = "Its answers are of no sheet of this survey, or of several."
            if content or not unknown:
                self.reject(record.row, "unknown sheet", message, content)
                return ()
        for answer in unknown:
            self._unknown_item(_completed(answer, record.row))
        return [(sheet, parts[sheet.id]) for sheet in self.pack.sheets if sheet.id in parts]

    def _submit(
        self,
        record: RawSubmission,
        sheet: Sheet,
        answers: Sequence[RawAnswer],
        *,
        needs_answers: bool = False,
    ) -> None:
        row, content = record.row, record.content
        if record.status and record.status not in _STATUSES:
            message = f"Its status is {record.status[:80]!r}, which no submission has."
            self.reject(row, "unknown status", message, content)
            return
        consent = record.consent
        if isinstance(consent, str):
            consent = self.places.consent(sheet, consent)
            if consent is None:
                message = "The question for consent is not answered, so nothing is taken."
                self.reject(row, "no consent", message, content)
                return
        declined = consent is False or record.status == "no consent"
        if why := unreadable_id(record.participant.strip()):
            self.reject(row, "participant unreadable", why, content)
            return
        who = clean_id(record.participant)
        if not who and not declined:
            message = "It does not say who answered; fill in the participant's id."
            self.reject(row, "no participant", message, content)
            return
        resolved: list[Answer] = []
        if not declined:
            resolved = self._answers(sheet, answers)
        elif answered := [raw for raw in answers if raw.labels]:
            message = "This person did not agree to take part; the answers are not kept."
            counted = {"sheet": sheet.id, "answers": len(answered)}
            self.reject(answered[0].row, "no consent", message, counted)
        if record.comments.strip() and not declined:
            comment = {"sheet": sheet.id, "participant": who, "text": record.comments}
            self.reject(row, "comment", "A comment is not an answer; it is kept here.", comment)
        if needs_answers and not resolved and not declined:
            return
        done = len(resolved) == len(sheet.entries) and record.finished is not False
        status = "no consent" if declined else record.status or ("complete" if done else "returned")
        submitted = self._moment(record.submitted, row)
        own = record.id or _content_id(self.pack.name, sheet, who, submitted, status, resolved)
        code, codes = record.code, self.pack.codes.get(sheet.id)
        if not code and codes and record.finished is not None:
            code = codes.no_consent if declined else codes.done if done else ""
        submission = Submission(
            id=own,
            sheet=sheet.id,
            participant=who or f"declined-{own}",
            answers=tuple(resolved),
            source=self.source,
            submitted=submitted,
            started=self._moment(record.started, row),
            status=status,
            code=code,
            row=row,
        )
        before = self.submissions.setdefault((sheet.id, own), submission)
        if before is not submission and replace(before, row=row) != submission:
            message = "Another submission of the same id came before; which one holds is unknown."
            self.reject(row, "same id", message, content)

    def _answers(self, sheet: Sheet, raws: Sequence[RawAnswer]) -> list[Answer]:
        """What holds of somebody's answers to a sheet, in the sheet's order."""
        chosen: dict[str, list[_Chosen]] = defaultdict(list)
        for raw in raws:
            place = self.places.item(raw.item, sheet.id)
            if place is None or place[0] is not sheet:
                self._unknown_item(raw)
                continue
            answer = self._answer(sheet, entry_id(place[1]), raw)
            if answer is not None:
                when = self._moment(raw.submitted, 0)
                chosen[answer.entry].append(_Chosen(answer, raw, when))
        holding = {entry: self._latest(entry, answers) for entry, answers in chosen.items()}
        ids = [entry_id(entry) for entry in sheet.entries]
        return [answer for own in ids if (answer := holding.get(own)) is not None]

    def _answer(self, sheet: Sheet, entry: str, raw: RawAnswer) -> Answer | None:
        if not raw.labels:
            if raw.second:
                message = f"{entry} has no answer to the question itself."
                self.reject(raw.row, "no answer", message, raw.content)
            return None
        label = self.places.label(sheet, raw.labels[0]) if len(raw.labels) == 1 else None
        if label is None:
            text = ", ".join(raw.labels)[:80]
            message = f"{entry}: {text!r} is not one of the labels."
            self.reject(raw.row, "unknown label", message, raw.content)
            return None
        seconds: set[str] = set()
        unknown = ""
        for text in raw.second:
            answer = self.places.second(sheet, text)
            if answer is None:
                unknown = unknown or text
            else:
                seconds.add(answer)
        if unknown:
            message = f"{entry}: {unknown[:80]!r} is not an answer to the second question."
            self.reject(raw.row, "unknown second answer", message, raw.content)
        if seconds and not self.places.asks_second(label):
            message = f"{entry}: the second question is answered, but not asked after {label!r}."
            self.reject(raw.row, "not asked", message, raw.content)
            seconds = set()
        return Answer(entry, label, tuple(sorted(seconds)))

    def _latest(self, entry: str, answers: Sequence[_Chosen]) -> Answer | None:
        """The answer that holds of one person's to an entry; None when that is unclear."""
        if len({chosen.answer for chosen in answers}) == 1:
            return answers[0].answer
        newest = max(map(_age, answers))
        last = [chosen for chosen in answers if _age(chosen) == newest]
        clear = len({chosen.answer for chosen in last}) == 1
        for chosen in answers:
            if clear and chosen.answer == last[0].answer:
                continue
            if clear or chosen not in last:
                reason, message = "superseded", f"{entry} was answered again later; that holds."
            else:
                reason = "two answers"
                message = f"{entry} is answered in two ways by the same person; keep one."
            self.reject(chosen.raw.row, reason, message, chosen.raw.content)
        return last[0].answer if clear else None

    def _unknown_item(self, raw: RawAnswer) -> None:
        message = f"There is no item {raw.item[:80]!r} in this survey."
        self.reject(raw.row, "unknown item", message, raw.content)

    def _moment(self, value: datetime | str | None, row: int) -> datetime | None:
        """A moment; one that cannot be read is rejected, if `row` is known."""
        if not value or isinstance(value, datetime):
            return value or None
        moment = read_moment(value)
        if moment is None and row:
            message = f"The time {value[:40]!r} cannot be read; the answers come without it."
            self.reject(row, "unknown time", message, {"time": value})
        return moment


def _age(chosen: _Chosen) -> tuple[datetime, int]:
    return chosen.when or _EARLIEST, chosen.raw.order


def _completed(raw: RawAnswer, row: int) -> RawAnswer:
    """An answer of a submission that says by itself where it stands and what is kept of it."""
    content = raw.content or {
        "item": raw.item,
        "labels": list(raw.labels),
        "second": list(raw.second),
    }
    return replace(raw, row=raw.row or row, content=content)


def _content_id(
    survey: str,
    sheet: Sheet,
    who: str,
    submitted: datetime | None,
    status: str,
    answers: Sequence[Answer],
) -> str:
    """The id of a submission that has none at its source, made of what it says."""
    when = submitted.isoformat() if submitted else ""
    parts = [f"{answer.entry}={answer.label}/{','.join(answer.second)}" for answer in answers]
    whole = "\n".join((survey, sheet.id, who, when, status, *parts))
    return hashlib.sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()[:32]
