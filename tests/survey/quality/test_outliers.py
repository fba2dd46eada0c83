"""Outliers: found by agreement with the rest, excluded only by name, with evidence."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

import pytest

from memeloc.survey.model import Answer, Submission
from memeloc.survey.quality.checking import check, retained
from memeloc.survey.quality.outliers import at_most, deviations
from memeloc.survey.quality.rules import Outlier, Rules, read_rules
from tests.survey.annotators import fill, sheet

ON = sheet(memes=60)
TEAM = [fill(ON, f"careful-{number}", noise=0.1) for number in range(5)]


def drawn(submission: Submission) -> Submission:
    """The same person with labels of memes at random; checks passed, so no other rule fails."""
    draw = random.Random(4)
    answers = tuple(
        answer if answer.entry.startswith("check") else Answer(answer.entry, label)
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
    (exclusion,) = [row for row in report.set_aside if row.rule == "outlier"]
    assert exclusion.submission == ODD.id
    assert exclusion.evidence["by"] == "name"
    assert exclusion.evidence["kappa"] < exclusion.evidence["others"]["kappa"] - 0.2
    assert exclusion.evidence["chance"] < 0.001
    assert ODD not in retained([*TEAM, ODD], report)
    assert "outlier" not in {row.rule for row in report.warnings}


def test_excluded_outlier_does_not_count_against_the_others() -> None:
    others = [drawn(fill(ON, f"odd-{number}")) for number in range(3)]
    with_them = outliers([*TEAM, *others, ODD])
    rules = read_rules({"outlier": {"people": [f"odd-{number}" for number in range(3)]}})
    assert "odd" not in with_them  # four of nine are at random alike: nobody stands alone
    assert outliers([*TEAM, *others, ODD], rules) == ["odd"]


def test_deviation_worked_by_hand() -> None:
    rows = labels({"ann": "hhnn", "ben": "hhnn", "cem": "hhnn", "dot": "nnnn"})
    judged = deviations(rows, Outlier(), ["unknown"])
    # The majority of the others is hhnn for everybody; dot agrees on two of four, as by chance.
    assert judged["DE", "dot"].evidence == {
        "items": 4,
        "agreement": 0.5,
        "kappa": 0.0,
        "others": {"agreement": 1.0, "kappa": 1.0},
        "chance": 0.0,
    }


@pytest.mark.parametrize(
    ("count", "trials", "chance", "expected"),
    [
        (0, 3, 0.5, 0.125),
        (1, 3, 0.5, 0.5),
        (3, 3, 0.5, 1.0),
        (2, 4, 0.0, 1.0),
        (2, 4, 1.0, 0.0),
        (4, 4, 1.0, 1.0),
    ],
)
def test_binomial_tail(count: int, trials: int, chance: float, expected: float) -> None:
    assert at_most(count, trials, chance) == pytest.approx(expected)


def test_others_median_leaves_the_person_out() -> None:
    rows = labels({"ann": "hhnn", "ben": "hhnn", "cem": "hhnh", "dot": "nnhh", "eli": "hhnn"})
    judged = deviations(rows, Outlier(), ["unknown"])
    kappas = {who: deviation.evidence["kappa"] for (_, who), deviation in judged.items()}
    for (_, who), deviation in judged.items():
        others = [kappa for other, kappa in kappas.items() if other != who]
        assert deviation.evidence["others"]["kappa"] == pytest.approx(median(others), abs=1e-4)
