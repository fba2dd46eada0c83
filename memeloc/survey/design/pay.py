"""What people are paid. In: a wage and minutes. Out: money as `Decimal`, and Prolific's limits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import ROUND_UP, Decimal, InvalidOperation
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from memeloc.errors import InputError
from memeloc.settings import validate

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
