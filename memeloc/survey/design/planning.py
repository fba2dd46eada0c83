"""What a survey takes. In: batches, a wage, a pace. Out: people, minutes and money as `Decimal`.

What a person gets is rounded up, so that nobody is paid below the wage for a moment.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, ROUND_UP, Decimal, InvalidOperation
from statistics import median
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from memeloc.errors import InputError
from memeloc.settings import validate
from memeloc.survey.design.build import Design
from memeloc.survey.model import Batch, Culture, Sheet, Submission

CENT = Decimal("0.01")

MINIMUM = {"GBP": Decimal("6.00"), "USD": Decimal("8.00")}
"""An hour, below which Prolific lets nobody pay: "Prolific's payment principles",
researcher-help.prolific.com/hc/en-gb/articles/4407695146002; it recommends 9.00 and 12.00."""

WAGE = Decimal("10.65")
"""GBP an hour, as multi3hate paid (ethics statement)."""

FEES = {"academic": Decimal("0.333"), "corporate": Decimal("0.428")}
"""Prolific's share on top of rewards, without tax: www.prolific.com/pricing, read 2026-09-20."""

SMALLEST_SCREEN_OUT = {"GBP": 10, "USD": 14}
"""Minor units that being screened out pays at the least (Prolific's announcement of fixed rewards
for in-study screening, 2025)."""


class Rates(BaseModel):
    """What people are paid an hour, and what is paid on top: a share of the rewards to the
    recruitment service, and a share of that as tax. A fifth is the rate of the United Kingdom,
    where Prolific is; many universities pay none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    wage: Annotated[Decimal, Field(ge=0, le=100_000, description="pay an hour, as 10.65")] = WAGE
    currency: Annotated[
        str,
        StringConstraints(to_upper=True, pattern="^[A-Za-z]{3}$"),
        Field(description="three letters, as GBP or USD"),
    ] = "GBP"
    fee: Annotated[
        Decimal,
        BeforeValidator(lambda value: FEES.get(str(value), value)),
        Field(ge=0, le=10, description="a share of the rewards, as 0.333; academic; or corporate"),
    ] = FEES["academic"]
    vat: Annotated[Decimal, Field(ge=0, le=10, description="a share of the fee, as 0.2")] = Decimal(
        "0.2"
    )

    def reward(self, minutes: int) -> Decimal:
        """For one person, rounded up to whole cents, so that an hour is never paid less.

        >>> Rates(wage=Decimal("10.65")).reward(20)
        Decimal('3.55')
        """
        return (self.wage * minutes / 60).quantize(CENT, ROUND_UP)


def read_rates(*tables: Mapping[str, object]) -> Rates:
    """Rates from plain values, later tables before earlier ones; other settings are passed over.

    Raises:
        InputError: one of them cannot be.
    """
    values: dict[str, object] = {}
    for table in tables:
        for name in Rates.model_fields.keys() & table.keys():
            if table[name] not in (None, ""):
                values[name] = str(table[name]).strip()
    return validate(Rates, values, "the pay")


def read_pay(wage: object, currency: str, fee: object) -> Rates:
    """Rates for Prolific; InputError also when it allows no such wage, or has no such accounts."""
    rates = read_rates({"wage": wage, "currency": currency, "fee": fee})
    least = MINIMUM.get(rates.currency)
    if least is None:
        raise InputError(
            f"Prolific's accounts are in GBP or USD, not {currency[:20]!r}: name the currency of "
            "yours as currency."
        )
    if not least <= rates.wage <= 1000:
        raise InputError(
            f"A wage of {rates.wage} {rates.currency} an hour is below {least} {rates.currency}, "
            "the least that Prolific allows, or above 1000; Prolific recommends one and a half "
            "times the least."
        )
    return rates


def read_bonus(text: str) -> Decimal:
    """An amount such as 0.50, in whole cents.

    Raises:
        InputError: it is not one from 0.01 to 1000.
    """
    try:
        money = Decimal(text)
    except InvalidOperation:
        money = Decimal(0)
    if not (money.is_finite() and CENT <= money <= 1000 and money == money.quantize(CENT)):
        raise InputError(f"A bonus is an amount from 0.01 to 1000, as 0.50, not {text[:20]!r}")
    return money


def shortest_limit(minutes: int) -> int:
    """Minutes that Prolific lets a submission take at the least, by its API's documentation of
    `maximum_allowed_time`: two, and twice the estimate, and twice the estimate's square root.

    >>> shortest_limit(20)
    51
    """
    return math.ceil(2 + 2 * minutes + 2 * math.sqrt(minutes))


def amount(minor: int | Decimal, currency: str) -> str:
    """Money as people read it, from minor units.

    >>> amount(123456, "GBP")
    '1,234.56 GBP'
    """
    return f"{Decimal(minor) / 100:,.2f} {currency}"


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
        recruits: people to expect for them, with those whose answers are lost.
        minutes: of the longest sheet, so that all get one reward; `measured` of so many retained
            submissions, 0 for an assumption.
        reward: the wage for these minutes, rounded up.
        rewards: for all recruits: implicit checks alone are no reason to reject.
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
    """Return by culture code the median time of an entry so far, introduction included.

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
