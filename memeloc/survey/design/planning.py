"""What a survey takes. In: batches, a wage, a pace. Out: people, minutes and money.

Money is counted in `Decimal`; what a person gets is rounded up, so that nobody is paid below the
wage for a moment.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from statistics import median

from memeloc.errors import InputError
from memeloc.survey.design.build import Design
from memeloc.survey.design.pay import CENT, MINIMUM, Rates
from memeloc.survey.model import Batch, Sheet, Submission

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
    reward: Decimal
    rewards: Decimal
    fee: Decimal
    vat: Decimal
    total: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class SurveyPlan:
    """What a survey takes, by culture and in all; `warning` says that the wage is below Prolific's
    minimum, where it is."""

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
    pace: Pace | None = None,
    seconds: float | None = None,
    loss: float = 0.1,
) -> SurveyPlan:
    """People, minutes and money for each culture, in the design's order.

    Args:
        pace: measured by `measured_pace`; an assumption by default.
        seconds: that an entry takes, instead of the pace's.
        loss: share of submissions that quality control excludes.

    Raises:
        InputError: the loss is not a share below 1, or an entry takes more than a day.
    """
    rates, pace = rates or Rates(), replace(pace or Pace(), loss=loss)
    if seconds is not None:
        pace = replace(pace, seconds_entry=seconds, measured=0)
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
        minutes = max((pace.minutes(len(batch.slots)) for batch in own), default=0)
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


def measured_pace(
    submissions: Iterable[Submission], sheets: Sequence[Sheet], *, fewest: int = 5
) -> Pace | None:
    """The pace of people so far: the median time of an entry, introduction included.

    Complete submissions with both times count, if they took from a second to a day; with fewer than
    `fewest` there is no pace.
    """
    entries = {sheet.id: len(sheet.entries) for sheet in sheets}
    times = []
    for submission in submissions:
        if submission.status == "complete" and submission.started and submission.submitted:
            seconds = (submission.submitted - submission.started).total_seconds()
            if entries.get(submission.sheet) and 1 <= seconds <= _DAY:
                times.append(seconds / entries[submission.sheet])
    return Pace(median(times), 0.0, measured=len(times)) if len(times) >= fewest else None
