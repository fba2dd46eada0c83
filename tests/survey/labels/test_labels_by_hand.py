"""Labels and checks once more, counted by hand in plain Python, and compared."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from statistics import median
from typing import Any

import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memeloc.survey.labels.settling import COLUMNS, answers_table, settle
from memeloc.survey.model import Answer, Check, Participant, Sheet, Submission
from memeloc.survey.quality.checking import CheckReport, check
from memeloc.survey.quality.rules import Rules, Settling, read_rules
from memeloc.taxonomy import Label, Question, Taxonomy, load_taxonomy
from tests.each import each
from tests.survey.annotators import NOON, labelled, person, sheet

quick = settings(suppress_health_check=[HealthCheck.too_slow])
SEVERITY = {"none": 0, "some": 1, "much": 2, "also-much": 2}
DEGREES = Taxonomy(
    "degrees",
    "",
    (*(Label(name, one) for name, one in SEVERITY.items()), Label("x", 0, "abstain")),
    (),
    (),
)
ITEMS, CULTURES = ("m1", "m2", "007"), ("US", "DE")
answered = st.lists(
    st.tuples(
        st.sampled_from(ITEMS),
        st.sampled_from(CULTURES),
        st.integers(0, 14).map(str),
        st.sampled_from((*SEVERITY, "x", "x", "")),
    ),
    max_size=70,
    unique_by=lambda row: row[:3],
)
how = st.fixed_dictionaries(
    {
        "answers": st.integers(1, 6),
        "rule": st.sampled_from(("most votes", "absolute majority", "most severe")),
        "ties": st.sampled_from(("ask", "most severe")),
        "severe_votes": st.integers(1, 3),
        "extra": st.integers(1, 3),
        "most": st.integers(1, 9),
    }
)


def label_by_hand(votes: Counter[str], how: dict[str, Any]) -> str:
    """The label of one item in one culture; empty for none."""
    votes = Counter({one: count for one, count in votes.items() if one != "x"})
    if not votes:
        return ""
    if how["rule"] == "most severe":
        ahead = [one for one, count in votes.items() if count >= how["severe_votes"]]
    else:
        top = max(votes.values())
        ahead = [one for one, count in votes.items() if count == top]
        if how["rule"] == "absolute majority" and not top > sum(votes.values()) / 2:
            ahead = []
    if ahead and (how["rule"] == "most severe" or how["ties"] == "most severe"):
        worst = max(SEVERITY[one] for one in ahead)
        ahead = [one for one in ahead if SEVERITY[one] == worst]
    return ahead[0] if len(ahead) == 1 else ""


@quick
@given(
    rows=answered,
    how=how,
    again=st.lists(st.integers(0, 200), max_size=5),
    wanted=st.lists(st.tuples(st.sampled_from((*ITEMS, "m9")), st.sampled_from(CULTURES))),
    pending=st.dictionaries(
        st.tuples(st.sampled_from(ITEMS), st.sampled_from(CULTURES)), st.integers(0, 4)
    ),
    shuffle=st.randoms(use_true_random=False),
)
def test_labels_states_and_needs_are_those_of_a_count_by_hand(
    rows: list[tuple[str, ...]],
    how: dict[str, Any],
    again: list[int],
    wanted: list[tuple[str, str]],
    pending: dict[tuple[str, str], int],
    shuffle: Any,
) -> None:
    votes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for item, culture, _, label in rows:
        if label:
            votes[item, culture][label] += 1
    cells = sorted({*votes, *wanted})
    expected, needs = [], []
    limit = max(how["most"], how["answers"])
    for cell in cells:
        count = sum(votes[cell].values())
        label = label_by_hand(votes[cell], how)
        if count < how["answers"]:
            state, more = "short", how["answers"] - count
        elif label:
            state, more = "settled", 0
        elif count >= limit:
            state, more = "given up", 0
        else:
            state, more = "tied", min(how["extra"], limit - count)
        expected.append((*cell, label, state, count, votes[cell]["x"]))
        if (left := more - pending.get(cell, 0)) > 0:
            needs.append((cell, left))
    many = [*rows, *(rows[one % len(rows)] for one in again if rows)]
    shuffle.shuffle(many)
    result = settle(
        pd.DataFrame(many, columns=list(COLUMNS)),
        DEGREES,
        Settling.model_validate(how),
        wanted=wanted,
        pending=pending,
    )
    columns = ["item", "culture", "label", "state", "answers", "abstained"]
    assert list(result.table[columns].itertuples(index=False, name=None)) == expected
    assert list(result.needs.items()) == needs
    for row in result.rows:
        counted = votes[row["item"], row["culture"]]
        assert row["votes"] == {one: n for one, n in counted.items() if one != "x"}


# Submissions

SHEETS = (sheet("US", 1, 8, 3), sheet("US", 2, 8, 3), sheet("DE", 1, 8, 3))
WHEN = Question("whom", "choice", ("a", "b", "c"), when={"label": ("hate",)})
HATE = replace(load_taxonomy("multi3hate"), questions=(WHEN,))


@st.composite
def submissions(draw: st.DrawFn, *, choices: bool = True) -> list[Submission]:
    """A few people over a few sheets, some twice, some careless; of a choice they chose one."""
    result = []
    choosable = ((), ("a",), ("b",), *([("a", "b")] if choices else []))
    for number in range(draw(st.integers(0, 14))):
        on = draw(st.sampled_from(SHEETS))
        who = draw(st.sampled_from(("ana", "bo", "cy", "di", "ed", "")))
        answers = []
        for entry in on.entries:
            name = entry.id if isinstance(entry, Check) else entry.meme_id
            right = entry.expected if isinstance(entry, Check) else "no-hate"
            label = draw(st.sampled_from((right, right, right, "hate", "no-hate", "unknown", "")))
            second = draw(st.sampled_from(choosable)) if label else ()
            if draw(st.integers(0, 9)):
                answers.append(labelled(name, label, **({"whom": second} if second else {})))
        started = NOON + timedelta(minutes=draw(st.integers(0, 600)))
        seconds = draw(st.sampled_from((5, 20, 30, 60, 200, 240, 300, None)))
        ended = None if seconds is None else started + timedelta(seconds=seconds)
        status = draw(st.sampled_from(("complete", "complete", "complete", "returned")))
        result.append(
            Submission(
                f"s{number}", on.id, who, tuple(answers), "csv", ended, started, status, row=number
            )
        )
    return result


def in_order(several: Sequence[Submission]) -> list[Submission]:
    """By when they were sent; those of unknown time last, as their files have them."""
    far = NOON + timedelta(days=999)
    return sorted(several, key=lambda one: (one.submitted or far, one.row))


def by_hand(several: Sequence[Submission], rules: Rules) -> dict[str, set[str]]:
    """By submission the rules that it fails, of those that ask for no probability."""
    stored = {one.id: one for one in SHEETS}
    failed: dict[str, set[str]] = defaultdict(set)
    last: dict[tuple[str, str], Submission] = {}
    for one in in_order(several):
        if one.participant:
            if (one.sheet, one.participant) in last:
                failed[last[one.sheet, one.participant].id].add("superseded")
            last[one.sheet, one.participant] = one
    holding = [one for one in in_order(several) if one.id not in failed]
    for one in holding:
        if rules.status.on and one.status != "complete":
            failed[one.id].add("status")
        given = {answer.entry: answer.label for answer in one.answers if answer.label}
        checks = [entry for entry in stored[one.sheet].entries if isinstance(entry, Check)]
        explicit = [given.get(c.id) == c.expected for c in checks if c.kind == "explicit"]
        implicit = [given.get(c.id) == c.expected for c in checks if c.kind == "implicit"]
        enough = sum(implicit) >= min(rules.attention.implicit_passed, len(implicit))
        missed = explicit.count(False) > rules.attention.explicit_missed
        if rules.attention.on and (missed or not enough):
            failed[one.id].add("attention")
    usual = [one for one in holding if one.id not in failed]
    for on in SHEETS:
        paces = {
            one.id: (one.submitted - one.started).total_seconds() / count
            for one in holding
            if one.sheet == on.id
            and one.submitted is not None
            and one.started is not None
            and (count := sum(bool(answer.label) for answer in one.answers))
        }
        some = [paces[one.id] for one in usual if one.id in paces]
        least = rules.speed.seconds_per_entry
        if len(some) >= rules.speed.fewest:
            least = max(least, rules.speed.share_of_median * median(some))
        for name, pace in paces.items():
            if rules.speed.on and pace < least:
                failed[name].add("speed")
    sheets: Counter[str] = Counter()
    for one in holding:
        if one.participant and one.status == "complete":
            sheets[one.participant] += 1
            if rules.person.on and sheets[one.participant] > rules.person.sheets:
                failed[one.id].add("person")
    return failed


OTHERS = {name: {"on": False} for name in ("straight", "screening", "identical", "again")}
thresholds = st.fixed_dictionaries(
    {
        "status": st.fixed_dictionaries({"on": st.booleans()}),
        "attention": st.fixed_dictionaries(
            {
                "on": st.booleans(),
                "explicit_missed": st.integers(0, 1),
                "implicit_passed": st.integers(0, 4),
            }
        ),
        "speed": st.fixed_dictionaries(
            {
                "on": st.booleans(),
                "seconds_per_entry": st.sampled_from((0.0, 2.0, 10.0)),
                "share_of_median": st.sampled_from((0.0, 0.3, 0.9)),
                "fewest": st.integers(1, 4),
            }
        ),
        "person": st.fixed_dictionaries({"on": st.booleans(), "sheets": st.integers(1, 2)}),
    }
)


@quick
@given(several=submissions(), values=thresholds, shuffle=st.randoms(use_true_random=False))
def test_exclusions_are_those_found_by_hand(
    several: list[Submission], values: dict[str, Any], shuffle: Any
) -> None:
    rules = read_rules({**values, **OTHERS})
    expected = by_hand(several, rules)
    shuffled = list(several)
    shuffle.shuffle(shuffled)
    report = check(shuffled, SHEETS, rules=rules)
    result: dict[str, set[str]] = defaultdict(set)
    for aside in report.set_aside:
        result[aside["submission"]].add(aside["rule"])
        assert aside["evidence"]
    assert {name: kinds for name, kinds in result.items() if kinds} == {
        name: kinds for name, kinds in expected.items() if kinds
    }
    kept = {key.id for key in report.retained}
    assert kept == {item.id for item in several if not expected.get(item.id)}
    # Whoever is not retained has a reason, and is still in the report.
    assert {judgement.submission for judgement in report.judged} == {item.id for item in several}
    # What was retained is settled by each person's first word, and nothing else.
    votes: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    culture = {one.id: one.culture.code for one in SHEETS}
    for one in in_order([own for own in several if own.id in kept]):
        for answer in one.answers:
            if answer.label and answer.entry.startswith("m"):
                who = one.participant or one.id
                votes[answer.entry, culture[one.sheet]].setdefault(who, answer.label)
    table = answers_table(report.retained, SHEETS)
    rows = Counter(zip(table["item"], table["culture"], table["label"], strict=True))
    assert rows == Counter(
        (item, code, label) for (item, code), message in votes.items() for label in message.values()
    )


@quick
@given(st.booleans().flatmap(lambda many: st.tuples(st.just(many), submissions(choices=many))))
def test_further_answers_are_those_of_a_count_by_hand(
    answered: tuple[bool, list[Submission]],
) -> None:
    many, several = answered
    taxonomy = replace(HATE, questions=(replace(WHEN, kind="choices" if many else "choice"),))
    answers = answers_table(several, SHEETS, ["whom"])
    settled = settle(answers, taxonomy)
    message: dict[tuple[str, str], dict[str, Answer]] = defaultdict(dict)
    culture = {one.id: one.culture.code for one in SHEETS}
    for one in in_order(several):
        for answer in one.answers:
            if answer.label and answer.entry.startswith("m"):
                key = (answer.entry, culture[one.sheet])
                message[key].setdefault(one.participant or one.id, answer)
    expected = {}
    for (item, code), label in settled.labels.items():
        if label != "hate":
            continue
        chosen = [one.get("whom") for one in message[item, code].values() if one.label == "hate"]
        chosen = [one for one in chosen if one]
        counts = {name: sum(name in one for one in chosen) for name in "abc"}
        if many:
            won = [name for name in "abc" if counts[name] > len(chosen) / 2]
        else:
            top = max(counts.values())
            won = [name for name in "abc" if top and counts[name] == top]
            won = won if len(won) == 1 else []
        expected[item, code] = ("|".join(won), len(chosen))
    result = {
        (row["item"], row["culture"]): (own["answer"], own["people"])
        for row in settled.rows
        for own in row["further"].values()
    }
    assert result == expected


# Each rule for itself


def failing(on: Sheet) -> tuple[list[Submission], list[Participant]]:
    """Six careful people, and one for each rule that fails that rule only."""
    from tests.survey.annotators import fill

    # People differ on every other meme, so that nobody could give one answer throughout.
    good = [
        replace(
            (one := fill(on, f"good-{number}", noise=0.0)),
            answers=tuple(
                replace(answer, values={"label": (("hate", "no-hate")[place % 2],)})
                if answer.entry.startswith("m")
                else answer
                for place, answer in enumerate(one.answers)
            ),
        )
        for number in range(6)
    ]
    bad = [
        replace(fill(on, "status"), status="timed out"),
        fill(on, "attention", wrong=("check-1",)),
        fill(on, "speed", seconds=20.0),
        fill(on, "straight", only="hate"),
        fill(on, "screening"),
    ]
    people = [person(one.participant, on) for one in (*good, *bad)]
    people[-1] = person("screening", on, nationality="Austria")
    return [*good, *bad], people


@each("rule", ["status", "attention", "speed", "straight", "screening"])
def test_each_rule_excludes_its_own_and_can_be_switched_off(rule: str) -> None:
    on = sheet("US", 1, 20)
    several, people = failing(on)

    def aside(off: bool) -> CheckReport:
        return check(several, [on], people, read_rules({rule: {"on": not off}}))

    with_rule = aside(off=False)
    (result,) = (row for row in with_rule.judged if rule in row.reasons)
    assert result.submission == f"s-{rule}-{on.id}"
    assert result.reasons[rule]
    without = aside(off=True)
    assert rule not in without.counts()
    assert f"s-{rule}-{on.id}" in {row.id for row in without.retained}
    assert len(without.retained) == len(with_rule.retained) + 1
