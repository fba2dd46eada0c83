"""Whether a person is of a culture: most of life in the country, and people of two cultures."""

from __future__ import annotations

from memeloc.locales import default
from memeloc.survey.model import Culture, Participant
from memeloc.survey.quality.rules import Screening
from memeloc.survey.quality.screening import Screened, screen
from tests.each import each
from tests.survey.annotators import culture, person, sheet

BOTH = Culture("IN-US", default().get("hi"), second=default().get("en"))
FITS = {
    "country_of_birth": "India",
    "residence": "United States",
    "first_language": "Hindi",
    "fluent_languages": "English, Spanish",
    "nationality": "Canada",
}


def screened(asked: Culture, **facts: str) -> Screened:
    return screen([Participant("jo", facts)], asked, Screening())


@each(
    ("value", "differs"),
    [("Germany", False), ("Austria", True), ("yes", False), ("no", True), ("No", True)],
)
def test_most_of_life_is_spent_in_the_country(value: str, differs: bool) -> None:
    someone = person("jo", sheet("DE"), most_of_life=value)
    result = screen([someone], culture("DE"), Screening())
    assert (result.differing == {"most_of_life": value}) == differs
    assert result.unclear == {}


def test_most_of_life_that_nobody_knows_is_missing() -> None:
    facts = {"nationality": "Germany", "most_of_life": "Rather not say"}
    assert "most_of_life" in screened(culture("DE"), **facts).missing


def test_bicultural_people_are_of_both_countries() -> None:
    assert (BOTH.country, BOTH.residence) == ("IN", "US")
    assert screened(BOTH, **FITS) == Screened({}, (), {})
    english = {**FITS, "first_language": "English", "fluent_languages": "Hindi"}
    assert screened(BOTH, **english) == Screened({}, (), {})


@each(
    ("fact", "value"),
    [
        ("country_of_birth", "United States"),
        ("residence", "India"),
        ("first_language", "Spanish"),
        ("fluent_languages", "Spanish"),
    ],
)
def test_people_of_one_culture_are_not_bicultural(fact: str, value: str) -> None:
    differing = screened(BOTH, **{**FITS, fact: value}).differing
    assert fact in differing
