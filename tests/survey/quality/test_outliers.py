"""Outliers: found by agreement with the rest, excluded only by name, with evidence."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from statistics import NormalDist, fmean, pstdev

import pytest

from memeloc.survey.model import Submission
from memeloc.survey.quality.checking import check
from memeloc.survey.quality.outliers import deviations
from memeloc.survey.quality.rules import Outlier, Rules, read_rules
from tests.survey.annotators import fill, labelled, sheet

ON = sheet(memes=60)
TEAM = [fill(ON, f"careful-{number}", noise=0.1) for number in range(5)]


def drawn(submission: Submission) -> Submission:
    """The same person with labels of memes at random; checks passed, so no other rule fails."""
    draw = random.Random(4)
    answers = tuple(
        answer if answer.entry.startswith("check") else labelled(answer.entry, label)
        for answer in submission.answers
        for label in [draw.choice(["hate", "no-hate"])]
    )
    return replace(submission, answers=answers)


ODD = drawn(fill(ON, "odd"))


def labels(rows: Mapping[str, str]) -> list[tuple[str, str, dict[str, str]]]:
    """By person a letter a meme."""
    names = {"h": "hate", "n": "no-hate", "u": "unknown"}
    return [
        ("DE", who, {f"m{place}": names[letter] for place, letter in enumerate(letters)})
        for who, letters in rows.items()
    ]


def outliers(submissions: Sequence[Submission], rules: Rules | None = None) -> list[str]:
    report = check(submissions, [ON], rules=rules, abstain=["unknown"])
    return [str(row.evidence["participant"]) for row in report.warnings if row.rule == "outlier"]


def test_outlier_is_excluded_by_name_with_evidence() -> None:
    rules = read_rules({"outlier": {"people": ["odd"]}})
    report = check([*TEAM, ODD], [ON], rules=rules, abstain=["unknown"])
    (row,) = [row for row in report.judged if "outlier" in row.reasons]
    evidence = row.reasons["outlier"]
    assert row.submission == ODD.id
    assert evidence["by"] == "name"
    assert evidence["kappa"] < evidence["others"]["kappa"] - 0.2
    assert evidence["chance"] > 0.05
    assert ODD not in report.retained
    assert "outlier" not in {row.rule for row in report.warnings}


def test_excluded_outlier_does_not_count_against_the_others() -> None:
    others = [drawn(fill(ON, f"odd-{number}")) for number in range(3)]
    rules = read_rules({"outlier": {"people": [f"odd-{number}" for number in range(3)]}})
    assert outliers([*TEAM, *others, ODD], rules) == ["odd"]


def test_deviation_worked_by_hand() -> None:
    rows = labels({"ann": "hhnn", "ben": "hhnn", "cem": "hhnn", "dot": "hnhn"})
    judged = deviations(rows, Outlier(), ["unknown"])
    # dot agrees with all others on two memes of four, as by chance: laid on the memes in all six
    # ways the labels agree on 0, 2, 2, 2, 2 or 4. The others agree on all four with each other, and
    # on two with dot: on 10 of 12.
    assert judged["DE", "dot"] == {
        "items": 4,
        "agreement": 0.5,
        "expected": 0.5,
        "kappa": 0.0,
        "others": {"agreement": 0.8333, "kappa": 0.6667},
        "chance": 0.5,
        "below": 1.55,
        "outlier": False,
    }


def test_permutation_has_the_mean_and_variance_of_all_ways() -> None:
    rows = labels({"ann": "hhnnh", "ben": "hnnhu", "cem": "nhnhh", "dot": "hhunn"})
    judged = deviations(rows, Outlier(), [])["DE", "dot"]
    own = list(rows[3][2].values())
    others = [list(row[2].values()) for row in rows[:3]]

    def agreement(laid: Sequence[str]) -> float:
        return fmean(label == row[at] for at, label in enumerate(laid) for row in others)

    # What dot chose is laid on the memes in every order; the others' answers stay.
    ways = [agreement(laid) for laid in permutations(own)]
    assert judged["expected"] == pytest.approx(fmean(ways), abs=1e-4)
    z = (agreement(own) - fmean(ways)) / pstdev(ways)
    assert judged["chance"] == pytest.approx(1 - NormalDist().cdf(z), abs=1e-3)


def test_habit_of_one_label_is_no_deviation() -> None:
    rows = labels({"ann": "hhnnn", "ben": "hhnnn", "cem": "hhnnn", "dot": "nnnnn"})
    assert ("DE", "dot") not in deviations(rows, Outlier(), [])
