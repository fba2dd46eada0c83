"""How far a survey is. In: sheets, submissions, a check, labels. Out: answers, places and money.

Money is exact (`Decimal`): what has been paid, what waits for a decision, and what the places that
are left will cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import ROUND_HALF_UP, Decimal

from memeloc.errors import InputError
from memeloc.survey.labels.settling import STATES, Settled
from memeloc.survey.model import Check, Participant, Sheet, Submission
from memeloc.survey.quality.checking import COMPLETE
from memeloc.survey.quality.participants import words_of
from memeloc.survey.quality.report import CheckReport
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


_COUNTS = [one.name for one in fields(Progress)][1:]


@dataclass(frozen=True, slots=True)
class Money:
    """What a survey costs, in the currency of the reward.

    Attributes:
        paid: for work that was approved.
        owed: for work that waits for a decision.
        running: for people who are at it.
        to_come: for the places that are left, less those who are at it.
        total: all of it.
    """

    paid: Decimal
    owed: Decimal
    running: Decimal
    to_come: Decimal
    total: Decimal


@dataclass(frozen=True)
class SurveyStatus:
    """How far a survey is.

    Attributes:
        whole: all of it.
        cultures, batches, sheets: by part, in order.
        labels: by culture code, how many items are in each of `settling.STATES`.
        aside: by rule, how many submissions it set aside.
        money: None where no reward is known.
    """

    whole: Progress
    cultures: tuple[Progress, ...]
    batches: tuple[Progress, ...]
    sheets: tuple[Progress, ...]
    labels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    aside: Mapping[str, int] = field(default_factory=dict)
    money: Money | None = None


def survey_status(
    sheets: Sequence[Sheet],
    submissions: Iterable[Submission],
    report: CheckReport,
    *,
    settled: Settled | None = None,
    participants: Iterable[Participant] = (),
    rewards: Mapping[str, Decimal] | None = None,
    fee: Decimal = Decimal(0),
    closed: Collection[str] = (),
) -> SurveyStatus:
    """How far a survey is.

    Args:
        sheets: those of all rounds.
        submissions: all that came in.
        report: of the quality control.
        settled: the labels so far.
        participants: what the recruitment service says of people.
        rewards: by sheet id, what a person gets for it.
        fee: the service's share on top, such as 0.33 for a third.
        closed: ids of sheets that nobody is wanted for any more.

    Raises:
        InputError: a study is of no sheet, and rewards differ.
    """
    retained = set(report.retained)
    replaced = {one.key for one in report.set_aside if one.rule == "superseded"}
    memes = {
        sheet.id: {one.meme_id for one in sheet.entries if not isinstance(one, Check)}
        for sheet in sheets
    }
    counts: dict[str, Counter[str]] = {sheet.id: Counter() for sheet in sheets}
    for key, one in {(one.sheet, one.id): one for one in submissions}.items():
        if one.sheet not in counts or key in replaced or one.status != COMPLETE:
            continue
        answers = sum(bool(each.label) and each.entry in memes[one.sheet] for each in one.answers)
        counts[one.sheet].update(sent=1, answered=answers)
        if key in retained:
            counts[one.sheet].update(retained=1, kept=answers)
    parts = []
    for sheet in sheets:
        count = counts[sheet.id]
        parts.append(
            Progress(
                sheet.id,
                1,
                sheet.wanted,
                count["sent"],
                count["retained"],
                0 if sheet.id in closed else max(sheet.wanted - count["retained"], 0),
                sheet.wanted * len(memes[sheet.id]),
                count["answered"],
                count["kept"],
            )
        )
    return SurveyStatus(
        _summed("all", parts),
        _grouped(parts, [sheet.culture.code for sheet in sheets]),
        _grouped(parts, [sheet.batch for sheet in sheets]),
        tuple(parts),
        _labels(settled),
        report.counts(),
        None if rewards is None else _money(parts, report, participants, rewards, fee),
    )


def _grouped(parts: Sequence[Progress], names: Sequence[str]) -> tuple[Progress, ...]:
    groups: dict[str, list[Progress]] = {}
    for part, name in zip(parts, names, strict=True):
        groups.setdefault(name, []).append(part)
    return tuple(_summed(name, members) for name, members in groups.items())


def _summed(name: str, parts: Sequence[Progress]) -> Progress:
    return Progress(name, *(sum(getattr(one, count) for one in parts) for count in _COUNTS))


def _labels(settled: Settled | None) -> dict[str, dict[str, int]]:
    by_culture: dict[str, dict[str, int]] = {}
    if settled is not None:
        table = settled.table
        for culture, state in zip(table["culture"], table["state"], strict=True):
            by_culture.setdefault(culture, dict.fromkeys(STATES, 0))[state] += 1
    return dict(sorted(by_culture.items()))


def _money(
    parts: Sequence[Progress],
    report: CheckReport,
    people: Iterable[Participant],
    rewards: Mapping[str, Decimal],
    fee: Decimal,
) -> Money:
    prices = {
        sheet: (reward * (1 + fee)).quantize(_CENT, rounding=ROUND_HALF_UP)
        for sheet, reward in rewards.items()
    }
    # Whose submission at the service is whose sheet's: by what they sent, or by the study's name.
    sheet_of = {(one.participant, one.service): one.sheet for one in report.judged if one.service}
    by_person = {one.participant: one.sheet for one in report.judged if one.participant}
    sums = dict.fromkeys(_KINDS, Decimal(0))
    running: Counter[str] = Counter()
    unique = {(one.participant, one.study, one.submission): one for one in people}
    for person in unique.values():
        status = person.status.upper()
        kind = next((name for name, those in _KINDS.items() if status in those), "")
        if not kind:
            continue
        named = words_of(person.study) & prices.keys()
        sheet = sheet_of.get((person.participant, person.submission)) or (
            min(named) if named else by_person.get(person.participant, "")
        )
        if sheet not in prices and len(set(prices.values())) != 1:
            raise InputError(
                f"the study {person.study[:60]!r} is of no sheet of this survey, so its reward is "
                "not known; name studies by their sheets"
            )
        sums[kind] += prices.get(sheet) or next(iter(prices.values()))
        running[sheet] += kind == "running"
    to_come = sum(
        (prices[part.name] * max(part.places - running[part.name], 0) for part in parts),
        Decimal(0),
    )
    return Money(**sums, to_come=to_come, total=sum(sums.values(), to_come))
