"""Scores of models: against scikit-learn and by hand, and what does not fit together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import precision_recall_fscore_support

from memeloc.errors import InputError
from memeloc.evaluate import Gold, ModelAnswers
from memeloc.evaluate.confusion import confusion_figures
from memeloc.evaluate.scores import ScoreSettings, score
from memeloc.evaluate.scores.joining import join
from memeloc.reports.figures import gaps, of_analysis, value_of, wide
from tests.each import each
from tests.evaluate import simulated

QUICK = ScoreSettings(bootstraps=50)


def two(choices: list[str], **columns: list[str]) -> ModelAnswers:
    table = pd.DataFrame({"item": ["0", "1", "2", "3"], "choice": choices}).assign(**columns)
    return ModelAnswers.of(table, ("a", "b"))


GOLD = Gold(pd.DataFrame({"US": ["a", "a", "b", None]}, index=["0", "1", "2", "3"]), ("a", "b"))


def test_an_invalid_answer_is_wrong_and_an_item_without_gold_left_out() -> None:
    scores = wide(score(two(["a", "", "b", "a"]), GOLD, QUICK), "accuracy").loc[0]
    assert scores["n"] == 3
    assert scores["accuracy"] == pytest.approx(2 / 3)


def test_macro_scores_are_those_of_scikit_learn() -> None:
    gold = simulated.gold(60)
    answers = simulated.answers(gold, models=("one culture", "refuses"), language="de")
    by_prompt = of_analysis(score(answers, gold, QUICK), "prompts")
    for (model, wording, order), own in answers.table.groupby(["model", "wording", "order"]):
        group = f"{model} · prompt {wording}{', swapped' if order else ''}"
        for culture in ("US", "CN"):
            theirs = precision_recall_fscore_support(
                gold.table[culture].loc[own["item"]],
                own["choice"],
                labels=simulated.LABELS,
                average="macro",
                zero_division=0,
            )
            ours = [
                value_of(by_prompt, "prompts", figure, group, culture)
                for figure in ("precision", "recall", "f1")
            ]
            assert ours == pytest.approx(theirs[:3])


@each(
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


def test_items_without_gold_and_without_answers_are_noted() -> None:
    gold = Gold(pd.DataFrame({"US": ["a", "a"]}, index=["0", "9"]), ("a", "b"))
    assert gaps(score(two(["a"] * 4), gold, QUICK)) == [
        "3 items that models answered have no gold and are not scored.",
        "1 item of the gold without any answer.",
        "No column names the template or the meme of an item: intervals take items as "
        "independent, and are too narrow where several are of one (template = COLUMN).",
    ]


LABELS = ("violence", "self-harm", "hate", "nsfw", "safe")


SEVERITY = {"violence": "high", "self-harm": "high", "hate": "mid", "nsfw": "contextual"}


PAIRS = [
    ("violence", "violence"),
    ("violence", "self-harm"),
    ("violence", "hate"),
    ("violence", "safe"),
    ("self-harm", "violence"),
    ("hate", ""),
    ("hate", "hate"),
    ("nsfw", "safe"),
    ("safe", "safe"),
    ("safe", "nsfw"),
]


@pytest.fixture(scope="module")
def confusion():
    rights, given = zip(*PAIRS, strict=True)
    items = [f"0{number}" for number in range(len(PAIRS))]
    gold = Gold(pd.DataFrame({"gold": rights}, index=items), LABELS)
    table = pd.DataFrame({"model": "m", "item": [*items, "unknown"], "choice": [*given, "safe"]})
    return confusion_figures(join(ModelAnswers.of(table, LABELS), gold), SEVERITY)


def test_shares_are_of_the_answers_with_a_right_label(confusion):
    frame = wide(confusion, "confusion").set_index("item")
    assert list(frame.index) == list(LABELS)
    assert frame["n"].tolist() == [4, 1, 2, 1, 2]
    assert frame.loc["hate", ["given: hate", "given: (none)"]].tolist() == [0.5, 0.5]
    assert (frame.filter(like="given: ").sum(axis=1) == 1).all()


def test_errors_within_a_severity_are_told_apart(confusion):
    frame = wide(confusion, "severity").set_index("item")
    assert list(frame.index) == ["high", "mid", "contextual", ""]
    high = frame.loc["high"]
    assert high["n"] == 5
    assert high[["right", "same", "other", "harmless", "invalid"]].tolist() == pytest.approx(
        [0.2, 0.4, 0.2, 0.2, 0]
    )
    assert high["within"] == pytest.approx(2 / 3)
    assert high["within_by_chance"] == pytest.approx(1 / 3)
    assert frame.loc["mid", "invalid"] == 0.5
    assert np.isnan(frame.loc["contextual", "within"])
    assert frame.loc["", ["within", "within_by_chance"]].tolist() == pytest.approx([2 / 3, 1 / 3])
