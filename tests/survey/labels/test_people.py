"""The table of people: their own answers beside what a service says."""

from __future__ import annotations

from dataclasses import replace

from memeloc.survey.labels.people import COLUMNS, people_table
from memeloc.survey.model import PERSON, Answer, Participant, PersonEntry, Sheet, Submission
from memeloc.survey.quality.checking import check
from memeloc.taxonomy import load_taxonomy, with_demographics
from tests.survey.annotators import fill, person, sheet

TAXONOMY = with_demographics(load_taxonomy("multi3hate"), ["gender", "most-of-life"])
ASKED = replace(sheet("DE"), entries=(*sheet("DE").entries, PersonEntry()))


def filled(who: str, on: Sheet = ASKED, after: float = 0.0, **given: str) -> Submission:
    further = tuple((question.replace("_", "-"), (answer,)) for question, answer in given.items())
    plain = fill(sheet("DE"), who, after=after)
    answers = (*plain.answers, Answer(PERSON, further=further))
    return replace(plain, sheet=on.id, answers=answers)


def test_answers_stand_beside_what_the_service_says() -> None:
    known = [Participant("jo", {"age": "31"}), Participant("mo", {"age": "44"})]
    table = people_table([filled("jo", gender="woman")], [ASKED], known, TAXONOMY)
    assert tuple(table.columns) == COLUMNS
    assert table.to_numpy().tolist() == [
        ["jo", "DE", "service", "age", "31"],
        ["jo", "DE", "sheet", "gender", "woman"],
    ]


def test_of_several_sheets_the_last_answer_counts() -> None:
    other = replace(ASKED, id="r1-b02-DE")
    sent = [filled("jo", other, 900, gender="other"), filled("jo", gender="woman")]
    table = people_table(sent, [ASKED, other], [], TAXONOMY)
    assert table["answer"].tolist() == ["other"]


def test_nobody_answers_no_rows() -> None:
    assert people_table([], [ASKED], [], TAXONOMY).empty


def test_most_of_life_elsewhere_screens_a_person() -> None:
    known = [person("jo", ASKED), person("mo", ASKED), person("lu", ASKED)]
    sent = [
        filled("jo", most_of_life="no"),
        filled("mo", most_of_life="yes"),
        filled("lu", most_of_life="prefer-not"),
    ]
    report = check(sent, [ASKED], known)
    assert [(row.submission, row.rule) for row in report.set_aside] == [(sent[0].id, "screening")]
    assert report.set_aside[0].evidence["differing"] == {"most_of_life": "no"}
