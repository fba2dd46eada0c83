"""Sections of an evaluation: rankings, changes, positions, sizes, coarser labels, parts."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from scipy import stats

from memeloc.errors import InputError
from memeloc.evaluate import Gold, ModelAnswers
from memeloc.evaluate.scores import (
    CultureScores,
    Evaluation,
    ModelFacts,
    ScoreSettings,
    score,
    scored_table,
)
from tests.evaluate import simulated

SETTINGS = ScoreSettings(
    bootstraps=50,
    countries={"hi": "भारत"},
    models={"first": ModelFacts("Cat", 7), "one culture": ModelFacts("Cat", 72)},
)
MODELS = ("first", "one culture", "refuses")
CONDITIONS = (
    {"input": "picture", "prompt_language": "en"},
    {"input": "both", "prompt_language": "en"},
    {"input": "both", "prompt_language": "hi"},
    {"input": "both", "prompt_language": "en", "country": "DE"},
    {"input": "text", "prompt_language": "en"},
)


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    gold = simulated.gold(60)
    gold = replace(
        gold,
        table=gold.table.rename(columns={"IN": "भारत", "MX": "مصر"}),
        groups=pd.DataFrame({"text": ["no text", "text"] * 30}, index=gold.table.index),
    )
    tables = [
        simulated.answers(gold, models=MODELS, seed=seed, language="hi", **columns).table
        for seed, columns in enumerate(CONDITIONS)
    ]
    return score(ModelAnswers.of(pd.concat(tables), simulated.LABELS), gold, SETTINGS)


def scores(evaluation: Evaluation, model: str, culture: str, **condition: str) -> CultureScores:
    return next(
        each
        for each in evaluation.scores
        if each.culture == culture
        and each.condition.model == model
        and all(getattr(each.condition, name) == value for name, value in condition.items())
    )


def test_the_best_culture_is_compared_by_rank_sum(evaluation: Evaluation) -> None:
    ranking = next(each for each in evaluation.rankings if each.condition.model == "one culture")
    best, lowest = (
        scores(evaluation, "one culture", culture) for culture in (ranking.best, ranking.lowest)
    )
    assert ranking.best == "US"
    assert ranking.accuracy == best.accuracy.value > ranking.accuracy_second
    assert ranking.p_lowest == stats.ranksums(best.accuracies, lowest.accuracies).pvalue


def test_changes_are_compared_on_the_same_input(evaluation: Evaluation) -> None:
    kinds = {(each.kind, each.before.input, each.after.input) for each in evaluation.changes}
    assert kinds == {
        ("prompt language", "both", "both"),
        ("country", "both", "both"),
        ("caption", "picture", "both"),
        ("picture", "text", "both"),
    }
    native = next(each for each in evaluation.changes if each.kind == "prompt language")
    assert (native.before.prompt_language, native.after.prompt_language) == ("en", "hi")
    aimed = {(each.kind, each.culture) for each in evaluation.changes if each.is_target}
    assert aimed == {("country", "DE"), ("prompt language", "भारत")}
    for each in evaluation.changes:
        difference = each.accuracy_after - each.accuracy_before
        assert each.difference.value == pytest.approx(difference)
        assert each.difference.low <= difference + 1e-12 >= each.difference.low


def test_sizes_compare_models_of_a_family(evaluation: Evaluation) -> None:
    section = next(each for each in evaluation.sections if each.name == "models")
    sizes = next(each.frame for each in section.tables if each.name == "sizes")
    row = sizes[sizes["culture"] == "US"].iloc[0]
    assert (row["family"], row["small_models"], row["large_models"]) == (
        "Cat",
        "first",
        "one culture",
    )
    assert row["difference"] == pytest.approx(row["large"] - row["small"])


def test_parts_of_the_items_are_scored_apart(evaluation: Evaluation) -> None:
    without = evaluation.groups["text", "no text"]
    assert {each.items for each in without} == {30}
    whole = scores(evaluation, "one culture", "US")
    halves = [
        next(part for part in parts if part.condition == whole.condition and part.culture == "US")
        for parts in evaluation.groups.values()
    ]
    mean = sum(each.accuracy.value for each in halves) / 2
    assert mean == pytest.approx(whole.accuracy.value)


def test_levels_of_coarser_labels_are_ranks() -> None:
    labels = ("safe", "mild", "bad")
    gold = Gold(
        pd.DataFrame({"gold": labels}, index=["0", "1", "2"]),
        labels,
        {"safe": 0, "mild": 5, "bad": 9},
        {"two": {"safe": "safe", "mild": "harm", "bad": "harm"}},
    )
    answers = ModelAnswers.of(pd.DataFrame({"item": ["0", "1", "2"], "choice": "safe"}), labels)
    evaluation = score(answers, gold, SETTINGS)
    assert evaluation.scores[0].mae.value == pytest.approx(14 / 3)
    assert evaluation.tasks["two"][0].mae.value == pytest.approx(2 / 3)


def test_a_coarser_task_without_a_label_is_a_sentence() -> None:
    gold = Gold(pd.DataFrame({"gold": ["a"]}, index=["0"]), ("a", "b"), coarser={"two": {"a": "x"}})
    answers = ModelAnswers.of(pd.DataFrame({"item": ["0"], "choice": ["a"]}), ("a", "b"))
    with pytest.raises(InputError, match="coarser task two has no label for 'b'"):
        score(answers, gold)


def test_the_long_table_says_what_is_right_for_each_culture(evaluation: Evaluation) -> None:
    table = scored_table(evaluation)
    assert len(table) == len(evaluation.answers.table)
    own = table[(table["model"] == "one culture") & (table["input"] == "picture")]
    whole = scores(evaluation, "one culture", "US", input="picture")
    assert own["right US"].mean() == pytest.approx(whole.accuracy.value)
