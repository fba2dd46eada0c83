"""Who gets a bonus, worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from memeloc.errors import InputError
from memeloc.survey.design.planning import Pace, Rates, read_bonus, shortfalls
from memeloc.survey.quality.checking import check
from memeloc.survey.quality.decisions import bonus_rows
from tests.each import each
from tests.survey.annotators import fill, person, sheet

US, DE = sheet("US"), sheet("DE")
PACES = {"DE": Pace(30.0, 0.0, measured=7)}
"""Twelve minutes for a sheet of twenty memes and four checks."""
RATES = Rates(wage=Decimal("12"))


def test_longer_than_promised_is_short_of_the_wage() -> None:
    (short,) = shortfalls([US, DE], PACES, {DE.batch: 9}, RATES)
    numbers = {"promised": 9, "measured": 12, "people": 7, "due": Decimal("0.60")}
    assert short == {"sheet": DE.id, "culture": "DE", **numbers}


@pytest.mark.parametrize("promised", [{DE.batch: 12}, {DE.batch: 13}, {}])
def test_what_was_promised_long_enough_is_not_short(promised: dict[str, int]) -> None:
    assert shortfalls([US, DE], PACES, promised, RATES) == []


def test_all_whose_work_is_paid_get_what_is_due() -> None:
    statuses = {"a": "APPROVED", "b": "AWAITING REVIEW", "c": "REJECTED", "d": "RETURNED"}
    submissions = [fill(DE, who) for who in statuses] + [fill(US, "e")]
    people = [replace(person(who, DE), status=status) for who, status in statuses.items()]
    report = check(submissions, [US, DE], [*people, person("e", US)])
    short = shortfalls([US, DE], PACES, {DE.batch: 9}, RATES)
    rows = bonus_rows(report, short, None)
    assert [(row["participant"], row["service"]) for row in rows] == [
        (who, f"s-{who}-{DE.id}") for who in ("a", "b")
    ]
    assert {(row["amount"], row["reason"]) for row in rows} == {(Decimal("0.60"), "time")}


def test_thanks_go_to_the_retained_with_a_submission() -> None:
    submissions = [fill(US, "a"), fill(US, "b", wrong=("check-1",)), fill(US, "c")]
    report = check(submissions, [US], [person("a", US), person("b", US)])
    assert [row["participant"] for row in bonus_rows(report, [], Decimal("0.50"))] == ["a"]


@each("text", ["0", "-1", "0.001", "NaN", "Infinity", "1001", "a lot", ""])
def test_a_bonus_is_an_amount_of_whole_cents(text: str) -> None:
    with pytest.raises(InputError, match=r"as 0\.50"):
        read_bonus(text)
    assert read_bonus("0.50") == Decimal("0.5")
