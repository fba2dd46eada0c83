"""What a survey takes. In: batches or counts, a wage, a pace. Out: people, minutes and money.

Money is counted in `Decimal`; what a person gets is rounded up, so that nobody is paid below the
wage for a moment.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, ROUND_UP, Decimal
from statistics import median
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from memeloc.errors import InputError
from memeloc.settings import validate
from memeloc.survey.design.build import Design
from memeloc.survey.design.pay import FEES, MINIMUM, WAGE
from memeloc.survey.model import Batch, Sheet, Submission

_CENT = Decimal("0.01")


class Rates(BaseModel):
    """What people are paid, and what is paid on top.

    Attributes:
        wage: an hour; that of multi3hate by default.
        currency: ISO 4217.
        fee: share of the rewards that the recruitment service takes; Prolific's of academic
            customers by default. Services tell theirs before a study is published, and it differs
            by customer.
        vat: share of the fee that is tax; a fifth is the United Kingdom's rate, where Prolific is.
            Many universities pay none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    wage: Annotated[Decimal, Field(ge=0, le=100_000, description="pay an hour, as 10.65")] = WAGE
    currency: Annotated[
        str, Field(pattern="^[A-Z]{3}$", description="three letters, as GBP or USD")
    ] = "GBP"
    fee: Annotated[
        Decimal,
        Field(ge=0, le=10, description="a share of the rewards, as 0.333; academic; or corporate"),
    ] = FEES["academic"]
    vat: Annotated[Decimal, Field(ge=0, le=10, description="a share of the fee, as 0.2")] = Decimal(
        "0.2"
    )


def read_rates(*values: Mapping[str, object]) -> Rates:
    """Rates from plain values, later ones before earlier ones; other settings are passed over.

    Raises:
        InputError: one of them cannot be.
    """
    merged: dict[str, object] = {}
    for table in values:
        for name in Rates.model_fields:
            if table.get(name) not in (None, ""):
                merged[name] = str(table[name]).strip()
    merged["fee"] = FEES.get(str(merged.get("fee", "academic")), merged.get("fee"))
    if "currency" in merged:
        merged["currency"] = str(merged["currency"]).upper()
    return validate(Rates, merged, "the pay")


@dataclass(frozen=True, slots=True)
class Pace:
    """How long people take, and how many answers are lost; assumed where it was not measured.

    Attributes:
        seconds_entry: a meme or check.
        seconds_introduction: consent, definition and examples.
        loss: share of submissions that quality control sets aside, so that others are needed.
        measured: of how many submissions the seconds are the median; 0 for an assumption.
    """

    seconds_entry: float = 20.0
    seconds_introduction: float = 180.0
    loss: float = 0.1
    measured: int = 0

    def __post_init__(self) -> None:
        for what, seconds in (
            ("seconds_entry", self.seconds_entry),
            ("seconds_introduction", self.seconds_introduction),
        ):
            if not 0 <= seconds <= 86_400:
                raise InputError(f"{what} is from 0 to 86400, not {seconds}")
        if not 0 <= self.loss < 1:
            raise InputError(f"the loss is a share from 0 to below 1, not {self.loss}")

    def minutes(self, entries: int) -> int:
        """Whole minutes that a sheet of so many entries takes, rounded up; at least one."""
        seconds = self.seconds_introduction + entries * self.seconds_entry
        return max(1, math.ceil(seconds / 60))


@dataclass(frozen=True, slots=True)
class CulturePlan:
    """What one culture takes.

    Attributes:
        culture: its code.
        sheets: how many.
        answers: to memes, that are to be retained.
        annotators: submissions that are to be retained.
        recruits: people that are to be expected for them, those whose answers are lost among them.
        minutes: that a person takes; the longest sheet counts for all, so that all are paid alike.
        reward: for a person.
        rewards: for all recruits: who fails checks is paid too, as implicit checks alone are no
            reason to reject.
        fee: of the recruitment service.
        vat: see `Rates`.
        total: rewards, fee and tax.
        currency: of all amounts.
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
    """What a survey takes.

    Attributes:
        cultures: in the design's order.
        total: of all of them.
        currency: of all amounts.
        pace: assumed, or measured.
        warning: a sentence where the wage is below the least that Prolific allows, else empty.
    """

    cultures: tuple[CulturePlan, ...]
    total: Decimal
    currency: str
    pace: Pace
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """A batch as planning sees it: its memes and checks, its cultures, its annotators."""

    memes: int
    checks: int
    cultures: tuple[str, ...]
    answers: int


def work_of(batches: Iterable[Batch]) -> tuple[Work, ...]:
    """The work in batches that are there."""
    return tuple(
        Work(len(one.memes), len(one.slots) - len(one.memes), one.cultures, one.answers)
        for one in batches
    )


def expected_work(
    memes: int, design: Design, *, preannotated: int = 0, preannotation_answers: int = 2
) -> tuple[Work, ...]:
    """The work in a survey that is not built yet; ties, which come later, are not in it.

    Args:
        memes: of the survey.
        design: of the survey.
        preannotated: memes of the pre-annotation (multi3hate A.5: 450); 0 for none.
        preannotation_answers: answers for each of them (A.5: two).
    """
    checks = design.explicit + design.implicit
    codes = tuple(culture.code for culture in design.cultures)
    work = []
    for place, code in enumerate(codes):
        part = _share(preannotated, len(codes), place)
        work += [
            Work(one, checks, (code,), preannotation_answers) for one in _sizes(part, design.size)
        ]
    work += [Work(one, checks, codes, design.answers) for one in _sizes(memes, design.size)]
    return tuple(work)


def plan(
    work: Sequence[Work],
    design: Design,
    rates: Rates | None = None,
    *,
    pace: Pace | None = None,
    seconds: float | None = None,
    loss: float = 0.1,
) -> SurveyPlan:
    """People, minutes and money for each culture, in the design's order.

    Args:
        work: of `work_of` or `expected_work`.
        design: of the survey.
        rates: wage, fee and tax.
        pace: measured by `measured_pace`; an assumption by default.
        seconds: that an entry takes, instead of the pace's.
        loss: share of submissions that quality control sets aside.
    """
    rates, pace = rates or Rates(), replace(pace or Pace(), loss=loss)
    if seconds is not None:
        pace = replace(pace, seconds_entry=seconds, measured=0)
    plans = []
    for culture in design.cultures:
        own = [one for one in work if culture.code in one.cultures]
        annotators = sum(one.answers for one in own)
        recruits = math.ceil(round(annotators / (1 - pace.loss), 6))
        minutes = max((pace.minutes(one.memes + one.checks) for one in own), default=0)
        reward = reward_for(minutes, rates)
        rewards = reward * recruits
        fee = (rewards * rates.fee).quantize(_CENT, ROUND_HALF_UP)
        vat = (fee * rates.vat).quantize(_CENT, ROUND_HALF_UP)
        plans.append(
            CulturePlan(
                culture.code,
                len(own),
                sum(one.memes * one.answers for one in own),
                annotators,
                recruits,
                minutes,
                reward,
                rewards,
                fee,
                vat,
                rewards + fee + vat,
                rates.currency,
            )
        )
    total = sum((one.total for one in plans), Decimal(0))
    return SurveyPlan(tuple(plans), total, rates.currency, pace, _paid_too_little(rates))


def reward_for(minutes: int, rates: Rates) -> Decimal:
    """What a person gets for so many minutes, rounded up to whole cents."""
    return (rates.wage * minutes / 60).quantize(_CENT, ROUND_UP)


def measured_pace(
    submissions: Iterable[Submission],
    sheets: Sequence[Sheet],
    *,
    fewest: int = 5,
) -> Pace | None:
    """The pace of people who were there: the median time of an entry, introduction included.

    Args:
        submissions: those with both times count, if they are complete and took from a second to a
            day.
        sheets: of the survey, for the number of entries.
        fewest: submissions without which there is no measurement.

    Returns:
        The pace, or None when there are too few submissions.
    """
    entries = {sheet.id: len(sheet.entries) for sheet in sheets}
    times = []
    for one in submissions:
        if one.status != "complete" or one.started is None or one.submitted is None:
            continue
        seconds = (one.submitted - one.started).total_seconds()
        if entries.get(one.sheet) and 1 <= seconds <= 86_400:
            times.append(seconds / entries[one.sheet])
    if len(times) < max(1, fewest):
        return None
    return Pace(median(times), 0.0, measured=len(times))


def _paid_too_little(rates: Rates) -> str:
    least = MINIMUM.get(rates.currency)
    if least is None or rates.wage >= least:
        return ""
    return (
        f"{rates.wage} {rates.currency} an hour is below the {least} {rates.currency} that "
        "Prolific asks for at the least."
    )


def _sizes(memes: int, size: int) -> list[int]:
    """The sizes of batches as `build` deals them."""
    count = -(-memes // size)
    return [_share(memes, count, place) for place in range(count)]


def _share(whole: int, parts: int, place: int) -> int:
    return whole // parts + (place < whole % parts)
