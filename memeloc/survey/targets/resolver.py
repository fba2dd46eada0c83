"""Meaning of raw records. In: the records of a target's reader, and the survey. Out: `Imported`.

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

from memeloc.errors import InputError
from memeloc.plugins import Registry
from memeloc.survey.model import (
    Answer,
    Participant,
    PersonEntry,
    RejectedRow,
    Sheet,
    Submission,
    entry_id,
    read_moment,
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
from memeloc.taxonomy import LABEL

TARGETS: Registry[Target] = Registry(
    "memeloc.targets",
    {
        "google-forms": "memeloc.survey.targets.google_forms.target:GoogleForms",
        "prolific": "memeloc.survey.targets.prolific.target:Prolific",
        "label-studio": "memeloc.survey.targets.label_studio:LabelStudio",
        "html": "memeloc.survey.targets.html.target:Html",
        "csv": "memeloc.survey.targets.csv:Csv",
        "qsf": "memeloc.survey.targets.qualtrics.target:Qsf",
    },
    "target",
)
target_names = TARGETS.names
make_target = TARGETS.make


def recognise(path: Path, likely: str = "") -> Target:
    """Return the target that a file or folder came back from, by its content. `likely` names the
    one to ask first, such as that of the file before, which changes nothing but the time. Raise
    InputError if none knows it, or it is another export than the one that is read."""
    refuse_other_exports(path)
    # Other packages are asked only about what none of ours knows: to list them takes a while.
    first = (lambda: [likely]) if likely else list
    for names in (first, TARGETS.built_in.keys, TARGETS.outside):
        for name in names():
            target = TARGETS.make(name)
            if target.recognises(path):
                return target
    raise InputError(
        "The file is of no kind that comes back from a survey; name its kind by --from, one of "
        f"{', '.join(target_names())}.",
        file=path,
    )


_EARLIEST = datetime.min.replace(tzinfo=UTC)
DECLINED = "no consent"
"""The status of a submission whose person did not agree to take part."""
SERVED = "serve"
"""The source of submissions that come by `memeloc survey serve`."""
_NO_CONSENT = "The question for consent has no answer of the survey's, so nothing is taken."


def import_file(target: Target, path: Path, survey: SheetsToSend, ids: str = "") -> Imported:
    """Read a file that came back, and resolve what is in it; `ids` as of `resolve`. Raise
    InputError if the file cannot be read at all."""
    refuse_other_exports(path)
    return resolve(target.read(path, survey), survey, source=target.name, file=path.name, ids=ids)


def resolve(
    records: Iterable[RawRecord], survey: SheetsToSend, *, source: str, file: str, ids: str = ""
) -> Imported:
    """Return the submissions, people and rejected rows of a file's records. `source` is the
    target's name, `file` the file's, for rejected rows; `ids` says to whom numbers of people
    belong, see `owned_id`."""
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
        row, who, content = record.row, record.participant, content or record.content
        if isinstance(record, RawAnswer):
            if self.submission:
                row, who = row or self.submission.row, self.submission.participant
            values = {question: list(texts) for question, texts in record.values.items() if texts}
            content = content or {"item": record.item, "answers": values}
        self.rejected.append(RejectedRow(self.file, row, reason, message, content, clean_id(who)))

    def add(self, record: RawRecord) -> None:
        if isinstance(record, Participant):
            self.participants.append(record)
        elif isinstance(record, RejectedRow):
            self.rejected.append(record if record.file else replace(record, file=self.file))
        else:
            self._add_answers(record)

    def _add_answers(self, record: RawAnswer | RawSubmission) -> None:
        """Keep an answer for its sheet and person, or take in a submission to one sheet or more."""
        parts: dict[str, list[RawAnswer]] = defaultdict(list)
        if isinstance(record, RawSubmission) and record.sheet:
            parts[record.sheet] = list(record.answers)
        else:
            for raw in [record] if isinstance(record, RawAnswer) else record.answers:
                place = self.places.item(raw.item, raw.sheet)
                name = raw.sheet if _asks_consent(raw) else ""
                parts[place.sheet.id if place else name].append(raw)
        sheets = {name: sheet for name in parts if (sheet := self.places.sheet(name))}
        who = clean_id(record.participant)
        if self.ids:
            culture = next((sheet.culture.code for sheet in sheets.values()), "")
            who = owned_id(who, self.ids, culture, Path(self.file).stem)
            record = replace(record, participant=who)
        if record.row:
            self.whose[record.row] = who if self.whose.get(record.row, who) == who else ""
        for time in (record.started, record.submitted):
            if isinstance(time, str) and time and read_moment(time) is None:
                message = f"The time {time[:40]!r} cannot be read; the answers come without it."
                self.reject(record, "unknown time", message, {"time": time})
        if self._declines(record):
            self.without_consent.add(record.row)
            self.declined |= {who} - {""}
        elif isinstance(record, RawSubmission) and record.consent == "":
            self.without_consent.add(record.row)
        if isinstance(record, RawAnswer):
            if not sheets:
                self._unknown(record)
            elif self._has_id(record):
                self.single[next(iter(sheets.values())).id][who].append(record)
            return
        unknown = [raw for name in parts.keys() - sheets.keys() for raw in parts[name]]
        self.submission = record
        if record.sheet and not sheets:
            self._unknown(record)
        elif (record.id and len(sheets) > 1) or not (sheets or (unknown and not record.content)):
            message = "Its answers are of no sheet of this survey, or of several."
            self.reject(record, "unknown sheet", message)
        else:
            for raw in unknown:
                self._unknown(raw)
            for name, sheet in sheets.items():
                self._submit(record, sheet, parts[name])
        self.submission = None

    def _declines(self, record: RawAnswer | RawSubmission) -> bool:
        """Return whether a record says that its person declined, of whichever sheet it is."""
        if isinstance(record, RawAnswer):
            return _asks_consent(record) and self.places.declines({CONSENT: _texts(record)})
        text = record.consent if isinstance(record.consent, str) else ""
        is_declined = record.consent is False or record.status == DECLINED
        return is_declined or self.places.declines({CONSENT: text})

    def result(self) -> Imported:
        """Return everything; single answers by the order of sheets and people's ids."""
        for sheet in self.survey.sheets if self.single else ():
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

    def _named(self, people: dict[str, list[RawAnswer]]) -> Mapping[str, list[RawAnswer]]:
        """Return answers by participant; who is the only one need not stand in every row."""
        nameless = people.pop("", [])
        if nameless and len(people) == 1:
            (named,) = people.values()
            items = {answer.item for answer in named if not answer.is_empty}
            if not any(answer.item in items for answer in nameless if not answer.is_empty):
                named += nameless
                return people
        if any(map(self._declines, nameless)):
            self.without_consent |= {answer.row for answer in nameless}  # whose is whose?
        for answer in nameless:
            if not answer.is_empty:
                self.reject(answer, "no participant", "It does not say who answered.")
        return people

    def _put_together(self, sheet: Sheet, who: str, answers: Sequence[RawAnswer]) -> None:
        """Add the submission of one person whose answers came by themselves."""
        asked = [raw for raw in answers if _asks_consent(raw)]
        others = [raw for raw in answers if not _asks_consent(raw)]
        agreed = [self.places.consent(sheet, " ".join(_texts(raw))) for raw in asked]
        for raw, agrees in zip(asked, agreed, strict=True):
            if agrees is None and not raw.is_empty:
                text = " ".join(_texts(raw))[:80]
                message = f"{text!r} neither agrees to take part nor declines."
                self.reject(raw, "unknown consent", message)
        if False in agreed or (who in self.declined and not asked):
            consent: bool | str | None = False
        else:
            consent = True in agreed or ("" if asked else None)
        times = sorted(filter(None, {_moment(raw.submitted) for raw in answers}))
        begun = sorted(filter(None, {_moment(raw.started) for raw in answers}))
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

    def _submit(
        self,
        record: RawSubmission,
        sheet: Sheet,
        answers: Sequence[RawAnswer],
        *,
        needs_answers: bool = False,
    ) -> None:
        """Add a person's submission to a sheet, unless it lacks consent or a person."""
        who, consent = clean_id(record.participant), record.consent
        if isinstance(consent, str):
            consent = self.places.consent(sheet, consent)
            if consent is None:
                reason = "unknown consent" if record.consent else "no consent"
                rows = {raw.row or record.row for raw in answers if not raw.is_empty}
                for row in sorted(rows | {record.row}):
                    self.without_consent.add(row)
                    self.reject(replace(record, row=row), reason, _NO_CONSENT)
                return
        codes = self.survey.codes.get(sheet.id)
        is_at_end = codes is not None and record.finished is not None
        if consent is False or record.status == DECLINED:
            # That somebody declined is kept, and nothing else of them, not even when.
            self.without_consent |= {raw.row or record.row for raw in answers}
            answered = [raw for raw in answers if not raw.is_empty]
            if answered:
                message = "This person did not agree to take part; the answers are not kept."
                counts = {"sheet": sheet.id, "answers": len(answered)}
                self.reject(answered[0], "no consent", message, counts)
            who = "" if id_problem(record.participant) else who
            code = codes.no_consent if codes and (record.code or is_at_end) else ""
            self._add_submission(
                record,
                Submission(
                    record.id,
                    sheet.id,
                    who,
                    (),
                    self.source,
                    status=DECLINED,
                    code=code,
                    row=record.row,
                ),
            )
            return
        if not self._has_id(record):
            return
        if not who:
            message = "It does not say who answered; fill in the participant's id."
            self.reject(record, "no participant", message)
            return
        resolved = tuple(self._answers(sheet, answers))
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
        is_done = not missing and record.finished is not False
        sent = Submission(
            id=record.id,
            sheet=sheet.id,
            participant=who,
            answers=resolved,
            source=self.source,
            submitted=_moment(record.submitted),
            started=_moment(record.started),
            status=record.status or ("complete" if is_done else "returned"),
            code=record.code or (codes.done if codes and is_done and is_at_end else ""),
            row=record.row,
            presented=record.presented,
        )
        self._add_submission(record, sent)

    def _add_submission(self, record: RawSubmission, sent: Submission) -> None:
        """Add a submission; one that has no id at its source has one of what it says."""
        if not sent.id:
            questions = [question.id for question in self.survey.taxonomy.questions]
            when = sent.submitted.isoformat() if sent.submitted else ""
            parts = [self.survey.name, sent.sheet, sent.participant, when, sent.status]
            for answer in sent.answers:
                others = ";".join(",".join(answer.get(question)) for question in questions)
                parts.append(f"{answer.entry}={answer.label}/{others}")
            whole = "\n".join(parts).encode("utf-8", "backslashreplace")
            sent = replace(sent, id=hashlib.sha256(whole).hexdigest()[:32])
        if not sent.participant:
            sent = replace(sent, participant=f"declined-{sent.id}")
        before = self.submissions.setdefault((sent.sheet, sent.id), sent)
        if before is not sent and replace(before, row=sent.row) != sent:
            message = "Another submission of the same id came before; which one counts is unknown."
            self.reject(record, "same id", message)

    def _answers(self, sheet: Sheet, raws: Sequence[RawAnswer]) -> Iterator[Answer]:
        """Return one answer an entry, in the sheet's order: the last one, where that is clear."""
        by_number: dict[int, list[tuple[Answer, RawAnswer]]] = defaultdict(list)
        for raw in raws:
            place = self.places.item(raw.item, sheet.id)
            if place is None or place.sheet is not sheet:
                self._unknown(raw)
            elif answer := self._answer(place, raw):
                by_number[place.number].append((answer, raw))
        for _, answers in sorted(by_number.items()):
            if len(answers) == 1:
                yield answers[0][0]
                continue
            ages = [(_moment(raw.submitted) or _EARLIEST, raw.order) for _, raw in answers]
            newest = max(ages)
            last = {answer for (answer, _), age in zip(answers, ages, strict=True) if age == newest}
            for (answer, raw), age in zip(answers, ages, strict=True):
                if len(last) > 1 and age == newest:
                    message = f"{answer.entry} is answered in two ways by the same person"
                    self.reject(raw, "two answers", f"{message}; keep one.")
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

    def _unknown(self, record: RawAnswer | RawSubmission) -> None:
        what, name = "sheet", record.sheet
        if isinstance(record, RawAnswer) and not _asks_consent(record):
            what, name = "item", record.item
        message = f"There is no {what} {name[:80]!r} in this survey."
        self.reject(record, f"unknown {what}", message)

    def _has_id(self, record: RawAnswer | RawSubmission) -> bool:
        problem = id_problem(record.participant, has_team=self.survey.has_team)
        if problem:
            self.reject(record, "participant unreadable", problem)
        return not problem


def _moment(value: datetime | str | None) -> datetime | None:
    return read_moment(value) if isinstance(value, str) else value


def _texts(raw: RawAnswer) -> list[str]:
    return [text for texts in raw.values.values() for text in texts]


def _asks_consent(raw: RawAnswer) -> bool:
    return raw.item.strip().casefold() == CONSENT
