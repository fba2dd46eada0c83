"""Multiple choice by dimension: counted by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from memeloc.evaluate import Gold, ModelAnswers
from memeloc.evaluate.scores import ChoiceScores, Evaluation, ScoreSettings, score

# Meme 1: toxicity right, two others right. 2: toxicity right, one of two others right.
# 3: toxicity wrong, the other right. 4: toxicity right alone. 5: one other alone, refused.
QUESTIONS = [
    ("1t", "1", "Toxicity", "A"),
    ("1s", "1", "Scene", "A"),
    ("1v", "1", "Visual", "A"),
    ("2t", "2", "Toxicity", "A"),
    ("2s", "2", "Scene", "A"),
    ("2v", "2", "Visual", "B"),
    ("3t", "3", "Toxicity", "B"),
    ("3s", "3", "Scene", "A"),
    ("4t", "4", "Toxicity", "A"),
    ("5v", "5", "Visual", ""),
]


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    table = pd.DataFrame(QUESTIONS, columns=["item", "meme", "dimension", "choice"])
    table = table.assign(invalid=table["choice"] == "", refused=table["choice"] == "")
    gold = Gold(pd.DataFrame({"gold": "A"}, index=table["item"]))
    return score(ModelAnswers.of(table), gold, ScoreSettings(bootstraps=50))


@pytest.fixture(scope="module")
def choices(evaluation: Evaluation) -> ChoiceScores:
    return evaluation.choices[0]


def test_dimensions_and_their_plain_mean(choices: ChoiceScores) -> None:
    assert {name: (n, value.value) for name, n, value in choices.dimensions} == {
        "Toxicity": (4, 0.75),
        "Scene": (3, 1.0),
        "Visual": (3, pytest.approx(1 / 3)),
    }
    assert choices.macro.value == pytest.approx((0.75 + 1 + 1 / 3) / 3)
    assert (choices.overall.value, choices.toxicity.value) == (0.7, 0.75)
    assert choices.reasoning.value == pytest.approx(4 / 6)


def test_group_accuracy_needs_every_question_of_the_meme(choices: ChoiceScores) -> None:
    assert choices.memes == 3
    assert choices.group.value == pytest.approx(1 / 3)


def test_pairs_need_both_questions(choices: ChoiceScores) -> None:
    assert choices.pairs == 5
    assert choices.by_pair.value == pytest.approx(3 / 5)


def test_the_report_has_no_macro_f1(evaluation: Evaluation) -> None:
    tables = {table.name for section in evaluation.sections for table in section.tables}
    assert {"choice", "dimensions"} <= tables
    assert not {"macro", "labels"} & tables


def test_the_whole_is_the_same_wherever_it_stands(evaluation: Evaluation) -> None:
    assert evaluation.scores[0].accuracy.value == evaluation.choices[0].overall.value
