"""How far a survey is: counts by hand, and money to the cent."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from memeloc.errors import InputError
from memeloc.survey.labels.progress import Money, survey_status
from memeloc.survey.labels.settling import answers_table, settle
from memeloc.survey.model import Submission
from memeloc.survey.quality.checking import check, retained
from memeloc.taxonomy import load_taxonomy
from tests.survey.annotators import careful, fill, person, sheet

US, DE, SECOND = sheet("US"), sheet("DE"), sheet("US", 2, memes=10)
SHEETS = [US, DE, SECOND]
EMPTY = check([], SHEETS)


def prices(**by_culture: str) -> dict[str, Decimal]:
    return {one.id: Decimal(by_culture[one.culture.code]) for one in SHEETS}


def came_in() -> list[Submission]:
    return [
        *careful(US, 3),
        fill(US, "careless", wrong=("check-1",)),
        fill(DE, "jo"),
        replace(fill(DE, "left"), status="returned"),
        fill(SECOND, "mo", skipped=("m2-00", "m2-01")),
    ]


def test_answers_and_places_by_sheet_batch_and_culture() -> None:
    submissions = came_in()
    result = survey_status(SHEETS, submissions, check(submissions, SHEETS))
    us, de, second = result.sheets
    assert (us.annotators, us.sent, us.retained, us.places) == (5, 4, 3, 2)
    assert (us.wanted, us.answered, us.kept) == (100, 80, 60)
    assert (de.sent, de.retained, de.places, de.answered) == (1, 1, 4, 20)
    assert (second.wanted, second.answered, second.kept) == (50, 8, 8)
    assert [(batch.name, batch.sheets, batch.places) for batch in result.batches] == [
        ("r1-b01", 2, 6),
        ("r1-b02", 1, 4),
    ]
    assert [(culture.name, culture.sheets, culture.kept) for culture in result.cultures] == [
        ("US", 2, 68),
        ("DE", 1, 20),
    ]
    assert (result.whole.annotators, result.whole.places, result.whole.kept) == (15, 10, 88)
    assert result.aside == {"attention": 1, "status": 1}


def test_the_same_again_counts_once() -> None:
    submissions = came_in()
    again = replace(submissions[0], id="again", row=99)
    submissions += [again, *submissions]
    assert survey_status(SHEETS, submissions, check(submissions, SHEETS)).whole.sent == 6


def test_labels_and_ties() -> None:
    submissions = came_in()
    report = check(submissions, SHEETS)
    settled = settle(
        answers_table(retained(submissions, report), SHEETS), load_taxonomy("multi3hate")
    )
    result = survey_status(SHEETS, submissions, report, settled=settled)
    assert sum(result.labels["US"].values()) == 28
    assert result.labels["DE"]["short"] == 20
    assert result.labels["DE"]["tied"] == 0


def test_money_is_exact() -> None:
    submissions = came_in()
    people = [
        replace(person("careful-0", US), status="APPROVED"),
        replace(person("careful-1", US), status="APPROVED"),
        person("careful-2", US),
        replace(person("careless", US), status="REJECTED"),
        person("jo", DE),
        replace(person("left", DE), status="RETURNED"),
        replace(person("at-it", DE), status="ACTIVE"),
    ]
    rewards = prices(US="1.10", DE="2.05")
    report = check(submissions, SHEETS, people)
    result = survey_status(
        SHEETS,
        submissions,
        report,
        participants=people,
        rewards=rewards,
        fee=Decimal("0.333"),
    )
    # 1.10 * 1.333 = 1.4663 and 2.05 * 1.333 = 2.73265, to the cent; places: US 2 + 4, DE 4 less 1.
    assert result.money == Money(
        Decimal("2.94"),
        Decimal("4.20"),
        Decimal("2.73"),
        Decimal("1.47") * 6 + Decimal("2.73") * 3,
        Decimal("26.88"),
    )


def test_a_study_is_found_by_the_sheet_in_its_name() -> None:
    someone = replace(person("jo", DE), study="pilot: r1-b01-DE", submission="", status="APPROVED")
    result = survey_status(
        SHEETS, [], EMPTY, participants=[someone], rewards=prices(US="1", DE="3")
    )
    assert result.money is not None
    assert result.money.paid == 3


def test_a_study_of_no_sheet_needs_one_reward_for_all() -> None:
    stray = replace(person("jo", DE), study="something else", status="APPROVED")
    with pytest.raises(InputError, match="'something else' is of no sheet"):
        survey_status(SHEETS, [], EMPTY, participants=[stray], rewards=prices(US="1", DE="3"))
    same = survey_status(SHEETS, [], EMPTY, participants=[stray], rewards=prices(US="2", DE="2"))
    assert same.money is not None
    assert same.money.paid == 2


def test_no_survey_is_no_crash() -> None:
    result = survey_status([], [], EMPTY, rewards={})
    assert result.whole.places == 0
    assert result.money == Money(*[Decimal(0)] * 5)


def test_a_closed_sheet_wants_nobody_and_costs_nothing_more() -> None:
    ids = [one.id for one in SHEETS]
    result = survey_status(SHEETS, [], EMPTY, rewards=prices(US="2", DE="2"), closed=ids)
    assert result.whole.places == 0
    assert result.money is not None
    assert result.money.to_come == 0
    assert result.whole.annotators == sum(one.wanted for one in SHEETS)
