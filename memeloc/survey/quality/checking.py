"""Quality control. In: submissions, sheets, what is known of people. Out: a `CheckReport`.

Pure functions: what fails a rule is excluded with the numbers that it rests on, and nothing is
ever deleted. The same submissions in another order give the same report.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import groupby
from statistics import median
from typing import Any

from memeloc.survey.model import (
    MOMENTS,
    PERSON,
    Check,
    CheckKind,
    Participant,
    Sheet,
    Submission,
    entry_id,
    read_moment,
)
from memeloc.survey.quality.outliers import Labels, Rates, at_least, deviations
from memeloc.survey.quality.rules import Rules
from memeloc.survey.quality.screening import screen
from memeloc.taxonomy.file import MOST_OF_LIFE

RUNNING = frozenset({"ACTIVE", "RESERVED"})
"""Somebody is at it."""

UNDER_WAY = RUNNING | {"PROCESSING"}
"""It was not handed in, or the service is not done with that."""

WAITING = frozenset({"AWAITING REVIEW"})
"""It was handed in and waits for a decision; it is owed until then."""

PAID = frozenset({"APPROVED", "PARTIALLY APPROVED"})
"""It was handed in and has been paid."""

HANDED_IN = WAITING | PAID
"""There should be answers."""

ENDED = frozenset({"RETURNED", "TIMED-OUT", "TIMED OUT"})
"""It came to nothing there, and nobody judged it: what was done can be paid as a bonus."""

GONE = ENDED | {"SCREENED OUT", "REJECTED"}
"""Its answers are not to be used."""

UNDECIDABLE = UNDER_WAY | PAID | GONE
"""There is nothing to decide yet, or any more."""


def words_of(study: str) -> set[str]:
    """Return the words of a study's name: it is a sheet's when its name has the sheet's id.

    >>> sorted(words_of("Memes: r1-b03-DE (pilot)"))
    ['Memes', 'pilot', 'r1-b03-DE']
    """
    return set(re.findall(r"[\w-]+", study))


_FEWEST = 8
"""Letters of an id, the half of which is nobody else's."""
_TYPED = "0123456789abcdefghijklmnopqrstuvwxyz"


def typed_otherwise(id: str) -> set[str]:
    """Return what an id may become where it is typed or copied by hand: one slip, or a part of it.

    A slip is a letter left out, put in or changed, or two that changed places (Damerau, 1964: they
    are four of five misspellings); a part is what a copy took that missed up to four letters.

    >>> sorted({"5e9", "5e90bc", "e590b", "5e90v", "5e9ob", "5590b"} & typed_otherwise("5e90b"))
    ['5590b', '5e90bc', '5e90v', '5e9ob', 'e590b']
    """
    splits = [(id[:at], id[at:]) for at in range(len(id) + 1)]
    typed = {before + after[1:] for before, after in splits}
    typed |= {before + after[1::-1] + after[2:] for before, after in splits}
    typed |= {f"{before}{letter}{after}" for before, after in splits for letter in _TYPED}
    typed |= {f"{before}{letter}{after[1:]}" for before, after in splits for letter in _TYPED}
    if len(id) > 2 * _FEWEST:
        typed |= {id[:-left] for left in range(1, 5)} | {id[left:] for left in range(1, 5)}
    return typed - {id}


def merged(rows: Iterable[Participant]) -> list[Participant]:
    """Return each person once in each study, in the order in which they came first.

    An older export may come later, and a list of submissions has no facts. Status, time and details
    are those of the newest row by the service's own times; of rows of the same time, of the one
    that is further on, then of the one that came last. Facts of all rows are put together; a later
    row's goes before an earlier's. What a row says is withheld (`details["withheld"]`: consent
    revoked, data expired) is forgotten.
    """
    by_study: dict[tuple[str, str], list[Participant]] = defaultdict(list)
    for row in rows:
        by_study[row.participant, row.study].append(row)
    return [_merge(group) for group in by_study.values()]


def _merge(rows: Sequence[Participant]) -> Participant:
    facts: dict[str, str] = {}
    withheld: dict[str, Any] = {}
    for row in rows:
        withdrawn = row.details.get("withheld") or {}
        withheld |= withdrawn
        both = facts | dict(row.facts)
        facts = {name: value for name, value in both.items() if name not in withdrawn}
    newest = max(reversed(rows), key=_place)
    preferred = (newest, *rows)
    return replace(
        newest,
        facts=dict(sorted(facts.items())),
        submission=next((row.submission for row in preferred if row.submission), ""),
        seconds=next((row.seconds for row in preferred if row.seconds is not None), None),
        details=dict(newest.details) | ({"withheld": withheld} if withheld else {}),
    )


def _place(row: Participant) -> tuple[datetime, int]:
    status = row.status.upper()
    rank = 0 if not status or status in UNDER_WAY else 1 if status in WAITING else 2
    times = [time for name in MOMENTS if (time := read_moment(row.details.get(name)))]
    return max(times, default=datetime.min.replace(tzinfo=UTC)), rank


COMPLETE = "complete"
"""The status of a submission that was sent whole."""
TIMED_OUT = "timed out"
"""The status of one whose person left, and whose time is over: what was answered till then."""

Key = tuple[str, str]
"""Sheet and submission: no two valid submissions have the same."""
Evidence = dict[str, Any]
"""What excludes a submission, as JSON values; empty for one that passes."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A submission beside its sheet (None for an unknown one), and what services say of its person.

    Attributes:
        service, study, status: of the submission at the recruitment service: its id, the name of
            its study, its status; empty when unknown.
        seconds: that it took in all; None when unknown.
        people: rows of services, and what the person answered about most of life.
        labels: of memes, in the order of the sheet.
        answers: how many entries were answered, checks among them.
        checks: those that were shown, with the label that was chosen, empty for none.
        reasons: by rule of `Rules`, or `superseded` or `unknown sheet`, that it fails, the evidence
            as JSON values; empty for one that is retained.
    """

    sheet: str
    submission: str
    participant: str
    culture: str
    sent: Submission
    on: Sheet | None
    people: Sequence[Participant]
    service: str
    study: str
    status: str
    seconds: float | None
    labels: Labels
    answers: int
    checks: Sequence[tuple[Check, str]]
    reasons: dict[str, Evidence] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        return (self.sheet, self.submission)

    def counts(self, kind: CheckKind) -> tuple[int, int, int]:
        """Return how many checks were shown, answered otherwise than asked, and not at all."""
        shown = [(check.expected, label) for check, label in self.checks if check.kind == kind]
        missed = sum(label not in ("", expected) for expected, label in shown)
        return len(shown), missed, sum(not label for _, label in shown)


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a person should look at; nobody is excluded for it.

    `rule` is `identical`, `outlier`, `unclear fact`, `missing fact`, `no participant`, `not shown`
    (pictures that did not load), `two cultures`, `not assigned` (the sheet of others of a named
    team), `kept` (by a person's decision) or `same id` (two that differ; the one sent last counts).
    `sheet` is empty where it is about no single one.
    """

    rule: str
    sheet: str
    submissions: tuple[str, ...]
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Absent:
    """Somebody at the recruitment service without answers; fields are those of `Judged`. `ended`
    says which completion code was entered there, as of `CompletionCodes`."""

    participant: str
    service: str
    study: str
    status: str
    ended: str = ""


@dataclass(frozen=True)
class CheckReport:
    """The people who are retained, who is excluded for what, and what else was seen; sorted by
    sheet and submission, or rule, `absent` by participant."""

    judged: tuple[Judged, ...]
    warnings: tuple[Remark, ...] = ()
    absent: tuple[Absent, ...] = ()

    @cached_property
    def retained(self) -> list[Submission]:
        """The submissions that pass every rule, in the order of their sending."""
        return sorted((row.sent for row in self.judged if not row.reasons), key=sent)

    @property
    def set_aside(self) -> list[dict[str, Any]]:
        """A row with `sheet`, `submission`, `rule` and `evidence` for each rule that one fails."""
        return [
            {"sheet": row.sheet, "submission": row.submission, "rule": rule, "evidence": evidence}
            for row in self.judged
            for rule, evidence in sorted(row.reasons.items())
        ]

    def counts(self) -> dict[str, int]:
        return dict(sorted(Counter(rule for row in self.judged for rule in row.reasons).items()))

    def as_json(self) -> dict[str, Any]:
        """Return what is stored: of `judged` sheet and submission only."""
        return {
            "judged": [{"sheet": row.sheet, "submission": row.submission} for row in self.judged],
            "set_aside": self.set_aside,
            "warnings": [asdict(row) for row in self.warnings],
            "absent": [asdict(row) for row in self.absent],
        }


def sent(submission: Submission) -> tuple[Any, ...]:
    """Return what puts submissions in the order of sending; those of unknown time come last."""
    return (
        submission.submitted or datetime.max.replace(tzinfo=UTC),
        submission.row,
        submission.sheet,
        submission.id,
        submission.participant,
    )


def check(
    submissions: Iterable[Submission],
    sheets: Iterable[Sheet],
    participants: Iterable[Participant] = (),
    rules: Rules | None = None,
    *,
    abstain: Collection[str] = (),
    superseded: Iterable[Submission] = (),
) -> CheckReport:
    """Apply every rule that is switched on.

    Args:
        submissions: all that were sent, of all sheets, in any order.
        participants: what recruitment services say of people.
        abstain: labels that are no votes, where people are compared with the others.
        superseded: earlier ones of the same people and sheets, which are not judged themselves.
    """
    by_id = {sheet.id: sheet for sheet in sheets}
    people: dict[str, list[Participant]] = defaultdict(list)
    for person in sorted(participants, key=str):
        if person.participant:
            people[person.participant].append(person)
    checking = _Checking(rules or Rules(), abstain)
    judged = checking.judge(sorted(set(submissions), key=sent), by_id, people)
    earlier = [_judged(row, by_id.get(row.sheet), (), None) for row in superseded]
    checking.apply([*(row for row in judged if row.on), *earlier])
    absent = [
        Absent(
            *(name, person.submission, person.study, person.status),
            str(person.details.get("ended", "")),
        )
        for name in sorted(people.keys() - {row.participant for row in judged})
        for person in people[name]
        if person.status.upper() in HANDED_IN
    ]
    return CheckReport(
        tuple(sorted(judged, key=lambda row: row.key)),
        tuple(sorted(checking.remarks, key=lambda row: (row.rule, row.sheet, str(row)))),
        tuple(absent),
    )


class _Checking:
    """The rules over all submissions: `rows` are the last of each person and sheet, in order;
    `careful` those whose people are not known to be careless, with whom others are compared."""

    def __init__(self, rules: Rules, abstain: Collection[str]) -> None:
        self.rules, self.abstain = rules, abstain
        self.remarks: list[Remark] = []
        self.rows: list[Judged] = []

    def point_out(
        self, rule: str, rows: Iterable[Judged], *, sheet: str = "", **evidence: Any
    ) -> None:
        ids = tuple(sorted(row.submission for row in rows))
        self.remarks.append(Remark(rule, sheet, ids, evidence))

    def judge(
        self,
        submissions: Sequence[Submission],
        sheets: Mapping[str, Sheet],
        people: Mapping[str, Sequence[Participant]],
    ) -> list[Judged]:
        ids = Counter((row.sheet, row.id) for row in submissions)
        self.remarks += [Remark("same id", sheet, (id,)) for (sheet, id), n in ids.items() if n > 1]
        judged: list[Judged] = []
        rows: dict[Key, Judged] = {}
        first_sheet: dict[str, str] = {}
        # Of different ones under one id, the last counts.
        for submission in {(row.sheet, row.id): row for row in submissions}.values():
            who, sheet = submission.participant, submission.sheet
            reports = people.get(who, ())
            # What the service says of a submission: by its id, by the study's name, or its only
            # row, which is that of the first of several sheets.
            by_id = [row for row in reports if row.submission and row.submission == submission.id]
            by_name = [row for row in reports if sheet in words_of(row.study)]
            first = first_sheet.setdefault(who, sheet) == sheet
            only = reports if len(reports) == 1 and first else ()
            service = next(iter((*by_id, *by_name, *only)), None)
            judged.append(row := _judged(submission, sheets.get(sheet), reports, service))
            if row.on is None:
                row.reasons["unknown sheet"] = {}
                continue
            if not who:
                self.point_out("no participant", [row], sheet=sheet)
            # Of a person and sheet, a later one takes the place of an earlier one.
            place = (sheet, who or f"/{submission.id}")
            if earlier := rows.pop(place, None):
                earlier.reasons["superseded"] = {"by": submission.id}
            rows[place] = row
        self.rows = list(rows.values())
        return judged

    def apply(self, tries: Iterable[Judged]) -> None:
        """Apply the rules; `tries` are all submissions, those that were superseded, too."""
        rules = self.rules
        kinds: dict[str, Callable[[Judged], Evidence]] = {
            "attention": self.attention,
            "speed": self.speed,
            "straight": self.straight,
            "careless": self.careless,
        }
        kinds = {name: rule for name, rule in kinds.items() if getattr(rules, name).on}

        def apply_rules(*names: str) -> None:
            for name in (name for name in names if name in kinds):
                for row in self.rows:
                    if evidence := kinds[name](row):
                        row.reasons[name] = evidence

        for row in self.rows if rules.status.on else ():
            if row.sent.status != COMPLETE or row.status.upper() in GONE:
                evidence: Evidence = {"status": row.sent.status, "service": row.status}
                if row.sent.status == TIMED_OUT and row.on is not None:
                    asked = {*map(entry_id, row.on.entries)} - row.sent.not_shown - {PERSON}
                    evidence |= {"answers": row.answers, "asked": len(asked)}
                row.reasons["status"] = evidence
        apply_rules("attention")
        # Others are compared with those whose people are not known to be careless.
        usual = [row for row in self.rows if not row.reasons]
        self.careful = set(usual)
        self.rates = Rates((row.culture, row.sheet, row.labels) for row in usual)
        paces: dict[str, list[float]] = defaultdict(list)
        for row in usual:
            if row.seconds is not None and row.answers:
                paces[row.sheet].append(row.seconds / row.answers)
        fewest = rules.speed.fewest
        timed = {sheet: group for sheet, group in paces.items() if len(group) >= fewest}
        self.medians = {sheet: median(group) for sheet, group in timed.items()}
        apply_rules("speed", "straight")
        compared = [row for row in usual if row.participant not in rules.outlier.people]
        self.beside_others = deviations(map(_labels, compared), rules.outlier, self.abstain)
        apply_rules("careless")
        # Who tried some of the same memes before, and was careless.
        by_person: dict[str, list[Judged]] = defaultdict(list)
        for row in sorted(tries, key=lambda row: sent(row.sent)):
            if row.participant and row.sent.status == COMPLETE:
                by_person[row.participant].append(row)
        for row in self.rows if rules.again.on else ():
            for other in by_person[row.participant]:
                if sent(other.sent) >= sent(row.sent):
                    break
                if not (other.on and row.on and {*other.on.memes} & {*row.on.memes}):
                    continue
                names = [name for name in kinds if name != "careless" and kinds[name](other)]
                if names:
                    earlier = {"earlier": other.submission, "sheet": other.sheet}
                    row.reasons["again"] = {**earlier, "failed": names}
                    break
        allowed, last = rules.person.sheets, set(self.rows)
        for people in by_person.values():
            group = [row for row in people if row in last]
            held = [row.sheet for row in group[:allowed]]
            for number, row in enumerate(group, 1) if rules.person.on else ():
                if number > allowed:
                    sheets = {"number": number, "allowed": allowed, "held": held}
                    row.reasons["person"] = sheets
            if len(cultures := sorted({row.culture for row in group})) > 1:
                self.point_out("two cultures", group, cultures=cultures)
        if rules.screening.on:
            self.screening()
        # Whom a person's decision names, each compared with all but the others named.
        for who in rules.outlier.people if rules.outlier.on else ():
            group = [row for row in self.rows if row.participant == who]
            others = map(_labels, [*compared, *(row for row in group if row in self.careful)])
            measured = deviations(others, rules.outlier, self.abstain) if group else {}
            for row in group:
                row.reasons["outlier"] = {"by": "name", **measured.get((row.culture, who), {})}
        for person, beside in self.beside_others.items() if rules.outlier.on else ():
            if beside["outlier"]:
                group = [row for row in compared if (row.culture, row.participant) == person]
                self.point_out("outlier", group, culture=person[0], participant=person[1], **beside)
        # Pictures that did not load, and the same answers of several people.
        lacking: dict[str, list[Judged]] = defaultdict(list)
        same: dict[tuple[str, tuple[tuple[str, str], ...]], list[Judged]] = defaultdict(list)
        for row in self.rows:
            if row.sent.not_shown:
                lacking[row.sheet].append(row)
            if rules.identical.on and len(row.labels) >= rules.identical.fewest:
                same[row.sheet, tuple(row.labels.items())].append(row)
        for sheet, rows in lacking.items():
            entries = Counter(entry for row in rows for entry in row.sent.not_shown)
            by_entry = dict(sorted(entries.items()))
            self.point_out("not shown", rows, sheet=sheet, people_by_entry=by_entry)
        for (sheet, _), rows in same.items():
            labels = rows[0].labels
            without = [labels for row in rows if row in self.careful]
            chances = self.rates.chances(rows[0].culture, sheet, labels, without)
            chance = None if chances is None else float(f"{math.prod(chances):.3g}")
            if len(rows) > 1 and (chance is None or chance < rules.identical.chance):
                about: Evidence = {"answers": len(labels), "chance": chance}
                self.point_out("identical", rows, sheet=sheet, **about)
        # Whoever did not agree, or took it back, stays excluded, and so does what was sent before.
        for row in self.rows if rules.keep.on else ():
            if why := rules.keep.people.get(row.participant):
                names = sorted(row.reasons.keys() - {"status"})
                for name in names:
                    del row.reasons[name]
                about = {"participant": row.participant, "why": why, "rules": names}
                self.point_out("kept", [row], sheet=row.sheet, **about)

    def attention(self, row: Judged) -> Evidence:
        rule = self.rules.attention
        asked, missed, skipped = row.counts("explicit")
        implicit, wrong, unanswered = row.counts("implicit")
        needed = min(rule.implicit_passed, implicit)
        if missed + skipped <= rule.explicit_missed and implicit - wrong - unanswered >= needed:
            return {}
        checks = [
            {"check": check.id, "kind": check.kind, "expected": check.expected, "chosen": label}
            | ({"example": check.example} if check.example else {})
            for check, label in row.checks
        ]
        return {
            "explicit": {"asked": asked, "missed": missed, "not answered": skipped},
            "implicit": {"asked": implicit, "missed": wrong, "not answered": unanswered},
            "implicit_needed": needed,
            "checks": checks,
            "submitted": row.sent.submitted.isoformat() if row.sent.submitted else None,
        }

    def speed(self, row: Judged) -> Evidence:
        rule, middle, seconds = self.rules.speed, self.medians.get(row.sheet), row.seconds
        times = [(each.took or each.shown or 0) / 1000 for each in row.sent.answers]
        times = [time for time in times if time]
        by_entry = median(times) if times and 2 * len(times) >= row.answers else math.inf
        pace = seconds / row.answers if seconds is not None and row.answers else math.inf
        least = max(rule.seconds_per_entry, rule.share_of_median * (middle or 0.0))
        if pace >= least and by_entry >= rule.seconds_per_entry:
            return {}
        return {
            "seconds": None if seconds is None else round(seconds, 3),
            "answers": row.answers,
            "seconds_per_entry": round(min(pace, by_entry), 3),
            "least": round(least, 3),
            "median": None if middle is None else round(middle, 3),
            **({} if by_entry == math.inf else {"median_of_entries": round(by_entry, 3)}),
        }

    def straight(self, row: Judged) -> Evidence:
        rule, labels = self.rules.straight, list(row.labels.values())
        if len(labels) < rule.fewest:
            return {}
        longest = max(len(list(run)) for _, run in groupby(labels))
        counts = Counter(labels)
        shares = [number / len(labels) for number in counts.values()]
        bits = sum(share * math.log2(1 / share) for share in shares)
        if longest < rule.share * len(labels) and bits > rule.bits:
            return {}
        label, count = min(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        without = [row.labels] if row in self.careful else []
        same = dict.fromkeys(row.labels, label)
        chances = self.rates.chances(row.culture, row.sheet, same, without)
        if chances is None or (chance := at_least(count, chances)) >= rule.chance:
            return {}
        return {
            "answers": len(labels),
            "label": label,
            "count": count,
            "longest": longest,
            "bits": round(bits, 4),
            "expected": round(sum(chances), 3),
            "chance": float(f"{chance:.3g}"),
        }

    def careless(self, row: Judged) -> Evidence:
        rules, beside = self.rules, self.beside_others.get((row.culture, row.participant), {})
        signs: Evidence = {}
        missed = sum(label != check.expected for check, label in row.checks)
        if rules.attention.on and missed:
            signs["checks_missed"] = missed
        middle, pace = self.medians.get(row.sheet), (row.seconds or 0) / max(row.answers, 1)
        if rules.speed.on and middle and 0 < pace < rules.careless.share_of_median * middle:
            signs |= {"seconds_per_entry": round(pace, 3), "median": round(middle, 3)}
        return {**beside, **signs} if signs and beside.get("outlier") else {}

    def screening(self) -> None:
        rule = self.rules.screening
        unclear: dict[tuple[str, str, str, str], list[Judged]] = defaultdict(list)
        for row in self.rows:
            assert row.on is not None
            differing, missing, unknown = screen(row.people, row.on.culture, rule)
            lacking = list(missing) if rule.missing == "set aside" else []
            if differing or lacking:
                row.reasons["screening"] = {
                    "culture": row.culture,
                    "locale": row.on.culture.locale.tag,
                    "differing": dict(sorted(differing.items())),
                    "missing": lacking,
                }
            for fact, value in unknown.items():
                unclear["unclear fact", row.culture, fact, value].append(row)
            for fact in missing if row.people and rule.missing == "keep" else ():
                unclear["missing fact", row.culture, fact, ""].append(row)
        for (name, code, fact, value), rows in unclear.items():
            about = {"value": value} if value else {}
            self.point_out(name, rows, culture=code, fact=fact, **about)


def _labels(row: Judged) -> tuple[str, str, Labels]:
    return row.culture, row.participant, row.labels


def _judged(
    submission: Submission,
    sheet: Sheet | None,
    people: Sequence[Participant],
    service: Participant | None,
) -> Judged:
    chosen = {answer.entry: answer.label for answer in submission.answers if answer.label}
    entries = () if sheet is None else sheet.entries
    # What a person answered about most of life goes before what a service says of it.
    of_person = [answer for answer in submission.answers if answer.entry == PERSON]
    if life := [value for answer in of_person for value in answer.get(MOST_OF_LIFE)]:
        people = (*people, Participant(submission.participant, {"most_of_life": life[-1]}))
    at_service = service or Participant(submission.participant)
    seconds = at_service.seconds
    if submission.started is not None and submission.submitted is not None:
        duration = (submission.submitted - submission.started).total_seconds()
        seconds = duration if duration > 0 else seconds
    return Judged(
        sheet=submission.sheet,
        submission=submission.id,
        participant=submission.participant,
        culture=sheet.culture.code if sheet else "",
        sent=submission,
        on=sheet,
        people=people,
        service=at_service.submission,
        study=at_service.study,
        status=at_service.status,
        seconds=seconds if seconds and seconds > 0 else None,
        labels={meme: chosen[meme] for meme in (sheet.memes if sheet else ()) if meme in chosen},
        answers=len(chosen.keys() & set(map(entry_id, entries))),
        checks=[
            (entry, chosen.get(entry.id, ""))
            for entry in entries
            if isinstance(entry, Check) and entry.id not in submission.not_shown
        ],
    )
