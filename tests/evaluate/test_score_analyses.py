"""Analyses of an evaluation, and models of known behaviour, found again within their intervals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from scipy import stats

from memeloc.errors import InputError
from memeloc.evaluate import Gold, ModelAnswers
from memeloc.evaluate.scores import (
    ModelFacts,
    ScoreSettings,
    score,
    scored_table,
    write_evaluation,
)
from memeloc.reports.figures import of_analysis, value_of, wide
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


GOLD = simulated.gold(60)


GOLD = replace(
    GOLD,
    table=GOLD.table.rename(columns={"IN": "भारत", "MX": "مصر"}),
    groups=pd.DataFrame({"text": ["no text", "text"] * 30}, index=GOLD.table.index),
)


@pytest.fixture(scope="module")
def answers() -> ModelAnswers:
    tables = [
        simulated.answers(GOLD, models=MODELS, seed=seed, language="hi", **columns).table
        for seed, columns in enumerate(CONDITIONS)
    ]
    return ModelAnswers.of(pd.concat(tables), simulated.LABELS)


@pytest.fixture(scope="module")
def figures(answers: ModelAnswers) -> pd.DataFrame:
    return score(answers, GOLD, SETTINGS)


def test_the_best_culture_is_compared_by_rank_sum(figures: pd.DataFrame) -> None:
    title = "one culture · picture · prompt en"
    prompts = wide(figures, "prompts")
    prompts = prompts[prompts["group"].str.startswith(title)]
    accuracies = prompts.groupby("item")["accuracy"].agg(list)
    ranks = wide(figures, "best-culture")
    ranks = ranks[ranks["group"] == title].set_index("rank")
    assert ranks.loc[1, "item"] == "US"
    assert ranks["accuracy"].is_monotonic_decreasing
    expected = stats.ranksums(accuracies["US"], accuracies[ranks.loc[5, "item"]]).pvalue
    assert ranks.loc[5, "p_lowest"] == expected


def test_changes_are_compared_on_the_same_model_and_memes(figures: pd.DataFrame) -> None:
    changes = wide(figures, "changes")
    assert set(changes["group"][changes["group"].str.endswith("hi")]) >= {
        "prompt language · first · both · prompt hi",
        "prompt language · one culture · both · prompt hi",
        "prompt language · refuses · both · prompt hi",
    }
    kinds = changes["group"].str.split(" · ").str[0]
    assert set(kinds) == {"caption", "picture", "prompt language", "country"}
    aimed = set(zip(kinds, changes["item"].where(changes["is_target"] == 1), strict=True))
    assert {("country", "DE"), ("prompt language", "भारत")} < aimed
    differences = changes["after"] - changes["before"]
    assert changes["difference"].to_list() == pytest.approx(differences.to_list())
    assert (changes["difference_low"] <= changes["difference_high"]).all()


def test_a_coarser_task_without_a_label_is_a_sentence() -> None:
    gold = Gold(pd.DataFrame({"gold": ["a"]}, index=["0"]), ("a", "b"), coarser={"two": {"a": "x"}})
    answers = ModelAnswers.of(pd.DataFrame({"item": ["0"], "choice": ["a"]}), ("a", "b"))
    with pytest.raises(InputError, match="coarser task two has no label for 'b'"):
        score(answers, gold)


def test_the_long_table_says_what_is_right_for_each_culture(
    answers: ModelAnswers, figures: pd.DataFrame
) -> None:
    table = scored_table(answers, GOLD, SETTINGS)
    assert len(table) == len(answers.table)
    own = table[(table["model"] == "one culture") & (table["input"] == "picture")]
    title = "one culture · picture · prompt en"
    assert own["right US"].mean() == pytest.approx(
        value_of(figures, "accuracy", "accuracy", title, "US")
    )


def test_the_page_has_all_figures_and_a_paragraph(
    answers: ModelAnswers, figures: pd.DataFrame, tmp_path: Path
) -> None:
    files = write_evaluation(answers, GOLD, tmp_path, SETTINGS, figures=figures)
    assert "The highest accuracy is that of one culture" in files.methods[0].read_text("utf-8")
    assert len(pd.read_parquet(files.figures[1])) == len(figures)
    assert len(pd.read_parquet(tmp_path / "scored.parquet")) == len(answers.table)


MANY = simulated.gold(150)


@pytest.fixture(scope="module")
def scored() -> pd.DataFrame:
    return score(simulated.answers(MANY), MANY, ScoreSettings(bootstraps=300))


def holds(scored: pd.DataFrame, truth: float, analysis: str, *key: str) -> bool:
    """Whether the interval of a figure has the truth; the key is figure, group and item."""
    figure, group, item = (*key, "")[:3]
    rows = of_analysis(scored, analysis, figure)
    row = rows[(rows["group"] == group) & (rows["item"] == item)].iloc[0]
    return bool(row["low"] <= truth <= row["high"])


@pytest.mark.parametrize(
    ("model", "culture"), [("one culture", "US"), ("echoes", "US"), ("hindi digits", "IN")]
)
def test_agreement_with_the_culture_that_a_model_follows_is_found(
    scored: pd.DataFrame, model: str, culture: str
) -> None:
    assert holds(scored, simulated.FOLLOWED, "accuracy", "accuracy", model, culture)
    assert value_of(scored, "best-culture", "rank", model, culture) == 1
    p = of_analysis(scored, "best-culture", "p_second")
    assert p["value"][p["group"] == model].min() < 0.05


def test_the_first_option_is_found(scored: pd.DataFrame) -> None:
    for figure in ("first", "changed"):
        assert value_of(scored, "position-bias", figure, "first") == 1
    assert holds(scored, 0.5, "accuracy", "accuracy", "first", "US")


def test_refusals_are_found_and_are_wrong(scored: pd.DataFrame) -> None:
    for figure in ("refused", "invalid"):
        assert holds(scored, simulated.REFUSED, "validity", figure, "refuses")
    assert holds(scored, 1 - simulated.REFUSED, "accuracy", "accuracy", "refuses", "US")


def test_a_copied_prompt_is_invalid_and_no_refusal(scored: pd.DataFrame) -> None:
    assert value_of(scored, "validity", "invalid", "copies") == 1
    assert value_of(scored, "validity", "refused", "copies") == 0
    assert value_of(scored, "accuracy", "accuracy", "copies", "US") == 0
