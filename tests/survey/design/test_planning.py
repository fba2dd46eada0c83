"""Plans: people, minutes and money, worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.survey.design.build import build, to_sheets
from memeloc.survey.design.pay import FEES, Pay
from memeloc.survey.design.planning import (
    Pace,
    Rates,
    expected_work,
    measured_pace,
    plan,
    read_rates,
    reward_for,
    work_of,
)
from memeloc.survey.design.preannotation import split
from memeloc.survey.model import Submission
from tests.survey.design.test_build import DESIGN, PAPER, TAXONOMY, memes


def test_the_papers_survey_by_hand() -> None:
    """15 sheets of 24 entries, 5 people each; 11 minutes at 10.65 an hour are 1.9525, so 1.96."""
    rates = Rates(fee=Decimal("0.333"), vat=Decimal("0.2"))
    whole = plan(expected_work(300, DESIGN), DESIGN, rates, loss=0.25)
    found = whole.cultures
    assert [one.culture for one in found] == ["US", "DE", "MX", "IN", "CN"]
    germany = found[1]
    assert (germany.sheets, germany.answers, germany.annotators) == (15, 1500, 75)
    assert (germany.recruits, germany.minutes) == (100, 11)
    assert (germany.reward, germany.rewards) == (Decimal("1.96"), Decimal("196.00"))
    assert (germany.fee, germany.vat) == (Decimal("65.27"), Decimal("13.05"))
    assert (germany.total, germany.currency) == (Decimal("274.32"), "GBP")
    assert whole.total == Decimal("1371.60")


def test_pre_annotation_takes_the_papers_ten_people_a_culture() -> None:
    """A.5: 450 memes in five parts, two answers each: 50 annotators, 10 of each culture."""
    several = memes(*[10] * 45)
    work = work_of(split(several, DESIGN, TAXONOMY))
    assert sorted(work, key=str) == sorted(expected_work(0, DESIGN, preannotated=450), key=str)
    assert [one.annotators for one in plan(work, DESIGN).cultures] == [10] * 5


@given(st.integers(0, 400), st.integers(1, 40), st.integers(0, 300))
def test_what_is_expected_is_what_is_built(count: int, size: int, before: int) -> None:
    design = replace(DESIGN, size=size)
    several = memes(*[1] * count)
    built = work_of(build(several, design, TAXONOMY))
    early = work_of(split(memes(*[1] * before), design, TAXONOMY))
    assert sorted((*early, *built), key=str) == sorted(
        expected_work(count, design, preannotated=before), key=str
    )


@given(st.decimals(0, 500, places=2), st.integers(1, 600))
def test_nobody_is_paid_below_the_wage(wage: Decimal, minutes: int) -> None:
    reward = reward_for(minutes, Rates(wage=wage))
    assert 0 <= reward * 60 - wage * minutes < Decimal("0.6")
    assert reward.as_tuple().exponent == -2


@given(st.decimals(0, 500, places=2), st.integers(1, 600))
def test_what_is_planned_is_what_a_study_pays(wage: Decimal, minutes: int) -> None:
    pay = Pay("GBP", wage, FEES["academic"])
    assert reward_for(minutes, Rates(wage=wage)) * 100 == pay.reward(minutes)


def test_a_culture_without_batches_costs_nothing() -> None:
    batches = build(PAPER[:20], DESIGN, TAXONOMY, cultures=["DE"])
    found = {one.culture: one for one in plan(work_of(batches), DESIGN).cultures}
    assert found["DE"].total > 0
    assert (found["US"].annotators, found["US"].minutes, found["US"].total) == (0, 0, 0)


def test_pace_is_the_median_of_those_that_finished() -> None:
    design = replace(DESIGN, cultures=DESIGN.cultures[:1])
    sheets = to_sheets(
        build(PAPER[:20], design, TAXONOMY),
        design,
        lambda meme, culture: Path(meme),
        lambda meme, culture: meme,
        lambda example, culture: Path(example),
        templates=dict(PAPER),
    )
    start = datetime(2026, 1, 5, 9, tzinfo=UTC)

    def one(seconds: float, status: str = "complete", sheet: str = sheets[0].id) -> Submission:
        end = start + timedelta(seconds=seconds)
        return Submission("s", sheet, "p", (), "csv", end, start, status)

    told = [one(240), one(480), one(24_000), one(5, "returned"), one(0), one(60, sheet="other")]
    assert measured_pace(told, sheets, fewest=4) is None
    found = measured_pace(told, sheets, fewest=3)
    assert found == Pace(20.0, 0.0, measured=3)
    assert found.minutes(24) == 8
    assert (
        measured_pace(
            [replace(one(240), started=None), replace(one(240), submitted=None)], sheets, fewest=1
        )
        is None
    )


@pytest.mark.parametrize(
    ("wage", "currency", "warning"),
    [
        ("10.65", "GBP", ""),
        (
            "5.99",
            "GBP",
            "5.99 GBP an hour is below the 6.00 GBP",
        ),
        ("7", "USD", "7 USD an hour is below the 8.00 USD"),
        ("1", "XTS", ""),
    ],
)
def test_a_wage_below_prolifics_least_is_warned_of(wage: str, currency: str, warning: str) -> None:
    rates = read_rates({"wage": wage, "currency": currency})
    found = plan(expected_work(20, DESIGN), DESIGN, rates).warning
    assert bool(found) == bool(warning)
    assert found.startswith(warning)


@pytest.mark.parametrize(
    "values", [{"wage": "-1"}, {"fee": "NaN"}, {"vat": "Infinity"}, {"currency": "euros"}]
)
def test_rates_that_cannot_be_are_refused(values: dict[str, str]) -> None:
    with pytest.raises(InputError, match=f"the setting {next(iter(values))} of the pay"):
        read_rates(values)


def test_a_pace_that_cannot_be_is_refused() -> None:
    for values in ({"loss": 1}, {"seconds_entry": float("nan")}):
        with pytest.raises(InputError):
            Pace(**values)
