"""How far a survey is: counts by hand, and money to the cent."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from memeloc.survey.labels.checked import costs, progress
from memeloc.survey.model import Submission
from memeloc.survey.quality.checking import check
from tests.survey.annotators import careful, fill, person, sheet

US, DE, SECOND = sheet("US"), sheet("DE"), sheet("US", 2, memes=10)
SHEETS = [US, DE, SECOND]


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
    places = {row["name"]: row["places"] for row in progress(SHEETS, report)["sheets"]}
    money = costs(places, report, people, rewards, Decimal("0.333"))
    # 1.10 * 1.333 = 1.4663 and 2.05 * 1.333 = 2.73265, to the cent; places: US 2 + 4, DE 4 less 1.
    assert money == {
        "paid": Decimal("2.94"),
        "owed": Decimal("4.20"),
        "running": Decimal("2.73"),
        "to_come": Decimal("1.47") * 6 + Decimal("2.73") * 3,
        "total": Decimal("26.88"),
    }
