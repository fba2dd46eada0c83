"""What raw records mean. In: the records of a target's reader, and the survey. Out: `Imported`.

One person's answers to one sheet become a `Submission`. What cannot be resolved is rejected with
its row, a reason that can be counted (guides/survey-quality.md lists them) and a sentence; the
other answers of its person count all the same.

Of who declined nothing is kept but that they did, wherever in a file it says so, and whatever else
of it is missing or cannot be read; of who did not answer the question for consent nothing at all.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from memeloc.survey.targets.files import refuse_other_exports
from memeloc.survey.targets.places import CONSENT, Place, clean_id, id_problem, owned_id
from memeloc.survey.targets.protocol import (
    Imported,
    RawAnswer,
    RawRecord,
    RawSubmission,
    SheetsToSend,
    Target,
)
from memeloc.survey.targets.questions import resolve_answers
from memeloc.survey.times import read_moment
from memeloc.taxonomy import LABEL

_STATUSES = (
    "complete", "returned", "no consent", "consent revoked", "timed out", "screened out",
)  # fmt: skip
_EARLIEST = datetime.min.replace(tzinfo=UTC)
DECLINED = "no consent"
"""The status of a submission whose person did not agree to take part."""
SERVED = "serve"
"""The source of submissions that come by `memeloc survey serve`."""
_NO_CONSENT = "The question for consent has no answer of the survey's, so nothing is taken."


def import_file(target: Target, path: Path, survey: SheetsToSend, ids: str = "") -> Imported:
    """Read a file that came back, and resolve what is in it; `ids` as of `resolve`.

    Raises:
        InputError: the file cannot be read at all.
    """
    refuse_other_exports(path)
    return resolve(target.read(path, survey), survey, source=target.name, file=path.name, ids=ids)


def resolve(
    records: Iterable[RawRecord], survey: SheetsToSend, *, source: str, file: str, ids: str = ""
) -> Imported:
    """Return the submissions, people and rejected rows of a file's records.

    `source` is the target's name, `file` the file's, for rejected rows; `ids` says to whom numbers
    of people belong, see `owned_id`.
    """
    resolver = _Resolver(survey, source, file, ids)
    for record in records:
        resolver.add(record)
    return resolver.result()


class _Resolver:
    """The records of a file so far.

    Attributes:
        whose: the person of each row of the file; empty for several people.
        single: by sheet and person, the answers that came by themselves.
        submission: that whose answers are being resolved.
        without_consent: rows of people who declined, or were not asked.
        declined: who they are, as far as the file says it.
    """

    def __init__(self, survey: SheetsToSend, source: str, file: str, ids: str) -> None:
        self.survey, self.source, self.file, self.ids = survey, source, file, ids
        self.places = survey.places
        self.submissions: dict[tuple[str, str], Submission] = {}
        self.participants: list[Participant] = []
        self.rejected: list[RejectedRow] = []
        self.whose: dict[int, str] = {}
        self.single: dict[str, dict[str, list[RawAnswer]]] = defaultdict(lambda: defaultdict(list))
        self.submission: RawSubmission | None = None
        self.without_consent: set[int] = set()
        self.declined: set[str] = set()

    def reject(
        self,
        record: RawAnswer | RawSubmission,
        reason: str,
        message: str,
        content: Mapping[str, Any] | None = None,
    ) -> None:
        row, who, kept = record.row, record.participant, content or record.content
        if isinstance(record, RawAnswer):
            if self.submission:
                row, who = row or self.submission.row, self.submission.participant
            values = {question: list(texts) for question, texts in record.values.items() if texts}
            kept = kept or {"item": record.item, "answers": values}
        self.rejected.append(RejectedRow(self.file, row, reason, message, kept, clean_id(who)))

    def add(self, record: RawRecord) -> None:
        if isinstance(record, Participant):
            self.participants.append(record)
            return
        if isinstance(record, RejectedRow):
            self.rejected.append(record if record.file else replace(record, file=self.file))
            return
        answers = [record] if isinstance(record, RawAnswer) else record.answers
        who = clean_id(record.participant)
        if self.ids in ("culture", "file"):
            places = filter(None, (self.places.item(raw.item, raw.sheet) for raw in answers))
            sheet = self.places.sheet(record.sheet) or next((place.sheet for place in places), None)
            culture = sheet.culture.code if sheet else ""
            who = owned_id(who, self.ids, culture, Path(self.file).stem)
            record = replace(record, participant=who)
        if record.row:
            self.whose[record.row] = who if self.whose.get(record.row, who) == who else ""
        if isinstance(record, RawAnswer):
            self._add_single(record, who)
            return
        text = record.consent if isinstance(record.consent, str) else ""
        if (
            record.consent is False
            or record.status == DECLINED
            or self.places.declines({CONSENT: text})
        ):
            self.without_consent.add(record.row)
            self.declined |= {who} - {""}
        elif record.consent == "":
            self.without_consent.add(record.row)
        self.submission = record
        for sheet, answers in self._by_sheet(record):
            self._submit(record, sheet, answers)
        self.submission = None

    def result(self) -> Imported:
        """Return everything; single answers by the order of sheets and people's ids."""
        for sheet in self.survey.sheets:
            for who, answers in sorted(self._named(self.single.pop(sheet.id, {})).items()):
                self._put_together(sheet, who, answers)
        for number, row in enumerate(self.rejected):
            if not row.participant and (owner := self.whose.get(row.row)):
                row = self.rejected[number] = replace(row, participant=owner)
            if (
                row.row in self.without_consent
                or row.participant in self.declined
                or self.places.declines(row.content)
            ):
                # Nothing is kept but which sheet it was, and how many answers there were.
                counts = {
                    name: value
                    for name, kind in (("sheet", str), ("answers", int))
                    if isinstance(value := row.content.get(name), kind)
                }
                self.rejected[number] = replace(row, content=counts, participant="")
        self.rejected.sort(key=lambda row: row.row)
        return Imported(
            tuple(self.submissions.values()), tuple(self.participants), tuple(self.rejected)
        )

    # Answers that come by themselves

    def _add_single(self, answer: RawAnswer, who: str) -> None:
        """Keep an answer for its sheet; one that is of none is rejected."""
        if _asks_consent(answer):
            sheet = self.places.sheet(answer.sheet)
            if sheet is None and self.places.declines({CONSENT: _texts(answer)}):
                self.declined.add(who)  # of whichever sheet
                self.without_consent.add(answer.row)
        else:
            place = self.places.item(answer.item, answer.sheet)
            sheet = place.sheet if place else None
        if sheet is None and _asks_consent(answer):
            self._unknown(answer, "sheet", answer.sheet)
        elif sheet is None:
            self._unknown(answer, "item", answer.item)
        elif self._has_id(answer):
            self.single[sheet.id][who].append(answer)

    def _named(self, people: dict[str, list[RawAnswer]]) -> Mapping[str, list[RawAnswer]]:
        """Return answers by participant; who is the only one need not stand in every row."""
        nameless = people.pop("", [])
        if nameless and len(people) == 1:
            (named,) = people.values()
            items = {answer.item for answer in named if not answer.is_empty}
            if not any(answer.item in items for answer in nameless if not answer.is_empty):
                named += nameless
                return people
        if any(self.places.declines({raw.item: _texts(raw)}) for raw in nameless):
            self.without_consent |= {answer.row for answer in nameless}  # whose is whose?
        for answer in nameless:
            if not answer.is_empty:
                self.reject(answer, "no participant", "It does not say who answered.")
        return people

    def _put_together(self, sheet: Sheet, who: str, answers: Sequence[RawAnswer]) -> None:
        """Add the submission of one person whose answers came by themselves."""
        asked = [raw for raw in answers if _asks_consent(raw)]
        others = [raw for raw in answers if not _asks_consent(raw)]
        agreed = set[bool]()
        for raw in asked:
            text = " ".join(_texts(raw))
            agrees = self.places.consent(sheet, text)
            if agrees is not None:
                agreed.add(agrees)
            elif text:
                message = f"{text[:80]!r} neither agrees to take part nor declines."
                self.reject(raw, "unknown consent", message)
        if False in agreed or (who in self.declined and not asked):
            consent: bool | str | None = False
        else:
            consent = True in agreed or ("" if asked else None)
        times = sorted(filter(None, {self._moment(raw.submitted, raw.row, who) for raw in answers}))
        begun = sorted(filter(None, {self._moment(raw.started, raw.row, who) for raw in answers}))
        record = RawSubmission(
            who,
            others,
            consent=consent,
            submitted=times[-1] if times else None,
            started=next(iter(begun or times[:-1]), None),
            row=min(raw.row for raw in answers),
        )
        if consent is False or not all(raw.is_empty for raw in others):
            self._submit(record, sheet, others, needs_answers=True)
        elif consent == "":
            self.without_consent |= {raw.row for raw in answers}

    # Submissions

    def _by_sheet(self, record: RawSubmission) -> Iterable[tuple[Sheet, Sequence[RawAnswer]]]:
        """Return the sheets of a submission, each with its answers."""
        if record.sheet:
            sheet = self.places.sheet(record.sheet)
            if sheet is None:
                self._unknown(record, "sheet", record.sheet)
            return ((sheet, record.answers),) if sheet else ()
        parts: dict[str, tuple[Sheet, list[RawAnswer]]] = {}
        unknown: list[RawAnswer] = []
        for answer in record.answers:
            if place := self.places.item(answer.item, answer.sheet):
                parts.setdefault(place.sheet.id, (place.sheet, []))[1].append(answer)
            else:
                unknown.append(answer)
        is_placed = len(parts) == 1 or (parts and not record.id)
        if not is_placed and (record.content or not unknown):
            message = "Its answers are of no sheet of this survey, or of several."
            self.reject(record, "unknown sheet", message)
            return ()
        for answer in unknown:
            self._unknown(answer, "item", answer.item)
        return parts.values()

    def _submit(
        self,
        record: RawSubmission,
        sheet: Sheet,
        answers: Sequence[RawAnswer],
        *,
        needs_answers: bool = False,
    ) -> None:
        row, who, consent = record.row, clean_id(record.participant), record.consent
        if isinstance(consent, str):
            consent = self.places.consent(sheet, consent)
            if consent is None:
                reason = "unknown consent" if record.consent else "no consent"
                for own in sorted({row, *(raw.row or row for raw in answers if not raw.is_empty)}):
                    self.without_consent.add(own)
                    self.reject(replace(record, row=own), reason, _NO_CONSENT)
                return
        if consent is False or record.status == DECLINED:
            self._decline(record, sheet, answers)
            return
        if record.status and record.status not in _STATUSES:
            message = f"Its status is {record.status[:80]!r}, which no submission has."
            self.reject(record, "unknown status", message)
            return
        if not self._has_id(record):
            return
        if not who:
            message = "It does not say who answered; fill in the participant's id."
            self.reject(record, "no participant", message)
            return
        resolved = list(self._answers(sheet, answers))
        if record.comments.strip():
            comment = {"sheet": sheet.id, "participant": who, "text": record.comments}
            message = "A comment is not an answer; it is kept here."
            self.reject(record, "comment", message, comment)
        if needs_answers and not resolved:
            return
        # Questions about the person count that have to be answered.
        optional = not any(each.required for each in self.survey.taxonomy.about("person"))
        needed = (e for e in sheet.entries if not (optional and isinstance(e, PersonEntry)))
        missing = set(map(entry_id, needed)) - {answer.entry for answer in resolved}
        done = not missing and record.finished is not False
        codes = self.survey.codes.get(sheet.id)
        shown = codes.done if codes and done and record.finished is not None else ""
        submission = Submission(
            id=record.id,
            sheet=sheet.id,
            participant=who,
            answers=tuple(resolved),
            source=self.source,
            submitted=self._moment(record.submitted, row, who),
            started=self._moment(record.started, row, who),
            status=record.status or ("complete" if done else "returned"),
            code=record.code or shown,
            row=row,
            presented=record.presented,
        )
        self._add_submission(record, submission)

    def _decline(self, record: RawSubmission, sheet: Sheet, answers: Sequence[RawAnswer]) -> None:
        """Keep that somebody declined, and nothing else of them, not even when."""
        self.without_consent |= {record.row, *(raw.row or record.row for raw in answers)}
        self.declined |= {clean_id(record.participant)} - {""}
        answered = [raw for raw in answers if not raw.is_empty]
        if answered:
            message = "This person did not agree to take part; the answers are not kept."
            counts = {"sheet": sheet.id, "answers": len(answered)}
            self.reject(answered[0], "no consent", message, counts)
        who = "" if id_problem(record.participant) else clean_id(record.participant)
        codes = self.survey.codes.get(sheet.id)
        shown = codes.no_consent if codes and (record.code or record.finished is not None) else ""
        declined = Submission(
            record.id, sheet.id, who, (), self.source, status=DECLINED, code=shown, row=record.row
        )
        self._add_submission(record, declined)

    def _add_submission(self, record: RawSubmission, sent: Submission) -> None:
        """Add a submission; one that has no id at its source has one of what it says."""
        if not sent.id:
            questions = [question.id for question in self.survey.taxonomy.questions]
            when = sent.submitted.isoformat() if sent.submitted else ""
            parts = [self.survey.name, sent.sheet, sent.participant, when, sent.status]
            for answer in sent.answers:
                further = ";".join(",".join(answer.get(question)) for question in questions)
                parts.append(f"{answer.entry}={answer.label}/{further}")
            whole = "\n".join(parts).encode("utf-8", "backslashreplace")
            sent = replace(sent, id=hashlib.sha256(whole).hexdigest()[:32])
        if not sent.participant:
            sent = replace(sent, participant=f"declined-{sent.id}")
        before = self.submissions.setdefault((sent.sheet, sent.id), sent)
        if before is not sent and replace(before, row=sent.row) != sent:
            message = "Another submission of the same id came before; which one counts is unknown."
            self.reject(record, "same id", message)

    # Answers of one person to one sheet

    def _answers(self, sheet: Sheet, raws: Sequence[RawAnswer]) -> Iterator[Answer]:
        """Return one answer an entry, in the sheet's order: the last one, where that is clear."""
        by_number: dict[int, list[tuple[Answer, RawAnswer]]] = defaultdict(list)
        for raw in raws:
            place = self.places.item(raw.item, sheet.id)
            if place is None or place.sheet is not sheet:
                self._unknown(raw, "item", raw.item)
            elif (answer := self._answer(place, raw)) is not None:
                by_number[place.number].append((answer, raw))
        for _, answers in sorted(by_number.items()):
            if len(answers) == 1:
                yield answers[0][0]
                continue
            ages = [
                (self._moment(raw.submitted, 0, "") or _EARLIEST, raw.order) for _, raw in answers
            ]
            newest = max(ages)
            last = {answer for (answer, _), age in zip(answers, ages, strict=True) if age == newest}
            for (answer, raw), age in zip(answers, ages, strict=True):
                if len(last) > 1 and age == newest:
                    message = (
                        f"{answer.entry} is answered in two ways by the same person; keep one."
                    )
                    self.reject(raw, "two answers", message)
                elif len(last) > 1 or answer not in last:
                    message = f"{answer.entry} was answered again later; that is taken."
                    self.reject(raw, "superseded", message)
            if len(last) == 1:
                yield last.pop()

    def _answer(self, place: Place, raw: RawAnswer) -> Answer | None:
        if raw.shown == 0:
            return Answer(place.id, shown=0)
        values, problems = resolve_answers(
            self.survey.taxonomy, place.entry, raw.values, partial(self.places.answer, place.sheet)
        )
        for reason, problem in problems:
            self.reject(raw, reason, f"{place.id}: {problem}.")
        is_person = isinstance(place.entry, PersonEntry) and not raw.is_empty
        if LABEL in values or is_person:
            return Answer(place.id, values, raw.shown, raw.took)
        return None

    # What is not there or cannot be read

    def _unknown(self, record: RawAnswer | RawSubmission, what: str, name: str) -> None:
        message = f"There is no {what} {name[:80]!r} in this survey."
        self.reject(record, f"unknown {what}", message)

    def _has_id(self, record: RawAnswer | RawSubmission) -> bool:
        problem = id_problem(record.participant, has_team=self.survey.has_team)
        if problem:
            self.reject(record, "participant unreadable", problem)
        return not problem

    def _moment(self, value: datetime | str | None, row: int, who: str) -> datetime | None:
        """Return a time; one that cannot be read is rejected, if `row` is known."""
        if not value or isinstance(value, datetime):
            return value or None
        moment = read_moment(value)
        if moment is None and row:
            message = f"The time {value[:40]!r} cannot be read; the answers come without it."
            record = RawAnswer("", {}, participant=who, row=row)
            self.reject(record, "unknown time", message, {"time": value})
        return moment


def _texts(raw: RawAnswer) -> list[str]:
    return [text for texts in raw.values.values() for text in texts]


def _asks_consent(raw: RawAnswer) -> bool:
    return raw.item.strip().casefold() == CONSENT
