"""Models whose behaviour is known: the report finds each of it again, within its intervals."""

from __future__ import annotations

import pandas as pd
import pytest

from memeloc.evaluate.scores import ScoreSettings, score
from memeloc.reports.figures import of_analysis, value_of
from tests.evaluate import simulated

GOLD = simulated.gold(150)


@pytest.fixture(scope="module")
def figures() -> pd.DataFrame:
    return score(simulated.answers(GOLD), GOLD, ScoreSettings(bootstraps=300))


def holds(figures: pd.DataFrame, truth: float, analysis: str, *key: str) -> bool:
    """Whether the interval of a figure has the truth; the key is figure, group and item."""
    figure, group, item = (*key, "")[:3]
    rows = of_analysis(figures, analysis, figure)
    row = rows[(rows["group"] == group) & (rows["item"] == item)].iloc[0]
    return bool(row["low"] <= truth <= row["high"])


@pytest.mark.parametrize(
    ("model", "culture"), [("one culture", "US"), ("echoes", "US"), ("hindi digits", "IN")]
)
def test_agreement_with_the_culture_that_a_model_follows_is_found(
    figures: pd.DataFrame, model: str, culture: str
) -> None:
    assert holds(figures, simulated.FOLLOWED, "accuracy", "accuracy", model, culture)
    assert value_of(figures, "best-culture", "rank", model, culture) == 1
    p = of_analysis(figures, "best-culture", "p_second")
    assert p["value"][p["group"] == model].min() < 0.05


def test_the_first_option_is_found(figures: pd.DataFrame) -> None:
    for figure in ("first", "changed"):
        assert value_of(figures, "position-bias", figure, "first") == 1
    assert holds(figures, 0.5, "accuracy", "accuracy", "first", "US")


def test_refusals_are_found_and_are_wrong(figures: pd.DataFrame) -> None:
    for figure in ("refused", "invalid"):
        assert holds(figures, simulated.REFUSED, "validity", figure, "refuses")
    assert holds(figures, 1 - simulated.REFUSED, "accuracy", "accuracy", "refuses", "US")


def test_a_copied_prompt_is_invalid_and_no_refusal(figures: pd.DataFrame) -> None:
    assert value_of(figures, "validity", "invalid", "copies") == 1
    assert value_of(figures, "validity", "refused", "copies") == 0
    assert value_of(figures, "accuracy", "accuracy", "copies", "US") == 0
