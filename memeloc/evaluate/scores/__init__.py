"""How right models are. In: `ModelAnswers`, `Gold`. Out: an `Evaluation`: figures, sections, page.

    evaluation = score(answers, gold, ScoreSettings(seed=7))
    evaluation.scores[0].accuracy            # a `Value` with its interval, of a condition, culture
    write_evaluation(evaluation, "out")      # report.html, tables, plots, scored.parquet

1. `coded` has answers and gold as numbers, prompt by prompt: `Coded`.
2. `by_culture` scores each condition against each culture: `CultureScores`; `multiple_choice` each
   dimension, where every question has options of its own.
3. Each module of `sections` makes a section of the report of these.
4. `evaluation` computes all of it, `report` puts it on a page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.scores.coded import Condition, Prompt
    from memeloc.evaluate.scores.evaluation import Evaluation, score
    from memeloc.evaluate.scores.figures import (
        Agreement,
        Change,
        ChoiceScores,
        CultureScores,
        LabelScores,
        PositionBias,
        PromptScores,
        Ranking,
        Rates,
        Value,
    )
    from memeloc.evaluate.scores.report import report_of, scored_table, write_evaluation
    from memeloc.evaluate.scores.settings import ModelFacts, ScoreSettings

__all__ = [
    "Agreement",
    "Change",
    "ChoiceScores",
    "Condition",
    "CultureScores",
    "Evaluation",
    "LabelScores",
    "ModelFacts",
    "PositionBias",
    "Prompt",
    "PromptScores",
    "Ranking",
    "Rates",
    "ScoreSettings",
    "Value",
    "report_of",
    "score",
    "scored_table",
    "write_evaluation",
]

__getattr__, __dir__ = lazy_package(
    __name__,
    {
        "memeloc.evaluate.scores.coded": ["Condition", "Prompt"],
        "memeloc.evaluate.scores.evaluation": ["Evaluation", "score"],
        "memeloc.evaluate.scores.figures": [
            "Agreement",
            "Change",
            "ChoiceScores",
            "CultureScores",
            "LabelScores",
            "PositionBias",
            "PromptScores",
            "Ranking",
            "Rates",
            "Value",
        ],
        "memeloc.evaluate.scores.report": ["report_of", "scored_table", "write_evaluation"],
        "memeloc.evaluate.scores.settings": ["ModelFacts", "ScoreSettings"],
    },
)
