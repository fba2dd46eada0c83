"""Quality control. In: submissions, sheets, what is known of people. Out: a `CheckReport`.

Pure functions: what fails a rule is set aside with the numbers that it rests on, and nothing is
ever deleted. The same submissions in another order give the same report.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from typing import Any

from memeloc.survey.model import Check, Participant, Sheet, Submission, entry_id
from memeloc.survey.quality.alike import Rates, at_least, line
from memeloc.survey.quality.participants import words_of
from memeloc.survey.quality.report import Absent, CheckReport, Judged, Key, SetAside, Warned
from memeloc.survey.quality.rules import Rules
from memeloc.survey.quality.screening import Screened, screen
from memeloc.survey.quality.statuses import GONE, HANDED_IN

COMPLETE = "complete"
"""The status of a submission that was sent whole."""


def check(
    submissions: Iterable[Submission],
    sheets: Sequence[Sheet],
    participants: Iterable[Participant] = (),
    rules: Rules | None = None,
) -> CheckReport:
    """Apply every rule that is switched on.

    Args:
        submissions: all that came in, of all sheets, in any order.
        sheets: those of the survey.
        participants: what recruitment services say of people.
        rules: see `Rules`.
    """
    return _Checking(submissions, sheets, participants, rules or Rules()).report()


def retained(submissions: Iterable[Submission], report: CheckReport) -> list[Submission]:
    """The submissions that a report retains, in the order of their sending."""
    keys = set(report.retained)
    holding = {key_of(one): one for one in sorted(submissions, key=sent)}
    return sorted((one for key, one in holding.items() if key in keys), key=sent)


def key_of(submission: Submission) -> Key:
    """What a report knows a submission by."""
    return (submission.sheet, submission.id)


def sent(submission: Submission) -> tuple[float, int, str, str, str]:
    """What puts submissions in the order of their sending; those of unknown time come last."""
    when = submission.submitted
    return (
        float("inf") if when is None else _seconds(when),
        submission.row,
        submission.sheet,
        submission.id,
        submission.participant,
    )


def seconds_taken(submission: Submission, person: Participant | None) -> float | None:
    """How long somebody took, by the sheet's own clock or else the service's; None if unknown."""
    if submission.started is not None and submission.submitted is not None:
        own = _seconds(submission.submitted) - _seconds(submission.started)
        if own > 0:
            return own
    if person is not None and person.seconds is not None and person.seconds > 0:
        return person.seconds
    return None


def _seconds(when: datetime) -> float:
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a sheet asks: ids of all its entries, of its memes in order, and its checks."""

    entries: frozenset[str]
    memes: tuple[str, ...]
    checks: tuple[Check, ...]

    @classmethod
    def by(cls, sheet: Sheet) -> _Asked:
        return cls(
            frozenset(map(entry_id, sheet.entries)),
            tuple(one.meme_id for one in sheet.entries if not isinstance(one, Check)),
            tuple(one for one in sheet.entries if isinstance(one, Check)),
        )


_NOTHING = _Asked(frozenset(), (), ())


class _Checking:
    """One quality control."""

    def __init__(
        self,
        submissions: Iterable[Submission],
        sheets: Sequence[Sheet],
        participants: Iterable[Participant],
        rules: Rules,
    ) -> None:
        self._rules = rules
        self._sheets = {sheet.id: sheet for sheet in sheets}
        self._asked = {sheet.id: _Asked.by(sheet) for sheet in sheets}
        self._people: dict[str, list[Participant]] = defaultdict(list)
        for person in sorted(participants, key=_place_of):
            self._people[person.participant].append(person)
        self._ordered = sorted(submissions, key=sent)
        self._aside: list[SetAside] = []
        self._warnings: list[Warned] = []
        self._failed: set[Key] = set()
        self._by_key: dict[Key, Submission] = {}
        self._judged: dict[Key, Judged] = {}
        self._owner: dict[str, str] = {}

    def report(self) -> CheckReport:
        self._hold()
        self._status()
        self._attention()
        complete = [one for one in self._by_key.values() if key_of(one) not in self._failed]
        # The careless are not those that others are compared with.
        self._speed(complete)
        self._straight_and_identical(complete)
        self._person()
        self._screening()
        return CheckReport(
            tuple(self._judged[key] for key in sorted(self._judged)),
            tuple(sorted(self._aside, key=lambda one: (*one.key, one.rule))),
            tuple(sorted(self._warnings, key=_order)),
            self._absent(),
        )

    def _fail(self, key: Key, rule: str, evidence: Mapping[str, Any]) -> None:
        self._aside.append(SetAside(*key, rule, evidence))
        self._failed.add(key)

    def _hold(self) -> None:
        """Find what holds: of a person and sheet what was sent last."""
        latest: dict[tuple[str, str], Key] = {}
        by_key: dict[Key, Submission] = {}
        same_id: set[Key] = set()
        for one in self._ordered:
            before = by_key.get(key_of(one))
            if before is not None and before != one:
                same_id.add(key_of(one))
                one = max(before, one, key=lambda each: (sent(each), repr(each)))
            by_key[key_of(one)] = one
        for sheet_id, name in sorted(same_id):
            self._warnings.append(Warned("same id", sheet_id, (name,)))
        for key, one in sorted(by_key.items(), key=lambda pair: sent(pair[1])):
            person = self._service(one)
            sheet = self._sheets.get(one.sheet)
            self._judged[key] = _judge(one, self._asked.get(one.sheet, _NOTHING), person)
            if sheet is None:
                self._fail(key, "unknown sheet", {})
                continue
            self._by_key[key] = one
            if not one.participant:
                self._warnings.append(Warned("no participant", one.sheet, (one.id,)))
                continue
            earlier = latest.get((one.sheet, one.participant))
            if earlier is not None:
                self._fail(earlier, "superseded", {"by": one.id})
                del self._by_key[earlier]
            latest[one.sheet, one.participant] = key

    def _service(self, submission: Submission) -> Participant | None:
        """What the service says of a submission."""
        rows = self._people.get(submission.participant, []) if submission.participant else []
        for row in rows:
            if row.submission and row.submission == submission.id:
                return row
        for row in rows:
            if submission.sheet in words_of(row.study):
                return row
        # The only row of a person who sent several sheets is that of the first.
        if len(rows) == 1 and self._owner.setdefault(submission.participant, submission.sheet) == (
            submission.sheet
        ):
            return rows[0]
        return None

    def _status(self) -> None:
        if not self._rules.status.on:
            return
        for key, one in self._by_key.items():
            service = self._judged[key].status
            if one.status != COMPLETE or service.upper() in GONE:
                self._fail(key, "status", {"status": one.status, "service": service})

    def _attention(self) -> None:
        rule = self._rules.attention
        if not rule.on:
            return
        for key in self._by_key:
            judged = self._judged[key]
            asked, missed, skipped = judged.explicit
            implicit, wrong, unanswered = judged.implicit
            passed = implicit - wrong - unanswered
            if missed + skipped > rule.explicit_missed or passed < min(
                rule.implicit_passed, implicit
            ):
                evidence = {
                    "explicit": {"asked": asked, "missed": missed, "not answered": skipped},
                    "implicit": {"asked": implicit, "missed": wrong, "not answered": unanswered},
                    "implicit_needed": min(rule.implicit_passed, implicit),
                }
                self._fail(key, "attention", evidence)

    def _speed(self, complete: Sequence[Submission]) -> None:
        rule = self._rules.speed
        if not rule.on:
            return
        paces: dict[str, dict[Key, float]] = defaultdict(dict)
        usual: dict[str, list[float]] = defaultdict(list)
        for key in self._by_key:
            judged = self._judged[key]
            if judged.seconds is not None and judged.answers:
                paces[key[0]][key] = judged.seconds / judged.answers
        for one in complete:
            if key_of(one) in paces[one.sheet]:
                usual[one.sheet].append(paces[one.sheet][key_of(one)])
        for sheet, by_key in paces.items():
            enough = len(usual[sheet]) >= rule.fewest
            middle = median(usual[sheet]) if enough else None
            least = max(rule.seconds_per_entry, rule.share_of_median * (middle or 0.0))
            for key, pace in by_key.items():
                if pace < least:
                    evidence = {
                        "seconds": round(self._judged[key].seconds or 0.0, 3),
                        "answers": self._judged[key].answers,
                        "seconds_per_entry": round(pace, 3),
                        "least": round(least, 3),
                        "median": None if middle is None else round(middle, 3),
                    }
                    self._fail(key, "speed", evidence)

    def _straight_and_identical(self, complete: Sequence[Submission]) -> None:
        labels = {key: self._labels(one) for key, one in self._by_key.items()}
        usual: dict[str, dict[str, dict[str, Mapping[str, str]]]] = defaultdict(
            lambda: defaultdict(dict)
        )
        for one in complete:
            culture = self._sheets[one.sheet].culture.code
            usual[culture][one.sheet][one.id] = labels[key_of(one)]
        rates = {culture: Rates(sheets) for culture, sheets in usual.items()}
        counted = {key_of(one) for one in complete}
        nobody = Rates({})
        if self._rules.straight.on:
            for key, labelled in labels.items():
                if len(labelled) >= self._rules.straight.fewest:
                    culture = self._sheets[key[0]].culture.code
                    without = [labelled] if key in counted else []
                    self._straight(key, labelled, rates.get(culture, nobody), without)
        if self._rules.identical.on:
            self._identical(labels, counted, rates)

    def _straight(
        self,
        key: Key,
        labelled: Mapping[str, str],
        rates: Rates,
        without: Sequence[Mapping[str, str]],
    ) -> None:
        rule = self._rules.straight
        shape = line(list(labelled.values()))
        if shape.longest < rule.share * len(labelled) and shape.bits > rule.bits:
            return
        same = dict.fromkeys(labelled, shape.label)
        chances = rates.chances(key[0], same, without)
        if chances is None:
            return
        chance = at_least(shape.count, chances)
        if chance < rule.chance:
            evidence = {
                "answers": len(labelled),
                "label": shape.label,
                "count": shape.count,
                "longest": shape.longest,
                "bits": round(shape.bits, 4),
                "expected": round(sum(chances), 3),
                "chance": float(f"{chance:.3g}"),
            }
            self._fail(key, "straight", evidence)

    def _identical(
        self,
        labels: Mapping[Key, Mapping[str, str]],
        counted: Set[Key],
        rates: Mapping[str, Rates],
    ) -> None:
        alike: dict[tuple[str, tuple[tuple[str, str], ...]], list[Key]] = defaultdict(list)
        for key, labelled in labels.items():
            if len(labelled) >= self._rules.identical.fewest:
                alike[key[0], tuple(labelled.items())].append(key)
        for (sheet, pairs), keys in alike.items():
            if len(keys) < 2:
                continue
            culture = self._sheets[sheet].culture.code
            labelled = dict(pairs)
            without = [labelled for key in keys if key in counted]
            chances = rates.get(culture, Rates({})).chances(sheet, labelled, without)
            chance = None if chances is None else math.prod(chances)
            if chance is None or chance < self._rules.identical.chance:
                evidence = {
                    "answers": len(labelled),
                    "chance": None if chance is None else float(f"{chance:.3g}"),
                }
                ids = tuple(sorted(key[1] for key in keys))
                self._warnings.append(Warned("identical", sheet, ids, evidence))

    def _person(self) -> None:
        rule = self._rules.person
        filled: dict[str, list[Submission]] = defaultdict(list)
        for one in self._by_key.values():
            if one.participant and one.status == COMPLETE:
                filled[one.participant].append(one)
        for filled_sheets in filled.values():
            cultures = sorted({self._sheets[one.sheet].culture.code for one in filled_sheets})
            if len(cultures) > 1:
                ids = tuple(one.id for one in filled_sheets)
                self._warnings.append(Warned("two cultures", "", ids, {"cultures": cultures}))
            for number, one in enumerate(filled_sheets[rule.sheets :], rule.sheets + 1):
                if rule.on:
                    evidence = {
                        "number": number,
                        "allowed": rule.sheets,
                        "held": [held.sheet for held in filled_sheets[: rule.sheets]],
                    }
                    self._fail(key_of(one), "person", evidence)

    def _screening(self) -> None:
        rule = self._rules.screening
        if not rule.on:
            return
        unclear: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
        screened: dict[tuple[str, str], Screened] = {}
        for key, one in self._by_key.items():
            people = self._people.get(one.participant, []) if one.participant else []
            culture = self._sheets[one.sheet].culture
            # Most people of a culture are alike in all that is looked at.
            cache_key = (culture.code, repr([dict(person.facts) for person in people]))
            result = screened.get(cache_key)
            if result is None:
                result = screened[cache_key] = screen(people, culture, rule)
            missing = list(result.missing) if rule.missing == "set aside" else []
            if result.differing or missing:
                evidence = {
                    "culture": culture.code,
                    "locale": culture.locale.tag,
                    "differing": dict(sorted(result.differing.items())),
                    "missing": missing,
                }
                self._fail(key, "screening", evidence)
            for fact, value in result.unclear.items():
                unclear["unclear fact", culture.code, fact, value].append(one.id)
            if people and not missing:
                for fact in result.missing:
                    unclear["missing fact", culture.code, fact, ""].append(one.id)
        for (name, code, fact, value), ids in sorted(unclear.items()):
            evidence = {"culture": code, "fact": fact, **({"value": value} if value else {})}
            self._warnings.append(Warned(name, "", tuple(sorted(ids)), evidence))

    def _absent(self) -> tuple[Absent, ...]:
        there = {one.participant for one in self._ordered}
        return tuple(
            Absent(name, one.submission, one.study, one.status)
            for name in sorted(self._people)
            if name not in there
            for one in self._people[name]
            if one.status.upper() in HANDED_IN
        )

    def _labels(self, submission: Submission) -> dict[str, str]:
        """What was answered to memes, in the order asked."""
        labelled = {one.entry: one.label for one in submission.answers if one.label}
        return {
            meme: labelled[meme] for meme in self._asked[submission.sheet].memes if meme in labelled
        }


def _judge(submission: Submission, asked: _Asked, person: Participant | None) -> Judged:
    labelled = {one.entry: one.label for one in submission.answers if one.label}
    counts = {"explicit": [0, 0, 0], "implicit": [0, 0, 0]}
    for entry in asked.checks:
        label = labelled.get(entry.id)
        tally = counts[entry.kind]
        tally[0] += 1
        tally[1] += label is not None and label != entry.expected
        tally[2] += label is None
    explicit, implicit = counts["explicit"], counts["implicit"]
    return Judged(
        submission.sheet,
        submission.id,
        submission.participant,
        "" if person is None else person.submission,
        "" if person is None else person.study,
        "" if person is None else person.status,
        seconds_taken(submission, person),
        sum(entry in asked.entries for entry in labelled),
        (explicit[0], explicit[1], explicit[2]),
        (implicit[0], implicit[1], implicit[2]),
    )


def _order(warned: Warned) -> tuple[Any, ...]:
    return (
        warned.rule,
        warned.sheet,
        sorted(map(str, warned.evidence.items())),
        warned.submissions,
    )


def _place_of(person: Participant) -> tuple[Any, ...]:
    facts = tuple(sorted((str(key), str(value)) for key, value in person.facts.items()))
    return (person.participant, person.study, person.submission, person.status, facts)
