"""What a survey takes. In: batches, a wage, a pace. Out: people, minutes and money.

Money is counted in `Decimal`; what a person gets is rounded up, so that nobody is paid below the
wage for a moment.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from statistics import median

from memeloc.errors import InputError
from memeloc.survey.design.build import Design
from memeloc.survey.design.pay import CENT, MINIMUM, Rates
from memeloc.survey.model import Batch, Culture, Sheet, Submission

_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How long people take for an entry and for the introduction, and how many answers are lost.

    Attributes:
        loss: share of submissions that quality control excludes, so that others are needed.
        measured: of how many submissions the seconds are the median; 0 for an assumption.
    """

    seconds_entry: float = 20.0
    seconds_introduction: float = 180.0
    loss: float = 0.1
    measured: int = 0

    def minutes(self, entries: int) -> int:
        """Whole minutes that a sheet of so many entries takes, rounded up; at least one."""
        seconds = self.seconds_introduction + entries * self.seconds_entry
        return max(1, math.ceil(seconds / 60))


@dataclass(frozen=True, slots=True)
class CulturePlan:
    """What one culture takes.

    Attributes:
        answers, annotators: answers to memes, and submissions, that are to be retained.
        recruits: people that are to be expected for them, those whose answers are lost among them.
        minutes: that a person takes; the longest sheet counts for all, so that all get one reward.
        measured: of how many retained submissions of the culture the minutes are; 0 for an
            assumption.
        reward: the wage for these minutes, rounded up: never less.
        rewards: for all recruits: who fails checks is paid too, as implicit checks alone are no
            reason to reject.
        total: rewards, fee and tax.
    """

    culture: str
    sheets: int
    answers: int
    annotators: int
    recruits: int
    minutes: int
    measured: int
    reward: Decimal
    rewards: Decimal
    fee: Decimal
    vat: Decimal
    total: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class SurveyPlan:
    """What a survey takes, by culture and in all; `pace` is assumed of cultures that nobody
    measured; `warning` says that the wage is below Prolific's minimum, where it is."""

    cultures: tuple[CulturePlan, ...]
    total: Decimal
    currency: str
    pace: Pace
    warning: str = ""


def plan(
    batches: Sequence[Batch],
    design: Design,
    rates: Rates | None = None,
    *,
    paces: Mapping[str, Pace] | None = None,
    seconds: float | None = None,
    loss: float = 0.1,
) -> SurveyPlan:
    """People, minutes and money for each culture, in the design's order.

    Args:
        paces: by culture code, measured by `measured_paces`; an assumption by default.
        seconds: that an entry takes, instead of any pace's.
        loss: share of submissions that quality control excludes.

    Raises:
        InputError: the loss is not a share below 1, or an entry takes more than a day.
    """
    rates, paces, pace = rates or Rates(), paces or {}, Pace(loss=loss)
    if seconds is not None:
        paces, pace = {}, replace(pace, seconds_entry=seconds)
    if not (0 <= loss < 1 and 0 <= pace.seconds_entry <= _DAY):
        raise InputError(
            f"loss is a share from 0 to below 1, and seconds are from 0 to {_DAY:.0f}; they are "
            f"{loss} and {pace.seconds_entry}"
        )
    plans = []
    for culture in design.cultures:
        own = [batch for batch in batches if culture.code in batch.cultures]
        annotators = sum(batch.answers for batch in own)
        recruits = math.ceil(round(annotators / (1 - loss), 6))
        own_pace = paces.get(culture.code, pace)
        minutes = max((own_pace.minutes(len(batch.slots)) for batch in own), default=0)
        reward = rates.reward(minutes)
        rewards = reward * recruits
        fee = (rewards * rates.fee).quantize(CENT, ROUND_HALF_UP)
        vat = (fee * rates.vat).quantize(CENT, ROUND_HALF_UP)
        plans.append(
            CulturePlan(
                culture=culture.code,
                sheets=len(own),
                answers=sum(len(batch.memes) * batch.answers for batch in own),
                annotators=annotators,
                recruits=recruits,
                minutes=minutes,
                measured=own_pace.measured,
                reward=reward,
                rewards=rewards,
                fee=fee,
                vat=vat,
                total=rewards + fee + vat,
                currency=rates.currency,
            )
        )
    least, warning = MINIMUM.get(rates.currency, Decimal(0)), ""
    if rates.wage < least:
        warning = (
            f"{rates.wage} {rates.currency} an hour is below the {least} {rates.currency} that "
            "Prolific asks for at the least."
        )
    total = sum((part.total for part in plans), Decimal(0))
    return SurveyPlan(tuple(plans), total, rates.currency, pace, warning)


def measured_paces(
    retained: Iterable[Submission], sheets: Sequence[Sheet], *, fewest: int = 5
) -> dict[str, Pace]:
    """By culture code the pace of its people so far: the median time of an entry, introduction
    included.

    Retained submissions count, for who answers without reading would make everybody's pay less;
    and of these complete ones with both times, if they took from a second to a day. A culture with
    fewer than `fewest` has no pace.
    """
    by_id = {sheet.id: sheet for sheet in sheets}
    times: dict[str, list[float]] = defaultdict(list)
    for submission in retained:
        sheet = by_id.get(submission.sheet)
        if submission.status == "complete" and submission.started and submission.submitted:
            seconds = (submission.submitted - submission.started).total_seconds()
            if sheet is not None and sheet.entries and 1 <= seconds <= _DAY:
                times[sheet.culture.code].append(seconds / len(sheet.entries))
    return {
        code: Pace(median(own), 0.0, measured=len(own))
        for code, own in times.items()
        if len(own) >= fewest
    }


def longest(
    batches: Sequence[Batch], cultures: Sequence[Culture], paces: Mapping[str, Pace]
) -> int:
    """Minutes of the batch that takes people the longest, of cultures that were measured; or 0."""
    return max(
        (
            paces[culture.code].minutes(len(batch.slots))
            for batch in batches
            for culture in cultures
            if culture.code in batch.cultures and culture.code in paces
        ),
        default=0,
    )
