"""What raw records mean. In: the records of a target's reader, and the survey. Out: `Imported`.

One person's answers to one sheet become a `Submission`. What cannot be resolved is rejected with
its row, a reason that can be counted and a sentence. The reasons:

| reason | is |
| --- | --- |
| unknown sheet, unknown item | the survey has no such sheet or item, or several sheets fit |
| no participant, participant unreadable | there is no id of the person, or a rounded number |
| no consent | the person declined, or did not answer whether they agree |
| unknown label, unknown answer | what it says is not an answer of the question |
| unknown question | there is none of that name |
| no answer | only further questions were answered |
| not asked | a question is answered that is not asked after such answers; the others are kept |
| not answered | a question that has to be answered is not; the other answers are kept |
| several answers | a question that takes one answer has several; the other answers are kept |
| superseded | the same person answered the item again later; the later answer is taken |
| two answers | the same person answered the item in two ways at once; neither is taken |
| same id | another submission of that id came before in the file |
| unknown time, unknown status, unknown consent | it cannot be read; the rest is kept |
| comment | what somebody wrote beside the answers |

Of who declined nothing is kept but that they did, wherever in a file it says so, and whatever else
of it is missing or cannot be read; of who did not answer the question for consent nothing at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from memeloc.survey.model import (
    Answer,
    Participant,
    PersonEntry,
    RejectedRow,
    Sheet,
    Submission,
    entry_id,
)
from memeloc.survey.targets.further import resolve_further
from memeloc.survey.targets.ids import clean_id, content_id, is_rounded
from memeloc.survey.targets.places import Place
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

_STATUSES = (
    "complete", "returned", "no consent", "consent revoked", "timed out", "screened out",
)  # fmt: skip
_EARLIEST = datetime.min.replace(tzinfo=UTC)
DECLINED = "no consent"
"""The status of a submission whose person did not agree to take part."""
SERVED = "serve"
"""The source of submissions that come by `memeloc survey serve`."""
_NO_CONSENT = "The question for consent has no answer of the survey's, so nothing is taken."


def import_file(target: Target, path: Path, pack: SurveyPack) -> Imported:
    """Read a file that came back, and resolve what is in it.

    Raises:
        InputError: the file cannot be read at all.
    """
    return resolve(target.read(path, pack), pack, source=target.name, file=path.name)


def resolve(records: Iterable[RawRecord], pack: SurveyPack, *, source: str, file: str) -> Imported:
    """Submissions, people and rejected rows of a file's records.

    `source` is the target's name, `file` the file's, for rejected rows.
    """
    resolver = _Resolver(pack, source, file)
    for record in records:
        resolver.add(record)
    return resolver.result()


class _Resolver:
    def __init__(self, pack: SurveyPack, source: str, file: str) -> None:
        self.pack, self.source, self.file = pack, source, file
        self.places = pack.places
        self.submissions: dict[tuple[str, str], Submission] = {}
        self.participants: list[Participant] = []
        self.rejected: list[RejectedRow] = []
        self.whose: dict[int, str] = {}
        """Return the person of a row of the file; empty for several people."""
        self.single: dict[str, list[RawAnswer]] = defaultdict(list)
        """By sheet, the answers that came by themselves."""
        self.submission: RawSubmission | None = None
        """That whose answers are being resolved, if they did not come by themselves."""
        self.without_consent: set[int] = set()
        """Rows of people who declined, or were not asked."""
        self.declined: set[str] = set()
        """Who they are, as far as the file says it."""

    def reject(
        self,
        record: RawAnswer | RawSubmission,
        reason: str,
        message: str,
        content: Mapping[str, Any] | None = None,
    ) -> None:
        if self.submission and isinstance(record, RawAnswer):
            record = _completed(record, self.submission)
        content = record.content if content is None else content
        who = clean_id(record.participant)
        self.rejected.append(RejectedRow(self.file, record.row, reason, message, content, who))

    def add(self, record: RawRecord) -> None:
        if isinstance(record, RawAnswer | RawSubmission) and record.row:
            who = clean_id(record.participant)
            self.whose[record.row] = who if self.whose.get(record.row, who) == who else ""
        if isinstance(record, RawAnswer):
            self._add_answer(record)
        elif isinstance(record, RawSubmission):
            self.submission = record
            for sheet, answers in self._sheets_of(record):
                self._submit(record, sheet, answers)
            self.submission = None
        elif isinstance(record, Participant):
            self.participants.append(record)
        else:
            self.rejected.append(record if record.file else replace(record, file=self.file))

    def result(self) -> Imported:
        """Everything; single answers in the order of the survey's sheets and of people's ids."""
        for sheet in self.pack.sheets if self.single else ():
            for who, answers in sorted(self._by_person(self.single.pop(sheet.id, ())).items()):
                self._put_together(sheet, who, answers)
        for number, rejected in enumerate(self.rejected):
            if not rejected.participant and (owner := self.whose.get(rejected.row)):
                self.rejected[number] = replace(rejected, participant=owner)
        self.rejected.sort(key=lambda rejected: rejected.row)
        return Imported(
            tuple(self.submissions.values()),
            tuple(self.participants),
            tuple(map(self._as_kept, self.rejected)),
        )

    def _as_kept(self, rejected: RejectedRow) -> RejectedRow:
        """A rejected row, without what it says where its person did not agree to take part."""
        if (
            rejected.row in self.without_consent
            or rejected.participant in self.declined
            or self.places.declines(rejected.content)
        ):
            kept = {"sheet": str, "answers": int}  # which sheet, and how many there were
            counted = {
                name: value
                for name, kind in kept.items()
                if isinstance(value := rejected.content.get(name), kind)
            }
            return replace(rejected, content=counted, participant="")
        return rejected

    # Answers that come by themselves

    def _add_answer(self, answer: RawAnswer) -> None:
        sheet: Sheet | None
        if _asks_consent(answer):
            sheet = self._sheet(answer)
            if sheet is None and self.places.declines({CONSENT: list(answer.labels)}):
                self.declined.add(clean_id(answer.participant))  # of whichever sheet
                self.without_consent.add(answer.row)
        else:
            place = self.places.item(answer.item, answer.sheet)
            sheet = place.sheet if place else None
            if sheet is None:
                self._unknown_item(answer)
        if sheet is not None:
            self.single[sheet.id].append(answer)

    def _by_person(self, answers: Sequence[RawAnswer]) -> Mapping[str, list[RawAnswer]]:
        """Answers by participant; who is the only one need not stand in every row."""
        people: dict[str, list[RawAnswer]] = defaultdict(list)
        for answer in answers:
            if self._is_readable(answer):
                people[clean_id(answer.participant)].append(answer)
        nameless = people.pop("", [])
        if nameless and len(people) == 1:
            (named,) = people.values()
            items = {answer.item for answer in named if answer.labels}
            if not any(answer.labels and answer.item in items for answer in nameless):
                named += nameless
                return people
        if any(self.places.declines(answer.content) for answer in nameless):
            self.without_consent |= {answer.row for answer in nameless}  # whose is whose?
        for answer in nameless:
            if not answer.is_empty:
                self.reject(answer, "no participant", "It does not say who answered.")
        return people

    def _put_together(self, sheet: Sheet, who: str, answers: Sequence[RawAnswer]) -> None:
        """The submission of one person whose answers came by themselves."""
        asked = [raw for raw in answers if _asks_consent(raw)]
        others = [raw for raw in answers if not _asks_consent(raw)]
        given = [agrees for raw in asked if (agrees := self._agrees(sheet, raw)) is not None]
        if not asked and who in self.declined:
            given = [False]
        if asked and not given:
            self.without_consent |= {raw.row for raw in answers}
            for raw in others:
                if not raw.is_empty:
                    self.reject(raw, "no consent", _NO_CONSENT)
            return
        times = {self._moment(raw.submitted, raw.row, who) for raw in answers if raw.submitted}
        begun = {self._moment(raw.started, raw.row, who) for raw in answers if raw.started}
        submitted = sorted(time for time in times if time)
        record = RawSubmission(
            who,
            others,
            consent=all(given) if given else None,
            submitted=submitted[-1] if submitted else None,
            started=min(
                (time for time in begun if time), default=min(submitted[:-1], default=None)
            ),
            row=min(raw.row for raw in answers),
        )
        if record.consent is False or not all(raw.is_empty for raw in others):
            self._submit(record, sheet, others, needs_answers=True)

    def _agrees(self, sheet: Sheet, raw: RawAnswer) -> bool | None:
        text = " ".join(raw.labels)
        agrees = self.places.consent(sheet, text)
        if agrees is None and text:
            message = f"{text[:80]!r} neither agrees to take part nor declines."
            self.reject(raw, "unknown consent", message)
        return agrees

    # Submissions

    def _sheets_of(self, record: RawSubmission) -> Iterable[tuple[Sheet, Sequence[RawAnswer]]]:
        """The sheets of a submission, each with its answers."""
        if record.sheet:
            sheet = self._sheet(record)
            if sheet is None:
                self._note_consent(record)
                return ()
            return ((sheet, record.answers),)
        parts: dict[str, list[RawAnswer]] = defaultdict(list)
        unknown = []
        for answer in record.answers:
            place = self.places.item(answer.item, answer.sheet)
            if place is None:
                unknown.append(answer)
            else:
                parts[place.sheet.id].append(answer)
        if not parts or (record.id and len(parts) > 1):
            message = "Its answers are of no sheet of this survey, or of several."
            if record.content or not unknown:
                self._note_consent(record)
                self.reject(record, "unknown sheet", message)
                return ()
        for answer in unknown:
            self._unknown_item(answer)
        if len(parts) == 1:  # as nearly always; a survey may have a thousand sheets
            ((own, answers),) = parts.items()
            return [(sheet, answers)] if (sheet := self.places.sheet(own)) else ()
        return [(sheet, parts[sheet.id]) for sheet in self.pack.sheets if sheet.id in parts]

    def _submit(
        self,
        record: RawSubmission,
        sheet: Sheet,
        answers: Sequence[RawAnswer],
        *,
        needs_answers: bool = False,
    ) -> None:
        row, who = record.row, clean_id(record.participant)
        consent = record.consent
        if isinstance(consent, str):
            consent = self.places.consent(sheet, consent)
            if consent is None:
                self.without_consent.add(row)
                reason = "unknown consent" if record.consent else "no consent"
                self.reject(record, reason, _NO_CONSENT)
                return
        if consent is False or record.status == DECLINED:
            self._decline(record, sheet, answers)
            return
        if record.status and record.status not in _STATUSES:
            message = f"Its status is {record.status[:80]!r}, which no submission has."
            self.reject(record, "unknown status", message)
            return
        if not self._is_readable(record):
            return
        if not who:
            message = "It does not say who answered; fill in the participant's id."
            self.reject(record, "no participant", message)
            return
        resolved = self._answers(sheet, answers)
        if record.comments.strip():
            comment = {"sheet": sheet.id, "participant": who, "text": record.comments}
            message = "A comment is not an answer; it is kept here."
            self.reject(record, "comment", message, comment)
        if needs_answers and not resolved:
            return
        done = self._is_whole(sheet, resolved) and record.finished is not False
        status = record.status or ("complete" if done else "returned")
        submitted = self._moment(record.submitted, row, who)
        own = record.id or content_id(self.pack, sheet, who, submitted, status, resolved)
        code, codes = record.code, self.pack.codes.get(sheet.id)
        if not code and codes and done and record.finished is not None:
            code = codes.done
        self._add_submission(
            record,
            Submission(
                id=own,
                sheet=sheet.id,
                participant=who,
                answers=tuple(resolved),
                source=self.source,
                submitted=submitted,
                started=self._moment(record.started, row, who),
                status=status,
                code=code,
                row=row,
            ),
        )

    def _decline(self, record: RawSubmission, sheet: Sheet, answers: Sequence[RawAnswer]) -> None:
        """Keep that somebody declined, and nothing else of them, not even when."""
        self._note_consent(record)
        self.without_consent |= {raw.row or record.row for raw in answers}
        answered = [raw for raw in answers if not raw.is_empty]
        if answered:
            message = "This person did not agree to take part; the answers are not kept."
            counted = {"sheet": sheet.id, "answers": len(answered)}
            self.reject(answered[0], "no consent", message, counted)
        who = "" if is_rounded(record.participant) else clean_id(record.participant)
        own = record.id or content_id(self.pack, sheet, who, None, DECLINED, ())
        codes = self.pack.codes.get(sheet.id)
        shown = codes.no_consent if codes and (record.code or record.finished is not None) else ""
        declined = Submission(
            id=own,
            sheet=sheet.id,
            participant=who or f"declined-{own}",
            answers=(),
            source=self.source,
            status=DECLINED,
            code=shown,
            row=record.row,
        )
        self._add_submission(record, declined)

    def _note_consent(self, record: RawSubmission) -> None:
        """Note the row of a person who declined, and who that is."""
        text = record.consent if isinstance(record.consent, str) else ""
        if (
            record.consent is False
            or record.status == DECLINED
            or (isinstance(record.consent, str) and not text)
            or self.places.declines({CONSENT: text})
        ):
            self.without_consent.add(record.row)
            self.declined |= {clean_id(record.participant)} - {""}

    def _add_submission(self, record: RawSubmission, submission: Submission) -> None:
        before = self.submissions.setdefault((submission.sheet, submission.id), submission)
        if replace(before, row=submission.row) != submission:
            message = "Another submission of the same id came before; which one counts is unknown."
            self.reject(record, "same id", message)

    def _answers(self, sheet: Sheet, raws: Sequence[RawAnswer]) -> list[Answer]:
        """Somebody's answers to a sheet, one an entry, in the sheet's order."""
        given: dict[int, list[tuple[Answer, RawAnswer]]] = defaultdict(list)
        for raw in raws:
            place = self.places.item(raw.item, sheet.id)
            if place is None or place.sheet is not sheet:
                self._unknown_item(raw)
            elif (answer := self._answer(place, raw)) is not None:
                given[place.number].append((answer, raw))
        latest = (self._latest(given[number]) for number in sorted(given))
        return [answer for answer in latest if answer is not None]

    def _answer(self, place: Place, raw: RawAnswer) -> Answer | None:
        sheet, entry, _, own = place
        label = ""
        if raw.shown == 0:
            return Answer(own, shown=0)
        if isinstance(entry, PersonEntry):
            if not any(raw.further.values()):
                return None
        elif not raw.labels:
            if not raw.is_empty:
                message = f"{own} has no answer to the question itself."
                self.reject(raw, "no answer", message)
            return None
        else:
            text = ", ".join(raw.labels)
            label = self.places.label(sheet, text) or "" if len(raw.labels) == 1 else ""
            if not label:
                message = f"{own}: {text[:80]!r} is not one of the labels."
                self.reject(raw, "unknown label", message)
                return None
        if not (raw.further or self.pack.taxonomy.questions):  # as of most label sets
            return Answer(own, label, shown=raw.shown)
        further, problems = resolve_further(
            self.pack.taxonomy, entry, label, raw.further, partial(self.places.answer, sheet)
        )
        for reason, problem in problems:
            self.reject(raw, reason, f"{own}: {problem}.")
        return Answer(own, label, further, raw.shown)

    def _is_whole(self, sheet: Sheet, answers: Sequence[Answer]) -> bool:
        """Whether everything was answered, or could not be shown.

        Of questions about the person those count that have to be answered.
        """
        optional = not any(question.required for question in self.pack.taxonomy.about("person"))
        given = {answer.entry for answer in answers}
        return all(
            entry_id(entry) in given or (optional and isinstance(entry, PersonEntry))
            for entry in sheet.entries
        )

    def _latest(self, answers: Sequence[tuple[Answer, RawAnswer]]) -> Answer | None:
        """Of one person's answers to an entry the last one; None when that is unclear."""
        if len(answers) == 1:
            return answers[0][0]
        ages = [(self._moment(raw.submitted, 0, "") or _EARLIEST, raw.order) for _, raw in answers]
        newest = max(ages)
        last = {answer for (answer, _), age in zip(answers, ages, strict=True) if age == newest}
        for (answer, raw), age in zip(answers, ages, strict=True):
            if len(last) > 1 and age == newest:
                message = f"{answer.entry} is answered in two ways by the same person; keep one."
                self.reject(raw, "two answers", message)
            elif len(last) > 1 or answer not in last:
                message = f"{answer.entry} was answered again later; that is taken."
                self.reject(raw, "superseded", message)
        return last.pop() if len(last) == 1 else None

    # What is not there or cannot be read

    def _sheet(self, record: RawAnswer | RawSubmission) -> Sheet | None:
        sheet = self.places.sheet(record.sheet)
        if sheet is None:
            message = f"There is no sheet {record.sheet[:80]!r} in this survey."
            self.reject(record, "unknown sheet", message)
        return sheet

    def _unknown_item(self, raw: RawAnswer) -> None:
        message = f"There is no item {raw.item[:80]!r} in this survey."
        self.reject(raw, "unknown item", message)

    def _is_readable(self, record: RawAnswer | RawSubmission) -> bool:
        if not is_rounded(record.participant):
            return True
        message = (
            f"The participant's id {record.participant.strip()[:60]!r} is a number that a "
            "spreadsheet rounded; take the file as it was given out."
        )
        self.reject(record, "participant unreadable", message)
        return False

    def _moment(self, value: datetime | str | None, row: int, who: str) -> datetime | None:
        """A time; one that cannot be read is rejected, if `row` is known."""
        if not value or isinstance(value, datetime):
            return value or None
        moment = read_moment(value)
        if moment is None and row:
            message = f"The time {value[:40]!r} cannot be read; the answers come without it."
            self.reject(
                RawAnswer("", participant=who, row=row), "unknown time", message, {"time": value}
            )
        return moment


def _asks_consent(raw: RawAnswer) -> bool:
    return raw.item.strip().casefold() == CONSENT


def _completed(raw: RawAnswer, record: RawSubmission) -> RawAnswer:
    """An answer of a submission that says by itself where it stands and what is kept of it."""
    further = {name: list(texts) for name, texts in raw.further.items() if texts}
    content = raw.content or {
        "item": raw.item,
        "labels": list(raw.labels),
        **({"further": further} if further else {}),
    }
    return replace(raw, row=raw.row or record.row, content=content, participant=record.participant)
