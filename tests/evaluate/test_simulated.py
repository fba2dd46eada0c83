"""Models whose behaviour is known: the report finds each of it again, within its intervals."""

from __future__ import annotations

import pytest

from memeloc.evaluate.scores import Evaluation, ScoreSettings, Value, score
from tests.evaluate import simulated


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    gold = simulated.gold(150)
    return score(simulated.answers(gold), gold, ScoreSettings(bootstraps=300))


def accuracy(evaluation: Evaluation, model: str, culture: str) -> Value:
    return next(
        each.accuracy
        for each in evaluation.scores
        if (each.condition.model, each.culture) == (model, culture)
    )


def holds(value: Value, truth: float) -> bool:
    return value.low <= truth <= value.high


@pytest.mark.parametrize(
    ("model", "culture"), [("one culture", "US"), ("echoes", "US"), ("hindi digits", "IN")]
)
def test_agreement_with_the_culture_that_a_model_follows_is_found(
    evaluation: Evaluation, model: str, culture: str
) -> None:
    assert holds(accuracy(evaluation, model, culture), simulated.FOLLOWED)
    ranking = next(each for each in evaluation.rankings if each.condition.model == model)
    assert ranking.best == culture
    assert ranking.p_second < 0.05


def test_a_model_that_follows_a_culture_agrees_less_with_the_others(evaluation: Evaluation) -> None:
    """By chance it is right where the cultures agree, or where both differ."""
    right = evaluation.gold.table
    for culture in ("DE", "MX", "IN", "CN"):
        same = float((right["US"] == right[culture]).mean())
        expected = same * simulated.FOLLOWED + (1 - same) * (1 - simulated.FOLLOWED)
        assert holds(accuracy(evaluation, "one culture", culture), expected)


def test_the_first_option_is_found(evaluation: Evaluation) -> None:
    bias = next(each for each in evaluation.positions if each.condition.model == "first")
    assert (bias.first.value, bias.changed.value) == (1.0, 1.0)
    assert holds(accuracy(evaluation, "first", "US"), 0.5)


def test_swapping_changes_what_chance_changes(evaluation: Evaluation) -> None:
    """Of two answers that are right with p = 0.8 each, 2 p (1 - p) differ."""
    bias = next(each for each in evaluation.positions if each.condition.model == "one culture")
    assert holds(bias.changed, 2 * simulated.FOLLOWED * (1 - simulated.FOLLOWED))
    assert holds(bias.first, 0.5)


def test_refusals_are_found_and_are_wrong(evaluation: Evaluation) -> None:
    rates = next(each for each in evaluation.rates if each.condition.model == "refuses")
    assert holds(rates.refused, simulated.REFUSED)
    assert rates.invalid == rates.refused
    assert holds(accuracy(evaluation, "refuses", "US"), 1 - simulated.REFUSED)


def test_a_copied_prompt_is_invalid_and_no_refusal(evaluation: Evaluation) -> None:
    rates = next(each for each in evaluation.rates if each.condition.model == "copies")
    assert (rates.invalid.value, rates.refused.value) == (1.0, 0.0)
    assert accuracy(evaluation, "copies", "US").value == 0


def test_all_other_answers_are_valid(evaluation: Evaluation) -> None:
    for rates in evaluation.rates:
        if rates.condition.model not in ("copies", "refuses"):
            assert rates.invalid.value == 0
