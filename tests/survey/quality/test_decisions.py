"""What Prolific is told: nobody is rejected outside its rules, and every word is there."""

from __future__ import annotations

from dataclasses import replace

from memeloc.locales import default
from memeloc.survey.model import Check, Participant, Sheet, Submission
from memeloc.survey.quality.checking import check
from memeloc.survey.quality.decisions import Decision, decisions
from memeloc.survey.texts import shipped_languages, survey_texts
from tests.each import each
from tests.survey.annotators import careful, fill, person, sheet

US, DE = sheet("US"), sheet("DE")
FOUR = {US.id: 4.0}
SHORTEST = 100
"""Characters that a rejection's message has at the least, by Prolific's API."""
SECOND = Check("check-5", "explicit", "hate")
TWO = replace(US, entries=(*US.entries[:9], SECOND, *US.entries[9:]))


def decide(
    one: Submission,
    on: Sheet = US,
    minutes: float = 4,
    who: Participant | None = None,
    **options: bool,
) -> Decision:
    (result,) = decisions(
        check([one], [on], [who or person(one.participant, on)]), {on.id: minutes}, **options
    )
    return result


def test_who_is_retained_is_approved() -> None:
    result = decide(fill(US, "jo"))
    assert (result.action, result.category, result.message) == ("approve", "", "")
    assert result.service == "s-jo-r1-b01-US"
    assert result.body() == ("transition/", {"action": "APPROVE"})


@each(
    ("wrong", "minutes", "action"),
    [
        (("check-1",), 4.9, "reject"),
        (("check-1",), 5, "approve"),
        (("check-1",), 12, "approve"),
        (("check-1", "check-2"), 12, "return"),
        (("check-1", "check-2", "check-3"), 12, "return"),
        (("check-2", "check-3", "check-4"), 4, "approve"),
        (("check-2", "check-3", "check-4"), 12, "approve"),
    ],
)
def test_long_studies_need_two_failed_checks(
    wrong: tuple[str, ...], minutes: float, action: str
) -> None:
    assert decide(fill(US, "jo", wrong=wrong), minutes=minutes).action == action


@each("minutes", [1, 4.9, 5, 60])
@each("counted", [True, False])
def test_implicit_checks_alone_never_reject(minutes: float, counted: bool) -> None:
    one = fill(US, "jo", wrong=("check-2", "check-3", "check-4"))
    assert decide(one, minutes=minutes, implicit_count=counted).action == "approve"


def test_exclusions_that_concern_the_survey_only_are_paid() -> None:
    submissions = [*careful(US), fill(US, "lazy", only="no-hate"), fill(US, "hurried", seconds=20)]
    other = sheet("US", 2)
    submissions.append(fill(other, "careful-1", after=9000))
    people = [person(item.participant, US) for item in submissions[:-1]]
    report = check(submissions, [US, other], people)
    assert report.counts() == {"person": 1, "speed": 1, "straight": 1}
    assert {decision.action for decision in decisions(report, {US.id: 4, other.id: 4})} == {
        "approve"
    }


def test_who_is_of_another_country_is_asked_to_return() -> None:
    someone = person("jo", DE, nationality="Austria")
    result = decide(fill(DE, "jo", wrong=("check-1",)), DE, who=someone)
    assert result.action == "return"
    assert result.message.endswith("do not fit this study: nationality.")


def test_of_what_was_sent_twice_one_decision_is_made() -> None:
    submissions = [fill(US, "jo"), replace(fill(US, "jo", after=900), id="again")]
    assert len(decisions(check(submissions, [US], [person("jo", US)]), FOUR)) == 1


@each("tag", shipped_languages())
def test_who_is_rejected_reads_why_in_the_sheets_language(tag: str) -> None:
    texts = {sheet.id: survey_texts(default().get(tag)) for sheet in (TWO, US)}
    crowd = [fill(US, f"p{number:02d}", seconds=230 + number) for number in range(30)]
    fast = check([*crowd, fill(US, "hurried", seconds=20)], [US], [])
    failed = check([fill(TWO, "jo", wrong=("check-1", "check-5"))], [TWO], [])
    for report, options in ((fast, {"reject_fast": True}), (failed, {})):
        (rejected,) = [
            decision
            for decision in decisions(report, {US.id: 12}, texts, **options)
            if decision.action == "reject"
        ]
        english = next(
            decision.message
            for decision in decisions(report, {US.id: 12}, **options)
            if decision.action == "reject"
        )
        assert len(rejected.message) >= SHORTEST
        assert "{" not in rejected.message
        assert (rejected.message == english) == (tag == "en")
