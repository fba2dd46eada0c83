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
from memeloc.survey.design.planning import (
    Pace,
    Rates,
    expected_work,
    measured_pace,
    paid_too_little,
    plan,
    reward_for,
    total_cost,
    work_of,
)
from memeloc.survey.design.preannotation import split
from memeloc.survey.model import Submission
from memeloc.survey.targets.prolific.money import FEES, Pay
from tests.survey.test_build import DESIGN, PAPER, TAXONOMY, memes


def test_the_papers_survey_by_hand() -> None:
    """15 sheets of 24 entries, 5 people each; 11 minutes at 10.65 an hour are 1.9525, so 1.96."""
    rates = Rates(fee=Decimal("0.333"), vat=Decimal("0.2"))
    pace = Pace(seconds_entry=20, seconds_introduction=180, loss=0.25)
    found = plan(expected_work(300, DESIGN), DESIGN, rates, pace)
    assert [one.culture for one in found] == ["US", "DE", "MX", "IN", "CN"]
    germany = found[1]
    assert (germany.sheets, germany.answers, germany.annotators) == (15, 1500, 75)
    assert (germany.recruits, germany.minutes) == (100, 11)
    assert (germany.reward, germany.rewards) == (Decimal("1.96"), Decimal("196.00"))
    assert (germany.fee, germany.vat) == (Decimal("65.27"), Decimal("13.05"))
    assert (germany.total, germany.currency) == (Decimal("274.32"), "GBP")
    assert total_cost(found) == Decimal("1371.60")


def test_pre_annotation_takes_the_papers_ten_people_a_culture() -> None:
    """A.5: 450 memes in five parts, two answers each: 50 annotators, 10 of each culture."""
    several = memes(*[10] * 45)
    work = work_of(split(several, DESIGN, TAXONOMY))
    assert sorted(work, key=str) == sorted(expected_work(0, DESIGN, preannotated=450), key=str)
    assert [one.annotators for one in plan(work, DESIGN, pace=Pace(loss=0))] == [10] * 5


@given(st.integers(0, 400), st.integers(1, 40), st.integers(0, 300))
def test_what_is_expected_is_what_is_built(count: int, size: int, before: int) -> None:
    design = replace(DESIGN, size=size)
    several = memes(*[1] * count)
    built = work_of(build(several, design, TAXONOMY))
    early = work_of(split(memes(*[1] * before), design, TAXONOMY))
    assert sorted((*early, *built), key=str) == sorted(
        expected_work(count, design, preannotated=before), key=str
    )


@given(
    st.decimals(0, 500, places=2),
    st.integers(1, 600),
    st.sampled_from([0, 2, 3]),
)
def test_nobody_is_paid_below_the_wage(wage: Decimal, minutes: int, places: int) -> None:
    rates = Rates(wage=wage, places=places)
    reward = reward_for(minutes, rates)
    assert 0 <= reward * 60 - wage * minutes < 60 * Decimal(1).scaleb(-places)
    assert reward.as_tuple().exponent == -places


@given(st.decimals(0, 500, places=2), st.integers(1, 600))
def test_what_is_planned_is_what_a_study_pays(wage: Decimal, minutes: int) -> None:
    pay = Pay("GBP", wage, FEES["academic"])
    assert reward_for(minutes, Rates(wage=wage)) * 100 == pay.reward(minutes)


def test_tax_on_rewards_too_and_no_fee() -> None:
    rates = Rates(Decimal(12), "EUR", fee=Decimal(0), vat=Decimal("0.19"), vat_on_rewards=True)
    (first, *_) = plan(expected_work(20, DESIGN), DESIGN, rates, Pace(15, 0, 0))
    assert (first.minutes, first.reward, first.recruits) == (6, Decimal("1.20"), 5)
    assert (first.rewards, first.fee, first.vat) == (Decimal("6.00"), 0, Decimal("1.14"))


def test_a_culture_without_batches_costs_nothing() -> None:
    batches = build(PAPER[:20], DESIGN, TAXONOMY, cultures=["DE"])
    found = {one.culture: one for one in plan(work_of(batches), DESIGN)}
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
    found = measured_pace(told, sheets, fewest=3, loss=0.2)
    assert found == Pace(20.0, 0.0, 0.2, 3)
    assert found.minutes(24) == 8
    assert (
        measured_pace(
            [replace(one(240), started=None), replace(one(240), submitted=None)], sheets, fewest=1
        )
        is None
    )


def test_a_wage_below_what_is_allowed_is_told() -> None:
    assert paid_too_little(Rates()) is None
    assert paid_too_little(Rates(Decimal("5.99"))) == (
        "5.99 GBP an hour is below the 6.00 GBP that Prolific asks for at the least."
    )
    assert paid_too_little(Rates(Decimal(7), "USD")) is not None
    assert paid_too_little(Rates(Decimal(1), "XTS")) is None


def test_settings_that_cannot_be() -> None:
    for make, message in (
        (lambda: Rates(wage=Decimal(-1)), "the wage is"),
        (lambda: Rates(fee=Decimal("NaN")), "the fee is"),
        (lambda: Rates(vat=Decimal("Infinity")), "the vat is"),
        (lambda: Rates(places=9), "decimal places"),
        (lambda: Pace(loss=1), "the loss is"),
        (lambda: Pace(seconds_entry=float("nan")), "seconds_entry"),
    ):
        with pytest.raises(InputError, match=message):
            make()
