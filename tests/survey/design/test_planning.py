"""Plans: people, minutes and money, worked out by hand."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from memeloc.survey.design.build import build
from memeloc.survey.design.planning import Rates, plan, read_rates
from tests.each import each
from tests.survey.design.test_build import DESIGN, PAPER, TAXONOMY

FEW = dict(list(PAPER.items())[:20])


def test_the_papers_survey_by_hand() -> None:
    """15 sheets of 24 entries, 5 people each; 11 minutes at 10.65 an hour are 1.9525, so 1.96."""
    rates = Rates(fee=Decimal("0.333"), vat=Decimal("0.2"))
    whole = plan(build(PAPER, DESIGN, TAXONOMY), DESIGN, rates, loss=0.25)
    rows = whole["cultures"]
    assert [row["culture"] for row in rows] == ["US", "DE", "MX", "IN", "CN"]
    pay = map(Decimal, ("1.96", "196.00", "65.27", "13.05", "274.32"))
    assert [*rows[1].values()] == ["DE", 15, 1500, 75, 100, 11, 0, *pay, "GBP"]
    assert whole["total"] == Decimal("1371.60")


@given(st.decimals(0, 500, places=2), st.integers(1, 600))
def test_nobody_is_paid_below_the_wage(wage: Decimal, minutes: int) -> None:
    reward = Rates(wage=wage).reward(minutes)
    assert 0 <= reward * 60 - wage * minutes < Decimal("0.6")
    assert reward.as_tuple().exponent == -2


@each(
    ("wage", "currency", "warning"),
    [
        ("10.65", "GBP", ""),
        ("5.99", "GBP", "5.99 GBP an hour is below the 6.00 GBP"),
        ("7", "USD", "7 USD an hour is below the 8.00 USD"),
        ("1", "XTS", ""),
    ],
)
def test_a_wage_below_prolifics_least_is_warned_of(wage: str, currency: str, warning: str) -> None:
    rates = read_rates({"wage": wage, "currency": currency})
    result = plan(build(FEW, DESIGN, TAXONOMY), DESIGN, rates)["warning"]
    assert bool(result) == bool(warning)
    assert result.startswith(warning)
