"""How far a survey is. In: sheets, submissions, a check, labels. Out: answers, places and money.

Money is exact (`Decimal`): what has been paid, what waits for a decision, and what the places that
are left will cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from memeloc.errors import InputError
from memeloc.survey.labels.settling import STATES, Settled
from memeloc.survey.model import Check, Participant, Sheet, Submission
from memeloc.survey.quality.checking import COMPLETE, check
from memeloc.survey.quality.participants import words_of
from memeloc.survey.quality.report import CheckReport
from memeloc.survey.quality.rules import Rules
from memeloc.survey.quality.statuses import PAID, RUNNING, WAITING

_KINDS = {"paid": PAID, "owed": WAITING, "running": RUNNING}
_CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Progress:
    """One part of a survey: a sheet, a culture, a batch, or all of it.

    Attributes:
        name: the part's.
        sheets: how many sheets it has.
        annotators: how many people are wanted.
        sent: how many sent it whole.
        retained: how many of them are retained.
        places: how many are still wanted.
        wanted, answered, kept: the same as answers to memes: wanted, in, and retained.
    """

    name: str
    sheets: int
    annotators: int
    sent: int
    retained: int
    places: int
    wanted: int
    answered: int
    kept: int


@dataclass(frozen=True, slots=True)
class Money:
    """What a survey costs, in the currency of the reward.

    Attributes:
        paid: for work that was approved.
        owed: for work that waits for a decision.
        running: for people who are at it.
        to_come: for the places that are left, less those who are at it.
    """

    paid: Decimal
    owed: Decimal
    running: Decimal
    to_come: Decimal

    @property
    def total(self) -> Decimal:
        """All of it."""
        return self.paid + self.owed + self.running + self.to_come


@dataclass(frozen=True)
class SurveyStatus:
    """How far a survey is.

    Attributes:
        sheets, batches, cultures: by part, in order.
        whole: all of it.
        labels: by culture code, how many items are in each of `settling.STATES`.
        aside: by rule, how many submissions it set aside.
        money: None where no reward is known.
    """

    sheets: tuple[Progress, ...]
    batches: tuple[Progress, ...]
    cultures: tuple[Progress, ...]
    whole: Progress
    labels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    aside: Mapping[str, int] = field(default_factory=dict)
    money: Money | None = None

    @property
    def ties(self) -> int:
        """How many items are tied in a culture, counted over all cultures."""
        return sum(states.get("tied", 0) for states in self.labels.values())

    def as_json(self) -> dict[str, Any]:
        """All of it as JSON values; money as texts."""
        money = self.money
        return {
            "whole": _plain(self.whole),
            "cultures": [_plain(one) for one in self.cultures],
            "batches": [_plain(one) for one in self.batches],
            "sheets": [_plain(one) for one in self.sheets],
            "labels": {code: dict(states) for code, states in self.labels.items()},
            "aside": dict(self.aside),
            "money": None
            if money is None
            else {
                "paid": str(money.paid),
                "owed": str(money.owed),
                "running": str(money.running),
                "to_come": str(money.to_come),
                "total": str(money.total),
            },
        }


def survey_status(
    sheets: Sequence[Sheet],
    submissions: Iterable[Submission],
    *,
    report: CheckReport | None = None,
    settled: Settled | None = None,
    participants: Iterable[Participant] = (),
    reward: Decimal | Mapping[str, Decimal] | None = None,
    fee: Decimal = Decimal(0),
    closed: Collection[str] = (),
) -> SurveyStatus:
    """How far a survey is.

    Args:
        sheets: those of all rounds.
        submissions: all that came in.
        report: of the quality control; without one, every complete submission counts as retained.
        settled: the labels so far.
        participants: what the recruitment service says of people.
        reward: for one sheet, in money; or by sheet id, or by culture code.
        fee: the service's share on top, such as 0.33 for a third.
        closed: ids of sheets that nobody is wanted for any more.

    Raises:
        InputError: the reward or the fee is not an amount, or a culture has no reward.
    """
    several, people = list(submissions), list(participants)
    if report is None:
        report = check(several, sheets, people, _NONE)
    kept = set(report.retained)
    known = {sheet.id: sheet for sheet in sheets}
    sent: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    held: Counter[str] = Counter()
    kept_answers: Counter[str] = Counter()
    replaced = {one.key for one in report.set_aside if one.rule == "superseded"}
    memes = {
        sheet.id: {one.meme_id for one in sheet.entries if not isinstance(one, Check)}
        for sheet in sheets
    }
    unique = {(one.sheet, one.id): one for one in several}
    for key, one in unique.items():
        if one.sheet not in known or key in replaced or one.status != COMPLETE:
            continue
        count = sum(1 for each in one.answers if each.label and each.entry in memes[one.sheet])
        sent[one.sheet] += 1
        answered[one.sheet] += count
        if key in kept:
            held[one.sheet] += 1
            kept_answers[one.sheet] += count
    parts = []
    for sheet in sheets:
        size = len(memes[sheet.id])
        parts.append(
            Progress(
                sheet.id,
                1,
                sheet.wanted,
                sent[sheet.id],
                held[sheet.id],
                0 if sheet.id in closed else max(sheet.wanted - held[sheet.id], 0),
                sheet.wanted * size,
                answered[sheet.id],
                kept_answers[sheet.id],
            )
        )
    return SurveyStatus(
        tuple(parts),
        _grouped(parts, [sheet.batch for sheet in sheets]),
        _grouped(parts, [sheet.culture.code for sheet in sheets]),
        _summed("all", parts),
        _labels(settled),
        report.counts(),
        None if reward is None else _money(sheets, parts, report, people, reward, fee),
    )


_NONE = Rules.model_validate(
    {name: {"on": False} for name in Rules.model_fields if name != "status"}
)
"""The rules of a survey that has not been checked."""


def _grouped(parts: Sequence[Progress], names: Sequence[str]) -> tuple[Progress, ...]:
    groups: dict[str, list[Progress]] = {}
    for part, name in zip(parts, names, strict=True):
        groups.setdefault(name, []).append(part)
    return tuple(_summed(name, several) for name, several in groups.items())


def _summed(name: str, parts: Sequence[Progress]) -> Progress:
    return Progress(
        name,
        len(parts),
        sum(one.annotators for one in parts),
        sum(one.sent for one in parts),
        sum(one.retained for one in parts),
        sum(one.places for one in parts),
        sum(one.wanted for one in parts),
        sum(one.answered for one in parts),
        sum(one.kept for one in parts),
    )


def _labels(settled: Settled | None) -> dict[str, dict[str, int]]:
    if settled is None:
        return {}
    found: dict[str, dict[str, int]] = {}
    for culture, state in zip(settled.table["culture"], settled.table["state"], strict=True):
        states = found.setdefault(culture, dict.fromkeys(STATES, 0))
        states[state] += 1
    return dict(sorted(found.items()))


def _money(
    sheets: Sequence[Sheet],
    parts: Sequence[Progress],
    report: CheckReport,
    people: Sequence[Participant],
    reward: Decimal | Mapping[str, Decimal],
    fee: Decimal,
) -> Money:
    prices = {sheet.id: _price(reward, sheet, fee) for sheet in sheets}
    # Whose submission at the service is whose sheet's: by what they sent, or by the study's name.
    sheet_of = {(one.participant, one.service): one.sheet for one in report.judged if one.service}
    by_person = {one.participant: one.sheet for one in report.judged if one.participant}
    sums = dict.fromkeys(_KINDS, Decimal(0))
    running: Counter[str] = Counter()
    counted: set[tuple[str, str, str]] = set()
    for person in people:
        key = (person.participant, person.study, person.submission)
        status = person.status.upper()
        kind = next((name for name, those in _KINDS.items() if status in those), "")
        if not kind or key in counted:
            continue
        counted.add(key)
        named = words_of(person.study) & prices.keys()
        sheet = sheet_of.get((person.participant, person.submission)) or (
            min(named) if named else by_person.get(person.participant, "")
        )
        price = prices.get(sheet)
        if price is None:
            if len(set(prices.values())) != 1:
                raise InputError(
                    f"the study {person.study[:60]!r} is of no sheet of this survey, so its reward "
                    "is not known; name studies by their sheets, or give one reward for all"
                )
            price = next(iter(prices.values()))
        sums[kind] += price
        if kind == "running":
            running[sheet] += 1
    to_come = Decimal(0)
    for part in parts:
        to_come += prices[part.name] * max(part.places - running[part.name], 0)
    return Money(sums["paid"], sums["owed"], sums["running"], to_come)


def _price(reward: Decimal | Mapping[str, Decimal], sheet: Sheet, fee: Decimal) -> Decimal:
    """What a person who fills a sheet costs, fee included, in whole cents."""
    code = sheet.culture.code
    value = reward.get(sheet.id, reward.get(code)) if isinstance(reward, Mapping) else reward
    if value is None:
        raise InputError(f"there is no reward for the culture {code}")
    if not value.is_finite() or value < 0 or not fee.is_finite() or fee < 0:
        raise InputError(f"a reward and a fee are amounts from 0 on, not {value} and {fee}")
    return (value * (1 + fee)).quantize(_CENT, rounding=ROUND_HALF_UP)


def _plain(part: Progress) -> dict[str, Any]:
    return {
        name: getattr(part, name)
        for name in (
            "name", "sheets", "annotators", "sent", "retained", "places", "wanted", "answered",
            "kept",
        )
    }  # fmt: skip
