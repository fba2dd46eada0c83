"""What a study pays and costs. In: a wage and minutes. Out: minor units of GBP or USD."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, ROUND_UP, Decimal, InvalidOperation

from memeloc.errors import InputError

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


@dataclass(frozen=True, slots=True)
class Pay:
    """What a study pays.

    Attributes:
        currency: `GBP` or `USD`, that of the account at Prolific.
        wage: an hour.
        fee: Prolific's share on top of the rewards.
    """

    currency: str
    wage: Decimal
    fee: Decimal

    def reward(self, minutes: int) -> int:
        """Minor units for one person, rounded up, so that an hour is never paid less.

        >>> Pay("GBP", Decimal("10.65"), Decimal("0.333")).reward(20)
        355
        """
        exact = self.wage * 100 * minutes / 60
        return int(exact.to_integral_value(rounding=ROUND_UP))

    def with_fee(self, rewards: int) -> int:
        """Minor units that rewards cost with Prolific's fee, tax left aside.

        >>> Pay("GBP", Decimal("10.65"), Decimal("0.333")).with_fee(1000)
        1333
        """
        exact = rewards * (1 + self.fee)
        return int(exact.to_integral_value(rounding=ROUND_HALF_UP))


def read_pay(wage: object, currency: str, fee: object) -> Pay:
    """Settings of pay, checked.

    Raises:
        InputError: the wage is not an amount, or below what Prolific allows; the currency is not
            one of its accounts; the fee is neither a kind of account nor a share.
    """
    code = currency.strip().upper()
    if code not in MINIMUM:
        raise InputError(
            f"Prolific's accounts are in GBP or USD, not {currency[:20]!r}: name the currency of "
            "yours as currency."
        )
    amount = _decimal(wage, "wage")
    if not MINIMUM[code] <= amount <= 1000:
        raise InputError(
            f"A wage of {amount} {code} an hour is below {MINIMUM[code]} {code}, the least that "
            "Prolific allows, or above 1000; Prolific recommends one and a half times the least."
        )
    share = FEES.get(str(fee)) or _decimal(fee, "fee")
    if not 0 <= share < 5:
        raise InputError("fee is academic, corporate or a share such as 0.333")
    return Pay(code, amount, share)


def shortest_limit(minutes: int) -> int:
    """Minutes that Prolific lets a submission take at the least, by its API's documentation of
    `maximum_allowed_time`: two, and twice the estimate, and twice the estimate's square root.

    >>> shortest_limit(20)
    51
    """
    return math.ceil(2 + 2 * minutes + 2 * math.sqrt(minutes))


def amount(minor: int, currency: str) -> str:
    """Money as people read it.

    >>> amount(123456, "GBP")
    '1,234.56 GBP'
    """
    return f"{Decimal(minor) / 100:,.2f} {currency}"


def _decimal(value: object, name: str) -> Decimal:
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise InputError(f"{name} is not a number: {str(value)[:40]!r}; write it as 10.65")
    return number
