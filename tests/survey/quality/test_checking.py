"""Submissions are checked, and what is decided about participants follows."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memeloc.locales import default
from memeloc.survey.model import Answer, Check, Participant, Sheet, Submission
from memeloc.survey.quality.checking import CheckReport, check, merged
from memeloc.survey.quality.decisions import Decision, decisions
from memeloc.survey.quality.rules import Again, OnePerson, Rules, read_rules
from memeloc.survey.texts import shipped_languages, survey_texts
from tests.each import each
from tests.survey.annotators import careful, fill, labelled, person, sheet

US, DE = sheet("US"), sheet("DE")


def rules_of(report: CheckReport) -> dict[str, list[str]]:
    """By participant the rules that their submissions fail."""
    result: dict[str, list[str]] = {}
    for row in report.judged:
        if row.reasons:
            result.setdefault(row.participant, []).extend(sorted(row.reasons))
    return result


def evidence(report: CheckReport, rule: str) -> dict[str, object]:
    (result,) = (row.reasons[rule] for row in report.judged if rule in row.reasons)
    return result


@each(
    ("wrong", "skipped", "kept"),
    [
        ((), (), True),
        (("check-2",), (), True),
        ((), ("check-4",), True),
        (("check-2", "check-3"), (), False),
        (("check-2",), ("check-3",), False),
        (("check-1",), (), False),
        ((), ("check-1",), False),
    ],
)
def test_the_explicit_check_and_two_of_three_implicit_ones(
    wrong: tuple[str, ...], skipped: tuple[str, ...], kept: bool
) -> None:
    report = check([fill(US, "jo", wrong=wrong, skipped=skipped)], [US])
    assert rules_of(report) == ({} if kept else {"jo": ["attention"]})


@each("status", ["returned", "no consent", "consent revoked", "timed out", "screened out"])
def test_what_was_not_sent_whole_is_excluded(status: str) -> None:
    report = check([replace(fill(US, "jo"), status=status)], [US])
    part = {"answers": 24, "asked": 24} if status == "timed out" else {}
    assert evidence(report, "status") == {"status": status, "service": "", **part}


def test_a_check_that_was_not_shown_is_not_failed() -> None:
    passed = fill(US, "jo")
    hidden = {"check-1", "check-2", "check-3", "check-4"}
    answers = tuple(
        Answer(each.entry, shown=0) if each.entry in hidden else each for each in passed.answers
    )
    report = check([replace(passed, answers=answers)], [US])
    assert (report.counts(), len(report.retained)) == ({}, 1)
    assert [remark.evidence for remark in report.warnings if remark.rule == "not shown"] == [
        {"people_by_entry": dict.fromkeys(sorted(hidden), 1)}
    ]


def test_the_first_complete_sheet_of_a_person_counts() -> None:
    other = sheet("US", 2)
    first = fill(US, "jo", after=100)
    second = fill(other, "jo", after=5000)
    returned = replace(fill(sheet("US", 3), "jo"), status="returned")
    report = check([second, first, returned], [US, other, sheet("US", 3)])
    assert [(row["sheet"], row["rule"]) for row in report.set_aside] == [
        (other.id, "person"),
        ("r1-b03-US", "status"),
    ]
    assert evidence(report, "person") == {"number": 2, "allowed": 1, "held": [US.id]}
    items = read_rules({"person": {"sheets": 2}})
    assert check([second, first], [US, other], rules=items).set_aside == []


def test_people_with_the_same_answers_are_reported_and_kept() -> None:
    draw = random.Random(7)
    odd = tuple(
        labelled(answer.entry, draw.choice(["hate", "no-hate", "unknown"]))
        if answer.entry.startswith("m")
        else answer
        for answer in fill(US, "x").answers
    )
    copies = [replace(fill(US, name), answers=odd) for name in ("jo", "mo")]
    report = check([*careful(US), *copies], [US])
    (warned,) = report.warnings
    assert warned.rule == "identical"
    assert warned.submissions == (copies[0].id, copies[1].id)
    assert warned.evidence["chance"] < 1e-6
    assert report.set_aside == []
    off = read_rules({"identical": {"on": False}})
    assert check([*careful(US), *copies], [US], rules=off).warnings == ()


@each(
    ("facts", "kept"),
    [
        ({}, True),
        ({"nationality": "DE"}, True),
        ({"nationality": "germany"}, True),
        ({"nationality": "Germany, Turkey"}, True),
        ({"nationality": "Austria"}, False),
        ({"residence": "United Kingdom"}, False),
        ({"country_of_birth": "Korea, South"}, False),
        ({"first_language": "Turkish"}, False),
        ({"first_language": "Deutsch"}, True),
        ({"most_of_life": "yes"}, True),
        ({"most_of_life": "no"}, False),
        ({"most_of_life": "No"}, False),
        ({"most_of_life": "Austria"}, False),
        ({"nationality": "Florp"}, True),
        ({"nationality": "CONSENT_REVOKED"}, True),
        ({"nationality": "DATA_EXPIRED"}, True),
        ({"nationality": "Prefer not to say"}, True),
    ],
)
def test_facts_exclude_only_when_they_name_something_else(
    facts: dict[str, str], kept: bool
) -> None:
    report = check([fill(DE, "jo")], [DE], [person("jo", DE, **facts)])
    assert rules_of(report) == ({} if kept else {"jo": ["screening"]})
    if not kept:
        assert evidence(report, "screening")["differing"] == facts


def test_two_different_submissions_under_one_id_are_pointed_out() -> None:
    one, other = fill(US, "jo"), replace(fill(US, "jo", noise=0.9), participant="mo", row=2)
    for order in ([one, other], [other, one]):
        report = check(order, [US])
        assert [warned.rule for warned in report.warnings] == ["same id"]
        assert [kept.participant for kept in report.retained] == ["mo"]


def crowd() -> tuple[list[Submission], list[Participant]]:
    other = sheet("US", 2)
    items = [
        *careful(US),
        fill(US, "lazy", only="no-hate"),
        fill(US, "hurried", seconds=20),
        fill(US, "careless", wrong=("check-1", "check-2")),
        fill(other, "careful-1", after=9000),
        fill(DE, "moved"),
        replace(fill(DE, "left"), status="returned"),
        replace(fill(DE, "nobody"), participant="", submitted=None, started=None),
    ]
    people = [person(item.participant, US) for item in items[:6]]
    return items, [*people, person("moved", DE, nationality="Austria")]


@settings(max_examples=settings().max_examples // 3)
@given(st.sets(st.sampled_from(sorted(Rules.model_fields))))
def test_a_rule_that_is_off_excludes_nobody(off: set[str]) -> None:
    items, people = crowd()
    rules = read_rules({name: {"on": False} for name in off})
    report = check(items, [US, sheet("US", 2), DE], people, rules)
    assert not off & set(report.counts())
    assert len(report.retained) + sum(bool(row.reasons) for row in report.judged) == len(items)


@pytest.mark.parametrize("stored", [True, False])
def test_who_failed_a_sheet_does_not_get_in_by_it_again(stored: bool) -> None:
    first = fill(US, "jo", wrong=("check-1",))
    again = replace(fill(US, "jo", after=900), id="again")
    # The workspace keeps of a person and sheet what came last, and hands over the rest apart.
    report = check([again], [US], superseded=[first]) if stored else check([first, again], [US])
    (exclusion,) = [row for row in report.set_aside if row["rule"] == "again"]
    assert exclusion["submission"] == "again"
    evidence = {"earlier": first.id, "sheet": US.id, "failed": ["attention"]}
    assert exclusion["evidence"] == evidence
    allowed = Rules(again=Again(on=False))
    assert check([again], [US], rules=allowed, superseded=[first]).retained == [again]


def test_who_failed_does_not_get_in_by_the_same_memes_elsewhere() -> None:
    later = replace(US, id="r2-b01-US", batch="r2-b01", round=2)
    other = sheet("US", 2)
    sent = [fill(US, "jo", wrong=("check-1",)), fill(later, "jo", after=900)]
    sent.append(fill(other, "jo", after=1800))
    report = check(sent, [US, later, other], rules=Rules(person=OnePerson(sheets=3)))
    assert [row.id for row in report.retained] == [f"s-jo-{other.id}"]
    assert report.counts() == {"again": 1, "attention": 1}


STUDY = "r1-b01-DE"


def row(status: str, facts: dict[str, str] | None = None, **details: object) -> Participant:
    return Participant("ada", facts or {}, "s1", STUDY, status, 300.0, details)


def test_an_older_export_that_comes_later_takes_nothing_back() -> None:
    waiting = row("AWAITING REVIEW", {"sex": "Female"}, completed="2026-03-01T10:00:00+00:00")
    approved = row("APPROVED", {"sex": "Female"}, reviewed="2026-03-02T10:00:00+00:00")
    for order in permutations([waiting, approved]):
        (one,) = merged(order)
        assert one.status == "APPROVED"


def test_who_returned_and_came_back_is_as_last_seen() -> None:
    gone = row("RETURNED", started="2026-03-01T09:00:00Z")
    back = row("AWAITING REVIEW", started="2026-03-01T12:00:00Z")
    assert [merged(order)[0].status for order in permutations([gone, back])] == [
        "AWAITING REVIEW"
    ] * 2


def test_what_a_person_has_withheld_since_is_forgotten() -> None:
    before = row("APPROVED", {"age": "30", "sex": "Female"})
    after = row("APPROVED", {"sex": "Female"}, withheld={"age": "consent revoked"})
    (one,) = merged([before, after])
    assert one.facts == {"sex": "Female"}


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
