"""Quality control. In: submissions, sheets, what is known of people. Out: a `CheckReport`.

Pure functions: what fails a rule is excluded with the numbers that it rests on, and nothing is
ever deleted. The same submissions in another order give the same report.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from statistics import median
from typing import Any

from memeloc.survey.model import Check, CheckKind, Participant, Sheet, Submission, entry_id
from memeloc.survey.quality import rules as kinds
from memeloc.survey.quality.likelihood import Labels, Rates, at_least
from memeloc.survey.quality.participants import words_of
from memeloc.survey.quality.report import Absent, CheckReport, Exclusion, Judged, Key, Remark
from memeloc.survey.quality.rules import Rules
from memeloc.survey.quality.screening import Screened, screen
from memeloc.survey.quality.statuses import GONE, HANDED_IN

COMPLETE = "complete"
"""The status of a submission that was sent whole."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A submission that is the last of its person and sheet, with its labels of memes in order."""

    submission: Submission
    sheet: Sheet
    judged: Judged
    labels: Labels

    @property
    def culture(self) -> str:
        return self.sheet.culture.code

    def fails(self, rule: str, evidence: Mapping[str, Any]) -> Exclusion:
        return Exclusion(*self.judged.key, rule, evidence)


_ScreenedRow = tuple[_Row, Sequence[Participant], Screened]
"""With what services say of its participant."""


def check(
    submissions: Iterable[Submission],
    sheets: Iterable[Sheet],
    participants: Iterable[Participant] = (),
    rules: Rules | None = None,
) -> CheckReport:
    """Apply every rule that is switched on.

    Args:
        submissions: all that were sent, of all sheets, in any order.
        participants: what recruitment services say of people.
    """
    rules = rules or Rules()
    by_id = {sheet.id: sheet for sheet in sheets}
    people: dict[str, list[Participant]] = defaultdict(list)
    for person in sorted(participants, key=_place_of):
        if person.participant:
            people[person.participant].append(person)
    judged: list[Judged] = []
    excluded: list[Exclusion] = []
    remarks: list[Remark] = []
    rows: dict[Key, _Row] = {}
    first_sheet: dict[str, str] = {}
    latest: dict[Key, Key] = {}
    for key, submission in _by_key(submissions, remarks).items():
        who, sheet = submission.participant, by_id.get(submission.sheet)
        first = first_sheet.setdefault(who, submission.sheet) == submission.sheet
        service = _of_service(submission, people.get(who, []), first)
        judged.append(_judge(submission, sheet, service))
        if sheet is None:
            excluded.append(Exclusion(*key, "unknown sheet"))
            continue
        if not who:
            remarks.append(Remark("no participant", submission.sheet, (submission.id,)))
        elif earlier := latest.get((submission.sheet, who)):
            excluded.append(rows.pop(earlier).fails("superseded", {"by": submission.id}))
        latest[submission.sheet, who] = key
        rows[key] = _Row(submission, sheet, judged[-1], _labels(submission, sheet))
    valid = list(rows.values())
    excluded += (*_status(valid, rules.status), *_attention(valid, rules.attention))
    failed = {exclusion.key for exclusion in excluded}
    # The careless are not those that others are compared with.
    usual = [row for row in valid if row.judged.key not in failed]
    rates = Rates((row.culture, row.judged.sheet, row.labels) for row in usual)
    counted = {row.judged.key for row in usual}
    excluded += _speed(valid, usual, rules.speed)
    excluded += _straight(valid, counted, rates, rules.straight)
    excluded += _person(valid, rules.person)
    remarks += _two_cultures(valid)
    remarks += _identical(valid, counted, rates, rules.identical)
    if rules.screening.on:
        screened = [
            (row, own, screen(own, row.sheet.culture, rules.screening))
            for row in valid
            for own in [people.get(row.submission.participant, [])]
        ]
        excluded += _differing(screened, rules.screening)
        remarks += _unclear(screened, rules.screening)
    sent_by = {row.participant for row in judged}
    return CheckReport(
        tuple(sorted(judged, key=lambda row: row.key)),
        tuple(sorted(excluded, key=lambda exclusion: (*exclusion.key, exclusion.rule))),
        tuple(sorted(remarks, key=_order)),
        tuple(
            Absent(name, person.submission, person.study, person.status)
            for name in sorted(people.keys() - sent_by)
            for person in people[name]
            if person.status.upper() in HANDED_IN
        ),
    )


def retained(submissions: Iterable[Submission], report: CheckReport) -> list[Submission]:
    """The submissions that a report retains, in the order of their sending."""
    keys = set(report.retained)
    return [submission for key, submission in _by_key(submissions, []).items() if key in keys]


def sent(submission: Submission) -> tuple[Any, ...]:
    """What puts submissions in the order of their sending; those of unknown time come last."""
    return (
        submission.submitted or datetime.max.replace(tzinfo=UTC),
        submission.row,
        submission.sheet,
        submission.id,
        submission.participant,
    )


def _by_key(submissions: Iterable[Submission], remarks: list[Remark]) -> dict[Key, Submission]:
    """In the order of their sending; of two different ones under one id the last, with a remark."""
    by_key: dict[Key, Submission] = {}
    same_id = set()
    for submission in sorted(submissions, key=sent):
        key = (submission.sheet, submission.id)
        if by_key.pop(key, submission) != submission:
            same_id.add(key)
        by_key[key] = submission
    remarks += (Remark("same id", sheet, (name,)) for sheet, name in same_id)
    return by_key


def _of_service(
    submission: Submission, people: Sequence[Participant], first: bool
) -> Participant | None:
    """What the service says of a submission: by its id, by the study's name, or its only row.

    The only row of a person who sent several sheets is that of the first.
    """
    by_id = [row for row in people if row.submission and row.submission == submission.id]
    by_name = [row for row in people if submission.sheet in words_of(row.study)]
    only = people if len(people) == 1 and first else []
    return next(iter((*by_id, *by_name, *only)), None)


def _judge(submission: Submission, sheet: Sheet | None, person: Participant | None) -> Judged:
    labels = {answer.entry: answer.label for answer in submission.answers if answer.label}
    entries = () if sheet is None else sheet.entries
    checks = [entry for entry in entries if isinstance(entry, Check)]

    def counts(kind: CheckKind) -> tuple[int, int, int]:
        given = [(labels.get(entry.id), entry.expected) for entry in checks if entry.kind == kind]
        missed = sum(label is not None and label != expected for label, expected in given)
        return len(given), missed, sum(label is None for label, _ in given)

    seconds = person.seconds if person is not None else None
    if submission.started is not None and submission.submitted is not None:
        own = (submission.submitted - submission.started).total_seconds()
        seconds = own if own > 0 else seconds
    return Judged(
        submission.sheet,
        submission.id,
        submission.participant,
        "" if person is None else person.submission,
        "" if person is None else person.study,
        "" if person is None else person.status,
        seconds if seconds and seconds > 0 else None,
        0 if sheet is None else len(labels.keys() & set(map(entry_id, entries))),
        counts("explicit"),
        counts("implicit"),
    )


def _labels(submission: Submission, sheet: Sheet) -> dict[str, str]:
    """What was answered to memes, in the order asked."""
    labels = {answer.entry: answer.label for answer in submission.answers if answer.label}
    memes = [entry.meme_id for entry in sheet.entries if not isinstance(entry, Check)]
    return {meme: labels[meme] for meme in memes if meme in labels}


def _status(rows: Sequence[_Row], rule: kinds.Status) -> Iterator[Exclusion]:
    for row in rows if rule.on else ():
        status, service = row.submission.status, row.judged.status
        if status != COMPLETE or service.upper() in GONE:
            yield row.fails("status", {"status": status, "service": service})


def _attention(rows: Sequence[_Row], rule: kinds.Attention) -> Iterator[Exclusion]:
    for row in rows if rule.on else ():
        asked, missed, skipped = row.judged.explicit
        implicit, wrong, unanswered = row.judged.implicit
        needed = min(rule.implicit_passed, implicit)
        if missed + skipped > rule.explicit_missed or implicit - wrong - unanswered < needed:
            evidence = {
                "explicit": {"asked": asked, "missed": missed, "not answered": skipped},
                "implicit": {"asked": implicit, "missed": wrong, "not answered": unanswered},
                "implicit_needed": needed,
            }
            yield row.fails("attention", evidence)


def _speed(rows: Sequence[_Row], usual: Sequence[_Row], rule: kinds.Speed) -> Iterator[Exclusion]:
    times: dict[str, list[float]] = defaultdict(list)
    for row in usual:
        if row.judged.seconds is not None and row.judged.answers:
            times[row.judged.sheet].append(row.judged.seconds / row.judged.answers)
    middles = {name: median(paces) for name, paces in times.items() if len(paces) >= rule.fewest}
    for row in rows if rule.on else ():
        middle, seconds = middles.get(row.judged.sheet), row.judged.seconds
        least = max(rule.seconds_per_entry, rule.share_of_median * (middle or 0.0))
        if seconds is not None and row.judged.answers and seconds / row.judged.answers < least:
            evidence = {
                "seconds": round(seconds, 3),
                "answers": row.judged.answers,
                "seconds_per_entry": round(seconds / row.judged.answers, 3),
                "least": round(least, 3),
                "median": None if middle is None else round(middle, 3),
            }
            yield row.fails("speed", evidence)


def _straight(
    rows: Sequence[_Row], counted: set[Key], rates: Rates, rule: kinds.Straight
) -> Iterator[Exclusion]:
    for row in rows if rule.on else ():
        labels = list(row.labels.values())
        if len(labels) < rule.fewest:
            continue
        longest = max(len(list(run)) for _, run in groupby(labels))
        counts = Counter(labels)
        shares = [number / len(labels) for number in counts.values()]
        bits = sum(share * math.log2(1 / share) for share in shares)
        if longest < rule.share * len(labels) and bits > rule.bits:
            continue
        label, count = min(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        same = dict.fromkeys(row.labels, label)
        without = [row.labels] if row.judged.key in counted else []
        chances = rates.chances(row.culture, row.judged.sheet, same, without)
        if chances is not None and (chance := at_least(count, chances)) < rule.chance:
            evidence = {
                "answers": len(labels),
                "label": label,
                "count": count,
                "longest": longest,
                "bits": round(bits, 4),
                "expected": round(sum(chances), 3),
                "chance": float(f"{chance:.3g}"),
            }
            yield row.fails("straight", evidence)


def _identical(
    rows: Sequence[_Row], counted: set[Key], rates: Rates, rule: kinds.Identical
) -> Iterator[Remark]:
    groups: dict[tuple[str, tuple[tuple[str, str], ...]], list[_Row]] = defaultdict(list)
    for row in rows if rule.on else ():
        if len(row.labels) >= rule.fewest:
            groups[row.judged.sheet, tuple(row.labels.items())].append(row)
    for (sheet, _), group in groups.items():
        if len(group) > 1:
            labels = group[0].labels
            without = [labels for row in group if row.judged.key in counted]
            chances = rates.chances(group[0].culture, sheet, labels, without)
            chance = None if chances is None else float(f"{math.prod(chances):.3g}")
            if chance is None or chance < rule.chance:
                ids = tuple(sorted(row.judged.submission for row in group))
                evidence = {"answers": len(labels), "chance": chance}
                yield Remark("identical", sheet, ids, evidence)


def _sheets_of_people(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    """Complete sheets of each person, in the order of their sending."""
    by_person: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        if row.submission.participant and row.submission.status == COMPLETE:
            by_person[row.submission.participant].append(row)
    yield from by_person.values()


def _person(rows: Sequence[_Row], rule: kinds.OnePerson) -> Iterator[Exclusion]:
    for own in _sheets_of_people(rows) if rule.on else ():
        held = [row.judged.sheet for row in own[: rule.sheets]]
        for number, row in enumerate(own[rule.sheets :], rule.sheets + 1):
            yield row.fails("person", {"number": number, "allowed": rule.sheets, "held": held})


def _two_cultures(rows: Sequence[_Row]) -> Iterator[Remark]:
    for own in _sheets_of_people(rows):
        cultures = sorted({row.culture for row in own})
        if len(cultures) > 1:
            ids = tuple(row.judged.submission for row in own)
            yield Remark("two cultures", "", ids, {"cultures": cultures})


def _differing(screened: Iterable[_ScreenedRow], rule: kinds.Screening) -> Iterator[Exclusion]:
    for row, _, facts in screened:
        missing = list(facts.missing) if rule.missing == "set aside" else []
        if facts.differing or missing:
            evidence = {
                "culture": row.culture,
                "locale": row.sheet.culture.locale.tag,
                "differing": dict(sorted(facts.differing.items())),
                "missing": missing,
            }
            yield row.fails("screening", evidence)


def _unclear(screened: Iterable[_ScreenedRow], rule: kinds.Screening) -> Iterator[Remark]:
    submissions: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for row, own, facts in screened:
        for fact, value in facts.unclear.items():
            submissions["unclear fact", row.culture, fact, value].append(row.judged.submission)
        for fact in facts.missing if own and rule.missing == "keep" else ():
            submissions["missing fact", row.culture, fact, ""].append(row.judged.submission)
    for (name, code, fact, value), ids in submissions.items():
        evidence = {"culture": code, "fact": fact, **({"value": value} if value else {})}
        yield Remark(name, "", tuple(sorted(ids)), evidence)


def _order(remark: Remark) -> tuple[Any, ...]:
    return remark.rule, remark.sheet, sorted(map(str, remark.evidence.items())), remark.submissions


def _place_of(person: Participant) -> tuple[Any, ...]:
    facts = sorted(person.facts.items())
    return person.participant, person.study, person.submission, person.status, facts
