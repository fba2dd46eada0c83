"""Scores of models: against scikit-learn and by hand, and what does not fit together."""

from __future__ import annotations

import pandas as pd
import pytest
from sklearn.metrics import precision_recall_fscore_support

from memeloc.errors import InputError
from memeloc.evaluate import Gold, ModelAnswers
from memeloc.evaluate.scores import Evaluation, ScoreSettings, score
from tests.evaluate import simulated

QUICK = ScoreSettings(bootstraps=50)


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    gold = simulated.gold(60)
    models = ("first", "one culture", "refuses")
    return score(simulated.answers(gold, models=models, language="de"), gold, QUICK)


def two(choices: list[str], **columns: list[str]) -> ModelAnswers:
    table = pd.DataFrame({"item": ["0", "1", "2", "3"], "choice": choices}).assign(**columns)
    return ModelAnswers.of(table, ("a", "b"))


GOLD = Gold(pd.DataFrame({"US": ["a", "a", "b", None]}, index=["0", "1", "2", "3"]), ("a", "b"))


def test_an_invalid_answer_is_wrong_and_an_item_without_gold_left_out() -> None:
    scores = score(two(["a", "", "b", "a"]), GOLD, QUICK).scores[0]
    assert scores.items == 3
    assert scores.accuracy.value == pytest.approx(2 / 3)


def test_macro_scores_are_those_of_scikit_learn(evaluation: Evaluation) -> None:
    table = evaluation.answers.table
    for scores in evaluation.scores[3:7]:
        of_model = table[table["model"] == scores.condition.model]
        for prompt in scores.by_prompt:
            own = of_model[
                (of_model["wording"] == prompt.prompt.wording)
                & (of_model["order"] == prompt.prompt.order)
            ]
            right = evaluation.gold.table[scores.culture].loc[own["item"]]
            theirs = precision_recall_fscore_support(
                right, own["choice"], labels=simulated.LABELS, average="macro", zero_division=0
            )
            assert (prompt.precision, prompt.recall, prompt.f1) == pytest.approx(theirs[:3])


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (two(["a", "c", "b", "a"]), "chooses 'c' (item '1'), which is not one of the labels"),
        (two(["a"] * 4, item=["x0", "x1", "x2", "x3"]), "None of the 4 items"),
        (two(["a"] * 4, item=["0", "0", "2", "3"]), "Item '0' has 2 answers"),
        (ModelAnswers.of(pd.DataFrame({"item": [], "choice": []})), "no answers to score"),
    ],
)
def test_what_does_not_fit_is_a_sentence(answers: ModelAnswers, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        score(answers, GOLD)
    assert sentence in str(error.value)


def test_an_unknown_gold_label_is_named() -> None:
    gold = Gold(pd.DataFrame({"US": ["a", "x"]}, index=["0", "1"]), ("a", "b"))
    with pytest.raises(InputError, match="Item '1' has the gold label 'x' in US"):
        score(two(["a"] * 4), gold)


def test_items_without_gold_and_without_answers_are_noted() -> None:
    gold = Gold(pd.DataFrame({"US": ["a", "a"]}, index=["0", "9"]), ("a", "b"))
    notes = score(two(["a"] * 4), gold, QUICK).notes
    assert notes == (
        "3 items that models answered have no gold and are not scored.",
        "1 item of the gold without any answer.",
    )
