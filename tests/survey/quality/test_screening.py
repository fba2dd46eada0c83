"""Whether a person is of a culture: most of life in the country, and people of two cultures."""

from __future__ import annotations

from memeloc.survey.quality.rules import Screening
from memeloc.survey.quality.screening import screen
from tests.each import each
from tests.survey.annotators import culture, person, sheet


@each(
    ("value", "differs"),
    [("Germany", False), ("Austria", True), ("yes", False), ("no", True), ("No", True)],
)
def test_most_of_life_is_spent_in_the_country(value: str, differs: bool) -> None:
    someone = person("jo", sheet("DE"), most_of_life=value)
    result = screen([someone], culture("DE"), Screening())
    assert (result.differing == {"most_of_life": value}) == differs
    assert result.unclear == {}
