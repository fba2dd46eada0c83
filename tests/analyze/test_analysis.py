from dataclasses import replace

import pandas as pd
import pytest

from memeloc.analyze import Answers, Section, Settings, analyze
from memeloc.analyze.report import report_of
from memeloc.errors import InputError
from memeloc.reports.plain import as_plain


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


def test_results_are_the_same_for_any_number_of_processes():
    rows = [
        (f"m-{item}", culture, f"{culture}-{person}", "yes" if (item * person) % 3 else "no")
        for item in range(4)
        for culture in ("DE", "US")
        for person in range(5)
    ]
    answers = Answers.of(pd.DataFrame(rows, columns=["item", "culture", "participant", "label"]))
    few = Settings(seed=3, repetitions=20, bootstraps=20)
    both = [as_plain(report_of(analyze(answers, replace(few, jobs=jobs)))) for jobs in (1, 2)]
    assert both[0] == both[1]


@pytest.mark.parametrize("rows", [[], [("m-1", "US", "us-1", "idk"), ("m-1", "DE", "de-1", "idk")]])
def test_without_votes_every_other_section_is_a_gap(rows):
    table = pd.DataFrame(rows, columns=["item", "culture", "participant", "label"])
    analysis = analyze(Answers.of(table, abstentions=["idk"]), Settings())
    assert "funnel" not in analysis.gaps
    assert analysis.gaps["label-shares"] == (
        "Label shares could not be computed: no answer votes for a label",
    )
