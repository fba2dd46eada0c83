import pandas as pd
import pytest

from memeloc.analyze import Answers, Section, analyze
from memeloc.errors import InputError


@pytest.fixture
def answers():
    rows = [("m-1", "US", "us-1", "hate"), ("m-1", "DE", "de-1", "non-hate")]
    return Answers.of(pd.DataFrame(rows, columns=["item", "culture", "participant", "label"]))


def whole():
    return Section("whole", "Whole")


def broken():
    raise InputError("one annotator only")


def test_a_section_that_fails_is_a_gap_and_the_rest_goes_on(answers):
    analysis = analyze(
        answers, sections=["no-frame", "whole"], before={"no-frame": broken}, after={"whole": whole}
    )
    assert [section.name for section in analysis.sections] == ["no-frame", "whole"]
    assert analysis.gaps == {
        "no-frame": ("No frame could not be computed: one annotator only",),
    }


def test_an_unknown_section_is_an_error(answers):
    with pytest.raises(InputError, match="no section 'sums'"):
        analyze(answers, sections=["sums"], after={"whole": whole})


def test_a_section_is_found_by_its_name(answers):
    analysis = analyze(answers, sections=["whole"], after={"whole": whole})
    assert analysis.section("whole").title == "Whole"
    with pytest.raises(InputError, match="There are whole"):
        analysis.section("parts")
