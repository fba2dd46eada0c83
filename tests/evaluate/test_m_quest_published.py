"""M-QUEST's printed sums: those that hold, and those that contradict each other (PROTOCOLS, audit).

All numbers are typed from the paper: Table 1, Table 2, the sections Outcome, Key Statistics and
Performance Across Evaluation Dimensions, and the appendix on validation.
"""

from __future__ import annotations

import pandas as pd
import pytest

from memeloc.evaluate import Gold, ModelAnswers
from memeloc.evaluate.scores import ScoreSettings, score
from memeloc.reports.figures import wide
from tests.each import each

# Table 1. Textual, visual, scene, background, intent, emotion, analogical, community, semiotic.
TOXICITY = 307
WITH_TOXICITY = (10, 14, 9, 9, 9, 0, 0, 0, 0)
EXTENSION = (35, 35, 35, 26, 26, 30, 28, 20, 16)
WHOLE = (45, 49, 44, 35, 35, 30, 28, 20, 16)
VALID = (76, 74, 76, 56, 64, 60, 56, 40, 32)
"""Per cent of 50 questions of a dimension, in the same order (appendix, figure 5)."""

# Table 2: all, group, toxicity only, reasoning only, macro average; per cent.
TABLE_2 = {
    "BLIP2-Flan-T5-xl": (13.23, 12.31, 14.65, 14.68, 14.28),
    "InstructBLIP-Vicuna-7B": (22.86, 18.71, 22.80, 17.83, 20.62),
    "LLaVA-v1.6-Vicuna": (47.29, 46.79, 50.16, 40.21, 41.47),
    "LLaVA-v1.5": (56.81, 53.42, 54.72, 70.42, 68.27),
    "Pixtral-12B": (70.29, 60.59, 71.98, 54.68, 57.42),
    "Qwen3-VL-8B-Instruct": (83.79, 78.32, 80.13, 95.28, 94.25),
    "Qwen2-VL-7B-Instruct": (85.63, 82.26, 84.36, 94.71, 93.84),
    "Qwen2.5-VL-7B-Instruct": (86.38, 83.25, 86.64, 94.71, 93.27),
}


def test_609_questions_are_the_sum_of_table_1() -> None:
    assert tuple(map(sum, zip(WITH_TOXICITY, EXTENSION, strict=True))) == WHOLE
    assert TOXICITY + sum(WHOLE) == 609
    assert sum(WHOLE) == 302
    assert round(609 / 307, 2) == 1.98


def test_the_toxicity_row_has_358_questions() -> None:
    """Neither 350 nor 307: 51 questions about what toxicity rests on come with it."""
    questions = TOXICITY + sum(WITH_TOXICITY)
    assert questions == 358
    assert f"{questions / 307:.2f}" == "1.17"  # 1.16 is printed: cut off, not rounded


def test_307_of_1000_memes_are_not_29_4_per_cent() -> None:
    assert 307 / 1_000 == 0.307
    assert round(0.294 * 1_000) == 294


def test_valid_shares_have_the_printed_mean() -> None:
    assert round(sum(VALID) / 9, 2) == 59.33


def test_valid_shares_are_267_questions_and_not_251() -> None:
    assert sum(share * 50 // 100 for share in VALID) == 267
    assert sum(EXTENSION) == 251
    fewer = [share * 50 // 100 - kept for share, kept in zip(VALID, EXTENSION, strict=True)]
    assert fewer == [3, 2, 3, 2, 6, 0, 0, 0, 0]


def test_1_48_questions_a_meme_are_those_of_267() -> None:
    assert f"{267 / 180:.2f}" == "1.48"
    assert f"{251 / 180:.2f}" == "1.39"


def test_dimensions_do_not_end_at_35_questions() -> None:
    """The text has 16 to 35 a dimension, of the visual, textual and scene; the table 16 to 49."""
    assert (min(WHOLE), max(WHOLE)) == (16, 49)
    assert WHOLE[:3] == (45, 49, 44)


def test_three_models_are_outside_their_own_parts() -> None:
    """A share of all questions lies between those of its two parts."""
    outside = [
        model
        for model, (whole, _, toxicity, reasoning, _) in TABLE_2.items()
        if not min(toxicity, reasoning) <= whole <= max(toxicity, reasoning)
    ]
    assert outside == ["BLIP2-Flan-T5-xl", "InstructBLIP-Vicuna-7B", "Qwen2.5-VL-7B-Instruct"]


@each("model", TABLE_2)
def test_the_scores_of_parts_give_another_whole(model: str) -> None:
    """What is printed of toxicity and reasoning, answered so, is scored as another share of all."""
    whole, _, toxicity, reasoning, _ = TABLE_2[model]
    right = [*_right(307, toxicity), *_right(302, reasoning)]
    items = [str(number) for number in range(609)]
    table = pd.DataFrame(
        {
            "item": items,
            "meme": [str(number % 307) for number in range(609)],
            "dimension": ["Toxicity"] * 307 + ["Reasoning"] * 302,
            "choice": ["A" if each else "B" for each in right],
        }
    )
    gold = Gold(pd.DataFrame({"gold": "A"}, index=items))
    scores = wide(score(ModelAnswers.of(table), gold, ScoreSettings(bootstraps=2)), "choice").loc[0]
    assert 100 * scores["toxicity"] == pytest.approx(toxicity, abs=0.17)
    assert 100 * scores["reasoning"] == pytest.approx(reasoning, abs=0.17)
    expected = (307 * scores["toxicity"] + 302 * scores["reasoning"]) / 609
    assert scores["overall"] == pytest.approx(expected, abs=1e-12)
    assert abs(100 * scores["overall"] - whole) > 0.4


def _right(questions: int, percent: float) -> list[bool]:
    count = round(questions * percent / 100)
    return [number < count for number in range(questions)]


def test_group_accuracy_of_91_42_is_in_no_row() -> None:
    """The text has it as the highest; the table's highest is 83.25."""
    groups = [group for _, group, *_ in TABLE_2.values()]
    assert max(groups) == 83.25
    assert 91.42 not in groups
