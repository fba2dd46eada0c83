"""Quality control. In: submissions, sheets, what is known of people. Out: a `CheckReport`.

Pure functions: what fails a rule is excluded with the numbers that it rests on, and nothing is
ever deleted. The same submissions in another order give the same report.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import groupby
from statistics import median

from memeloc.survey.model import (
    PERSON,
    Check,
    CheckKind,
    Participant,
    Sheet,
    Submission,
    entry_id,
)  # fmt: skip
from memeloc.survey.quality import rules as kinds
from memeloc.survey.quality.likelihood import Rates, at_least
from memeloc.survey.quality.outliers import Deviation, Person, deviations
from memeloc.survey.quality.participants import words_of
from memeloc.survey.quality.report import Absent, CheckReport, Exclusion, Judged, Key, Remark
from memeloc.survey.quality.rows import (
    COMPLETE,
    TIMED_OUT,
    Evidence,
    Row,
    make_row,
    sent,
    tried_again,
    tries_of,
)
from memeloc.survey.quality.rules import Rules
from memeloc.survey.quality.screening import Screened, screen
from memeloc.survey.quality.statuses import GONE, HANDED_IN


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
        abstain: labels that are no votes, where people are compared with the others' majority.
        superseded: earlier ones of the same people and sheets, which are not judged themselves.
    """
    rules = rules or Rules()
    by_id = {sheet.id: sheet for sheet in sheets}
    people: dict[str, list[Participant]] = defaultdict(list)
    for person in sorted(participants, key=str):
        if person.participant:
            people[person.participant].append(person)
    judged: list[Judged] = []
    excluded: list[Exclusion] = []
    ordered = sorted(set(submissions), key=sent)
    ids = Counter((submission.sheet, submission.id) for submission in ordered)
    remarks = [Remark("same id", sheet, (name,)) for (sheet, name), n in ids.items() if n > 1]
    rows: dict[Key, Row] = {}
    replaced: list[Row] = []
    first_sheet: dict[str, str] = {}
    # Of different ones under one id, the last counts.
    for key, submission in {(row.sheet, row.id): row for row in ordered}.items():
        who, sheet = submission.participant, by_id.get(submission.sheet)
        own = people.get(who, [])
        first = first_sheet.setdefault(who, submission.sheet) == submission.sheet
        judged.append(_judge(submission, sheet, _of_service(submission, own, first)))
        if sheet is None:
            excluded.append(Exclusion(*key, "unknown sheet"))
            continue
        if not who:
            remarks.append(Remark("no participant", submission.sheet, (submission.id,)))
        # Of a person and sheet, a later one takes the place of an earlier one.
        place = (submission.sheet, who or f"/{submission.id}")
        if earlier := rows.pop(place, None):
            replaced.append(earlier)
            by = {"by": submission.id}
            excluded.append(Exclusion(*earlier.judged.key, "superseded", by))
        rows[place] = make_row(submission, sheet, judged[-1], own)
    valid = list(rows.values())
    for submission in superseded:
        if submission.sheet in by_id:
            sheet = by_id[submission.sheet]
            replaced.append(make_row(submission, sheet, _judge(submission, sheet, None), ()))

    def apply(name: str, evidence_of: Callable[[Row], Evidence]) -> None:
        for row in valid if getattr(rules, name).on else ():
            if evidence := evidence_of(row):
                excluded.append(Exclusion(*row.judged.key, name, evidence))

    apply("status", _status)
    apply("attention", partial(_attention, rule=rules.attention))
    failed = {exclusion.key for exclusion in excluded}
    # The careless are not those that others are compared with.
    usual = [row for row in valid if row.judged.key not in failed]
    rates = Rates((row.culture, row.judged.sheet, row.labels) for row in usual)
    counted = {row.judged.key for row in usual}
    filled: dict[str, list[Row]] = defaultdict(list)
    for row in valid:
        if row.submission.participant and row.submission.status == COMPLETE:
            filled[row.submission.participant].append(row)
    medians = _medians(usual, rules.speed.fewest)
    screened = {
        row.judged.key: screen(row.people, row.sheet.culture, rules.screening) for row in valid
    }
    careless: dict[str, Callable[[Row], Evidence]] = {
        "attention": partial(_attention, rule=rules.attention),
        "speed": partial(_speed, rule=rules.speed, medians=medians),
        "straight": partial(_straight, rule=rules.straight, rates=rates, counted=counted),
    }
    apply("speed", careless["speed"])
    apply("straight", careless["straight"])
    on = {name: evidence_of for name, evidence_of in careless.items() if getattr(rules, name).on}
    apply("again", partial(tried_again, tries=tries_of([*valid, *replaced]), careless=on))
    apply("person", partial(_person, rule=rules.person, filled=filled))
    apply("screening", partial(_screening, rule=rules.screening, screened=screened))
    if rules.outlier.on:
        excluded += _chosen_outliers(valid, usual, rules.outlier, abstain)
        remarks += _outliers(usual, rules.outlier, abstain)
    remarks += _two_cultures(filled.values())
    remarks += _not_shown(valid)
    if rules.identical.on:
        remarks += _identical(valid, rules.identical, rates, counted)
    if rules.screening.on:
        remarks += _unclear(valid, rules.screening, screened)
    sent_by = {row.participant for row in judged}
    return CheckReport(
        tuple(sorted(judged, key=lambda row: row.key)),
        tuple(sorted(excluded, key=lambda exclusion: (*exclusion.key, exclusion.rule))),
        tuple(sorted(remarks, key=lambda remark: (remark.rule, remark.sheet, str(remark)))),
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
    by_key = {(row.sheet, row.id): row for row in sorted(submissions, key=sent)}
    return sorted((by_key[key] for key in keys & by_key.keys()), key=sent)


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
    not_shown = submission.not_shown
    checks = [each for each in entries if isinstance(each, Check) and each.id not in not_shown]

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


def _status(row: Row) -> Evidence:
    status, service = row.submission.status, row.judged.status
    if status == COMPLETE and service.upper() not in GONE:
        return {}
    evidence: Evidence = {"status": status, "service": service}
    if status == TIMED_OUT:
        asked = {*map(entry_id, row.sheet.entries)} - row.submission.not_shown - {PERSON}
        evidence |= {"answers": row.judged.answers, "asked": len(asked)}
    return evidence


def _attention(row: Row, rule: kinds.Attention) -> Evidence:
    asked, missed, skipped = row.judged.explicit
    implicit, wrong, unanswered = row.judged.implicit
    needed = min(rule.implicit_passed, implicit)
    if missed + skipped <= rule.explicit_missed and implicit - wrong - unanswered >= needed:
        return {}
    return {
        "explicit": {"asked": asked, "missed": missed, "not answered": skipped},
        "implicit": {"asked": implicit, "missed": wrong, "not answered": unanswered},
        "implicit_needed": needed,
    }


def _medians(rows: Iterable[Row], fewest: int) -> dict[str, float]:
    paces: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.judged.seconds is not None and row.judged.answers:
            paces[row.judged.sheet].append(row.judged.seconds / row.judged.answers)
    return {sheet: median(some) for sheet, some in paces.items() if len(some) >= fewest}


def _speed(row: Row, rule: kinds.Speed, medians: Mapping[str, float]) -> Evidence:
    middle, seconds = medians.get(row.judged.sheet), row.judged.seconds
    if seconds is None or not row.judged.answers:
        return {}
    pace = seconds / row.judged.answers
    least = max(rule.seconds_per_entry, rule.share_of_median * (middle or 0.0))
    if pace >= least:
        return {}
    return {
        "seconds": round(seconds, 3),
        "answers": row.judged.answers,
        "seconds_per_entry": round(pace, 3),
        "least": round(least, 3),
        "median": None if middle is None else round(middle, 3),
    }


def _straight(row: Row, rule: kinds.Straight, rates: Rates, counted: Set[Key]) -> Evidence:
    labels = list(row.labels.values())
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
    without = [row.labels] if row.judged.key in counted else []
    chances = rates.chances(row.culture, row.judged.sheet, same, without)
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


def _not_shown(rows: Iterable[Row]) -> Iterator[Remark]:
    lacking: dict[str, list[Submission]] = defaultdict(list)
    for row in rows:
        if row.submission.not_shown:
            lacking[row.judged.sheet].append(row.submission)
    for sheet, submissions in lacking.items():
        entries = Counter(entry for sent in submissions for entry in sent.not_shown)
        ids = tuple(sorted(sent.id for sent in submissions))
        yield Remark("not shown", sheet, ids, {"people_by_entry": dict(sorted(entries.items()))})


def _identical(
    rows: Iterable[Row], rule: kinds.Identical, rates: Rates, counted: Set[Key]
) -> Iterator[Remark]:
    groups: dict[tuple[str, tuple[tuple[str, str], ...]], list[Row]] = defaultdict(list)
    for row in rows:
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


def _person(row: Row, rule: kinds.OnePerson, filled: Mapping[str, Sequence[Row]]) -> Evidence:
    sheets = [other.judged.sheet for other in filled.get(row.submission.participant, ())]
    if row.judged.sheet not in sheets[rule.sheets :]:
        return {}
    number = sheets.index(row.judged.sheet) + 1
    return {"number": number, "allowed": rule.sheets, "held": sheets[: rule.sheets]}


def _deviations(
    rows: Iterable[Row], rule: kinds.Outlier, abstain: Collection[str]
) -> dict[Person, Deviation]:
    answered = [(row.culture, row.submission.participant, row.labels) for row in rows]
    return deviations(answered, rule, abstain)


def _chosen_outliers(
    rows: Sequence[Row], usual: Sequence[Row], rule: kinds.Outlier, abstain: Collection[str]
) -> Iterator[Exclusion]:
    """Who is excluded by a person's decision, each compared with all but the others chosen."""
    for who in rule.people:
        own = [row for row in rows if row.submission.participant == who]
        compared = [
            row for row in usual if row.submission.participant not in {*rule.people} - {who}
        ]
        measured = _deviations(compared, rule, abstain) if own else {}
        for row in own:
            deviation = measured.get((row.culture, who))
            evidence = {"by": "name", **(deviation.evidence if deviation else {})}
            yield Exclusion(*row.judged.key, "outlier", evidence)


def _outliers(
    usual: Iterable[Row], rule: kinds.Outlier, abstain: Collection[str]
) -> Iterator[Remark]:
    rows = [row for row in usual if row.submission.participant not in rule.people]
    for (culture, who), deviation in _deviations(rows, rule, abstain).items():
        if deviation.outlier:
            own = [
                row.judged.submission
                for row in rows
                if (row.culture, row.submission.participant) == (culture, who)
            ]
            evidence = {"culture": culture, "participant": who, **deviation.evidence}
            yield Remark("outlier", "", tuple(sorted(own)), evidence)


def _two_cultures(filled: Iterable[Sequence[Row]]) -> Iterator[Remark]:
    for rows in filled:
        cultures = sorted({row.culture for row in rows})
        if len(cultures) > 1:
            ids = tuple(row.judged.submission for row in rows)
            yield Remark("two cultures", "", ids, {"cultures": cultures})


def _screening(row: Row, rule: kinds.Screening, screened: Mapping[Key, Screened]) -> Evidence:
    facts = screened[row.judged.key]
    missing = list(facts.missing) if rule.missing == "set aside" else []
    if not (facts.differing or missing):
        return {}
    return {
        "culture": row.culture,
        "locale": row.sheet.culture.locale.tag,
        "differing": dict(sorted(facts.differing.items())),
        "missing": missing,
    }


def _unclear(
    rows: Iterable[Row], rule: kinds.Screening, screened: Mapping[Key, Screened]
) -> Iterator[Remark]:
    submissions: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for row in rows:
        facts = screened[row.judged.key]
        for fact, value in facts.unclear.items():
            submissions["unclear fact", row.culture, fact, value].append(row.judged.submission)
        for fact in facts.missing if row.people and rule.missing == "keep" else ():
            submissions["missing fact", row.culture, fact, ""].append(row.judged.submission)
    for (name, code, fact, value), ids in submissions.items():
        evidence = {"culture": code, "fact": fact, **({"value": value} if value else {})}
        yield Remark(name, "", tuple(sorted(ids)), evidence)
