"""Quality control. In: submissions, sheets, what is known of people. Out: a `CheckReport`.

Pure functions: what fails a rule is excluded with the numbers that it rests on, and nothing is
ever deleted. The same submissions in another order give the same report.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import groupby
from statistics import median
from typing import Any

from memeloc.survey.model import PERSON, Check, CheckKind, Participant, Sheet, Submission, entry_id
from memeloc.survey.quality.outliers import Labels, Rates, at_least, deviations
from memeloc.survey.quality.participants import GONE, HANDED_IN, words_of
from memeloc.survey.quality.rules import Rules
from memeloc.survey.quality.screening import screen
from memeloc.taxonomy.file import MOST_OF_LIFE

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

    @property
    def key(self) -> Key:
        return (self.sheet, self.submission)

    def counts(self, kind: CheckKind) -> tuple[int, int, int]:
        """Return how many checks were shown, answered otherwise than asked, and not at all."""
        given = [(check, label) for check, label in self.checks if check.kind == kind]
        missed = sum(label not in ("", check.expected) for check, label in given)
        return len(given), missed, sum(not label for _, label in given)


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A rule of `Rules`, or `superseded` or `unknown sheet`, that a submission fails, with the
    evidence as JSON values; one that fails several has one of these each."""

    sheet: str
    submission: str
    rule: str
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        return (self.sheet, self.submission)


@dataclass(frozen=True, slots=True)
class Remark:
    """What a person should look at; nobody is excluded for it.

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
    """Somebody at the recruitment service without answers; fields are those of `Judged`.

    `ended` says which completion code was entered there, as of `CompletionCodes`.
    """

    participant: str
    service: str
    study: str
    status: str
    ended: str = ""


@dataclass(frozen=True)
class CheckReport:
    """Who is retained, who is excluded for what (`set_aside`), and what else was seen; sorted by
    sheet, submission and rule, `absent` by participant."""

    judged: tuple[Judged, ...]
    set_aside: tuple[Exclusion, ...]
    warnings: tuple[Remark, ...] = ()
    absent: tuple[Absent, ...] = ()

    @cached_property
    def reasons(self) -> Mapping[Key, tuple[Exclusion, ...]]:
        by_key: dict[Key, tuple[Exclusion, ...]] = defaultdict(tuple)
        for exclusion in self.set_aside:
            by_key[exclusion.key] += (exclusion,)
        return dict(by_key)

    @cached_property
    def retained(self) -> tuple[Key, ...]:
        """Sheet and id of the submissions that pass every rule."""
        return tuple(judged.key for judged in self.judged if judged.key not in self.reasons)

    def counts(self) -> dict[str, int]:
        return dict(sorted(Counter(exclusion.rule for exclusion in self.set_aside).items()))

    def as_json(self) -> dict[str, Any]:
        """Return what is stored: of `judged` sheet and submission only."""
        judged = [{"sheet": row.sheet, "submission": row.submission} for row in self.judged]
        return asdict(replace(self, judged=())) | {"judged": judged}


def sent(submission: Submission) -> tuple[Any, ...]:
    """Return what puts submissions in the order of sending; those of unknown time come last."""
    return (
        submission.submitted or datetime.max.replace(tzinfo=UTC),
        submission.row,
        submission.sheet,
        submission.id,
        submission.participant,
    )


def retained(submissions: Iterable[Submission], report: CheckReport) -> list[Submission]:
    """Return the submissions that a report retains, in the order of their sending."""
    keys = set(report.retained)
    by_key = {(row.sheet, row.id): row for row in sorted(submissions, key=sent)}
    return sorted((by_key[key] for key in keys & by_key.keys()), key=sent)


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
    checking = _Checking(rules or Rules(), {sheet.id: sheet for sheet in sheets}, abstain)
    return checking.report(submissions, participants, superseded)


class _Checking:
    """The rules over all submissions: `rows` are the last of each person and sheet, in order;
    `usual` those whose people are not known to be careless, with whom others are compared."""

    def __init__(self, rules: Rules, sheets: Mapping[str, Sheet], abstain: Collection[str]) -> None:
        self.rules, self.sheets, self.abstain = rules, sheets, abstain
        self.excluded: list[Exclusion] = []
        self.remarks: list[Remark] = []
        self.rows: list[Judged] = []

    def report(
        self,
        submissions: Iterable[Submission],
        participants: Iterable[Participant],
        superseded: Iterable[Submission],
    ) -> CheckReport:
        people: dict[str, list[Participant]] = defaultdict(list)
        for person in sorted(participants, key=str):
            if person.participant:
                people[person.participant].append(person)
        judged = self._judge(sorted(set(submissions), key=sent), people)
        earlier = [_judged(row, self.sheets.get(row.sheet), (), None) for row in superseded]
        self._apply("status", _status)
        self._apply("attention", self._attention)
        failed = {exclusion.key for exclusion in self.excluded}
        self.usual = {row.key: row for row in self.rows if row.key not in failed}
        usual = self.usual.values()
        self.rates = Rates((row.culture, row.sheet, row.labels) for row in usual)
        paces: dict[str, list[float]] = defaultdict(list)
        for row in usual:
            if row.seconds is not None and row.answers:
                paces[row.sheet].append(row.seconds / row.answers)
        fewest = self.rules.speed.fewest
        self.medians = {sheet: median(own) for sheet, own in paces.items() if len(own) >= fewest}
        self._apply("speed", self._speed)
        self._apply("straight", self._straight)
        chosen = self.rules.outlier.people
        self.compared = [row for row in usual if row.participant not in chosen]
        self.beside_others = self._deviations(self.compared)
        self._apply("careless", self._careless)
        self._again([*(row for row in judged if row.on), *earlier])
        self._one_person()
        self._screening()
        self._outliers()
        self._look()
        self._keep()
        absent = (
            Absent(
                *(name, person.submission, person.study, person.status),
                str(person.details.get("ended", "")),
            )
            for name in sorted(people.keys() - {row.participant for row in judged})
            for person in people[name]
            if person.status.upper() in HANDED_IN
        )
        return CheckReport(
            tuple(sorted(judged, key=lambda row: row.key)),
            tuple(sorted(self.excluded, key=lambda row: (*row.key, row.rule))),
            tuple(sorted(self.remarks, key=lambda row: (row.rule, row.sheet, str(row)))),
            tuple(absent),
        )

    def _exclude(self, row: Judged, rule: str, **evidence: Any) -> None:
        self.excluded.append(Exclusion(*row.key, rule, evidence))

    def _point_out(
        self, rule: str, rows: Iterable[Judged], *, sheet: str = "", **evidence: Any
    ) -> None:
        ids = tuple(sorted(row.submission for row in rows))
        self.remarks.append(Remark(rule, sheet, ids, evidence))

    def _apply(self, name: str, evidence_of: Callable[[Judged], Evidence]) -> None:
        for row in self.rows if getattr(self.rules, name).on else ():
            if evidence := evidence_of(row):
                self._exclude(row, name, **evidence)

    def _judge(
        self, submissions: Sequence[Submission], people: Mapping[str, Sequence[Participant]]
    ) -> list[Judged]:
        ids = Counter((row.sheet, row.id) for row in submissions)
        self.remarks += [Remark("same id", sheet, (id,)) for (sheet, id), n in ids.items() if n > 1]
        judged: list[Judged] = []
        rows: dict[Key, Judged] = {}
        first_sheet: dict[str, str] = {}
        # Of different ones under one id, the last counts.
        for submission in {(row.sheet, row.id): row for row in submissions}.values():
            who, sheet = submission.participant, submission.sheet
            own = people.get(who, [])
            # What the service says of a submission: by its id, by the study's name, or its only
            # row, which is that of the first of several sheets.
            by_id = [row for row in own if row.submission and row.submission == submission.id]
            by_name = [row for row in own if sheet in words_of(row.study)]
            first = first_sheet.setdefault(who, sheet) == sheet
            only = own if len(own) == 1 and first else []
            service = next(iter((*by_id, *by_name, *only)), None)
            judged.append(row := _judged(submission, self.sheets.get(sheet), own, service))
            if row.on is None:
                self._exclude(row, "unknown sheet")
                continue
            if not who:
                self._point_out("no participant", [row], sheet=sheet)
            # Of a person and sheet, a later one takes the place of an earlier one.
            place = (sheet, who or f"/{submission.id}")
            if earlier := rows.pop(place, None):
                self._exclude(earlier, "superseded", by=submission.id)
            rows[place] = row
        self.rows = list(rows.values())
        return judged

    def _attention(self, row: Judged) -> Evidence:
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

    def _speed(self, row: Judged) -> Evidence:
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

    def _straight(self, row: Judged) -> Evidence:
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
        same = dict.fromkeys(row.labels, label)
        without = [row.labels] if row.key in self.usual else []
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

    def _careless(self, row: Judged) -> Evidence:
        rules, beside = self.rules, self.beside_others.get((row.culture, row.participant), {})
        signs: Evidence = {}
        missed = sum(label != check.expected for check, label in row.checks)
        if rules.attention.on and missed:
            signs["checks_missed"] = missed
        middle, pace = self.medians.get(row.sheet), (row.seconds or 0) / max(row.answers, 1)
        if rules.speed.on and middle and 0 < pace < rules.careless.share_of_median * middle:
            signs |= {"seconds_per_entry": round(pace, 3), "median": round(middle, 3)}
        return {**beside, **signs} if signs and beside.get("outlier") else {}

    def _again(self, tries: Iterable[Judged]) -> None:
        """Exclude who tried some of the same memes before, and was careless."""
        kinds = {"attention": self._attention, "speed": self._speed, "straight": self._straight}
        careless = {name: rule for name, rule in kinds.items() if getattr(self.rules, name).on}
        by_person: dict[str, list[Judged]] = defaultdict(list)
        for row in sorted(tries, key=lambda row: sent(row.sent)):
            if row.participant and row.sent.status == COMPLETE:
                by_person[row.participant].append(row)
        for row in self.rows if self.rules.again.on else ():
            for other in by_person.get(row.participant, ()):
                if sent(other.sent) >= sent(row.sent):
                    break
                both = other.on and row.on and {*other.on.memes} & {*row.on.memes}
                failed = [name for name, evidence_of in careless.items() if evidence_of(other)]
                if both and failed:
                    earlier = {"earlier": other.submission, "sheet": other.sheet, "failed": failed}
                    self._exclude(row, "again", **earlier)
                    break

    def _one_person(self) -> None:
        by_person: dict[str, list[Judged]] = defaultdict(list)
        for row in self.rows:
            if row.participant and row.sent.status == COMPLETE:
                by_person[row.participant].append(row)
        allowed = self.rules.person.sheets
        for rows in by_person.values():
            held = [row.sheet for row in rows[:allowed]]
            for number, row in enumerate(rows, 1) if self.rules.person.on else ():
                if number > allowed:
                    self._exclude(row, "person", number=number, allowed=allowed, held=held)
            if len(cultures := sorted({row.culture for row in rows})) > 1:
                self._point_out("two cultures", rows, cultures=cultures)

    def _screening(self) -> None:
        rule = self.rules.screening
        unclear: dict[tuple[str, str, str, str], list[Judged]] = defaultdict(list)
        for row in self.rows if rule.on else ():
            assert row.on is not None
            facts = screen(row.people, row.on.culture, rule)
            missing = list(facts.missing) if rule.missing == "set aside" else []
            if facts.differing or missing:
                self._exclude(
                    row,
                    "screening",
                    culture=row.culture,
                    locale=row.on.culture.locale.tag,
                    differing=dict(sorted(facts.differing.items())),
                    missing=missing,
                )
            for fact, value in facts.unclear.items():
                unclear["unclear fact", row.culture, fact, value].append(row)
            for fact in facts.missing if row.people and rule.missing == "keep" else ():
                unclear["missing fact", row.culture, fact, ""].append(row)
        for (name, code, fact, value), rows in unclear.items():
            self._point_out(
                name, rows, culture=code, fact=fact, **({"value": value} if value else {})
            )

    def _deviations(self, rows: Iterable[Judged]) -> dict[Key, Evidence]:
        answered = [(row.culture, row.participant, row.labels) for row in rows]
        return deviations(answered, self.rules.outlier, self.abstain)

    def _outliers(self) -> None:
        """Exclude whom a person's decision names, each compared with all but the others named; and
        report who stands out."""
        rule = self.rules.outlier
        for who in rule.people if rule.on else ():
            own = [row for row in self.rows if row.participant == who]
            usual = [row for row in self.usual.values() if row.participant == who]
            measured = self._deviations([*self.compared, *usual]) if own else {}
            for row in own:
                self._exclude(row, "outlier", by="name", **measured.get((row.culture, who), {}))
        for person, beside in self.beside_others.items() if rule.on else ():
            if beside["outlier"]:
                own = [row for row in self.compared if (row.culture, row.participant) == person]
                self._point_out("outlier", own, culture=person[0], participant=person[1], **beside)

    def _look(self) -> None:
        """Report pictures that did not load, and the same answers of several people."""
        lacking: dict[str, list[Judged]] = defaultdict(list)
        groups: dict[tuple[str, tuple[tuple[str, str], ...]], list[Judged]] = defaultdict(list)
        rule = self.rules.identical
        for row in self.rows:
            if row.sent.not_shown:
                lacking[row.sheet].append(row)
            if rule.on and len(row.labels) >= rule.fewest:
                groups[row.sheet, tuple(row.labels.items())].append(row)
        for sheet, rows in lacking.items():
            entries = Counter(entry for row in rows for entry in row.sent.not_shown)
            by_entry = dict(sorted(entries.items()))
            self._point_out("not shown", rows, sheet=sheet, people_by_entry=by_entry)
        for sheet, rows in ((key[0], rows) for key, rows in groups.items() if len(rows) > 1):
            labels = rows[0].labels
            without = [labels for row in rows if row.key in self.usual]
            chances = self.rates.chances(rows[0].culture, sheet, labels, without)
            chance = None if chances is None else float(f"{math.prod(chances):.3g}")
            if chance is None or chance < rule.chance:
                numbers = {"answers": len(labels), "chance": chance}
                self._point_out("identical", rows, sheet=sheet, **numbers)

    def _keep(self) -> None:
        """Take back what excludes people who are kept by a decision, and report it.

        Whoever did not agree, or took it back, stays excluded, and so does what was sent before.
        """
        rule = self.rules.keep
        for row in self.rows if rule.on else ():
            if row.participant in rule.people:
                own = [each for each in self.excluded if each.key == row.key]
                lifted = [each for each in own if each.rule != "status"]
                self.excluded = [each for each in self.excluded if each not in lifted]
                about = {"participant": row.participant, "why": rule.people[row.participant]}
                rules = sorted(each.rule for each in lifted)
                self._point_out("kept", [row], sheet=row.sheet, **about, rules=rules)


def _judged(
    submission: Submission,
    sheet: Sheet | None,
    people: Sequence[Participant],
    service: Participant | None,
) -> Judged:
    given = {answer.entry: answer.label for answer in submission.answers if answer.label}
    entries = () if sheet is None else sheet.entries
    # What a person answered about most of life goes before what a service says of it.
    of_person = [answer for answer in submission.answers if answer.entry == PERSON]
    if life := [value for answer in of_person for value in answer.get(MOST_OF_LIFE)]:
        people = (*people, Participant(submission.participant, {"most_of_life": life[-1]}))
    seconds = service.seconds if service is not None else None
    if submission.started is not None and submission.submitted is not None:
        own = (submission.submitted - submission.started).total_seconds()
        seconds = own if own > 0 else seconds
    at_service = service or Participant(submission.participant)
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
        labels={meme: given[meme] for meme in (sheet.memes if sheet else ()) if meme in given},
        answers=len(given.keys() & set(map(entry_id, entries))),
        checks=[
            (entry, given.get(entry.id, ""))
            for entry in entries
            if isinstance(entry, Check) and entry.id not in submission.not_shown
        ],
    )


def _status(row: Judged) -> Evidence:
    status, service = row.sent.status, row.status
    if status == COMPLETE and service.upper() not in GONE:
        return {}
    evidence: Evidence = {"status": status, "service": service}
    if status == TIMED_OUT and row.on is not None:
        asked = {*map(entry_id, row.on.entries)} - row.sent.not_shown - {PERSON}
        evidence |= {"answers": row.answers, "asked": len(asked)}
    return evidence
