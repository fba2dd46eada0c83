"""Quality control: each rule with its numbers, what it leaves alone, and that order is nothing."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memeloc.survey.design.build import Design, build, to_sheets
from memeloc.survey.design.simulate import simulate, truths
from memeloc.survey.labels.settling import answers_table, settle
from memeloc.survey.model import Answer, Participant, Submission
from memeloc.survey.quality.checking import check, retained
from memeloc.survey.quality.likelihood import Rates, at_least
from memeloc.survey.quality.report import CheckReport
from memeloc.survey.quality.rules import Again, OnePerson, Rules, read_rules
from memeloc.taxonomy import load_taxonomy
from tests.survey.annotators import careful, culture, fill, person, sheet

US, DE = sheet("US"), sheet("DE")


def rules_of(report: CheckReport) -> dict[str, list[str]]:
    """By participant the rules that their submissions fail."""
    who = {judgement.key: judgement.participant for judgement in report.judged}
    result: dict[str, list[str]] = {}
    for exclusion in report.set_aside:
        result.setdefault(who[exclusion.key], []).append(exclusion.rule)
    return result


def evidence(report: CheckReport, rule: str) -> dict[str, object]:
    (result,) = (exclusion.evidence for exclusion in report.set_aside if exclusion.rule == rule)
    return dict(result)


def test_careful_people_are_retained() -> None:
    items = careful(US, 5)
    report = check(items, [US], [person(item.participant, US) for item in items])
    assert report.set_aside == ()
    assert report.warnings == ()
    assert retained(items, report) == items


@pytest.mark.parametrize(
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


def test_attention_has_its_numbers_and_its_counts_are_settings() -> None:
    one = fill(US, "jo", wrong=("check-2",), skipped=("check-3",))
    result = evidence(check([one], [US]), "attention")
    assert result["implicit"] == {"asked": 3, "missed": 1, "not answered": 1}
    assert result["implicit_needed"] == 2
    assert not check([one], [US], rules=read_rules({"attention": {"implicit_passed": 1}})).set_aside
    assert not check([one], [US], rules=read_rules({"attention": {"on": False}})).set_aside
    missed = fill(US, "jo", wrong=("check-1",))
    assert not check(
        [missed], [US], rules=read_rules({"attention": {"explicit_missed": 1}})
    ).set_aside


def test_a_sheet_with_fewer_implicit_checks_needs_all_of_its_own() -> None:
    fewer = replace(
        US,
        entries=tuple(
            entry for entry in US.entries if getattr(entry, "id", "") not in {"check-3", "check-4"}
        ),
    )
    assert not check([fill(fewer, "jo")], [fewer]).set_aside
    assert check([fill(fewer, "jo", wrong=("check-2",))], [fewer]).counts() == {"attention": 1}


@pytest.mark.parametrize(
    "status", ["returned", "no consent", "consent revoked", "timed out", "screened out"]
)
def test_what_was_not_sent_whole_is_excluded(status: str) -> None:
    report = check([replace(fill(US, "jo"), status=status)], [US])
    assert evidence(report, "status") == {"status": status, "service": ""}


def test_what_was_returned_at_the_service_is_excluded() -> None:
    someone = replace(person("jo", US), status="RETURNED")
    report = check([fill(US, "jo")], [US], [someone])
    assert evidence(report, "status") == {"status": "complete", "service": "RETURNED"}


def test_another_study_of_a_person_says_nothing_of_this_one() -> None:
    here = person("jo", US)
    there = replace(here, study="r9-b99-US", submission="other", status="REJECTED")
    assert not check([fill(US, "jo")], [US], [there, here]).set_aside


def test_too_fast_by_the_entry_and_by_the_median() -> None:
    hurried = fill(US, "hurried", seconds=30)
    quick = fill(US, "quick", seconds=60)
    report = check([*careful(US), hurried, quick], [US])
    assert rules_of(report) == {"hurried": ["speed"], "quick": ["speed"]}
    result = next(
        exclusion.evidence for exclusion in report.set_aside if "hurried" in exclusion.submission
    )
    assert result["seconds"] == 30
    assert result["answers"] == 24
    assert result["seconds_per_entry"] == 1.25
    assert result["median"] == pytest.approx(235 / 24, abs=0.8)
    alone = check([hurried, quick], [US])
    assert rules_of(alone) == {"hurried": ["speed"]}
    off = read_rules({"speed": {"seconds_per_entry": 0, "share_of_median": 0}})
    assert not check([*careful(US), hurried], [US], rules=off).set_aside


def test_a_clock_that_goes_backwards_is_no_time() -> None:
    one = fill(US, "jo", seconds=-500)
    assert check([one], [US]).judged[0].seconds is None
    assert check([one], [US], [person("jo", US)]).judged[0].seconds == 260.0


def test_a_straight_line_is_recognised_by_what_others_answer() -> None:
    lazy = fill(US, "lazy", only="no-hate")
    report = check([*careful(US), lazy], [US])
    assert rules_of(report) == {"lazy": ["straight"]}
    result = evidence(report, "straight")
    assert (result["label"], result["count"], result["longest"], result["bits"]) == (
        "no-hate",
        20,
        20,
        0,
    )
    assert float(str(result["chance"])) < 0.001
    assert 6 < float(str(result["expected"])) < 16


def test_who_answers_as_everybody_does_draws_no_line() -> None:
    same = [fill(US, f"p{number}", only="no-hate") for number in range(5)]
    assert check(same, [US]).counts() == {}


def test_a_lone_annotator_is_compared_with_nobody() -> None:
    assert not check([fill(US, "lazy", only="hate")], [US]).set_aside


def test_two_letters_between_do_not_hide_a_line() -> None:
    lazy = fill(US, "lazy", only="no-hate")
    answers = [
        replace(answer, label="hate") if answer.entry == "m1-09" else answer
        for answer in lazy.answers
    ]
    report = check([*careful(US), replace(lazy, answers=tuple(answers))], [US])
    assert evidence(report, "straight")["count"] == 19


def test_the_first_complete_sheet_of_a_person_counts() -> None:
    other = sheet("US", 2)
    first = fill(US, "jo", after=100)
    second = fill(other, "jo", after=5000)
    returned = replace(fill(sheet("US", 3), "jo"), status="returned")
    report = check([second, first, returned], [US, other, sheet("US", 3)])
    assert [(exclusion.sheet, exclusion.rule) for exclusion in report.set_aside] == [
        (other.id, "person"),
        ("r1-b03-US", "status"),
    ]
    assert evidence(report, "person") == {"number": 2, "allowed": 1, "held": [US.id]}
    items = read_rules({"person": {"sheets": 2}})
    assert check([second, first], [US, other], rules=items).set_aside == ()


def test_what_was_sent_again_takes_the_place_of_the_first() -> None:
    first = fill(US, "jo")
    again = replace(fill(US, "jo", noise=0.9, after=900), id="again")
    report = check([again, first], [US])
    assert [
        (exclusion.submission, exclusion.rule, dict(exclusion.evidence))
        for exclusion in report.set_aside
    ] == [(first.id, "superseded", {"by": "again"})]
    assert retained([first, again], report) == [again]


def test_people_without_an_id_are_different_people() -> None:
    items = [replace(fill(US, f"p{number}"), participant="") for number in range(3)]
    report = check(items, [US])
    assert len(report.retained) == 3
    assert [warning.rule for warning in report.warnings] == ["no participant"] * 3


def test_a_person_in_two_cultures_is_pointed_out() -> None:
    report = check([fill(US, "jo"), fill(DE, "jo")], [US, DE])
    (warned,) = report.warnings
    assert (warned.rule, dict(warned.evidence)) == ("two cultures", {"cultures": ["DE", "US"]})


def test_people_with_the_same_answers_are_reported_and_kept() -> None:
    draw = random.Random(7)
    odd = tuple(
        Answer(answer.entry, draw.choice(["hate", "no-hate", "unknown"]))
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
    assert report.set_aside == ()
    off = read_rules({"identical": {"on": False}})
    assert check([*careful(US), *copies], [US], rules=off).warnings == ()


@pytest.mark.parametrize(
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


def test_residence_is_asked_where_the_culture_asks_for_it() -> None:
    india, abroad = sheet("IN"), {"residence": "United Kingdom"}
    assert not check([fill(india, "jo")], [india], [person("jo", india, **abroad)]).set_aside
    assert check([fill(DE, "jo")], [DE], [person("jo", DE, **abroad)]).set_aside


def test_chinese_is_known_by_the_services_name() -> None:
    china = sheet("CN")
    assert not check([fill(china, "jo")], [china], [person("jo", china)]).set_aside
    message = person("jo", china, first_language="Cantonese")
    assert check([fill(china, "jo")], [china], [message]).counts() == {"screening": 1}


def test_what_is_not_known_or_not_understood_is_reported() -> None:
    someone = Participant("jo", {"nationality": "Florp"})
    report = check([fill(DE, "jo")], [DE], [someone])
    assert {(warning.rule, warning.evidence["fact"]) for warning in report.warnings} == {
        ("unclear fact", "nationality"),
        ("missing fact", "country_of_birth"),
        ("missing fact", "residence"),
        ("missing fact", "first_language"),
        ("missing fact", "most_of_life"),
    }
    strict = read_rules({"screening": {"missing": "set aside"}})
    assert evidence(check([fill(DE, "jo")], [DE], [someone], strict), "screening")["missing"] == [
        "country_of_birth",
        "residence",
        "first_language",
        "most_of_life",
    ]


def test_further_facts_and_names_are_settings() -> None:
    rules = read_rules(
        {
            "screening": {
                "others": {"upbringing": ["monocultural"]},
                "countries": {"DE": ["Florp"]},
            }
        },
    )
    fits = person("jo", DE, upbringing="Monocultural", nationality="Florp")
    assert not check([fill(DE, "jo")], [DE], [fits], rules).set_aside
    differs = person("jo", DE, upbringing="several")
    assert check([fill(DE, "jo")], [DE], [differs], rules).counts() == {"screening": 1}


@pytest.mark.parametrize(
    ("code", "value", "differs"),
    [
        ("IN", "india", False),
        ("IN", "Türkiye", True),
        ("IN", "Turkey", True),
        ("IN", "Ivory Coast", True),
        ("CN", "People’s Republic of China", False),
        ("CN", "Republic of Korea", True),
    ],
)
def test_countries_by_name(code: str, value: str, differs: bool) -> None:
    asked = sheet(code)
    report = check([fill(asked, "jo")], [asked], [person("jo", asked, nationality=value)])
    assert bool(report.set_aside) == differs
    assert not report.warnings


def test_an_unknown_sheet_is_no_crash() -> None:
    report = check([replace(fill(US, "jo"), sheet="r7-b01-XX")], [US])
    assert [exclusion.rule for exclusion in report.set_aside] == ["unknown sheet"]


def test_who_is_at_the_service_and_sent_nothing_is_absent() -> None:
    report = check([], [US], [person("jo", US), replace(person("mo", US), status="RETURNED")])
    assert [one.participant for one in report.absent] == ["jo"]


def test_two_different_submissions_under_one_id_are_pointed_out() -> None:
    one, other = fill(US, "jo"), replace(fill(US, "jo", noise=0.9), participant="mo", row=2)
    for order in ([one, other], [other, one]):
        report = check(order, [US])
        assert [warned.rule for warned in report.warnings] == ["same id"]
        assert [kept.participant for kept in retained(order, report)] == ["mo"]


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


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=settings().max_examples // 3)
@given(st.randoms(use_true_random=False))
def test_the_order_of_submissions_does_not_matter(shuffle: random.Random) -> None:
    items, people = crowd()
    sheets = [US, sheet("US", 2), DE]
    before = check(items, sheets, people)
    shuffle.shuffle(items)
    shuffle.shuffle(people)
    shuffle.shuffle(sheets)
    assert check(items, sheets, people).as_json() == before.as_json()


@settings(max_examples=settings().max_examples // 3)
@given(st.sets(st.sampled_from(sorted(Rules.model_fields))))
def test_a_rule_that_is_off_excludes_nobody(off: set[str]) -> None:
    items, people = crowd()
    rules = read_rules({name: {"on": False} for name in off})
    report = check(items, [US, sheet("US", 2), DE], people, rules)
    assert not off & set(report.counts())
    assert len(report.retained) + len(report.reasons) == len(items)


@pytest.mark.parametrize("seed", range(5))
def test_only_diligent_simulated_annotators_are_retained(seed: int) -> None:
    taxonomy = load_taxonomy("multi3hate")
    cultures = tuple(culture(code) for code in ("US", "DE", "MX", "IN", "CN"))
    design = Design("pilot", "multi3hate", cultures, seed=seed)
    memes = {f"m{number:03d}": f"t{number % 12}" for number in range(80)}
    here = Path("x.jpg")
    sheets = to_sheets(
        build(memes, design, taxonomy),
        design,
        lambda *_: here,
        lambda *_: "",
        lambda *_: here,
        templates=memes,
    )
    truth = truths(list(memes), [one.code for one in cultures], taxonomy, seed=seed)
    people = simulate(sheets, taxonomy, truth, seed=seed)
    sent = [one.submission for one in people if one.submission is not None]
    report = check(sent, sheets)
    good = [one.submission for one in people if one.submission is not None and one.good]
    assert {key.id for key in retained(sent, report)} == {one.id for one in good}
    table = settle(answers_table(retained(sent, report), sheets), taxonomy).table
    votes: dict[tuple[str, str], Counter[str]] = {}
    code = {sheet.id: sheet.culture.code for sheet in sheets}
    for one in good:
        for answer in one.answers:
            if answer.entry.startswith("m"):
                votes.setdefault((answer.entry, code[one.sheet]), Counter())[answer.label] += 1
    for item, where, label in zip(table["item"], table["culture"], table["label"], strict=True):
        hate, no = votes[item, where]["hate"], votes[item, where]["no-hate"]
        assert label == ("hate" if hate > no else "no-hate" if no > hate else "")
    assert len(table) == len(votes)


def test_a_report_is_written_as_json() -> None:
    items, people = crowd()
    report = check(items, [US, sheet("US", 2), DE], people)
    assert report.counts() == {
        "attention": 1, "person": 1, "screening": 1, "speed": 1, "status": 1, "straight": 1,
    }  # fmt: skip
    stored = json.loads(json.dumps(report.as_json()))
    assert {len(stored[name]) for name in ("judged", "set_aside")} == {
        len(report.judged), len(report.set_aside),
    }  # fmt: skip
    assert stored["set_aside"][0]["rule"] == report.set_aside[0].rule


def test_chances_by_hand() -> None:
    assert at_least(0, [0.3]) == 1
    assert at_least(2, [0.5, 0.2]) == pytest.approx(0.1)
    assert at_least(1, [0.5, 0.2]) == pytest.approx(0.6)
    rates = Rates([("US", "s", {"m": "a"}), ("US", "s", {"m": "b"}), ("US", "s", {"m": "a"})])
    # Without the first: a once of two in the meme, and of two in the culture, which counts twice.
    assert rates.chances("US", "s", {"m": "a"}, [{"m": "a"}]) == [pytest.approx(2 / 4)]
    assert rates.chances("DE", "t", {"m": "a"}, []) is None


@pytest.mark.parametrize("stored", [True, False])
def test_who_failed_a_sheet_does_not_get_in_by_it_again(stored: bool) -> None:
    first = fill(US, "jo", wrong=("check-1",))
    again = replace(fill(US, "jo", after=900), id="again")
    # The workspace keeps of a person and sheet what came last, and hands over the rest apart.
    report = check([again], [US], superseded=[first]) if stored else check([first, again], [US])
    (exclusion,) = [row for row in report.set_aside if row.rule == "again"]
    assert exclusion.submission == "again"
    evidence = {"earlier": first.id, "sheet": US.id, "failed": ["attention"]}
    assert exclusion.evidence == evidence
    allowed = Rules(again=Again(on=False))
    assert check([again], [US], rules=allowed, superseded=[first]).retained == ((US.id, "again"),)


def test_a_careful_first_try_may_be_sent_again() -> None:
    first, again = fill(US, "jo"), replace(fill(US, "jo", after=900), id="again")
    assert check([first, again], [US]).retained == ((US.id, "again"),)


@pytest.mark.parametrize("status", ["returned", "timed out"])
def test_what_was_not_sent_whole_is_no_try(status: str) -> None:
    first = replace(fill(US, "jo", wrong=("check-1",)), status=status)
    report = check([fill(US, "jo", after=900)], [US], superseded=[first])
    assert len(report.retained) == 1


def test_who_failed_does_not_get_in_by_the_same_memes_elsewhere() -> None:
    later = replace(US, id="r2-b01-US", batch="r2-b01", round=2)
    other = sheet("US", 2)
    sent = [fill(US, "jo", wrong=("check-1",)), fill(later, "jo", after=900)]
    sent.append(fill(other, "jo", after=1800))
    report = check(sent, [US, later, other], rules=Rules(person=OnePerson(sheets=3)))
    assert report.retained == ((other.id, f"s-jo-{other.id}"),)
    assert report.counts() == {"again": 1, "attention": 1}
