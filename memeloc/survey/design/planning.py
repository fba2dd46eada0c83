"""Plan of a survey. In: batches, a wage, a pace. Out: people, minutes and money as `Decimal`.

What a person gets is rounded up, so that nobody is paid below the wage for a moment.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, ROUND_UP, Decimal
from statistics import median
from typing import Annotated, Any

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
    """The pay of an hour, and what is paid on top: a share of the rewards to the
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
        """Return what one person gets, rounded up to whole cents: an hour is never paid less.

        >>> Rates(wage=Decimal("10.65")).reward(20)
        Decimal('3.55')
        """
        return (self.wage * minutes / 60).quantize(CENT, ROUND_UP)


def read_rates(*tables: Mapping[str, object]) -> Rates:
    """Return rates from plain values, later tables before earlier ones; other settings are passed
    over. Raise InputError if one of them cannot be."""
    values = {
        name: str(value).strip()
        for table in tables
        for name, value in table.items()
        if name in Rates.model_fields and value not in (None, "")
    }
    return validate(Rates, values, "the pay")


def read_pay(wage: object, currency: str, fee: object) -> Rates:
    """Return rates for Prolific; raise InputError also when it allows no such wage, or has no such
    accounts."""
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
    """Return an amount in whole cents; raise InputError if it is not one from 0.01 to 1000."""
    if not re.fullmatch(r"\d{1,4}(\.\d{1,2}0*)?", text) or not CENT <= Decimal(text) <= 1000:
        raise InputError(f"A bonus is an amount from 0.01 to 1000, as 0.50, not {text[:20]!r}")
    return Decimal(text)


def shortest_limit(minutes: int) -> int:
    """Return the minutes that Prolific lets a submission take at the least, by its API's
    documentation of `maximum_allowed_time`: two, and twice the estimate, and twice its square root.

    >>> shortest_limit(20)
    51
    """
    return math.ceil(2 + 2 * minutes + 2 * math.sqrt(minutes))


def amount(minor: int | Decimal, currency: str) -> str:
    """Return money as people read it, from minor units.

    >>> amount(123456, "GBP")
    '1,234.56 GBP'
    """
    return f"{Decimal(minor) / 100:,.2f} {currency}"


_DAY = 86_400.0  # seconds


@dataclass(frozen=True, slots=True)
class Pace:
    """The time that people take for an entry and the introduction: the median of so many `measured`
    submissions, 0 for an assumption; `loss` is the share that quality control excludes."""

    seconds_entry: float = 20.0
    seconds_introduction: float = 180.0
    loss: float = 0.1
    measured: int = 0

    def minutes(self, entries: int) -> int:
        """Return the whole minutes that a sheet takes, rounded up; at least one."""
        seconds = self.seconds_introduction + entries * self.seconds_entry
        return max(1, math.ceil(seconds / 60))


def plan(
    batches: Sequence[Batch],
    design: Design,
    rates: Rates | None = None,
    *,
    paces: Mapping[str, Pace] | None = None,
    seconds: float | None = None,
    loss: float = 0.1,
) -> dict[str, Any]:
    """Return people, minutes and money: `cultures` are rows in the design's order, `total` is for
    all in `currency`, `pace` assumed of cultures that nobody measured, and `warning` says that the
    wage is below Prolific's minimum, where it is.

    A row has the `culture`, its `sheets`, the `answers` to memes and the submissions (`annotators`)
    that are to be retained, and the `recruits` to expect for them, with those whose answers are
    lost. `minutes` are of the longest sheet, so that all get one `reward`, the wage for them;
    `measured` of so many submissions. All recruits get `rewards`, for implicit checks alone are no
    reason to reject; `fee` and `vat` come on top, and `total` is all three.

    `paces` are by culture code, as of `measured_paces`, unless an entry takes so many `seconds`;
    `loss` is the share of submissions that quality control excludes. Raises InputError if it is
    not below 1, or an entry takes more than a day.
    """
    rates, paces, pace = rates or Rates(), paces or {}, Pace(loss=loss)
    if seconds is not None:
        paces, pace = {}, replace(pace, seconds_entry=seconds)
    if not (0 <= loss < 1 and 0 <= pace.seconds_entry <= _DAY):
        raise InputError(
            f"loss is a share from 0 to below 1, and seconds are from 0 to {_DAY:.0f}; they are "
            f"{loss} and {pace.seconds_entry}"
        )
    rows: list[dict[str, Any]] = []
    for code in (culture.code for culture in design.cultures):
        code_batches = [batch for batch in batches if code in batch.cultures]
        annotators = sum(batch.answers for batch in code_batches)
        recruits = math.ceil(round(annotators / (1 - loss), 6))
        of_culture = paces.get(code, pace)
        minutes = max((of_culture.minutes(len(batch.slots)) for batch in code_batches), default=0)
        rewards = rates.reward(minutes) * recruits
        fee = (rewards * rates.fee).quantize(CENT, ROUND_HALF_UP)
        vat = (fee * rates.vat).quantize(CENT, ROUND_HALF_UP)
        row = {
            "culture": code,
            "sheets": len(code_batches),
            "answers": sum(len(batch.memes) * batch.answers for batch in code_batches),
            "annotators": annotators,
            "recruits": recruits,
            "minutes": minutes,
            "measured": of_culture.measured,
            "reward": rates.reward(minutes),
            "rewards": rewards,
            "fee": fee,
            "vat": vat,
            "total": rewards + fee + vat,
            "currency": rates.currency,
        }
        rows.append(row)
    least, warning = MINIMUM.get(rates.currency, Decimal(0)), ""
    if rates.wage < least:
        warning = (
            f"{rates.wage} {rates.currency} an hour is below the {least} {rates.currency} that "
            "Prolific asks for at the least."
        )
    total = sum((row["total"] for row in rows), Decimal(0))
    pay = {"total": total, "currency": rates.currency}
    return {"cultures": rows, **pay, "pace": pace, "warning": warning}


def measured_paces(
    retained: Iterable[Submission], sheets: Sequence[Sheet], *, fewest: int = 5
) -> dict[str, Pace]:
    """Return by culture code the median time of an entry so far, introduction included.

    Retained submissions count, for who answers without reading would make everybody's pay less;
    and of these complete ones with both times, if they took from a second to a day. A culture with
    fewer than `fewest` has no pace.
    """
    by_id = {sheet.id: sheet for sheet in sheets if sheet.entries}
    times: dict[str, list[float]] = defaultdict(list)
    for row in retained:
        if row.status == "complete" and row.started and row.submitted and row.sheet in by_id:
            sheet, seconds = by_id[row.sheet], (row.submitted - row.started).total_seconds()
            if 1 <= seconds <= _DAY:
                times[sheet.culture.code].append(seconds / len(sheet.entries))
    return {
        code: Pace(median(each), 0.0, measured=len(each))
        for code, each in times.items()
        if len(each) >= fewest
    }


def longest(
    batches: Sequence[Batch], cultures: Sequence[Culture], paces: Mapping[str, Pace]
) -> int:
    """Return the minutes of the batch that takes people the longest, of cultures that were
    measured; or 0."""
    codes = {culture.code for culture in cultures} & paces.keys()
    minutes = (paces[code].minutes(len(b.slots)) for b in batches for code in codes & {*b.cultures})
    return max(minutes, default=0)


def shortfalls(
    sheets: Iterable[Sheet], paces: Mapping[str, Pace], promised: Mapping[str, int], rates: Rates
) -> list[dict[str, Any]]:
    """Return the sheets whose people took longer than they were promised: `sheet`, `culture`,
    minutes `promised` and `measured`, of how many retained `people`, and by the wage what each is
    short of (`due`). Prolific asks for more pay then ("Prolific's payment principles",
    researcher-help.prolific.com/hc/en-gb/articles/4407695146002).

    `paces` are by culture code, see `measured_paces`; `promised` are minutes by batch id, of what
    went out.
    """
    short = []
    for sheet in sheets:
        code = sheet.culture.code
        pace, minutes = paces.get(code), promised.get(sheet.batch, 0)
        if pace and minutes and (measured := pace.minutes(len(sheet.entries))) > minutes:
            numbers = {"promised": minutes, "measured": measured, "people": pace.measured}
            due = rates.reward(measured) - rates.reward(minutes)
            short.append({"sheet": sheet.id, "culture": code, **numbers, "due": due})
    return short
